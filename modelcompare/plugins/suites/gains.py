"""The gain of a candidate over a baseline in the mean of several test sets."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.comparison.planning import Settings
from modelcompare.comparison.subgroups import common_notes
from modelcompare.data.test_set import TestSet
from modelcompare.engine.contrasts import Contrasts
from modelcompare.engine.parallel import one_blas_thread
from modelcompare.engine.scope import Scope
from modelcompare.metrics.classes import ValueLike
from modelcompare.plugins.suites.checks import check_decided
from modelcompare.plugins.suites.layers import warn_of_few_sets
from modelcompare.plugins.suites.pooled import Means
from modelcompare.plugins.suites.scope import notes_on_sets, scope_of_sets
from modelcompare.plugins.suites.weights import WITHIN, WeightedSets, weighted_sets, within
from modelcompare.questions.contrast import Contrast
from modelcompare.questions.gains import Gain, are_enough, gains_of_units, not_at_any_time
from modelcompare.questions.unseen import Unseen
from modelcompare.resampling.seeds import child_seed, seed_sequence
from modelcompare.significance.inverted import Ends, ends_of, turned
from modelcompare.words import Decision, DecisionMethod, IntervalMethod

_PLAN_LOOKS = "plan the times of asking with a ledger of `looks` (--looks N)"


@dataclass(frozen=True)
class MeanGain(Gain):
    """Gain of a candidate in the mean of several test sets, which may lack models.

    Attributes
    ----------
    contrast : Contrast
        Candidate minus baseline on the first test set.
    contrasts : mapping of str to Contrast
        The same on each test set, by its name.
    shares : ndarray of shape (n_sets,)
        Share of each test set in the mean.
    new_sets : bool
        Whether the gain is for new test sets.
    lacking : tuple of str
        Note on test sets that lack a model, if there are any.
    """

    contrasts: Mapping[str, Contrast]
    shares: FloatArray
    new_sets: bool
    lacking: tuple[str, ...]

    @property
    def scope(self) -> Scope:
        """Runs, labels and test sets that bounds are for."""
        scopes = [each.scope for each in self.contrasts.values()]
        return scope_of_sets(scopes, new_sets=self.new_sets)

    @property
    def n_units(self) -> int:
        """Number of samples, or clusters, of all test sets."""
        return sum(each.n_units for each in self.contrasts.values())

    @property
    def unit(self) -> str:
        """Units that are counted, which test sets may have several of."""
        return " and ".join(dict.fromkeys(each.unit for each in self.contrasts.values()))

    @property
    def test_set(self) -> str:
        """Number of test sets, or the name of the only one, in words."""
        name, *others = self.contrasts
        return f"mean of {len(self.contrasts)} test sets" if others else name

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the runs and test sets for which the gain holds, if there are several."""
        notes = common_notes({name: each.notes for name, each in self.contrasts.items()})
        return (*notes, *notes_on_sets(self.scope), *self.lacking)

    @cached_property
    def _means(self) -> Means:
        """The lowest and the highest possible mean over the test sets."""
        samples = [each.sample for each in self.contrasts.values()]
        return Means.of(samples, self.models, self.contrast.pairs, self.shares, self.scope)

    @cached_property
    def _extremes(self) -> tuple[Unseen, Unseen]:
        """The lowest and the highest possible gain, with what is needed to add unseen units."""
        low = self._unseen_of(self._means.low.parts)
        high = self._unseen_of(self._means.high.parts) if self._means.bounded else low
        return (low, high) if self.sign > 0 else (high, low)

    def _unseen_of(self, rows: Sequence[Contrasts]) -> Unseen:
        """Return a mean over the test sets with what is needed to add unobserved units."""
        pairs = zip(self.contrasts.values(), rows, strict=True)
        parts = [Unseen.of(contrast, row, self.sign) for contrast, row in pairs]
        return parts[0] if len(parts) == 1 else mean_unseen(parts, self.shares)

    @property
    def unseen(self) -> Unseen:
        """The lowest possible gain, with what is needed to add unobserved units."""
        return self._extremes[0]

    @property
    def gain(self) -> float:
        """The gain; NaN if it is undefined, or if results are lacking."""
        return math.nan if self._means.bounded else self.unseen.gain

    @one_blas_thread()
    def seen(self, level: float) -> Ends:
        """Return the bounds of the gain at a one-sided level, from the samples alone."""
        if len(self.contrasts) == 1 and not self._means.bounded:
            return super().seen(level)
        found = self._means.interval(self.method, 1 - 2 * level)
        return turned(self.sign, ends_of(found, 0, self.contrast.position))

    def bounds(self, level: float) -> Ends:
        """Return the bounds of the gain at a one-sided level, with unobserved units."""
        seen = self.seen(level)
        lowest, highest = (each.widened(seen, level) for each in self._extremes)
        return lowest[0], highest[1]

    def n_needed(self, kind: Decision, margin: float, level: float, ends: Ends) -> float:
        """Return the number of samples that would decide; NaN if results are lacking."""
        return math.nan if self._means.bounded else super().n_needed(kind, margin, level, ends)

    def warn_of_sparse_data(self, method: IntervalMethod) -> None:
        """Warn, at the caller's line, if intervals are in doubt, or few labels or sets decide."""
        for contrast in self.contrasts.values():
            contrast.warn_of_sparse_data(method)
        if self.new_sets:
            warn_of_few_sets(len(self.contrasts))

    @cached_property
    def has_enough(self) -> bool:
        """True if each test set has enough samples, and enough in favour of each model."""
        pairs = zip(self.contrasts.values(), self._means.low.parts, strict=True)
        return not self._means.bounded and all(
            are_enough(contrast, *gains_of_units(contrast, row, self.sign))
            for contrast, row in pairs
        )


