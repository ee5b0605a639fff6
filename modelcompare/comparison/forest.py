"""Forest plots: intervals of scores, of paired differences and of ranks, in rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import Any, Literal

import numpy as np

from modelcompare import escape
from modelcompare.arrays import AnyArray
from modelcompare.comparison.compared import Compared
from modelcompare.comparison.evidence import by_difference, places_of
from modelcompare.comparison.tables import better_side, corrected_for, significance_of
from modelcompare.directions import known_direction, words_of
from modelcompare.report.figures.interval_rows import (
    MINUS,
    NAME_WIDTH,
    Row,
    draw_intervals,
    height_of,
    wrapped_name,
)
from modelcompare.report.figures.layout import Caption, draw_panels
from modelcompare.report.figures.selection import models_by_class, part_shown, shown_classes
from modelcompare.report.figures.style import DIFFERENT, SAME, Look
from modelcompare.report.figures.types import Axes, Figure
from modelcompare.report.numbers import (
    format_interval,
    format_number,
    format_ranks,
    interval_title,
)
from modelcompare.report.tables import meanings
from modelcompare.words import label_name, value_name

Kind = Literal["scores", "differences", "ranks"]
# All pairs are drawn for at most so many models; for more, the leader minus each other.
_ALL_PAIRS = 4
_MAX_CLASSES = 12
_MAX_ROWS = 48


def select_models(
    result: Compared, places: Sequence[int], *, max_models: int | None = None,
    max_classes: int = _MAX_CLASSES, max_rows: int = _MAX_ROWS,
) -> tuple[dict[int, list[int]], str]:  # fmt: skip
    """Select the classes where models differ most, and the best models, up to the limits.

    For a metric that is not per class only `max_models` limits the models.

    Returns
    -------
    models : dict of int to list of int
        Models, best first, for each selected value.
    remark : str
        Text about what is left out.
    """
    kept, classes = shown_classes(by_difference(result, places, max_classes), max_classes)
    order = result.order[:, places]
    per_class = result.keys[places[0]].label is not None
    fitting = models_by_class(len(kept), max_rows) if per_class else len(order)
    count = min(len(order), fitting if max_models is None else max_models)
    # Models by their median rank over the classes, the baseline first.
    medians = np.median(np.argsort(order, axis=0), axis=1)
    best = sorted(order[:, 0].tolist(), key=medians.__getitem__)
    best.sort(key=lambda model: result.models[model] != result.baseline)
    models = {*best[:count]}
    shown = {at: [i for i in result.order[:, at].tolist() if i in models] for at in kept}
    remarks = part_shown(count, len(order), "model", "the best"), classes
    return shown, "; ".join(filter(None, remarks))


def plot_comparison(
    result: Compared, kinds: Sequence[Kind] = ("scores", "differences"),
    metrics: Sequence[str] | None = None, max_models: int | None = None, ax: Axes | None = None,
) -> Figure:  # fmt: skip
    """Draw intervals of a comparison, a row of panels for each metric and a panel for each kind.

    Scores are sorted by rank; differences have a line at zero, and intervals corrected like their
    p-values. One colour marks scores whose range of ranks includes the first and differences that
    are not significant; another marks the others. For up to four models all pairs are drawn; for
    more, the best model, or the baseline, minus each other. Of many classes only those are drawn
    where models differ most. An `ax` receives the first metric alone.
    """
    if max_models is not None and max_models < 1:
        raise ValueError(f"`max_models` must be at least 1, got {max_models}.")
    metrics = result.metrics if metrics is None else metrics
    drawn, heights, remarks = [], [], []
    for metric in metrics:
        shown, remark = select_models(result, places_of(result, metric), max_models=max_models)
        remarks += [f"{metric}: {remark}"] if remark else []
        n_models = min(map(len, shown.values()))
        rows = {kind: _rows(result, kind, shown) for kind in _possible(kinds, n_models)}
        heights.append(max(map(height_of, rows.values())))
        drawn.append([
            partial(draw_intervals, each, *_titles(result, kind, metric, n_models),
                    whole=kind == "ranks", signed=kind == "differences")
            for kind, each in rows.items()
        ])  # fmt: skip
    caption = Caption(
        _title(result, kinds), result.signature, "\n".join(remarks), _note(result, kinds, metrics),
        keys_of(result),
    )  # fmt: skip
    return draw_panels(caption, drawn, (4.8, heights), ax=ax)


def _possible(kinds: Sequence[Kind], n_models: int) -> Sequence[Kind]:
    """Return the kinds that can be drawn: a single model has no differences."""
    if n_models > 1:
        return kinds
    if "scores" not in kinds:
        raise ValueError(f"there is one model; {kinds[0]} are of two and more.")
    return ["scores"]


def _title(result: Compared, kinds: Sequence[Kind]) -> str:
    level = interval_title(result.confidence_level)
    tested = f"tests at {result.alpha:g}"
    ways = {"scores": f"scores with {level}", "differences": f"differences with {level}",
            "ranks": f"ranks, {tested}"}  # fmt: skip
    both = f"scores and differences, {level}"
    return f"{result.headline}; {both if len(kinds) > 1 else ways[kinds[0]]}"


def _note(result: Compared, kinds: Sequence[Kind], metrics: Sequence[str]) -> str:
    notes = [] if kinds == ("differences",) else ["colours of models: tests against the best"]
    if "differences" in kinds and (n_tests := corrected_for(result, metrics)):
        notes.append(f"intervals of differences and p are corrected for {n_tests}")
    return "; ".join(notes)


def keys_of(result: Compared) -> list[tuple[str, Look]]:
    """Return the entries of the legend: the meaning of the colours."""
    _, criterion = significance_of(result, result.metrics)
    return [*zip(meanings(criterion), (SAME, DIFFERENT), strict=True)]


def _titles(result: Compared, kind: Kind, metric: str, n_models: int) -> tuple[str, str]:
    """Return the title of a panel and the label of its axis."""
    up = result.metric_info[metric].greater_is_better
    if kind == "scores":
        return metric, f"{interval_title(result.confidence_level)}, {better_side(result, metric)}"
    if kind == "ranks":
        known_direction(metric, up)
        return metric, "rank, 1 is best"
    a, b = (
        ("a", "b")
        if n_models <= _ALL_PAIRS
        else (_leading(result, places_of(result, metric)[0]), "this model")
    )
    side = "left" if up is False else "right"
    return f"{metric}, differences", f"{a} {MINUS} {b}; {a} is {words_of(up).better} on the {side}"


def _leading(result: Compared, at: int) -> str:
    up = result.metric_info[result.keys[at].metric].greater_is_better
    return words_of(up).best if result.baseline is None else "baseline"


def _rows(result: Compared, kind: Kind, shown: Mapping[int, Sequence[int]]) -> list[Row]:
    """Return the rows of one metric: models, all pairs, or the leader minus each other."""
    rows: list[Row] = []
    for at, models in shown.items():
        label = result.keys[at].label
        if label is not None:
            rows.append(Row(wrapped_name(f"class {label}")))
        if kind == "differences":
            rows += _difference_rows(result, at, models)
        else:
            rows += model_rows(result, kind, at, models)
    return rows


def model_rows(result: Compared, kind: Kind, at: int, models: Sequence[int]) -> Iterator[Row]:
    """Yield a row for each model: its score, or its range of ranks."""
    interval, (low, high) = result.score_interval, result.rank_range
    for i in models:
        name = result.models[i]
        if kind == "ranks":
            ends = _ends(i, at, (result.ranks, low, high))
            text = f"{name}: {format_ranks(ends[1], ends[2])}"
        else:
            ends = _ends(i, at, (result.point, interval.low, interval.high))
            text = _row_text(result, at, name, ends)
        differs = bool(low[i, at] > 1) if result.directed[at] else None
        yield Row(wrapped_name(name), _defined(ends), differs, text)


def _difference_rows(result: Compared, at: int, models: Sequence[int]) -> Iterator[Row]:
    """Yield a row for each pair, the better model minus the other, or the leader minus each other.

    The leader is the baseline if there is one.
    """
    names, baseline = result.models, result.baseline
    leader = models[0] if baseline is None else names.index(baseline)
    sides = [*combinations(models, 2)]
    if len(models) > _ALL_PAIRS:
        yield Row(wrapped_name(f"{_leading(result, at)}: {names[leader]}"))
        sides = [(leader, model) for model in models if model != leader]
    for first, second in sides:
        if baseline is not None and leader not in (first, second):
            continue
        row = result.row_of[first, second]
        minus = f"{MINUS} {names[second]}"
        name = [minus] if len(models) > _ALL_PAIRS else [names[first], minus]
        if len(escape.visible(" ".join(name))) <= NAME_WIDTH:
            name = [" ".join(name)]
        ends = _ends(row, at, (result.difference, *result.corrected))
        if first != result.pairs[0][row]:
            ends = (-ends[0], -ends[2], -ends[1])
        text = _row_text(result, at, f"{names[first]} {minus}", ends, signed=True)
        significant = bool(result.announced[row, at])
        yield Row(wrapped_name(*name), _defined(ends), significant, text)


def _ends(row: int, at: int, arrays: Sequence[AnyArray]) -> tuple[float, float, float]:
    estimate, low, high = (array[row, at] for array in arrays)
    return estimate, low, high


def _defined(ends: tuple[float, ...]) -> tuple[float, ...]:
    return () if math.isnan(ends[0]) else ends


def _row_text(
    result: Compared, at: int, name: str, ends: tuple[float, float, float], *, signed: bool = False
) -> str:
    """Return an interval as text: the class if there is one, the name, and rounded numbers."""
    key, digits = result.keys[at], result.decimals[result.keys[at].metric]
    estimate = format_number(ends[0], digits, signed=signed)
    of_class = "" if key.label is None else f"{label_name(key.label)}, "
    return f"{of_class}{name}: {estimate} ({format_interval(*ends[1:], digits)})"


def group_panel(
    groups: Mapping[Any, Compared], at: int, most: int, above: Sequence[Row] = ()
) -> tuple[Callable[[Axes], None], float]:
    """Return a panel of one value in each group, with its best models, and its height.

    Keys are names of test sets, or slices with their values; `above` are rows of all sets.
    """
    rows = [*above]
    for group, found in groups.items():
        name = group if isinstance(group, str) else " = ".join(map(str, group))
        rows.append(Row(wrapped_name(name)))
        rows += model_rows(found, "scores", at, found.order[:most, at].tolist())
    key = found.keys[at]
    label = f"{interval_title(found.confidence_level)}, {better_side(found, key.metric)}"
    return partial(draw_intervals, rows, value_name(key.metric, key.label), label), height_of(rows)
