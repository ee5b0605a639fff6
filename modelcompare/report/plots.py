"""What `result.plot` offers: calling it draws the first figure, its methods draw each.

Every method returns a matplotlib Figure, which notebooks show and whose ``save(path)`` writes .png,
.svg or .pdf with the signature in the file. With `ax` given, what fits one panel is drawn into it,
and the figure that holds it is returned.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

import pandas as pd

from modelcompare.report import (
    clouds,
    critical_difference,
    diagnostic_figures,
    matrices,
    shapes,
    size_figures,
    study_figures,
)
from modelcompare.report.choice import (
    among,
    chosen,
    first_models,
    models_by_class,
    part_shown,
)
from modelcompare.report.comparison_contents import Block, metric_blocks
from modelcompare.report.forest import Kind, plot_comparison
from modelcompare.report.sheet import Caption
from modelcompare.words import check_count

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

R = TypeVar("R")
Pair = tuple[str, str]


class Plots(Generic[R]):
    """The figures of one result."""

    def __init__(self, result: R) -> None:
        self._result = result

    def __repr__(self) -> str:
        names = [name for name in dir(self) if not name.startswith("_")]
        return f"figures: {', '.join(f'plot.{name}()' for name in names)}"


class ComparisonPlots(Plots[shapes.ComparisonShape]):
    """Figures of a comparison: `plot()` is the forest of scores and differences."""

    def __init__(self, result: shapes.ComparisonShape, behind: shapes.BehindShape) -> None:
        super().__init__(result)
        self._behind = behind

    def __call__(self) -> Figure:
        """Draw the forest plot of scores and differences."""
        return self.forest()

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
        wins = self._behind.win_shares(block.metric, block.label)
        return matrices.plot_heatmap(self._result, block, wins, show=show, ax=ax)

    def raincloud(self, ax: Axes | None = None, *, metric: str | None = None) -> Figure:
        """Draw the bootstrap replicates: a cloud, a box and points for each model."""
        result = self._result
        heaps, shown = {}, []
        for name, blocks in metric_blocks(result, self._named(metric)).items():
            most = None if blocks[0].label is not None else clouds.MAX_MODELS
            found = chosen(
                blocks, baseline=result.baseline, max_models=most,
                max_classes=clouds.MAX_CLASSES, max_rows=clouds.MAX_ROWS,
            )  # fmt: skip
            heaps[name] = [clouds.Heap(b.label, list(b.scores["model"])) for b in found.blocks]
            shown += [f"{name}: {found.shown}"] if found.shown else []
        level = result.confidence_level
        title = f"{result.headline}; {result.n_resamples:,} resamples"
        caption = Caption(title, result.signature, "\n".join(shown), clouds.cloud_note(level))
        return clouds.plot_raincloud(self._behind.replicates, heaps, caption, level, ax=ax)

    def confusion(
        self, ax: Axes | None = None, *, model: str | None = None, soft: bool = False
    ) -> Figure:
        """Draw the confusion matrix of a model, and the probabilistic one beside it.

        By default of the model that is first by the first metric. Into an `ax` goes the first, or
        the probabilistic one if `soft`.
        """
        chosen_model = self._best if model is None else model
        return matrices.plot_confusion(self._behind.confused(chosen_model), soft=soft, ax=ax)

    def roc(self, ax: Axes | None = None, *, label: Any = None) -> Figure:
        """Draw all models' ROC curves; `modelcompare.curve` draws their bands too."""
        return diagnostic_figures.plot_curve(self._behind.curves("roc", label), ax=ax)

    def pr(self, ax: Axes | None = None, *, label: Any = None) -> Figure:
        """Draw precision against recall; `modelcompare.curve` draws their bands too."""
        return diagnostic_figures.plot_curve(self._behind.curves("precision-recall", label), ax=ax)

    def _rows(
        self, kinds: Sequence[Kind], ax: Axes | None, metric: str | None, max_models: int | None
    ) -> Figure:
        metrics = self._named(metric)
        return plot_comparison(self._result, kinds, metrics=metrics, max_models=max_models, ax=ax)

    def _named(self, metric: str | None) -> list[str] | None:
        known = list(dict.fromkeys(self._result.scores["metric"]))
        return None if metric is None else [among("metric", metric, known)]

    def _block(self, metric: str | None, label: Any) -> Block:
        """The rows of one metric and class."""
        blocks = next(iter(metric_blocks(self._result, self._named(metric)).values()))
        if label is None:
            return chosen(blocks, max_classes=1).blocks[0]
        among("label", label, [block.label for block in blocks])
        return next(block for block in blocks if block.label == label)

    @property
    def _best(self) -> str:
        return str(self._block(None, None).scores["model"].iloc[0])


