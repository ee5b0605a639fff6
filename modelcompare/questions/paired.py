"""A test of two models on the same test set."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, get_args

from modelcompare import plugs
from modelcompare.arguments import checked, written_out
from modelcompare.comparison.planning import Settings
from modelcompare.data.checks import check_models
from modelcompare.data.given_arrays import check_asked, takes_arrays
from modelcompare.data.test_set import TestSet
from modelcompare.engine.scope import Scope
from modelcompare.metrics.classes import ValueLike
from modelcompare.questions.contrast import Contrast, Difference, warn_of_undefined
from modelcompare.questions.effects import effect_sizes
from modelcompare.report.document import Document
from modelcompare.report.fields import HIDDEN, value
from modelcompare.report.numbers import decimals_for
from modelcompare.report.result import Result
from modelcompare.report.tables import VALUE, Table, column
from modelcompare.resampling.seeds import RngLike
from modelcompare.significance import Outcome, choices, named
from modelcompare.significance.studentized import NAME as DEFAULT_TEST
from modelcompare.significance.studentized import n_groups, of_exchangeability
from modelcompare.words import (
    Alternative,
    GeneralizeToOfSets,
    PairedTest,
    ZeroDivision,
    signature,
)

_OF_EXCHANGEABILITY = (
    "p is of exchangeable models, which is more than equal values; about values the interval of "
    "compare, or of decide, decides."
)


@dataclass(frozen=True, kw_only=True)
class PairedTestResult(Result, stem="test", version=3, row="test"):
    """Outcome of a test of two models.

    Attributes
    ----------
    model_a, model_b, metric, label
        The compared models, the metric and its class.
    difference : float
        a - b on the test set.
    statistic : float
        The statistic of the test; for resampling tests the difference.
    p_value : float
        P-value of the test.
    p_value_standard_error : float
        Monte-Carlo error of the p-value; 0 if nothing was simulated.
    method : str
        The test that was used: the requested one, or its replacement for this metric.
    alternative : str
        The alternative, as requested.
    n_resamples : int
        Number of resamples that were drawn or enumerated; 0 for tests without resamples.
    exact : bool
        Whether the p-value has no Monte-Carlo error.
    notes : tuple of str
        Note on the training runs for which the result holds, if there are several; of
        "run-permutation" also the smallest possible p-value.
    cohens_dz : float
        Difference over the standard deviation of the samples' differences; of independent samples,
        NaN for others.
    cliffs_delta : float
        Chance that a sample's number of model a is above one of b, less that it is below, for means
        of independent samples; NaN for others.
    n_groups : int, optional
        Number of groups into which the test combined very many samples, or clusters, to swap them.
    scope : Scope
        Runs that the result is about.
    of_exchangeability : bool
        True if the test is only of exchangeable models, which is more than equal values: of
        calibration errors and functions.
    """

    model_a: str
    model_b: str
    metric: str
    label: Any
    difference: float
    statistic: float
    p_value: float
    p_value_standard_error: float
    method: str
    alternative: Alternative
    n_resamples: int
    exact: bool
    notes: tuple[str, ...] = field(default=(), repr=False, metadata=value(in_row=False))
    # Not known of scans, whose other numbers are those of memory.
    cohens_dz: float = field(default=math.nan, compare=False)
    cliffs_delta: float = field(default=math.nan, compare=False)
    n_groups: int | None = field(default=None, repr=False, metadata=HIDDEN)
    scope: Scope = field(repr=False, metadata=HIDDEN)
    of_exchangeability: bool = field(default=False, repr=False, metadata=HIDDEN)

    @property
    def signature(self) -> str:
        return signature(
            "test", B=self.n_resamples, test=self.method, alternative=self.alternative,
            groups=self.n_groups or None, **self.scope.marks, **self.scope.settings,
        )  # fmt: skip

    def document(self) -> Document:
        title = f"Do {self.model_a} (a) and {self.model_b} (b) differ?"
        # A test has no standard error; a small difference is printed with two digits.
        decimals = max(decimals_for([abs(self.difference)]), 4)
        notes = [_OF_EXCHANGEABILITY] if self.of_exchangeability else []
        table = Table.of(
            title, self._row, VALUE, column("test", "method"), "alternative", "difference",
            "statistic", "p_value", notes=[*notes, *self.notes], decimals=decimals,
        )  # fmt: skip
        return self._document({"test": table})


@takes_arrays
@checked(predictions=check_asked)
@written_out(methods=choices(get_args(PairedTest)))
def paired_test(
    predictions: TestSet | Mapping[str, TestSet],
    model_a: str,
    model_b: str,
    metric: ValueLike = "f1_macro",
    *,
    method: PairedTest = "studentized-permutation",
    alternative: Alternative = "two-sided",
    n_resamples: int = 9999,
    generalize_to: GeneralizeToOfSets = "auto",
    zero_division: ZeroDivision = math.nan,
    rng: RngLike = 0,
) -> PairedTestResult:
    """Test two models on the same test set, or on the mean of several.

    Parameters
    ----------
    predictions : Predictions, or mapping of str to Predictions
        A test set with both models, or several by name.
    model_a, model_b : str
        The models; differences are a - b.
    metric : str, metric or callable, or a pair of it and a class
        Metric on which they are compared; of a metric per class also the class, as in
        ``"f1[fraud]"``, or as ``(metric, "fraud")``. By default that is the positive one of two.
        McNemar's tests need accuracy, or mean_score of scores
        that are 0 or 1; DeLong's needs roc_auc; t, Wilcoxon and sign need a mean of per-sample
        numbers (accuracy, mean_score, log_loss, brier_score, caccuracy).
    method : str
        {methods}

        The default is "wald" where the samples are not all that varies: for new runs, and beside
        a judge. Of several test sets the difference of the means has the p-value at which its
        interval ends at 0, as in `compare_groups`, and no other method.

        "permutation" enumerates all swaps if there are at most `n_resamples` of them, and
        "run-permutation" all ways to exchange whole runs. The null of the latter is that the runs
        of both procedures are exchangeable on these items: procedures that differ on these items
        and are equal over all items do not fulfil it.

        Of calibration errors and custom functions, swaps test that models are exchangeable, which
        is more than equal values, and the result names it; of ``rms_calibration_error`` of
        independent samples they test the value. The default's p-value of a median or percentile is
        not below the error at which the interval of the difference ends at 0.
    alternative : {"two-sided", "greater", "less"}
        "greater": the value of a is greater than that of b.
    n_resamples : int
        Number of resamples, for the methods that resample.
    generalize_to : {"auto", "items", "items+runs", "sets", "sets+runs"}
        What varies, as in `compare`, and of several test sets as in `compare_groups`.
    zero_division, rng
        As in `compare`.

    Returns
    -------
    PairedTestResult

    Raises
    ------
    ValueError
        If the method does not apply to the metric; the message lists those that do.

    Warns
    -----
    SparseDataWarning
        If intervals may cover less than their level; see `compare`.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.load_example("snli")
    >>> result = mc.paired_test(preds, "bow_pair", "naive_bayes", "accuracy", method="mcnemar-midp")
    >>> print(f"{result.difference:.4f} {result.p_value:.1e}")
    0.0182 6.3e-06
    """
    # Tests of single samples need each of them.
    settings = Settings(
        test=method, generalize_to=generalize_to, n_resamples=n_resamples, rng=rng,
        zero_division=zero_division, collapse=False if named(method).by_sample else None,
    )  # fmt: skip
    ask: Callable[..., PairedTestResult] = plugs.answering(predictions, "paired_test", _tested)
    return ask(predictions, (model_a, model_b), metric, alternative, settings)


def _tested(
    predictions: TestSet, models: tuple[str, str], metric: ValueLike, alternative: Alternative,
    settings: Settings,
) -> PairedTestResult:  # fmt: skip
    """Return the outcome of a test on one test set."""
    check_models(predictions.models, model_a=models[0], model_b=models[1])
    contrast = Contrast.on(predictions, models, metric, settings)
    design, access = contrast.sample.design, contrast.evaluation.access
    test = design.chosen("test", contrast.tested_by, DEFAULT_TEST, "method")
    row, enumerate_swaps = named(test), "units" in access.abilities
    contrast = replace(contrast, alternative=alternative, enumerate_swaps=enumerate_swaps)
    contrast.warn_of_sparse_data()
    outcome = contrast.test(test)
    used = outcome.used.get(contrast.metric.name, test)
    dz, delta = effect_sizes(contrast)
    result = replace(
        result_of(contrast, outcome, used),
        cohens_dz=dz,
        cliffs_delta=delta,
        n_groups=n_groups(contrast.evaluation, test, outcome.ways),
        of_exchangeability=of_exchangeability(contrast.metric, test, used),
    )
    if row.note is None:
        return result
    note = row.note(
        contrast.evaluation.predictions, contrast.pairs, settings.n_resamples, alternative
    )
    return replace(result, notes=(*result.notes, note))


def result_of(contrast: Difference, outcome: Outcome, method: str) -> PairedTestResult:
    """Make the result from the outcome of one contrast."""
    metric, label, difference = contrast.metric.name, contrast.label, contrast.difference
    warn_of_undefined(metric, label, difference, contrast.models)
    statistic, p_value = float(outcome.statistic[0, 0]), float(outcome.p_value[0, 0])
    drawn = outcome.n_resamples
    error = 0.0 if outcome.exact else math.sqrt(p_value * (1 - p_value) / (1 + drawn))
    model_a, model_b = contrast.models
    return PairedTestResult(
        model_a=model_a, model_b=model_b, metric=metric, label=label, difference=difference,
        statistic=statistic, p_value=p_value, p_value_standard_error=error, method=method,
        alternative=contrast.alternative, n_resamples=drawn, exact=outcome.exact,
        notes=contrast.notes, scope=contrast.scope,
    )  # fmt: skip