def mean_gain(
    sets: Mapping[str, TestSet], models: tuple[str, str], metric: ValueLike,
    method: DecisionMethod, settings: Settings,
) -> MeanGain:  # fmt: skip
    """Return the gain of the first model over the second on the test sets that have a weight.

    Weights are equal unless the test sets are `WeightedSets`.
    """
    check_decided(sets, baseline=models[1], candidate=models[0])
    if method == "any-time":
        raise not_at_any_time(f"several test sets; {_PLAN_LOOKS}")
    if not isinstance(sets, WeightedSets):
        sets = weighted_sets(sets, models, "equal", settings.generalize_to, "refuse")
    contrasts = contrasts_on(sets, models, metric, replace(settings, method=method))
    for each in contrasts.values():
        each.sample.design.check_decision()
    shares, (first, *_) = sets.shares[sets.shares > 0], contrasts.values()
    new_sets = settings.generalize_to in WITHIN
    return MeanGain(first, models, contrasts, shares, new_sets, sets.notes)


def contrasts_on(
    sets: WeightedSets[TestSet], models: Sequence[str], metric: ValueLike, settings: Settings
) -> dict[str, Contrast]:
    """Return the contrast of two models on each test set with a weight."""
    seed, alone = seed_sequence(settings.rng), np.count_nonzero(sets.shares) == 1
    settings = replace(settings, generalize_to=within(settings.generalize_to))
    contrasts: dict[str, Contrast] = {}
    for place, (name, predictions) in enumerate(sets.items()):
        if sets.shares[place] == 0:
            continue
        # A test set may lack one of the models, or both.
        both = [model for model in models if model in predictions.models]
        contrasts[name] = Contrast.on(
            predictions, both or predictions.models[:1], metric,
            settings if alone else replace(settings, rng=child_seed(seed, place)),
        )  # fmt: skip
    first, *others = contrasts.values()
    if any(each.evaluation.keys != first.evaluation.keys for each in others):
        raise ValueError(
            f"the test sets have different classes, and {first.metric.name} is per class; "
            "decide on an average, e.g. f1_macro."
        )
    return contrasts


def mean_unseen(parts: Sequence[Unseen], weights: FloatArray) -> Unseen:
    """Return the weighted mean of differences on independent test sets.

    The unobserved units may all belong to the set in which each of them weighs most, of those whose
    design does not allow for them.
    """
    pairs = [*zip(parts, weights.tolist(), strict=True)]
    ends = [part.ends for part in parts if not math.isinf(part.size)]
    known = [each for each in ends if each is not None]
    reach = (min(low for low, _ in known), max(high for _, high in known)) if known else None
    return Unseen(
        sum(w * part.gain for part, w in pairs),
        math.sqrt(sum((w * part.error) ** 2 for part, w in pairs)),
        min(part.size / w for part, w in pairs), min(part.low for part in parts),
        max(part.high for part in parts), reach if len(ends) == len(known) else None,
        all(part.of_means for part in parts),
    )  # fmt: skip
