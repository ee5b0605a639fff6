"""Designs: how the sums of a metric vary. The items of a test set, and what plugins add to them.

A `Design` describes a test set: what an answer is about, which methods know how values vary, and
its words. Its `Estimator` has the values of the models under the design, and the parts of their
variances, from an evaluation. The core asks these two alone what varies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from modelcompare.arrays import BoolArray, FloatArray, IntArray
from modelcompare.data.sizes import n_seen
from modelcompare.data.test_set import TestSet
from modelcompare.engine.crossed import CrossedTables
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import Pairs
from modelcompare.engine.layers import Layers
from modelcompare.engine.pairs import pair_differences
from modelcompare.engine.scope import Scope
from modelcompare.plugs import needed, owners, rows, rows_of_others
from modelcompare.resampling.weights import BootstrapWeights

# Choices that know the variances of a design in which more varies than the items.
_BEYOND: Mapping[str, tuple[str, ...]] = {
    "method": ("auto",), "test": ("wald",), "correction": ("holm",), "undefined": ("count",),
    "missing": ("worst",),
}  # fmt: skip


@dataclass(frozen=True)
class Estimator:
    """Values of the models, and parts of their variances, where the items alone vary.

    Parameters
    ----------
    evaluation : Evaluation
        Models, metrics and units.
    """

    evaluation: Evaluation

    @cached_property
    def point(self) -> FloatArray:
        """Values on the test set, of shape (n_models, n_values)."""
        return self.evaluation.estimate()

    def centre(self, pairs: Pairs, point: FloatArray) -> FloatArray:
        """Return the differences that are tested, (n_pairs, n_values)."""
        return pair_differences(point, *pairs)

    def layers(self, pairs: Pairs | None) -> Layers | None:  # noqa: ARG002  of other designs
        """Return the parts of the variance of each row; None where the items alone vary."""
        return None

    def crossed(self) -> CrossedTables | None:
        """Return the influences of items in levels of a crossed factor; None if there is none."""
        return None

    def influences(self) -> Iterator[FloatArray]:
        """Yield the influences of units, of shape (n_units, n_models, n_values), some at a time."""
        for some in self.evaluation.row_steps():
            yield self.evaluation.influence(some, self.point)

    def values(self, weights: FloatArray) -> FloatArray:
        """Return values under weights of the units, (n_resamples, n_models, n_values)."""
        return self.evaluation.values(weights)

    def drawn(self, weights: BootstrapWeights) -> FloatArray:
        """Return values on resamples of all that varies, (n_resamples, n_models, n_values)."""
        return self.evaluation.replicates(weights)

    def replicates(self, weights: BootstrapWeights) -> FloatArray:
        """Return such values with the variance that `layers` give them."""
        return self.drawn(weights)

    @property
    def alone(self) -> BoolArray | None:
        """Values that depend on a single unit; None where influences of the items show it."""
        return None

    def warnings(self, places: IntArray | None) -> list[str]:  # noqa: ARG002  of other designs
        """Warn where so little decides that intervals are in doubt, and return the texts."""
        return []

    def remarks(self, place: int) -> list[str]:  # noqa: ARG002  of other designs
        """Return notes on a value."""
        return []


@dataclass(frozen=True)
class Design:
    """Design in which the items of a test set vary, in their clusters and strata.

    Parameters
    ----------
    predictions : TestSet
        The test set.
    """

    predictions: TestSet
    # True if values vary by more than the items drawn, of which influences and resamples of items
    # know a part only.
    beyond_items: ClassVar[bool] = False
    # True if it holds other designs, such as that of each run.
    composes: ClassVar[bool] = False
    # False if something else than the number of samples decides how much is known.
    samples_decide: ClassVar[bool] = True
    # Methods, tests and other choices that know how values vary, in place of those of `_BEYOND`;
    # the first in place of a default that does not.
    allowed: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    # Words of a refusal: what is given, what others do not know, and the remedy.
    given: ClassVar[str] = ""
    unknown: ClassVar[str] = ""
    instead: ClassVar[str] = ""
    # What can show more differences, and why bounds do not hold at any time.
    more: ClassVar[str] = "a larger test set"
    at_any_time: ClassVar[str] = ""
    # Places of functions: of contrasts and a level, to their intervals; of contrasts on a pilot, to
    # the plan of a larger one. Empty for those of the core: beyond the items, Student's interval
    # with the variance that `Estimator.layers` gives.
    intervals: ClassVar[str] = ""
    plan: ClassVar[str] = ""

    @cached_property
    def scope(self) -> Scope:
        """Scope of answers."""
        return Scope(len(self.predictions))

    @property
    def at_hand(self) -> Design:
        """Design of answers about what is at hand, and not about new ones."""
        return self

    def of_part(self, part: TestSet) -> Self:
        """Return the design of a part of the test set, or of other models of it."""
        return replace(self, predictions=part)

    @property
    def crossed(self) -> bool:
        """True if each item has a row for each level of a factor that is crossed with items."""
        return False

    @property
    def counted(self) -> tuple[int, str] | None:
        """Number and name of what decides in place of samples; None for the samples."""
        return None

    def estimator(self, evaluation: Evaluation) -> Estimator:
        """Return the values and variances of an evaluation of this test set.

        Raises
        ------
        ValueError
            If a metric, or another design, hides how values vary.
        """
        return Estimator(evaluation)

    def known(self, what: str) -> tuple[str, ...]:
        """Return the choices that know how values vary, the default first; none where all do."""
        return {**(_BEYOND if self.beyond_items else {}), **self.allowed}.get(what, ())

    def check(self, what: str, name: str, argument: str = "") -> None:
        """Refuse a choice that does not know how values vary, given as `argument`."""
        known, argument = self.known(what), argument or what
        if known and name not in known:
            raise ValueError(
                f"{self.given}{argument}={name!r} does not know {self.unknown}; use "
                f"{argument}={' or '.join(map(repr, known))}, or {self.instead}."
            )

    def chosen(self, what: str, name: str, default: str, argument: str = "") -> str:
        """Return a choice that knows how values vary, in place of a default that does not."""
        known = self.known(what)
        if name == default and known and name not in known:
            return known[0]
        self.check(what, name, argument)
        return name

    def check_influences(self, evaluation: Evaluation) -> None:
        """Refuse metrics without influences that show how values vary."""
        rough = [each.name for each in evaluation.metrics if not each.smooth or each.of_items]
        if rough:
            raise ValueError(
                f"{self.given}{', '.join(rough)} has no influences that show {self.unknown}; leave "
                f"it out, or {self.instead}."
            )

    def check_decision(self, n_asked: int = 1) -> None:
        """Refuse a decision that the test set, one of several asked, cannot bear."""

    def n_items(self, name: str) -> int:  # noqa: ARG002  of other designs
        """Return the number of items; refuse a test set of this name which does not show it."""
        return len(self.predictions)

    def sized(self, unit: str, n_levels: int) -> tuple[str, str]:  # noqa: ARG002  of other designs
        """Name the units of a pilot, and the levels that each is crossed with; empty for none."""
        return unit, ""

    def check_common_rows(self) -> None:
        """Refuse models whose rows do not belong together, where they are compared row by row."""

    def written_size(self, others: Sequence[Design] = ()) -> str:
        """Write the number of samples of this test set and others; of items too, of answers."""
        test_sets = [each.predictions for each in (self, *others)]
        called, *more = {each.access.source.called for each in test_sets}
        size = f"{sum(map(n_seen, test_sets)):,} {'samples' if more else called}"
        if more or called not in ("labels", "answers"):
            return size
        asked = sum(len(np.unique(np.asarray(each.access.items))) for each in test_sets)
        return f"{size} of {asked:,} items"

    def are_crossed(self, others: Sequence[Design]) -> bool:  # noqa: ARG002  of other designs
        """Return whether what varies beside the items is the same on other test sets."""
        return False


def design_of(predictions: TestSet, generalize_to: str = "items", test: str = "") -> Design:
    """Return the design of a test set, of a plugin if one applies.

    Parameters
    ----------
    predictions : TestSet
        The test set.
    generalize_to : str
        What an answer is for, as of `compare`.
    test : str
        Name of the test, which may need a design.

    Raises
    ------
    ValueError
        If the test set does not show how what is asked for varies.
    """
    asked = predictions, generalize_to, test
    unknown = [each for each in predictions.access.attachments if f"`{each}`" not in owners()]
    found = _of_others(unknown[0], *asked) if unknown else _of_plugins(*asked)
    if found is None and generalize_to not in ("auto", "items"):
        raise ValueError(needed(f"generalize_to={generalize_to!r}"))
    return found or Design(predictions)


def _of_plugins(*asked: Any) -> Design | None:
    """Return the design that a plugin has; of several the one that composes the others."""
    designs = (answer(*asked) for answer in rows("designs"))
    every: list[Design] = [each for each in designs if each is not None]
    return next((each for each in every if each.composes), next(iter(every), None))


def _of_others(name: str, *asked: Any) -> Design:
    """Return the design that a plugin of another project has for its attachment."""
    designs = (design_for(*asked) for design_for in rows_of_others("designs"))
    found: Design | None = next(filter(None, designs), None)
    if found is None:
        raise ValueError(f"the plugin of the attachment {name!r} is absent; install it.")
    return found


def are_crossed(designs: Sequence[Design]) -> bool:
    """Return whether what varies beside the items is the same on all test sets.

    Raises
    ------
    ValueError
        If that varies on some test sets alone, so that their mean has no error.
    """
    # Each is asked, since any of them may be the one that varies by more than the others.
    crossed = [
        each.are_crossed([*designs[:place], *designs[place + 1 :]])
        for place, each in enumerate(designs)
    ]
    return all(crossed)