class BootstrapPlots(Plots[shapes.BootstrapShape]):
    """Figures of replicates: `plot()` is the raincloud."""

    def __call__(self) -> Figure:
        """Draw the raincloud of all metrics."""
        return self.raincloud()

    def raincloud(self, ax: Axes | None = None, *, metric: str | None = None) -> Figure:
        """Draw the replicates: a cloud, a box and points for each model."""
        result = self._result
        labels: dict[str, list[Any]] = {}
        for key in result.evaluation.keys:
            labels.setdefault(key.metric, []).append(key.label)
        names = [*labels] if metric is None else [among("metric", metric, list(labels))]
        heaps, shown = {}, []
        for name in names:
            kept = labels[name][: clouds.MAX_CLASSES]
            most = clouds.MAX_MODELS
            if kept[0] is not None:
                most = models_by_class(len(kept), clouds.MAX_ROWS)
            models, left_out = first_models(result.models, most)
            heaps[name] = [clouds.Heap(label, models) for label in kept]
            parts = [left_out, part_shown(len(kept), len(labels[name]), "class")]
            shown += [f"{name}: {'; '.join(filter(None, parts))}"] if any(parts) else []
        n_samples = len(result.evaluation.predictions)
        title = f"{n_samples:,} samples, {result.n_resamples:,} resamples"
        caption = Caption(title, result.signature, "\n".join(shown), clouds.cloud_note(0.95))
        return clouds.plot_raincloud(result, heaps, caption, 0.95, ax=ax)


class CurvePlots(Plots[shapes.CurveShape]):
    """The figure of curves: `plot()`, or by its name."""

    def __call__(self) -> Figure:
        """Draw all models' curves in one square, with their bands."""
        return diagnostic_figures.plot_curve(self._result)

    def roc(self, ax: Axes | None = None) -> Figure:
        """Draw the ROC curves with their bands and areas."""
        return self._only("roc", ax)

    def pr(self, ax: Axes | None = None) -> Figure:
        """Draw precision against recall with bands and areas."""
        return self._only("precision-recall", ax)

    def _only(self, kind: str, ax: Axes | None) -> Figure:
        if self._result.kind != kind:
            raise ValueError(
                f"these are {self._result.kind} curves; ask for the others by curve(..., {kind!r})."
            )
        return diagnostic_figures.plot_curve(self._result, ax=ax)


class ReliabilityPlots(Plots[shapes.ReliabilityShape]):
    """The figure of reliability: `plot()`, or by its name."""

    def __call__(self) -> Figure:
        """Draw a reliability diagram for each model, over histograms of the confidences."""
        return self.reliability()

    def reliability(self, ax: Axes | None = None, *, model: str | None = None) -> Figure:
        """Draw reliability with the calibration error; into an `ax` that of one model."""
        return diagnostic_figures.plot_reliability(self._result, model=model, ax=ax)


class PowerPlots(Plots[shapes.SampleSizeShape]):
    """The figure of a sample size: `plot()`, or by its name."""

    def __call__(self) -> Figure:
        """Draw the smallest difference that shows, and power, against the number of samples."""
        return self.power()

    def power(self, ax: Axes | None = None) -> Figure:
        """Draw both curves, past the size that is needed; into an `ax` the first."""
        return size_figures.plot_power(self._result, ax=ax)


