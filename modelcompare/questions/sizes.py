"""`SampleSize`: the samples, runs or test sets that a difference of two models needs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from modelcompare.engine.scope import Scope
from modelcompare.escape import terminal
from modelcompare.questions.components import Dimension, Words
from modelcompare.questions.frontier import LADDER, Frontier
from modelcompare.report.document import Document
from modelcompare.report.fields import HIDDEN, Field, Member, member, value
from modelcompare.report.figures.layout import Caption, draw_panels
from modelcompare.report.figures.plots import Plots
from modelcompare.report.figures.style import LEADING, MUTED, OTHER, Look, plain_axes, plain_log
from modelcompare.report.figures.types import Axes, Figure
from modelcompare.report.numbers import format_digits
from modelcompare.report.result import Result
from modelcompare.report.tables import Column, Table, column
from modelcompare.words import check_count, check_number, check_sequence, signature, value_name

# No curve goes further, however small the difference.
_LARGEST = 1e15
_TITLES: dict[Dimension, str] = {"runs": "runs of each", "sets": "sets"}
_HERE, _NEEDED, _OBSERVED = Look(OTHER), Look(LEADING, line="--"), Look("black", line=":")
_ENOUGH, _PILOT, _HOPELESS = Look(LEADING, "o"), Look(OTHER, "s", ""), Look("#E4E4E4", "s", "")
_CHEAPEST, _SAME_COST = Look("black", "D", ""), Look(MUTED, line="--")


def plot_power(size: SampleSize, ax: Axes | None = None) -> Figure:
    """Draw the smallest detectable difference, and power, against the number of samples.

    The curves reach past the size that the observed difference needs.
    """
    curve = size.curve()
    title = (
        f"{value_name(size.metric, size.label)}: {size.model_a} against {size.model_b}, "
        f"{size._pilot}, alpha {size.alpha:g}, power {size.power:g}"
    )

    def draw(column: str, axes: Axes) -> None:
        plain_axes(axes)
        axes.plot(curve["n_samples"], curve[column], color=LEADING, linewidth=1.8)
        axes.set_xscale("log")
        plain_log(axes.xaxis)
        axes.axvline(size.n_samples, **_HERE.options())
        if np.isfinite(size.n_needed):
            axes.axvline(size.n_needed, **_NEEDED.options())
        axes.set_xlabel(size._items)
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


def plot_frontier(size: SampleSize, ax: Axes | None = None) -> Figure:
    """Draw the items that are needed against the runs of each model, or the test sets.

    Raises
    ------
    ValueError
        If only samples vary in the pilot.
    """
    if not size.components.varied:
        raise ValueError(
            "only samples vary in this pilot; plot.power draws what more of them show."
        )
    title, asked = f"{size._title}, pilot of {size._pilot}", f"To detect {size._asked}"
    caption = Caption(title, size.signature, asked, keys=_frontier_keys(size))
    panels = [[partial(_draw_frontier, size, dimension) for dimension in size.components.varied]]
    return draw_panels(caption, panels, (4.9, 3.3), ax=ax)


def _draw_frontier(size: SampleSize, dimension: Dimension, axes: Axes) -> None:
    """Draw the frontier in one dimension, and what costs as much as the cheapest numbers."""
    plain_axes(axes)
    pilot, best = size.size, size._cheapest
    here = getattr(pilot, dimension)
    last = max(LADDER[-1], 1.5 * here)
    counts = np.unique(np.geomspace(2, last, 24).round())
    along = [size._solved("items", pilot._replace(**{dimension: int(n)})) for n in counts]
    items = np.array([each.items for each in along], dtype=float)
    known = np.isfinite(items)
    shown = [*items[known], pilot.items]
    if not known.all():
        end = counts[known.argmax()] if known.any() else last * 1.1
        axes.axvspan(2 / 1.1, end / 1.05, color=_HOPELESS.colour, linewidth=0)
    axes.fill_between(counts, items, 2 * max(shown), where=known, color=LEADING, alpha=0.1, lw=0)
    own: dict[str, Any] = {"items": 0, dimension: 0}
    if best is not None and best._replace(**own) == pilot._replace(**own):
        fine = [best._replace(items=0, **{dimension: n}) for n in np.geomspace(2, last, 200)]
        left = [size._cost(best) - size._cost(each) for each in fine]
        same = np.divide(left, [size._cost(each._replace(items=1, runs=0)) for each in fine])
        axes.plot([getattr(each, dimension) for each in fine], same, **_SAME_COST.options())
        axes.plot(getattr(best, dimension), best.items, **_CHEAPEST.options(markersize=6, zorder=4))
    axes.plot(counts, items, **_ENOUGH.options(markersize=3))
    axes.plot(here, pilot.items, **_PILOT.options(markersize=6))
    axes.set(xscale="log", yscale="log", ylim=(min(shown) / 1.6, max(shown) * 1.6))
    axes.set(xlabel=_TITLES[dimension], ylabel=size._items, xlim=(2 / 1.1, last * 1.1))
    plain_log(axes.xaxis)
    plain_log(axes.yaxis)


@dataclass(frozen=True, kw_only=True)
class SampleSize(Frontier, Result, stem="sample_size", version=4):
    """Numbers of samples, runs and test sets that a paired comparison needs.

    Attributes
    ----------
    components : Components
        Variances of single items, runs and test sets, by which errors of other numbers are
        predicted.
    size : Size
        Numbers of the pilot: of `sets`, of `items` of each, and of `runs` of each model.
    margin : float
        The difference to detect: the observed one if none was given.
    alpha, power : float
        Two-sided level of the test, and the probability of seeing the difference.
    cost_item, cost_run : float, optional
        Cost of an item, and of a run of one model.
    model_a, model_b, metric, label
        What is compared.
    difference : float
        a - b in the pilot.
    unit : {"samples", "clusters", "labels"}
        Unit that is counted: clusters if `groups` are given, labels beside a judge.
    notes : tuple of str
        The runs that the answer is for, where there are several; and how much a few runs, or sets,
        determine.
    scope : Scope
        Runs, labels and test sets that the answer is about.
    words : Words
        Words for the numbers of the pilot.
    """

    model_a: str
    model_b: str
    metric: str
    label: Any
    difference: float
    confidence_level: float = field(repr=False, metadata=value(after="power"))
    unit: str = field(metadata=value(json="unit", after="confidence_level"))
    notes: tuple[str, ...] = field(default=(), repr=False, metadata=value(in_row=False))
    scope: Scope = field(repr=False, metadata=HIDDEN)
    words: Words = field(repr=False, metadata=HIDDEN)

    _members: ClassVar[tuple[Member, ...]] = (
        Member("n_sets", source="size.sets", after="standard_deviation"),
        Member("n_runs", source="size.runs", after="n_samples"),
    )
    plot = Plots(power=plot_power, frontier=plot_frontier)

    @property
    @member(after="n_sets")
    def n_samples(self) -> int:
        """Samples (or clusters, or items) of the pilot, of each of its test sets."""
        return int(self.size.items)

    @property
    @member(after="difference")
    def standard_deviation(self) -> float:
        """Standard deviation between items: of one sample's influence on the difference."""
        return math.sqrt(self.components.items)

    @property
    def n_needed(self) -> float:
        """Samples that detect the observed difference; infinite if it is 0."""
        return self.needed(self.difference)

    def needed(self, difference: float) -> float:
        """Samples that detect a difference of this size, rounded up; runs and sets are the pilot's.

        The number is infinite if what runs, or sets, add to the error alone hides the difference.
        """
        check_number("difference", difference, at_least=-math.inf)
        return self._least("items", self.size, difference)

    @member(
        "n_samples", Field("cost", "count", json="size", optional=True), "detectable",
        Field("interval_width", "size"), "power",
        Field("detectable_allocated", "size", optional=True),
        Field("power_allocated", "share", optional=True), name="sample_size",
    )  # fmt: skip
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
            Columns n_samples, detectable, interval_width, power (for the observed difference), and
            cost if costs are given.
        """
        most = min(self.components.most, _LARGEST)
        if n_samples is None:
            times = 10.0 ** np.linspace(*self._reach, 61)
            n_samples = [*map(int, np.unique(np.clip(np.round(self.n_samples * times), 2, most)))]
        else:
            for n in check_sequence("n_samples", n_samples, "whole numbers"):
                check_count("n_samples", n, at_least=1, at_most=int(min(most, 1e9)))
            if not len(n_samples):
                raise ValueError("`n_samples` is empty; name at least one, e.g. [1000].")
        of, sizes = self.components, [self.size._replace(items=int(n)) for n in n_samples]
        level = self.confidence_level
        frame = pd.DataFrame({
            "n_samples": [size.items for size in sizes],
            "detectable": [of.detectable(size, self.alpha, self.power) for size in sizes],
            "interval_width": [2 * float(of.thresholds(size, level).mean()) for size in sizes],
            "power": [of.power(size, self.difference, self.alpha) for size in sizes],
        })  # fmt: skip
        if self.plan is not None:
            allocated = replace(self, components=self.plan.allocated, plan=None).curve(n_samples)
            frame = frame.join(allocated[["detectable", "power"]].add_suffix("_allocated"))
        return frame if self.cost_item is None else frame.assign(cost=[*map(self._cost, sizes)])

    @property
    def signature(self) -> str:
        numbers = {f"n_{name}": int(getattr(self.size, name)) for name in ("runs", "sets")}
        return signature(
            "sample_size", n=self.n_samples, **{name: n for name, n in numbers.items() if n > 1},
            generalize_to=self.scope.generalize_to,
            alpha=self.alpha, power=self.power, se="influence", judge=self.plan is not None,
            **self.scope.at_hand,
        )  # fmt: skip

    def sentence(self) -> str:
        """Write the answer as a sentence."""
        what = value_name(self.metric, self.label)
        difference = f"{self.model_a} - {self.model_b} = {self.difference:+.4g}"
        text = terminal(f"{what}{self.words.of_sets}: {difference} on {self._pilot}.")
        if self.components.varied:
            ways = "; ".join(map(self._way, self.components.varied))
            return f"{text} To detect {self._asked}: {ways}.{self._bargain}"
        detects = self.components.detectable(self.size, self.alpha, self.power)
        level = f"power {self.power:g}, alpha {self.alpha:g}"
        these = self.words.detects.capitalize() if self.plan is None else "They detect"
        text += f" {these} differences of {detects:.2g} or more ({level})"
        if self.margin == 0:
            return f"{text}; the observed difference is 0, which no test set detects."
        needed = self._solved("items", self.size)
        observed = self.margin == abs(self.difference)
        one = "the observed one" if observed else f"one of {self.margin:.4g}"
        if self.plan is not None:
            every = self.size._replace(items=self.components.most)
            least = self.components.detectable(every, self.alpha, self.power)
            allocated = self._allocated(self.plan)
            return f"{text}; {self.plan.clause(needed.items, allocated, one, least)}."
        cost = "" if self.cost_item is None else f" (cost {self._cost(needed):,.10g})"
        return f"{text}; {one} needs about {needed.items:,} {self._items}{cost}."

    @property
    def _title(self) -> str:
        return f"{value_name(self.metric, self.label)}, {self.model_a} - {self.model_b}"

    @property
    def _asked(self) -> str:
        observed = "the observed " if self.margin == abs(self.difference) else ""
        return f"{observed}{self.margin:.4g} (power {self.power:g}, alpha {self.alpha:g})"

    @property
    def _items(self) -> str:
        return f"{self.words.unit}{self.words.each}"

    @property
    def _pilot(self) -> str:
        """Numbers of the pilot, in words."""
        words = self.words
        return f"{words.sets}{self.n_samples:,} {words.unit}{words.levels}"

    def _way(self, dimension: Dimension) -> str:
        """Write the frontier in runs, or in sets, as a clause."""
        *rungs, here = self._rungs[dimension]
        chosen = [size for size in rungs if math.isfinite(size.items)][:3:2]
        chosen += [here] if math.isfinite(sum(here)) else []
        parts = [f"{size.items:,} with {getattr(size, dimension):,}" for size in chosen]
        if parts:
            parts[0] = parts[0].replace(" with", f" {self._items} with") + f" {_TITLES[dimension]}"
        clauses = [", ".join(parts)] if parts else []
        if without := [getattr(size, dimension) for size in rungs if math.isinf(size.items)]:
            none = f"no number of {self._items} is enough"
            clauses.append(f"with {max(without)} {_TITLES[dimension]} {none}")
        return "; ".join(clauses)

    @property
    def _bargain(self) -> str:
        """Write the cheapest numbers as a sentence."""
        if (best := self._cheapest) is None:
            return ""
        parts = [f"{getattr(best, each):,} {_TITLES[each]}" for each in self.components.varied]
        numbers = " and ".join([*parts, f"{best.items:,} {self._items}"])
        return f" Cheapest{self.words.of_these}: {numbers} (cost {self._cost(best):,.10g})."

    def document(self) -> Document:
        """Return the content: the sentence, and a table of the frontier, or of the curve."""
        name, table, plot = self._stem, self._curve_table, self.plot.power
        if self.components.varied:
            name, table, plot = "frontier", self._frontier_table, self.plot.frontier
        return self._document(
            {name: table()}, findings=[self.sentence(), *self.notes], figures={name: plot}
        )

    def _curve_table(self) -> Table:
        """Return the table of detectable differences."""
        steps = {self.n_samples, *(m * 10**k for k in range(2, 6) for m in (1, 2, 5))}
        sizes = sorted(n for n in steps if n <= self.components.most)
        frame = self.curve(sizes)
        texts = [f"{n:,}{' (here)' if n == self.n_samples else ''}" for n in frame["n_samples"]]
        observed = f"the observed difference of {self.difference:+.4g} (alpha {self.alpha:g})"
        shown = [column("detectable difference", "detectable"), column("power")]
        notes = [f"Power: probability of detecting {observed}."]
        if self.plan is None:
            shown.insert(1, column("width of CI", "interval_width", kind="size"))
        else:
            shown.append(column("if allocated", "detectable_allocated", kind="size"))
            shown.append(column("power", "power_allocated", kind="share"))
            notes.append("Labels drawn at random, or allocated by answers and verdict (`queue`).")
        return Table.of(
            self._title, frame.assign(size=texts), column(self._items, "size"), *shown,
            *self._cost_columns, notes=notes,
        )  # fmt: skip

    def _frontier_table(self) -> Table:
        """Return the table of numbers that detect the wanted difference."""
        frame = self.frontier
        here = np.where(frame["n_items"] == self.size.items, f"{self.words.unit} as here", "")
        mark = np.where(frame.get("cheapest", False), "cheapest", here)
        return Table.of(
            f"{self._title}: to detect {self._asked}", frame.assign(mark=mark),
            *(column(_TITLES[each], f"n_{each}", kind="count") for each in self.components.varied),
            column(self._items, "n_items", kind="count"),
            column("standard error", "standard_error", kind="size"), *self._cost_columns,
            column("", "mark"),
            notes=["inf: no number is enough."] * bool(frame["standard_error"].isna().any()),
        )  # fmt: skip

    @property
    def _cost_columns(self) -> list[Column]:
        return [] if self.cost_item is None else [column("cost", kind="count")]

    @property
    def _reach(self) -> tuple[float, float]:
        """Powers of ten around this test set, with half a power beyond the size needed."""
        if not 0 < self.n_needed < math.inf:
            return -1.0, 2.0
        needed = math.log10(self.n_needed / self.n_samples)
        last = min(max(2.0, needed + 0.5), math.log10(_LARGEST / self.n_samples))
        return min(-1.0, needed - 0.5), last


def _power_keys(size: SampleSize) -> list[tuple[str, Look]]:
    """Return the meaning of the lines, with their numbers."""
    here = format_digits(size.components.detectable(size.size, size.alpha, size.power))
    keys = [(f"{size.words.detects} {here} or more", _HERE)]
    if size.difference and np.isfinite(size.n_needed):
        needed = f"{size.n_needed:,.0f} {size._items}"
        keys.append((f"needed for the observed difference: {needed}", _NEEDED))
        observed = format_digits(abs(size.difference))
        keys.append((f"observed difference {observed}; requested power", _OBSERVED))
    return keys


def _frontier_keys(size: SampleSize) -> list[tuple[str, Look]]:
    """Return the meaning of line and points, with the cheapest numbers."""
    keys = [("enough: the line and above", _ENOUGH), ("pilot", _PILOT)]
    if np.isinf(size.frontier["n_items"]).any():
        keys.append((f"no number of {size._items} is enough", _HOPELESS))
    if size._cheapest is not None:
        keys.append((size._bargain.strip(" .").replace("Cheapest", "cheapest"), _CHEAPEST))
        keys.append(("the same cost", _SAME_COST))
    return keys
