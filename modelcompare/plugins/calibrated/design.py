"""Calibration across folds as a design: the maps vary with the samples that they are fitted to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from modelcompare.arrays import FloatArray
from modelcompare.data.test_set import TestSet
from modelcompare.data.variants import with_probabilities
from modelcompare.engine.design import Design, Estimator
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import Pairs
from modelcompare.engine.layers import Layers
from modelcompare.engine.scope import Part, Scope
from modelcompare.plugins.calibrated.fit import OF_GROUPS, Fit, dealt
from modelcompare.plugins.calibrated.methods import Map
from modelcompare.resampling.weights import BootstrapWeights

# Groups of units that are left out of the fit, one after the other.
_GROUPS = 40


@dataclass(frozen=True, kw_only=True)
class Calibrated(Part):
    """Calibration that an answer is about."""

    method: str
    n_folds: int

    @property
    def counts(self) -> dict[str, object]:
        return {"calibrated": f"{self.method}, {self.n_folds} folds"}

    @property
    def notes(self) -> tuple[str, ...]:
        return (
            f"For probabilities calibrated by {self.method} in {self.n_folds} folds: errors allow "
            "for the fit, and decisions are those that were made.",
        )


class RefittedEstimator(Estimator):
    """Values of calibrated models, whose maps are fitted again without parts of the samples."""

    @cached_property
    def _fit(self) -> Fit:
        found = self.evaluation.predictions.access.attachments[Fit.name]
        assert isinstance(found, Fit)  # noqa: S101  of this name
        return found

    @cached_property
    def _maps(self) -> dict[str, list[Map]]:
        """Maps of all samples, from which those of parts start."""
        weights = self._fit.raw.access.weights
        return {model: self._fit.maps(model, weights) for model in self.evaluation.models}

    def layers(self, pairs: Pairs | None) -> Layers:
        shares = self._shares
        shares = shares if pairs is None else shares[:, pairs[0]] - shares[:, pairs[1]]
        n_groups = len(shares)
        variance = n_groups * np.asarray(shares.var(axis=0, ddof=1))
        return Layers.of_items(variance, n_groups - 1.0)

    def drawn(self, weights: BootstrapWeights) -> FloatArray:
        # Resamples of a part of the samples fit the maps to it alone.
        access, at = self.evaluation.predictions.access, self._fit.at
        own = self._fit.raw.access.weights
        out = np.empty((weights.n_resamples, *self.point.shape))
        for block, drawn in enumerate(weights.blocks()):
            times = drawn if access.unit == "samples" else drawn[:, access.unit_of]
            for place, row in enumerate(times, start=weights.rows(block).start):
                kept = np.zeros(len(own))
                kept[at] = row * own[at]
                unit_weights = drawn[place - weights.rows(block).start]
                out[place] = self._refitted(kept).values(unit_weights[None])[0]
        return out

    @cached_property
    def _shares(self) -> FloatArray:
        """Contributions of groups of units to the values, (n_groups, n_models, n_values).

        Samples of a group add their influences with the maps as they are, and what the maps owe to
        them: the change of the values as they are fitted without the group, times the share of the
        others (Efron & Tibshirani 1993, chapter 11).
        """
        raw, at = self._fit.raw, self._fit.at
        units = raw.access.unit_of if raw.access.unit != "samples" else np.arange(len(raw))
        n_units = int(units.max()) + 1
        n_groups = min(_GROUPS, n_units)
        weights, group = raw.access.weights, dealt(n_units, n_groups, OF_GROUPS)[units]
        out = np.zeros((n_groups, *self.point.shape))
        np.add.at(out, group[at], self._influences())
        for one in range(n_groups):
            kept = weights * (group != one)
            left = self._refitted(kept).estimate()
            out[one] += (self.point - left) * (kept.sum() / weights.sum())
        return out

    def _influences(self) -> FloatArray:
        """Return what each sample adds to the values, its maps fixed."""
        predictions = self.evaluation.predictions.with_columns(groups=None)
        each = Evaluation(predictions, self.evaluation.metrics, collapse=False)
        parts = [each.influence(rows, self.point) for rows in each.row_steps()]
        return np.vstack(parts) / len(predictions)

    def _refitted(self, weights: FloatArray) -> Evaluation:
        """Return the evaluation of maps fitted to samples with weights."""
        fit, maps = self._fit, self._maps
        found = {m: fit.mapped(m, fit.maps(m, weights, maps[m])) for m in self.evaluation.models}
        predictions: Any = self.evaluation.predictions
        return Evaluation(with_probabilities(predictions, found), self.evaluation.metrics)


@dataclass(frozen=True)
class CalibratedDesign(Design):
    """Models with a calibration that is fitted across folds of the test set."""

    beyond_items: ClassVar[bool] = True
    unknown: ClassVar[str] = "the error of a calibration across folds"
    instead: ClassVar[str] = "calibrate on other samples (on=, --calibrate-on FILE)"
    more: ClassVar[str] = "a larger test set"
    at_any_time: ClassVar[str] = "a calibration across folds; ask once, or calibrate on others"

    @cached_property
    def scope(self) -> Scope:
        fit = self.predictions.access.attachments[Fit.name]
        assert isinstance(fit, Fit)  # noqa: S101  of this name
        part = Calibrated(method=fit.method, n_folds=fit.n_folds)
        return Scope(len(self.predictions), (part,))

    def estimator(self, evaluation: Evaluation) -> Estimator:
        self.check_influences(evaluation)
        return RefittedEstimator(evaluation)


def design(predictions: TestSet, *_: str) -> Design | None:
    """Return the design of samples that were calibrated across folds."""
    known = Fit.name in predictions.access.attachments
    return CalibratedDesign(predictions) if known else None


DESIGNS = (design,)
