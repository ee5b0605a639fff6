"""What `result.plot` offers: calling it draws the first figure, its methods draw each.

Every method returns a matplotlib Figure, which notebooks show and whose ``save(path)`` writes .png,
.svg or .pdf with the signature in the file. With `ax` given, what fits one panel is drawn into it,
and the figure that holds it is returned.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import pandas as pd

from modelcompare.report.figures import critical_difference, curves, sizes, studies
from modelcompare.report.figures.curves import Bins, Curves
from modelcompare.report.figures.sizes import Changes, Power, UndefinedShares
from modelcompare.report.figures.studies import Agreements, Distributions
from modelcompare.report.figures.types import Axes, Figure
from modelcompare.words import check_count

R = TypeVar("R")
Pair = tuple[str, str]


class Plots(Generic[R]):
    """The figures of one result."""

    def __init__(self, result: R) -> None:
        self._result = result

    def __repr__(self) -> str:
        names = [name for name in dir(self) if not name.startswith("_")]
        return f"figures: {', '.join(f'plot.{name}()' for name in names)}"


class CurvePlots(Plots[Curves]):
    """The figure of curves: `plot()`, or by its name."""

    def __call__(self) -> Figure:
        """Draw all models' curves in one square, with their bands."""
        return curves.plot_curve(self._result)

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
        return curves.plot_curve(self._result, ax=ax)


class ReliabilityPlots(Plots[Bins]):
    """The figure of reliability: `plot()`, or by its name."""

    def __call__(self) -> Figure:
        """Draw a reliability diagram for each model, over histograms of the confidences."""
        return self.reliability()

    def reliability(self, ax: Axes | None = None, *, model: str | None = None) -> Figure:
        """Draw reliability with the calibration error; into an `ax` that of one model."""
        return curves.plot_reliability(self._result, model=model, ax=ax)


class PowerPlots(Plots[Power]):
    """The figure of a sample size: `plot()`, or by its name."""

    def __call__(self) -> Figure:
        """Draw the smallest difference that shows, and power, against the number of samples."""
        return self.power()

    def power(self, ax: Axes | None = None) -> Figure:
        """Draw both curves, past the size that is needed; into an `ax` the first."""
        return sizes.plot_power(self._result, ax=ax)


class RankPlots(Plots[Callable[[str | None], tuple[pd.DataFrame, str, str]]]):
    """The critical-difference diagram: `plot()`, or by its name."""

    def __call__(self) -> Figure:
        """Draw mean ranks, and bars over models not told apart."""
        return self.critical_difference()

    def critical_difference(self, metric: str | None = None, *, ax: Axes | None = None) -> Figure:
        """Draw mean ranks by a metric (the first by default); bars over models not told apart."""
        ranks, name, signature = self._result(metric)
        return critical_difference.plot_critical_difference(ranks, name, signature, ax=ax)


class VariancePlots(Plots[Distributions]):
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
        return studies.plot_variances(self._result, names, label=label, n_columns=n_columns, ax=ax)

    def intervals(
        self, pair: int | Pair = 0, *, label: Any = None, ax: Axes | None = None
    ) -> Figure:
        """Draw values with bands against the ratio, both metrics of a pair (figures 2, 3, 4)."""
        return studies.plot_intervals(self._result, self._pair(pair), label=label, ax=ax)

    def _pair(self, pair: int | Pair) -> Pair:
        pairs = self._result.pairs
        places = dict(enumerate(pairs)) | {names: names for names in pairs}
        asked = tuple(pair) if isinstance(pair, list) else pair
        if not isinstance(asked, int | tuple) or asked not in places:
            raise ValueError(f"`pair` {pair!r} was not studied; there are {pairs}.")
        return places[asked]


class AgreementPlots(Plots[Agreements]):
    """Figures of an agreement study: `plot()` draws the differences under both metrics."""

    def __call__(self) -> Figure:
        """Draw the models' differences under both metrics."""
        return self.agreement()

    def agreement(self, *, label: Any = None, ax: Axes | None = None) -> Figure:
        """Draw the models' differences under both metrics, with quadrants of agreement."""
        return studies.plot_agreement(self._result, label=label, ax=ax)

    def population(
        self, ratios: Sequence[float] | None = None, *, n_subsamples: int = 200,
        ax: Axes | None = None,
    ) -> Figure:  # fmt: skip
        """Draw agreement with the order of the whole test set, against the ratio."""
        asked = self._result.usable_ratios() if ratios is None else ratios
        found = self._result.population(asked, n_subsamples=n_subsamples)
        return sizes.plot_population(self._result, found, ax=ax)


class UndefinedPlots(Plots[UndefinedShares]):
    """The figure of undefined values: `plot()`, or by its name."""

    def __call__(self) -> Figure:
        """Draw the share of undefined values against the ratio, soft twin beside hard."""
        return self.undefined()

    def undefined(self, ax: Axes | None = None) -> Figure:
        """Draw the share of undefined values; into an `ax` of the first pair of metrics."""
        return sizes.plot_undefined(self._result, ax=ax)


class SensitivityPlots(Plots[Changes]):
    """The figure of changes: `plot()`, or by its name."""

    def __call__(self) -> Figure:
        """Draw the change of each metric against temperature and noise."""
        return self.sensitivity()

    def sensitivity(
        self, ax: Axes | None = None, *, metric: str | None = None, change: str | None = None
    ) -> Figure:
        """Draw the changes; into an `ax` those of one metric under one change."""
        return sizes.plot_sensitivity(self._result, metric=metric, change=change, ax=ax)
