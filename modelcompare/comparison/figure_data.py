"""Replicates and predictions, as the figures of a comparison take them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.checks import check_models
from modelcompare.comparison.evidence import Evidence
from modelcompare.comparison.one_class import OneClass, areas_under, curve_points
from modelcompare.comparison.replicates import BootstrapResult
from modelcompare.comparison.standings import share_of_wins
from modelcompare.metrics.confusion import confusion_matrix, probabilistic_confusion_matrix
from modelcompare.predictions import Predictions
from modelcompare.sums import refuse_samples
from modelcompare.words import CurveKind


@dataclass(frozen=True)
class Confused:
    """Confusion matrices of one model: "labels", and "probabilities" if it gave them."""

    model: str
    headline: str
    signature: str
    matrices: Mapping[str, pd.DataFrame]


@dataclass(frozen=True)
class PlainCurves:
    """Curves of all models for one class, without bands; as `modelcompare.curve` holds them."""

    points: pd.DataFrame
    band: pd.DataFrame
    areas: pd.DataFrame
    kind: CurveKind
    label: Any
    share: float
    n_samples: int
    confidence_level: float
    signature: str


@dataclass(frozen=True)
class FigureData:
    """Replicates and predictions of a comparison."""

    evidence: Evidence
    replicates: BootstrapResult
    headline: str
    signature: str

    @property
    def predictions(self) -> Predictions:
        """What the models said."""
        found = self.replicates.evaluation.predictions
        if found.sums is not None:
            refuse_samples("this figure")
        return found

    def win_shares(self, metric: str, label: Any) -> pd.DataFrame:
        """Share of resamples on which the model of the row is better than that of the column."""
        models = list(self.evidence.models)
        up = self.evidence.direction[self.evidence.slice_of(metric).start]
        draws = [up * self.replicates.values_of(model, metric, label) for model in models]
        return pd.DataFrame(share_of_wins(np.column_stack(draws)), index=models, columns=models)

    def confused(self, model: str) -> Confused:
        """How often each class was said where each was true."""
        preds = self.predictions
        check_models(preds.models, model=model)
        if preds.labels is None or preds.codes is None or preds.output(model).kind == "values":
            raise ValueError(
                f"a confusion matrix needs classes; {model!r} gave {preds.output(model).kind}."
            )
        labels, weight = preds.labels, preds.sample_weight
        truth = labels[preds.codes]
        said = labels[preds.predicted(model)]
        matrices = {"labels": confusion_matrix(truth, said, labels=labels, sample_weight=weight)}
        if preds.output(model).kind == "probabilities" and not preds.missing_mass:
            matrices["probabilities"] = probabilistic_confusion_matrix(
                truth, preds.probabilities(model), labels=labels, sample_weight=weight
            )
        return Confused(model, self.headline, self.signature, matrices)

    def curves(self, kind: CurveKind, label: Any) -> PlainCurves:
        """The empirical curves of all models, and their areas."""
        preds = self.predictions
        chosen = OneClass.of(preds, label)
        weight = np.ones(len(preds)) if preds.sample_weight is None else preds.sample_weight
        points, areas = [], []
        for model, ordered, scores in chosen.models():
            points.append(curve_points(model, ordered, scores, weight[None]))
            area = float(areas_under(kind, ordered, weight[None])[0])
            areas.append({"model": model, "area": area, "ci_low": math.nan, "ci_high": math.nan})
        empty = pd.DataFrame({"model": [], "x": [], "y": [], "ci_low": [], "ci_high": []})
        return PlainCurves(
            pd.concat(points, ignore_index=True), empty, pd.DataFrame(areas), kind, chosen.label,
            chosen.share(weight), len(preds), self.evidence.confidence_level,
            self.signature,
        )  # fmt: skip
