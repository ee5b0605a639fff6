"""The test of the difference of two models in the mean of several test sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from modelcompare.comparison.planning import Settings
from modelcompare.comparison.subgroups import common_notes
from modelcompare.data.checks import check_models
from modelcompare.data.test_set import TestSet
from modelcompare.intervals.resampled import is_resampled
from modelcompare.metrics.classes import ValueLike
from modelcompare.plugins.suites.gains import contrasts_on
from modelcompare.plugins.suites.layers import warn_of_few_sets
from modelcompare.plugins.suites.pooled import Means
from modelcompare.plugins.suites.scope import notes_on_sets, scope_of_sets
from modelcompare.plugins.suites.weights import WITHIN, weighted_sets
from modelcompare.questions.contrast import warn_of_undefined
from modelcompare.questions.paired import PairedTestResult
from modelcompare.significance.studentized import NAME as DEFAULT_TEST
from modelcompare.words import Alternative

# Level of the interval whose half-width towards 0 is that of the test.
_ALPHA = 0.05


def test_means(
    sets: Mapping[str, TestSet], models: tuple[str, str], metric: ValueLike,
    alternative: Alternative, settings: Settings,
) -> PairedTestResult:  # fmt: skip
    """Return the outcome of the test of the difference of means, as `paired_test` describes."""
    if settings.test != DEFAULT_TEST:
        raise ValueError(
            f"method={settings.test!r} is a test on one test set; leave it out of several, whose "
            "mean is tested by the interval of the difference, or ask about each."
        )
    known = dict.fromkeys(model for each in sets.values() for model in each.models)
    check_models((*known,), model_a=models[0], model_b=models[1])
    new_sets = settings.generalize_to in WITHIN
    weighted = weighted_sets(sets, models, "equal", settings.generalize_to, "refuse")
    contrasts = contrasts_on(
        weighted, models, metric, replace(settings, method="auto", test="wald")
    )
    if new_sets:
        warn_of_few_sets(len(contrasts))
    first, *_ = contrasts.values()
    scope = scope_of_sets((each.scope for each in contrasts.values()), new_sets=new_sets)
    samples = []
    for each in contrasts.values():
        each.warn_of_sparse_data()
        samples.append(each.sample)
    means, at = Means.of(samples, models, first.pairs, weighted.shares, scope), first.position
    difference = float(means.estimate[0, at])
    warn_of_undefined(first.metric.name, first.label, difference, models)
    drawn = settings.n_resamples if is_resampled(first.metric) else 0
    notes = common_notes({name: each.notes for name, each in contrasts.items()})
    p_value = float(means.p_values(first.method, _ALPHA, alternative)[0, at])
    return PairedTestResult(
        model_a=models[0], model_b=models[1], metric=first.metric.name, label=first.label,
        difference=difference, statistic=difference, p_value=p_value,
        p_value_standard_error=float(np.sqrt(p_value * (1 - p_value) / (1 + drawn))) * bool(drawn),
        method=means.low.method, alternative=alternative, n_resamples=drawn, exact=not drawn,
        notes=(*notes, *notes_on_sets(scope)), scope=scope,
    )  # fmt: skip
