"""Figures of a comparison, and the numbers that they show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from modelcompare.comparison.evidence import Evidence
from modelcompare.comparison.one_class import OneClass
from modelcompare.comparison.standings import share_of_wins
from modelcompare.data.checks import check_models
from modelcompare.data.test_set import TestSet
from modelcompare.metrics.confusion import confusion_matrix, probabilistic_confusion_matrix
from modelcompare.report.compared import Block, Compared, metric_blocks
from modelcompare.report.figures import curves, matrices, raincloud
from modelcompare.report.figures.forest import Kind, plot_comparison
from modelcompare.report.figures.layout import Caption
from modelcompare.report.figures.selection import among, select_blocks
from modelcompare.report.figures.types import Axes, Figure
from modelcompare.words import CurveKind


@dataclass(frozen=True)
class ComparisonFigures:
    """Figures of a comparison, of its frames and its evidence."""

    result: Compared
    evidence: Evidence

    def forest(
        self, ax: Axes | None = None, *, metric: str | None = None, max_models: int | None = None
    ) -> Figure:
        """Draw scores, and beside them the differences; into an `ax` scores of one metric."""
        kinds: Sequence[Kind] = ("scores", "differences") if ax is None else ("scores",)
        return self._rows(kinds, ax, metric, max_models)

    def differences(
        self, ax: Axes | None = None, *, metric: str | None = None, max_models: int | None = None
    ) -> Figure:
        """Draw all pairs of up to four models, or the best or the baseline minus each other."""
        return self._rows(("differences",), ax, metric, max_models)

    def ranks(
        self, ax: Axes | None = None, *, metric: str | None = None, max_models: int | None = None
    ) -> Figure:
        """Draw the ranks that the corrected tests leave open to each model."""
        return self._rows(("ranks",), ax, metric, max_models)

    def heatmap(
        self, ax: Axes | None = None, *, metric: str | None = None, label: Any = None,
        show: Literal["p_value", "wins"] = "p_value",
    ) -> Figure:  # fmt: skip
        """Draw p-values and shares of wins of all pairs, of one metric and class.

        By default of the first metric, and of the class where models differ most. Into an `ax` goes
        what `show` says.
        """
        among("show", show, ("p_value", "wins"))
        block = self._block(metric, label)
        wins = self._win_shares(block.metric, block.label)
        return matrices.plot_heatmap(self.result, block, wins, show=show, ax=ax)

    def raincloud(self, ax: Axes | None = None, *, metric: str | None = None) -> Figure:
        """Draw the bootstrap replicates: a cloud, a box and points for each model."""
        result, heaps = self.result, {}
        for name, blocks in metric_blocks(result, self._named(metric)).items():
            most = None if blocks[0].label is not None else raincloud.MAX_MODELS
            found, remark = select_blocks(
                blocks, baseline=result.baseline, max_models=most,
                max_classes=raincloud.MAX_CLASSES, max_rows=raincloud.MAX_ROWS,
            )  # fmt: skip
            heaps[name] = [(block.label, list(block.scores["model"])) for block in found], remark
        title = f"{result.headline}; {result.n_resamples:,} resamples"
        return raincloud.plot_raincloud(
            self.evidence.bootstrap.values_of, heaps, title, result.signature,
            result.confidence_level, ax,
        )  # fmt: skip

    def confusion(
        self, ax: Axes | None = None, *, model: str | None = None, soft: bool = False
    ) -> Figure:
        """Draw the confusion matrix of a model, and the probabilistic one beside it.

        By default of the model that is first by the first metric. Into an `ax` goes the first, or
        the probabilistic one if `soft`.
        """
        chosen = str(self._block(None, None).scores["model"].iloc[0]) if model is None else model
        title = f"{self.result.headline}; confusion of {chosen}"
        caption = Caption(title, self.result.signature)
        return matrices.plot_confusion(chosen, self._confused(chosen), caption, soft=soft, ax=ax)

    def roc(self, ax: Axes | None = None, *, label: Any = None) -> Figure:
        """Draw all models' ROC curves; `modelcompare.curve` draws their bands too."""
        return self._curve("roc", label, ax)

    def pr(self, ax: Axes | None = None, *, label: Any = None) -> Figure:
        """Draw precision against recall; `modelcompare.curve` draws their bands too."""
        return self._curve("precision-recall", label, ax)

    def _rows(
        self, kinds: Sequence[Kind], ax: Axes | None, metric: str | None, max_models: int | None
    ) -> Figure:
        metrics = self._named(metric)
        return plot_comparison(self.result, kinds, metrics=metrics, max_models=max_models, ax=ax)

    def _named(self, metric: str | None) -> list[str] | None:
        known = list(dict.fromkeys(self.result.scores["metric"]))
        return None if metric is None else [among("metric", metric, known)]

    def _block(self, metric: str | None, label: Any) -> Block:
        """The rows of one metric and class."""
        blocks = next(iter(metric_blocks(self.result, self._named(metric)).values()))
        if label is None:
            return select_blocks(blocks, max_classes=1)[0][0]
        among("label", label, [block.label for block in blocks])
        return next(block for block in blocks if block.label == label)

    @property
    def _predictions(self) -> TestSet:
        found = self.evidence.bootstrap.evaluation.predictions
        if found.sums is not None:
            found.refuse("this figure")
        return found

    def _win_shares(self, metric: str, label: Any) -> pd.DataFrame:
        """Share of resamples on which the model of the row is better than that of the column."""
        models = list(self.evidence.models)
        up = self.evidence.direction[self.evidence.slice_of(metric).start]
        draws = [up * self.evidence.bootstrap.values_of(model, metric, label) for model in models]
        return pd.DataFrame(share_of_wins(np.column_stack(draws)), index=models, columns=models)

    def _confused(self, model: str) -> dict[str, pd.DataFrame]:
        """Count how often each class was said where each was true, and sum its probabilities."""
        preds = self._predictions
        check_models(preds.models, model=model)
        if preds.labels is None or preds.codes is None or preds.kinds[model] == "values":
            raise ValueError(
                f"a confusion matrix needs classes; {model!r} gave {preds.kinds[model]}."
            )
        labels, weight = preds.labels, preds.sample_weight
        truth = labels[preds.codes]
        said = labels[preds.predicted(model)]
        found = {"labels": confusion_matrix(truth, said, labels=labels, sample_weight=weight)}
        if preds.kinds[model] == "probabilities" and not preds.missing_mass:
            found["probabilities"] = probabilistic_confusion_matrix(
                truth, preds.probabilities(model), labels=labels, sample_weight=weight
            )
        return found

    def _curve(self, kind: CurveKind, label: Any, ax: Axes | None) -> Figure:
        """Draw the empirical curves of all models, with their areas."""
        preds = self._predictions
        weight = np.ones(len(preds)) if preds.sample_weight is None else preds.sample_weight
        level = self.evidence.confidence_level
        found = OneClass.of(preds, label).curves(kind, weight[None], level)
        return curves.plot_curve(found, self.result.signature, ax=ax)
