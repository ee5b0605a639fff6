"""Notes on a comparison: warnings about its tests, lines below its tables, its design."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from scipy.special import chdtri

from modelcompare.arrays import FloatArray, IntArray
from modelcompare.comparison.correction import Procedure, correct
from modelcompare.comparison.evidence import Evidence
from modelcompare.data.test_set import TestSet
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import pair_carriers
from modelcompare.metrics import Metric, SparseDataWarning
from modelcompare.metrics.planning import positive_note
from modelcompare.report.numbers import some_of
from modelcompare.significance import TESTS, Outcome, PairView
from modelcompare.words import warn_caller

# A difference of so many standard errors has a far smaller p-value than resampling can give.
_CLEAR = 5.0
# Tables write smaller p-values as "<0.001".
_WRITTEN = 0.001
# Carriers that max-t needs, in squares of the normal quantile; units times pairs that are counted.
_CARRIERS, _MOST_CARRIERS = 5.0, 20_000_000
_CLIPPED_IN_SUMS = (
    "Sums of samples do not show whether the log loss is infinite: a true class with the "
    "probability 0 counts 36 at most, as in scikit-learn."
)


def warn_of_tests(
    pairs: PairView, outcome: Outcome, adjusted: FloatArray, procedure: Procedure, every: PairView,
    places: IntArray | None,
) -> tuple[str, ...]:  # fmt: skip
    """Warn where differences cannot be significant for reasons unrelated to the models.

    Returns the texts of the warnings: metrics whose samples allow no small p-value, and metrics
    with too few resamples; of max-t, metrics with too few samples for it (of `every` value, those
    at `places`).
    """
    if not len(adjusted):
        return ()
    sparse, few = [], []
    if procedure.correction == "max-t":
        sparse = [*_few_for_max_t(every, places, outcome, procedure)]
    else:
        least = outcome.floor
        if TESTS[procedure.test].few_ways and least is not None:
            least, _ = correct(pairs, replace(outcome, p_value=least), procedure)
        sparse = [*_floors(pairs, least, procedure)]
        few = [*_few_resamples(pairs, outcome, adjusted, procedure)]
    for category, texts in ((SparseDataWarning, sparse), (UserWarning, few)):
        for text in texts:
            warn_caller(text, category)
    return (*sparse, *few)


def _few_for_max_t(
    every: PairView, places: IntArray | None, outcome: Outcome, procedure: Procedure
) -> Iterator[str]:
    """Yield a text for each metric whose differences few samples carry, for so many tests.

    Resamples are near the normal law up to the quantile z of Bonferroni's level if the carriers of
    a difference are several times z^2. Ten equal models of accuracy 0.8 differ significantly in
    0.07 to 0.10 of the families of 50 samples, of which ten carry a difference, by min-p in 0.05.
    Values are those at `places`, all if there are none.
    """
    evaluation, alpha, family = every.evaluation, procedure.alpha, procedure.family
    asked = np.arange(len(evaluation.keys)) if places is None else places
    if evaluation.by_blocks or evaluation.units.size * len(every.pairs[0]) > _MOST_CARRIERS:
        return
    for metric in (each for each in evaluation.metrics if isinstance(each, Metric)):
        where = evaluation.metric_slice(metric.name)
        own = asked[(asked >= where.start) & (asked < where.stop)]
        few = pair_carriers(evaluation, every.sample.point, every.pairs, own)
        n_tests = len(few) * len(asked if family == "all" else own)
        if n_tests and np.median(few) < _CARRIERS * chdtri(1, alpha / n_tests):
            swaps = metric.name in outcome.step_down and family == "metric"
            other = "min-p" if swaps else "holm"
            yield (
                f"{metric.name}: about {np.median(few):.0f} {evaluation.access.unit} carry a "
                f"difference, too few for max-t over {n_tests:,} tests, which errs in more than "
                f"alpha = {alpha:g} of the families. Use correction={other!r} (--correction "
                f"{other})."
            )


def _floors(pairs: PairView, least: FloatArray | None, procedure: Procedure) -> Iterator[str]:
    """Yield a text for each metric whose smallest possible p-value is not below alpha."""
    if least is None:
        return
    clustered = pairs.evaluation.predictions.groups is not None
    few = f"the models disagree on too few {'clusters' if clustered else 'samples'}."
    cause = TESTS[procedure.test].few_ways or few
    drawn, alpha = 1 / (pairs.n_resamples + 1), procedure.alpha
    for metric in pairs.evaluation.metrics:
        where = pairs.evaluation.metric_slice(metric.name)
        floor = np.nanmin(least[:, where], initial=1.0)
        # Models that differ on one sample are not asked about.
        if alpha <= floor < 0.5 and not math.isclose(floor, drawn):
            yield (
                f"{metric.name}: no p-value can be below {floor:.2g} here, so at alpha = "
                f"{alpha:g} no difference can be significant: {cause}"
            )


def _few_resamples(
    pairs: PairView, outcome: Outcome, adjusted: FloatArray, procedure: Procedure
) -> Iterator[str]:
    """Yield a text for each metric with too few resamples for significant differences."""
    if procedure.test == "wald" or TESTS[procedure.test].few_ways:
        return
    smallest, alpha = 1 / (pairs.n_resamples + 1), procedure.alpha
    drawn = np.ones(adjusted.shape, dtype=bool)
    if outcome.floor is not None:
        drawn = np.isclose(outcome.floor, smallest, rtol=1e-9)
    for metric in pairs.evaluation.metrics:
        where = pairs.evaluation.metric_slice(metric.name)
        at_floor = drawn[:, where] & (outcome.p_value[:, where] <= smallest * (1 + 1e-9))
        held = at_floor & (adjusted[:, where] >= alpha)
        if not held.any():
            continue
        n_tests = int(np.count_nonzero(~np.isnan(outcome.p_value[:, where])))
        least = float(adjusted[:, where][held].min())
        text = f"{smallest:.2g}"
        if f"{least:.2g}" != text:
            text += f", which {procedure.correction} makes {least:.2g}"
        enough = f"{math.ceil(2 * n_tests / alpha):,} or more"
        ways = f"{enough}, correction='max-t'," if n_tests > 1 else f"{enough},"
        yield (
            f"{metric.name}: {pairs.n_resamples:,} resamples are too few for {n_tests:,} "
            f"test{'s' * (n_tests != 1)} at alpha = {alpha:g}: p-values cannot fall below {text}. "
            f"Take n_resamples of {ways} or test='wald'."
        )


def notes(evidence: Evidence, metric: str) -> list[str]:
    """Return the notes below the scores of a metric, such as what keeps p-values large."""
    predictions, info = evidence.bootstrap.evaluation.predictions, evidence.metric_info[metric]
    where = evidence.slice_of(metric)
    texts = [info.summary] if predictions.access.source.pseudo else []
    texts += positive_note(info, predictions)
    if (note := TESTS[evidence.test].note) is not None:
        texts.append(note(predictions, evidence.pairs, evidence.n_resamples, "two-sided"))
    texts += evidence.bootstrap.estimator.remarks(where.start)
    # Where intervals decide, p-values need no explanation.
    decide = evidence.by_interval[where].all()
    return texts if decide else [*texts, *_limits_of_p(evidence, metric)]


def _limits_of_p(evidence: Evidence, metric: str) -> Iterator[str]:
    """Yield what keeps the p-values of a metric large: few resamples, many tests."""
    where = evidence.slice_of(metric)
    alone, adjusted = evidence.p_values[:, where], evidence.p_adjusted[:, where]
    n_tests, others = evidence.n_tests(metric), len(evidence.models) - 1
    every_pair = evidence.baseline is None and others > 1
    fewer_tests = f", a baseline ({others:,} pairs)" if every_pair else ""
    floor = 1 / (evidence.n_resamples + 1)
    clear = (np.abs(evidence.difference) > _CLEAR * evidence.error)[:, where]
    held = clear & np.isclose(alone, floor, rtol=1e-9) & (adjusted >= _WRITTEN)
    # If such differences are not even significant, a warning is given instead.
    if held.any() and (adjusted[held] < evidence.alpha).all():
        needed = math.ceil(n_tests / _WRITTEN / 1000) * 1000
        tests = f"{n_tests:,} test{'s' * (n_tests != 1)}"
        yield (
            f"{evidence.n_resamples:,} resamples and {tests}: no p-value can be below "
            f"{adjusted[held].min():.2g}, however clear the difference. More "
            f"resamples ({needed:,}){fewer_tests} or the correction max-t make it smaller."
        )
    n_found, n_left = (np.count_nonzero(p < evidence.alpha) for p in (alone, adjusted))
    if n_tests > 1 and n_left < n_found / 2:
        design = evidence.bootstrap.design
        ways = f"{design.more}{fewer_tests}"
        if design.beyond_items:
            ways = f"{design.more}{fewer_tests.replace(',', ' or')}"
        elif evidence.correction != "max-t":
            ways += " or the correction max-t"
        left = f"{n_left:,}" if n_left else "none"
        yield (
            f"{n_found:,} of {n_tests:,} differences have p below {evidence.alpha:g} alone, "
            f"{left} after the correction for so many tests: {ways} can show more."
        )


def clipped_note(evaluation: Evaluation) -> tuple[str, ...]:
    """Return a note if the log loss is infinite: a true class has the probability 0.

    Of labels that are not soft. Sums of samples do not show it, which the note then reports.
    """
    predictions = evaluation.predictions
    access = predictions.access
    if all(metric.name != "log_loss" for metric in evaluation.metrics):
        return ()
    if "blocks" not in access.abilities:
        return (_CLIPPED_IN_SUMS,) if access.sums and access.sums.hard else ()
    found = np.sum([*map(_clipped, access.blocks())], axis=0)
    counted = [
        f"{model} in {n:,} sample{'s' * (n != 1)}"
        for model, n in zip(predictions.models, found.tolist(), strict=True) if n
    ]  # fmt: skip
    if not counted:
        return ()
    given = next(access.blocks()).probabilities(predictions.models[found.argmax()])
    return (
        f"The log loss is infinite where a true class has the probability 0 ({some_of(counted)}); "
        f"such a sample counts {-math.log(np.finfo(given.dtype).eps):.3g} here, as in "
        "scikit-learn. Calibrate the probabilities, or compare by brier_score; outputs of 0 and 1 "
        "are decisions: give labels.",
    )


def _clipped(block: TestSet) -> IntArray:
    """Count the samples of a block whose true class has the probability 0, for each model."""
    codes = block.access.hard_codes
    if codes is None:
        return np.zeros(len(block.models), dtype=np.intp)
    given = (block.probabilities(model)[np.arange(len(codes)), codes] for model in block.models)
    return np.array([np.count_nonzero(each == 0) for each in given])


def design_in_words(evaluation: Evaluation) -> str:
    """Describe clusters, strata and weights of the samples; empty for plain samples."""
    predictions, units = evaluation.predictions, evaluation.units
    parts = []
    access = predictions.access
    if access.unit == "clusters":
        parts.append(f"{units.n_units:,} clusters of {access.source.called} are taken whole")
    if units.strata is not None:
        parts.append("strata keep their sizes")
    if predictions.sample_weight is not None:
        parts.append("samples have weights")
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}." if text else ""
