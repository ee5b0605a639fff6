"""The mean difference of two models on several pilot test sets, and its components."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.comparison.planning import Settings
from modelcompare.comparison.subgroups import common_notes
from modelcompare.comparison.warned import each_warning_once
from modelcompare.data.checks import check_models
from modelcompare.data.test_set import TestSet
from modelcompare.engine.design import are_crossed
from modelcompare.engine.layers import terms
from modelcompare.engine.scope import Scope
from modelcompare.metrics.classes import ValueLike, one_value
from modelcompare.plugins.suites.checks import check_names
from modelcompare.plugins.suites.layers import layers_of_new_sets, layers_of_sets
from modelcompare.plugins.suites.scope import notes_on_sets, scope_of_sets
from modelcompare.plugins.suites.weights import WITHIN, within
from modelcompare.questions.components import (
    Components,
    Dimension,
    Pilot,
    Plan,
    Size,
    Words,
    components_of,
    floored,
    layers_of,
    n_runs_of,
    note_on_few,
    notes_on_runs,
    parts_of,
    planned,
)
from modelcompare.questions.contrast import Contrast
from modelcompare.questions.pilot import PilotDifference, check_determined, planned_contrast


@dataclass(frozen=True)
class ComponentsOfSets(Components):
    """Components of the variance of a mean difference on new test sets.

    Parameters
    ----------
    items, runs, rest
        As in `Components`.
    sets : float
        Between test sets.
    sets_runs : tuple of float
        Between the runs of one set, beyond what all sets have of them.
    """

    sets: float = 0.0
    sets_runs: tuple[float, ...] = ()

    @property
    def varied(self) -> list[Dimension]:
        return [*super().varied, "sets"]

    def variance_of_set(self, size: Size) -> float:
        return self.sets + super().variance_of_set(size)

    def rest_of_set(self, size: Size) -> FloatArray:
        return np.add(self.sets_runs, super().rest_of_set(size))

    def degrees_of_units(self, size: Size) -> float:
        return size.sets - 1.0

    def limited(self, degrees: FloatArray, of_units: float) -> FloatArray:
        return np.minimum(degrees, of_units)


@dataclass(frozen=True)
class MeanPilotDifference(PilotDifference):
    """Mean difference of two models on several pilot test sets.

    Attributes
    ----------
    contrast : Contrast
        Model a minus model b on the first test set.
    contrasts : mapping of str to Contrast
        The same on each test set, by its name.
    new_sets : bool
        Whether numbers are planned for new test sets.
    """

    contrasts: Mapping[str, Contrast]
    new_sets: bool

    @property
    def difference(self) -> float:
        """Mean difference on the test sets."""
        return float(np.mean([contrast.difference for contrast in self.contrasts.values()]))

    @property
    def scope(self) -> Scope:
        """Runs and test sets that the answer is about."""
        scopes = [each.scope for each in self.contrasts.values()]
        return scope_of_sets(scopes, new_sets=self.new_sets)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the runs and test sets for which the answer holds."""
        notes = common_notes({name: each.notes for name, each in self.contrasts.items()})
        return (*notes, *notes_on_sets(self.scope))

    @property
    def plan(self) -> Plan | None:
        """Plan that the designs of the pilots have; None where samples are added."""
        found = planned(self.contrasts)
        if found is not None and self.new_sets:
            raise ValueError(
                f"{self.contrast.unit} are planned for these test sets, and not for new ones; use "
                "generalize_to='items' (--generalize-to items)."
            )
        return found

    @cached_property
    def pilot(self) -> Pilot:
        """Components of the variance of the difference."""
        return estimate_components([*self.contrasts.values()], new_sets=self.new_sets)

    def words(self, size: Size) -> Words:
        n_sets = len(self.contrasts)
        like = f"test sets like these {n_sets}" if self.new_sets else f"these {n_sets} test sets"
        return replace(
            super().words(size), sets=f"{n_sets:,} sets of ", each=" of each",
            detects="these test sets detect", of_sets=f", for {like}",
            of_these=" of these" if self.new_sets else "",
        )  # fmt: skip

    def check_data(self) -> None:
        """Warn where few samples or runs decide; refuse a set whose error predicts nothing."""
        with each_warning_once():
            for contrast in self.contrasts.values():
                contrast.warn_of_sparse_data()
        for name, contrast in self.contrasts.items():
            check_determined(contrast, name)


def mean_difference(
    sets: Mapping[str, TestSet], models: tuple[str, str], metric: ValueLike, settings: Settings
) -> MeanPilotDifference:
    """Return the mean difference of two models on pilot test sets that have both."""
    check_names(sets)
    known = dict.fromkeys(model for each in sets.values() for model in each.models)
    check_models((*known,), model_a=models[0], model_b=models[1])
    for name, each in sets.items():
        if lacking := [repr(m) for m in models if m not in each.models]:
            raise ValueError(
                f"test set {name!r} has no predictions of {', '.join(lacking)}; leave it out of "
                "the pilot."
            )
    one, new_sets = one_value(metric, next(iter(sets.values()))), settings.generalize_to in WITHIN
    settings = replace(settings, generalize_to=within(settings.generalize_to))
    contrasts = {n: planned_contrast(each, models, one, settings, n) for n, each in sets.items()}
    first, *_ = contrasts.values()
    _check_runs([*contrasts.values()])
    return MeanPilotDifference(first, contrasts, new_sets)


def _check_runs(contrasts: Sequence[Contrast]) -> None:
    """Refuse test sets with separate runs."""
    crossed = are_crossed([each.sample.design for each in contrasts])
    if not crossed and all(each.scope.generalize_to for each in contrasts):
        raise ValueError(
            "test sets have separate `runs`; give the same runs of each model on every test set, "
            "or for an answer about these runs use generalize_to='sets' (--generalize-to sets), "
            "for these test sets as well generalize_to='items' (--generalize-to items)."
        )


def estimate_components(contrasts: Sequence[Contrast], *, new_sets: bool) -> Pilot:
    """Estimate the components of a difference from the contrast on each test set.

    Of fixed sets, what runs add to their mean is one component.
    """
    layers = [layers_of(each) for each in contrasts]
    n_sets, n_items = len(contrasts), [each.n_units for each in contrasts]
    splits = [components_of(n, parts_of(each)) for n, each in zip(n_items, layers, strict=True)]
    items, _, rest = (np.mean(part, axis=0) for part in zip(*splits, strict=True))
    if new_sets:
        differences = np.reshape([each.difference for each in contrasts], (-1, 1, 1))
        whole = layers_of_new_sets(differences, layers, crossed=True)
    else:
        whole = layers_of_sets(layers, np.full(n_sets, 1 / n_sets), crossed=True)
    n_units = n_sets if new_sets else n_items[0]
    units, runs, left = components_of(n_units, parts_of(whole))
    components = Components(max(float(items), 0.0), floored(runs), floored(rest))
    notes: tuple[str, ...] = ()
    if new_sets:
        own = np.mean([s[0] / n for s, n in zip(splits, n_items, strict=True)])
        sets_runs = left - np.mean([s[2] / n for s, n in zip(splits, n_items, strict=True)], 0)
        components = ComponentsOfSets(
            **vars(components), sets=max(units - float(own), 0.0), sets_runs=floored(sets_runs)
        )
        of_sets = terms(n_sets * parts_of(whole)[0], n_sets - 1.0)
        notes = note_on_few("sets", n_sets, of_sets, of_sets[0] - units + own)
    size = Size(n_sets, round(np.mean(n_items)), n_runs_of(whole))
    return Pilot(components, size, (*notes, *notes_on_runs(whole, left.sum() / n_units)))
