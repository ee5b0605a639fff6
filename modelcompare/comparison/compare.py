"""`compare`: scores, intervals, paired tests and corrections of models on one test set."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import get_args

from modelcompare import intervals, plugs, significance
from modelcompare.arguments import checked, written_out
from modelcompare.arrays import IntArray
from modelcompare.comparison.bootstrap import draw_values
from modelcompare.comparison.bootstrap_result import BootstrapResult
from modelcompare.comparison.compared import Compared
from modelcompare.comparison.correction import correct
from modelcompare.comparison.few_samples import notes_on_few_samples
from modelcompare.comparison.notes import clipped_note, warn_of_tests
from modelcompare.comparison.plan import ComparisonSettings, Plan, planned
from modelcompare.comparison.result import Comparison
from modelcompare.comparison.selected import intervals_at, select_tests, select_values
from modelcompare.comparison.warned import warn_of_little_data, warn_of_no_width
from modelcompare.data.given_arrays import takes_arrays
from modelcompare.data.test_set import TestSet
from modelcompare.intervals import Interval
from modelcompare.metrics.registry import MetricLike
from modelcompare.resampling.seeds import RngLike, rng_label
from modelcompare.words import (
    CompareTest,
    Correction,
    Family,
    GeneralizeTo,
    IntervalMethod,
    MissingCompared,
    Scheme,
    Undefined,
    ZeroDivision,
    giving,
)


@takes_arrays
@checked(predictions=giving("sums", by_design=True))
@written_out(methods=intervals.choices(), tests=significance.choices(get_args(CompareTest)))
def compare(
    predictions: TestSet,
    metrics: MetricLike | Sequence[MetricLike] | None = None,
    *,
    n_resamples: int = 9999,
    confidence_level: float = 0.95,
    method: IntervalMethod = "auto",
    test: CompareTest = "studentized-permutation",
    correction: Correction = "holm",
    family: Family = "metric",
    baseline: str | None = None,
    alpha: float = 0.05,
    scheme: Scheme = "multinomial",
    generalize_to: GeneralizeTo = "auto",
    missing: MissingCompared = "worst",
    zero_division: ZeroDivision = math.nan,
    undefined: Undefined = "count",
    collapse: bool | None = None,
    rng: RngLike = 0,
) -> Comparison:
    """Compare models on the same test set, with intervals and paired tests.

    All models, metrics and pairs share the same resamples, so everything is paired. Clusters
    (`predictions.groups`) are drawn whole and strata keep their sizes.

    Parameters
    ----------
    predictions : Predictions
        One test set and the outputs of two or more models; with one model there are scores and
        no differences. Or two arguments, as of `Predictions`: ``compare(y_true, {"cnn": p})``.
        For a scan (`scan_predictions`) that does not fit into memory, or has ten million rows, the
        default interval for metrics that need more than labels is the normal one; the ROC AUC, and
        labels with many distinct rows, have Wald's test. The signature names
        them.
    metrics : str, metric, callable, or sequence of these, optional
        Names ("f1" is per class, "f1[fraud]" of one class only, so that p-values are corrected for
        this class alone, "f1_macro" its average, "cf1" its probabilistic twin), Metric objects, or
        functions ``metric(y_true, y_output)``. By default accuracy, f1_macro and, if all models
        gave probabilities, log_loss; rmse, mae and r2 for real values; mean_score for per-example
        scores.
    n_resamples : int
        Number of bootstrap resamples, and of random swaps or sign flips. All intervals, tests and
        counts of undefined values share one set of draws, made on first use.
    confidence_level : float
        Confidence level of the intervals, 1 - `alpha`; a fraction.
    method : str
        Type of interval; the frames' column `method` names the one used for each value.
        {methods}
    test : str
        Paired test of each difference.
        {tests}
    correction : str
        "holm", "hochberg", "hommel", "bonferroni", "sidak", "fdr_bh", "fdr_by", "max-t"
        (Romano-Wolf, from the same replicates; it replaces `test`), "min-p" (Westfall-Young, from
        the same swaps) or "none". "hochberg", "hommel" and "sidak" need tests that are independent
        or depend positively, as those against a baseline do, and pairs of all models need not. If
        the smallest possible p-values are too large to be significant after one of the first five
        corrections, the step-down of the swaps replaces it, and the signature names it.
    family : {"metric", "all"}
        Tests that are corrected together: all pairs and classes of one metric, or of all metrics.
    baseline : str, optional
        Compare every other model with this one only.
    alpha : float
        Significance level of differences, in ranks and in the verdict: 1 - `confidence_level`. Give
        one of the two.
    scheme : {"multinomial", "poisson", "bayesian"}
        Bootstrap weights.
    generalize_to : {"auto", "items", "items+runs"}
        What varies, where models were trained or asked several times (`Predictions.runs`). "items":
        the answer is for these runs, with the rows of an item as one cluster. "items+runs": it is
        for new runs of the training procedures as well, with Student's intervals and tests
        (`test` is then "wald") of the variance over items and runs; by name also the test
        "run-permutation", whose null is for these items. "auto": for new runs where every model has
        several declared runs that are crossed with the items, whether or not they are seen to vary;
        else for these. Signature and verdict name which. Fewer than five runs make wide intervals,
        with a warning.
    missing : {"worst", "bounds"}
        Treatment of missing results in predictions that were read with ``missing="worst"``: count
        them as the worst, or compute bounds that are valid for all possible missing results and any
        mechanism of missingness. With bounds, each value is reported at its worst and at its best,
        and each difference with one model at its worst and the other at its best. For labels there
        are bounds of accuracy, zero_one_loss, recall, precision, specificity, jaccard and F-beta,
        per class and averaged, and of balanced_accuracy: a missing label may be any class, and each
        value has its own worst case. Scores lie between 0 and 1, or within `Predictions.bounds`.
        Other metrics are refused by name, and so is a `baseline`.
    zero_division : float or "paper"
        See `modelcompare.get_metric`.
    undefined : {"count", "stratify", "redraw", "raise"}
        See `modelcompare.bootstrap`.
    collapse : bool, optional
        See `modelcompare.engine.Evaluation`.
    rng : int, Generator, SeedSequence or None
        Source of randomness; the default gives the same numbers each time.

    Returns
    -------
    Comparison
        Frames `scores` and `differences`, a verdict, a signature, tables and plots. With
        ``missing="bounds"`` a `BoundedComparison`, whose frames and verdict give both ends.

    Raises
    ------
    ValueError
        If an option is unknown, a model lacks the outputs that a metric needs, or the results
        would not fit into memory.

    Warns
    -----
    UndefinedMetricWarning
        If a metric is undefined on some resamples, with their share.
    SparseDataWarning
        If intervals may cover less than their level: a heavy tail, a sample with a fifth of the
        weight, fewer than ten samples in all, or, with another `method` than "auto", fewer than ten
        that determine a value, and classes in an average of precisions that a model predicts under
        five times. Elsewhere the result has notes on both.
    UserWarning
        First, if the comparison is expected to take more than a minute, with what takes less.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.Predictions([0, 1, 1, 0, 1, 1, 0, 1] * 5, {
    ...     "a": [0, 1, 1, 0, 1, 1, 0, 0] * 5, "b": [0, 1, 0, 0, 1, 0, 0, 0] * 5})
    >>> result = mc.compare(preds, "accuracy", n_resamples=999)
    >>> result.scores[["model", "estimate", "rank"]]
      model  estimate  rank
    0     a     0.875     1
    1     b     0.625     2
    """
    if missing == "bounds":
        bounded: Comparison = plugs.behind("missing='bounds'")(
            compare, predictions, metrics, baseline, generalize_to, zero_division,
            rng=rng, n_resamples=n_resamples, confidence_level=confidence_level, method=method,
            test=test, correction=correction, family=family, alpha=alpha, scheme=scheme,
            undefined=undefined, collapse=collapse,
        )  # fmt: skip
        return bounded
    return _carried_out(planned(predictions, metrics, ComparisonSettings(
        n_resamples=n_resamples, confidence_level=confidence_level, method=method, test=test,
        correction=correction, family=family, baseline=baseline, alpha=alpha, scheme=scheme,
        generalize_to=generalize_to, zero_division=zero_division, undefined=undefined,
        collapse=collapse, rng=rng,
    )))  # fmt: skip


def _carried_out(plan: Plan) -> Comparison:
    """Compute a comparison by its plan."""
    settings, undefined = plan.settings, plan.settings.undefined
    replicated, every, places = plan.bootstrap, plan.view, plan.places
    if plugs.can_answer("seconds"):
        plugs.behind("seconds")([plan])
    asked = _selected_values(replicated, undefined, places)
    outcome = significance.run_named(plan.procedure.test, every)
    pairs, outcome = select_tests(asked, every, outcome)
    p_adjusted, corrections_used = correct(pairs, outcome, plan.procedure)
    few = warn_of_tests(pairs, outcome, p_adjusted, plan.procedure, every, places)
    scores, apart, sparse, noted = _intervals(plan)
    warn_of_no_width(pairs, apart, plan.method)
    return Comparison(evidence=Compared(
        bootstrap=asked, pairs=pairs.pairs, score_interval=scores, difference_interval=apart,
        p_values=outcome.p_value, p_adjusted=p_adjusted, n_swaps=outcome.n_resamples,
        test=plan.procedure.test, tests_used=outcome.used,
        ways=outcome.ways, method=plan.method,
        correction=settings.correction, corrections_used=corrections_used,
        family=settings.family, baseline=settings.baseline, alpha=settings.alpha,
        rng_label=rng_label(settings.rng), warned=(*sparse, *few),
        clipped=clipped_note(replicated.evaluation), few=noted, left_out=plan.left_out,
    ))  # fmt: skip


def _intervals(plan: Plan) -> tuple[Interval, Interval, list[str], tuple[str, ...]]:
    """Return intervals of scores and of differences, and warnings and notes of few data.

    All values of a metric are computed, as they share what they are computed from.
    """
    replicated, every, places, method = plan.bootstrap, plan.view, plan.places, plan.method
    level = plan.settings.confidence_level
    scores = replicated.score_interval(method, level)
    differences = intervals.intervals_around(every, method, level)
    sparse = warn_of_little_data(
        replicated, method=method, scores=scores, differences=differences, pairs=every.pairs,
        places=places,
    )  # fmt: skip
    noted = notes_on_few_samples(replicated, scores=scores, places=places)
    return intervals_at(scores, places), intervals_at(differences, places), sparse, noted


def _selected_values(
    every: BootstrapResult, undefined: Undefined, places: IntArray | None
) -> BootstrapResult:
    """Select values, drawn now if undefined resamples are treated or estimates need that pass."""
    of_scan = "units" not in every.evaluation.access.abilities
    drawn = every.n_resamples and (undefined != "count" or of_scan)
    found = draw_values(every, undefined, places) if drawn else select_values(every, places)
    # Count before the test, whose arrays stay in memory for the step-down.
    found.warn_of_undefined()
    return found
