"""Sample size needed to detect a difference of two models, and the smallest detectable one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from modelcompare.arguments import checked
from modelcompare.data.checks import check_models
from modelcompare.data.test_set import TestSet
from modelcompare.engine.runs import runs_are_random
from modelcompare.engine.units import THESE_RUNS
from modelcompare.intervals.ratios import normal_quantile
from modelcompare.metrics.classes import one_value
from modelcompare.metrics.registry import MetricLike
from modelcompare.questions.contrast import Contrast
from modelcompare.report.document import Document
from modelcompare.report.figures.layout import Caption, draw_panels
from modelcompare.report.figures.plots import Plots
from modelcompare.report.figures.style import LEADING, OTHER, Look, plain_axes, plain_log
from modelcompare.report.figures.types import Axes, Figure
from modelcompare.report.numbers import format_digits
from modelcompare.report.result import Result
from modelcompare.report.tables import Table, column
from modelcompare.significance.pairwise import check_smooth
from modelcompare.words import (
    Random,
    ZeroDivision,
    check_count,
    check_number,
    check_sequence,
    giving,
    signature,
    value_name,
)

# No curve goes further, however small the difference.
_LARGEST = 1e15
_HERE, _NEEDED, _OBSERVED = Look(OTHER), Look(LEADING, line="--"), Look("black", line=":")


def plot_power(size: SampleSize, ax: Axes | None = None) -> Figure:
    """Draw the smallest detectable difference, and power, against the number of samples.

    The curves reach past the size that the observed difference needs.
    """
    curve = size.curve()
    title = (
        f"{value_name(size.metric, size.label)}: {size.model_a} against {size.model_b}, "
        f"{size.n_samples:,} {size.unit}, alpha {size.alpha:g}, power {size.power:g}"
    )

    def draw(column: str, axes: Axes) -> None:
        plain_axes(axes)
        axes.plot(curve["n_samples"], curve[column], color=LEADING, linewidth=1.8)
        axes.set_xscale("log")
        plain_log(axes.xaxis)
        axes.axvline(size.n_samples, **_HERE.options())
        if np.isfinite(size.n_needed):
            axes.axvline(size.n_needed, **_NEEDED.options())
        axes.set_xlabel(size.unit)
        if column == "detectable":
            axes.set_yscale("log")
            plain_log(axes.yaxis)
            axes.set_title("smallest detectable difference")
            if size.difference:
                axes.axhline(abs(size.difference), **_OBSERVED.options())
        else:
            axes.set_title(f"power for {abs(size.difference):.3g}")
            axes.set_ylim(0, 1.02)
            axes.axhline(size.power, **_OBSERVED.options())

    caption = Caption(title, size.signature, keys=_power_keys(size))
    panels = [[partial(draw, column) for column in ("detectable", "power")]]
    return draw_panels(caption, panels, (3.5, 3.0), ax=ax)


@dataclass(frozen=True)
class SampleSize(Result):
    """Sample size of a paired comparison, by its standard deviation per sample.

    Attributes
    ----------
    model_a, model_b, metric, label
        What is compared.
    difference : float
        a - b on this test set.
    standard_deviation : float
        Of one sample's influence on the difference; the standard error at n samples is this over
        the root of n.
    n_samples : int
        Samples (or clusters) of this test set.
    alpha, power : float
        Two-sided level of the test, and the probability of seeing the difference.
    unit : {"samples", "clusters"}
        What is counted: clusters where `groups` are given.
    notes : tuple of str
        What the answer is for: the runs at hand, where there are several.
    """

    model_a: str
    model_b: str
    metric: str
    label: Any
    difference: float
    standard_deviation: float
    n_samples: int
    alpha: float
    power: float
    confidence_level: float = field(repr=False)
    unit: str
    notes: tuple[str, ...] = field(default=(), repr=False)

    _stem: ClassVar[str] = "sample_size"
    _members: ClassVar[str] = """
        model_a model_b metric label difference standard_deviation n_samples alpha power
        confidence_level unit signature
        sample_size=curve: n_samples detectable interval_width power
    """
    plot = Plots(power=plot_power)

    @property
    def n_needed(self) -> float:
        """Samples that detect the observed difference; infinite if it is 0."""
        return self.needed(self.difference)

    def needed(self, difference: float) -> float:
        """Samples that detect a difference of this size, rounded up."""
        check_number("difference", difference, at_least=-math.inf)
        if difference == 0:
            return math.inf
        return max(2, math.ceil((self._quantiles * self.standard_deviation / difference) ** 2))

    def curve(self, n_samples: Sequence[int] | None = None) -> pd.DataFrame:
        """Detectable difference and width of the interval by size of the test set.

        Parameters
        ----------
        n_samples : sequence of int, optional
            Sizes; by default from a tenth of this test set to a hundred times of it, and beyond the
            size that the observed difference needs on either side.

        Returns
        -------
        DataFrame
            Columns n_samples, detectable, interval_width, power (for the observed difference).
        """
        if n_samples is None:
            times = 10.0 ** np.linspace(*self._reach, 61)
            n_samples = [*map(int, np.unique(np.maximum(np.round(self.n_samples * times), 2)))]
        else:
            for size in check_sequence("n_samples", n_samples, "whole numbers"):
                check_count("n_samples", size, at_least=1, at_most=10**9)
            if not len(n_samples):
                raise ValueError("`n_samples` is empty; name at least one, e.g. [1000].")
        sizes, sd = np.array(n_samples, dtype=np.int64), self.standard_deviation
        root, z = np.sqrt(sizes), normal_quantile(1 - self.alpha)
        shift = abs(self.difference) * root / sd
        return pd.DataFrame({
            "n_samples": sizes, "detectable": self._quantiles * sd / root,
            "interval_width": 2 * normal_quantile(self.confidence_level) * sd / root,
            "power": ndtr(shift - z) + ndtr(-shift - z),
        })  # fmt: skip

    @property
    def _detectable(self) -> float:
        """Smallest difference that this test set detects."""
        return float(self.curve([self.n_samples])["detectable"].iloc[0])

    @property
    def signature(self) -> str:
        """Signature of the numbers, in one line."""
        return signature(
            "sample_size", n=self.n_samples, alpha=self.alpha, power=self.power, se="influence",
            **{THESE_RUNS: bool(self.notes)},
        )  # fmt: skip

    def sentence(self) -> str:
        """Write the answer as a sentence."""
        what = value_name(self.metric, self.label)
        text = (
            f"{what}: {self.model_a} - {self.model_b} = {self.difference:+.4g} on "
            f"{self.n_samples:,} {self.unit}. This test set detects differences of "
            f"{self._detectable:.2g} or more (power {self.power:g}, alpha {self.alpha:g})"
        )
        if math.isinf(self.n_needed):
            return f"{text}; the observed difference is 0, which no test set detects."
        return f"{text}; the observed one needs about {self.n_needed:,.0f} {self.unit}."

    def document(self) -> Document:
        sizes = sorted({self.n_samples, *(m * 10**k for k in range(2, 6) for m in (1, 2, 5))})
        frame = self.curve(sizes)
        texts = [f"{n:,}{' (here)' if n == self.n_samples else ''}" for n in frame["n_samples"]]
        title = f"{value_name(self.metric, self.label)}, {self.model_a} - {self.model_b}"
        observed = f"the observed difference of {self.difference:+.4g} (alpha {self.alpha:g})"
        table = Table.of(
            title, frame.assign(size=texts), column(self.unit, "size"),
            column("detectable difference", "detectable"), column("width of CI", "interval_width"),
            "power", notes=[f"Power: probability of detecting {observed}."],
        )  # fmt: skip
        return self._document({self._stem: table}, findings=[self.sentence(), *self.notes])

    @property
    def _reach(self) -> tuple[float, float]:
        """Powers of ten around this test set, with half a power beyond the size needed."""
        if not 0 < self.n_needed < math.inf:
            return -1.0, 2.0
        needed = math.log10(self.n_needed / self.n_samples)
        last = min(max(2.0, needed + 0.5), math.log10(_LARGEST / self.n_samples))
        return min(-1.0, needed - 0.5), last

    @property
    def _quantiles(self) -> float:
        return normal_quantile(1 - self.alpha) + float(ndtri(self.power))


def _power_keys(size: SampleSize) -> list[tuple[str, Look]]:
    """Return the meaning of the lines, with their numbers."""
    here = format_digits(size._detectable)
    keys = [(f"this test set: detects {here} or more", _HERE)]
    if size.difference and np.isfinite(size.n_needed):
        needed = f"{size.n_needed:,.0f} {size.unit}"
        keys.append((f"needed for the observed difference: {needed}", _NEEDED))
        observed = format_digits(abs(size.difference))
        keys.append((f"observed difference {observed}; requested power", _OBSERVED))
    return keys


@checked(predictions=giving("blocks"))
def sample_size(
    predictions: TestSet,
    model_a: str,
    model_b: str,
    metric: MetricLike = "f1_macro",
    *,
    label: Any = None,
    alpha: float = 0.05,
    power: float = 0.8,
    confidence_level: float = 0.95,
    random: Random = "auto",
    zero_division: ZeroDivision = math.nan,
) -> SampleSize:
    """Compute the samples needed to detect a difference, and the smallest difference detected.

    From the models' influence functions on this test set, for any smooth metric: the standard
    error of their paired difference falls with the root of the number of samples.

    Parameters
    ----------
    predictions : Predictions
        A pilot test set that holds both models.
    model_a, model_b : str
        The models; differences are a - b.
    metric : str, metric or callable
        What they are compared by.
    label : optional
        The class, for a metric per class.
    alpha, power : float
        Two-sided level, and the probability wanted of finding the difference.
    confidence_level : float
        Of the interval whose width is predicted.
    random : {"auto", "items", "items+runs"}
        With "items" the answer is for the runs of the pilot, if it has several. More samples do not
        reduce what new runs add to an error, so "items+runs" is refused, and so are declared runs
        with "auto"; see `compare`.
    zero_division : float or "paper"
        See `modelcompare.get_metric`.

    Returns
    -------
    SampleSize
        Answers, a curve, a sentence, and a figure.

    Raises
    ------
    ValueError
        If the metric is not smooth, is per class and no `label` is given, or a level is not in
        (0, 1).

    Warns
    -----
    SparseDataWarning
        If the metric depends on fewer than ten samples, or clusters; see `compare`.

    Notes
    -----
    The observed difference is itself uncertain; a sample size computed from it is as uncertain,
    squared. Ask `needed` for the smallest difference that would matter instead.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.load_example("snli")
    >>> print(mc.sample_size(preds, "bow_pair", "naive_bayes", "f1", label="neutral").sentence())
    f1 of neutral: bow_pair - naive_bayes = +0.01209 on 9,824 samples. This test set detects
    differences of 0.016 or more (power 0.8, alpha 0.05); the observed one needs about 17,918
    samples.
    """
    check_models(predictions.models, model_a=model_a, model_b=model_b)
    metric, label = one_value(metric, label, predictions)
    if runs_are_random(predictions[[model_a, model_b]], random):
        raise ValueError(
            "`runs` are declared, and no number of samples alone reduces what new runs add to an "
            "error; variance_components gives the shares of samples and runs, and random='items' "
            "(--random items) the samples that these runs need."
        )
    contrast = Contrast.between(
        predictions, model_a, model_b, metric,
        label=label, zero_division=zero_division, collapse=False,
    )  # fmt: skip
    check_smooth(contrast.metric, "variance_study on test sets of several sizes")
    if math.isnan(contrast.difference):
        raise ValueError(
            f"{contrast.metric.name} is undefined for one of the models on this test set; there is "
            "no difference to plan for."
        )
    if contrast.error == 0:
        raise ValueError(
            f"{model_a} and {model_b} differ in {contrast.metric.name} by the same on every one of "
            f"the {contrast.n_units:,} {contrast.unit}; without any spread there is nothing to "
            "plan from. Take a larger pilot test set."
        )
    contrast.warn_of_sparse_data()
    return SampleSize(
        model_a, model_b, contrast.metric.name, label, contrast.difference,
        contrast.error * math.sqrt(contrast.n_units), contrast.n_units, alpha, power,
        confidence_level, contrast.unit, contrast.notes,
    )  # fmt: skip