class RankPlots(Plots[Callable[[str | None], tuple[pd.DataFrame, str, str]]]):
    """The critical-difference diagram: `plot()`, or by its name."""

    def __call__(self) -> Figure:
        """Draw mean ranks, and bars over models not told apart."""
        return self.critical_difference()

    def critical_difference(self, metric: str | None = None, *, ax: Axes | None = None) -> Figure:
        """Draw mean ranks by a metric (the first by default); bars over models not told apart."""
        ranks, name, signature = self._result(metric)
        return critical_difference.plot_critical_difference(ranks, name, signature, ax=ax)


class VariancePlots(Plots[shapes.VarianceShape]):
    """Figures of a variance study: `plot()` draws the variances of the first pair."""

    def __call__(self) -> Figure:
        """Draw the variances of the first pair of metrics."""
        return self.variances()

    def variances(
        self, pair: int | Pair = 0, *, label: Any = None, n_columns: int | None = None,
        ax: Axes | None = None,
    ) -> Figure:  # fmt: skip
        """Draw variances of both metrics of a pair against the ratio (figures 1, 5, 6)."""
        if n_columns is not None:
            check_count("n_columns", n_columns, at_least=1, at_most=100)
        names = self._pair(pair)
        return study_figures.plot_variances(
            self._result, names, label=label, n_columns=n_columns, ax=ax
        )

    def intervals(
        self, pair: int | Pair = 0, *, label: Any = None, ax: Axes | None = None
    ) -> Figure:
        """Draw values with bands against the ratio, both metrics of a pair (figures 2, 3, 4)."""
        return study_figures.plot_intervals(self._result, self._pair(pair), label=label, ax=ax)

    def _pair(self, pair: int | Pair) -> Pair:
        pairs = self._result.pairs
        places = dict(enumerate(pairs)) | {names: names for names in pairs}
        asked = tuple(pair) if isinstance(pair, list) else pair
        if not isinstance(asked, int | tuple) or asked not in places:
            raise ValueError(f"`pair` {pair!r} was not studied; there are {pairs}.")
        return places[asked]


class AgreementPlots(Plots[shapes.AgreementShape]):
    """Figures of an agreement study: `plot()` draws the differences under both metrics."""

    def __call__(self) -> Figure:
        """Draw the models' differences under both metrics."""
        return self.agreement()

    def agreement(self, *, label: Any = None, ax: Axes | None = None) -> Figure:
        """Draw the models' differences under both metrics, with quadrants of agreement."""
        return study_figures.plot_agreement(self._result, label=label, ax=ax)

    def population(
        self, ratios: Sequence[float] | None = None, *, n_subsamples: int = 200,
        ax: Axes | None = None,
    ) -> Figure:  # fmt: skip
        """Draw agreement with the order of the whole test set, against the ratio."""
        sizes = self._result.usable_ratios() if ratios is None else ratios
        found = self._result.population(sizes, n_subsamples=n_subsamples)
        return size_figures.plot_population(self._result, found, ax=ax)


class UndefinedPlots(Plots[shapes.UndefinedShape]):
    """The figure of undefined values: `plot()`, or by its name."""

    def __call__(self) -> Figure:
        """Draw the share of undefined values against the ratio, soft twin beside hard."""
        return self.undefined()

    def undefined(self, ax: Axes | None = None) -> Figure:
        """Draw the share of undefined values; into an `ax` of the first pair of metrics."""
        return size_figures.plot_undefined(self._result, ax=ax)


class SensitivityPlots(Plots[shapes.SensitivityShape]):
    """The figure of changes: `plot()`, or by its name."""

    def __call__(self) -> Figure:
        """Draw the change of each metric against temperature and noise."""
        return self.sensitivity()

    def sensitivity(
        self, ax: Axes | None = None, *, metric: str | None = None, change: str | None = None
    ) -> Figure:
        """Draw the changes; into an `ax` those of one metric under one change."""
        return size_figures.plot_sensitivity(self._result, metric=metric, change=change, ax=ax)
