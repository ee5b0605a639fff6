"""Tables of comparisons: scores and differences of one test set, and of any pairs of models.

On a screen each metric has a table of scores and one of differences; on paper metrics are next to
each other. In tables of different metrics, the interval of each row determines its rounding.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from string import ascii_lowercase
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray, IntArray
from modelcompare.comparison.compared import Compared
from modelcompare.comparison.evidence import by_difference, places_of
from modelcompare.directions import Words, sentence, words_of
from modelcompare.report.numbers import interval_title, joined
from modelcompare.report.tables import (
    MAX_CLASSES,
    Column,
    Direction,
    Table,
    column,
    interval_column,
    rows_at,
)
from modelcompare.words import label_name, value_name

# Metrics in one table: as many as fit the width of a page.
_SIDE_BY_SIDE = 2
# With more models, superscripts of pairwise differences would be too long to read.
_MOST_LETTERED = 12
_TIED = "\u2020"


def comparison_tables(result: Compared) -> dict[str, Table]:
    """Make a table of scores for each metric, and one of differences below it.

    The differences are those from the leader, or the baseline.
    """
    tables = {}
    for metric in result.metrics:
        tables[metric] = _score_table(result, metric)
        if len(result.differences):
            tables[f"{metric}, differences"] = _lead_table(result, metric)
    return tables


def _score_table(result: Compared, metric: str) -> Table:
    known = result.metric_info[metric].greater_is_better is not None
    rank = [column("rank", "rank_low", "rank_high", kind="ranks")] if known else []
    frame = rows_at(result.scores, metric=metric)
    # Sort by class, then by rank.
    order = frame["rank"] if known else -frame["estimate"]
    frame = frame.iloc[np.lexsort((order, pd.factorize(frame["label"])[0]))]
    return Table.of(
        metric,
        frame.assign(differs=frame["rank_low"] > 1).reset_index(drop=True),
        *_class_column(result, metric),
        *rank,
        "model",
        column("estimate"),
        interval_column(result.confidence_level),
        subtitle=better_side(result, metric),
        notes=[*result.remarks[metric], *_undefined(frame)],
        decimals=result.decimals[metric],
        drawn=("ci_low", "estimate", "ci_high"),
        graded=partial(_graded, result, frame.index.to_numpy()),
        n_shown=20,
        shown_first=_shown_first(result, metric),
        metric=metric,
        tested=significance_of(result, [metric]) if known else None,
    )


def _graded(result: Compared, rows: IntArray) -> dict[float, list[tuple[float, float]]]:
    """Return the intervals of some rows of `scores` at several levels."""
    found = {}
    for level, interval in result.graded_intervals.items():
        low, high = (end.ravel()[rows].tolist() for end in (interval.low, interval.high))
        found[level] = [*zip(low, high, strict=True)]
    return found


def _lead_table(result: Compared, metric: str, *, every: bool = False) -> Table:
    """Make the table of differences from the leader or the baseline, or of all pairs."""
    frame = rows_at(result.all_leads if every else result.leads, metric=metric)
    words = words_of(result.metric_info[metric].greater_is_better)
    what, subtitle, named = lead_sides(result, words, every=every)
    return Table(
        f"{metric}, {what}",
        [*_class_column(result, metric), *named, *lead_columns(result)],
        frame.rename(columns={"significant": "differs"}).reset_index(drop=True),
        subtitle=subtitle,
        notes=lead_notes(result, [metric]),
        decimals=result.decimals[metric],
        detail=True,
        n_shown=12,
        n_every=len(result.pairs[0]),
        unit="row" if every or result.baseline is not None else "pair",
        shown_first=_shown_first(result, metric),
        metric=metric,
        tested=significance_of(result, [metric]),
        every=partial(_lead_table, result, metric, every=True),
    )


def significance_of(result: Compared, metrics: Sequence[str]) -> tuple[str, str]:
    """Return the column that flags significant differences of metrics, and their criterion."""
    by_p = f"{'p' if result.correction == 'none' else 'adjusted p'} < {result.alpha:g}"
    of_interval = f"{interval_title(result.confidence_level)} excludes 0"
    named = by_interval(result, metrics)
    if named and len(named) < len(metrics):
        return "differs", f"{by_p} (of {joined(named)} {of_interval})"
    return "differs", of_interval if named else by_p


def by_interval(result: Compared, metrics: Sequence[str]) -> list[str]:
    """Return the metrics of whose differences the interval decides."""
    return [name for name in metrics if result.by_interval[result.slice_of(name)].all()]


def _class_column(result: Compared, metric: str) -> list[Column]:
    first = result.keys[places_of(result, metric)[0]]
    return [] if first.label is None else [column("class", "label", kind="class")]


def _shown_first(result: Compared, metric: str) -> list[str]:
    return [
        label_name(result.keys[at].label)
        for at in by_difference(result, places_of(result, metric), MAX_CLASSES)
    ]


def _undefined(scores: pd.DataFrame) -> Iterator[str]:
    """Yield one note for each score that is undefined on some resamples."""
    some = scores["n_undefined"] > 0
    for row in scores[some].itertuples() if some.any() else ():
        where = f"{row.n_undefined:,} resample{'s' * (row.n_undefined != 1)} of {row.model}"
        title = value_name(row.metric, row.label)
        yield f"{title}: undefined in {where}; a resampled interval uses the others."


def better_side(result: Compared, metric: str) -> str:
    """Return the direction of a metric's better values, as text."""
    return sentence(result.metric_info[metric].greater_is_better, "declared")


def corrected_for(result: Compared, metrics: Sequence[str]) -> str:
    """Return the number of tests that p-values are corrected for, as text; empty if it is 1."""
    sizes = dict.fromkeys(map(result.n_tests, metrics))
    return f"{' or '.join(f'{size:,}' for size in sizes)} tests" if max(sizes) > 1 else ""


def lead_sides(result: Compared, words: Words, *, every: bool) -> tuple[str, str, list[Column]]:
    """Return the title, the meaning of the sign, and the columns of both models and difference."""
    by = column("by", "lead")
    other = column("ahead of" if words.better == "better" else "above", "other")
    if result.baseline is not None:
        columns = [
            column("baseline", "other", kind="leader"), column("model"),
            column(f"{words.better} by", "lead"),
        ]  # fmt: skip
        return "differences from the baseline", f"+: {words.better} than the baseline", columns
    if every:
        first = f"+: the first is {words.better}"
        return "differences of all pairs", first, [column("model"), other, by]
    leader, other = words.leader, replace(other, continues=True)
    columns = [column(leader, "model", kind="leader"), other, by]
    return f"differences from the {leader}", f"+: the {leader} is {words.better}", columns


def lead_columns(result: Compared) -> list[Column]:
    """Return columns of a difference's interval and p-value, with the same correction."""
    title = "p" if result.correction == "none" else f"p ({result.correction})"
    p_value = column(title, "p_adjusted")
    return [interval_column(result.confidence_level), p_value]


def lead_notes(result: Compared, metrics: Sequence[str]) -> list[str]:
    """Return the note on the number of tests that are corrected for, if any are."""
    n_tests, level = corrected_for(result, metrics), interval_title(result.confidence_level)
    notes = [f"{level} and p are both corrected for {n_tests}."] if n_tests else []
    if named := by_interval(result, metrics):
        of = f" of {joined(named)}" if len(named) < len(metrics) else ""
        own = (result.metric_info[name].intervals for name in named)
        notes.append(
            f"p{of} is of exchangeable models, which is more than equal values: {level} decides."
            + "".join(dict.fromkeys(each.note for each in own if each))
        )
    return notes


def printed_tables(result: Compared) -> list[Table]:
    """Make tables for paper: metrics next to each other, then the differences."""
    places = range(len(result.keys))
    tables = [
        _wide_table(result, places[start : start + _SIDE_BY_SIDE])
        for start in places[::_SIDE_BY_SIDE]
    ]
    return [*tables, _printed_leads(result)] if len(result.differences) else tables


def _wide_table(result: Compared, places: Sequence[int]) -> Table:
    """Make a table of models by values, with marks for significant differences."""
    order, interval = result.order[:, 0], result.score_interval
    models = [result.models[i] for i in order]
    letters = _letters(models)
    columns = [column("Model", "model")]
    whole: dict[str, Sequence[Any]] = {"model": models, "letter": [*letters.values()]}
    for place, at in enumerate(places):
        key, digits = result.keys[at], result.decimals[result.keys[at].metric]
        parts = ("estimate", "ci_low", "ci_high", "best", "marks")
        estimate, low, high, strong, marks = names = [f"{part}_{place}" for part in parts]
        point = result.point[:, at]
        # If the value is undefined for all models, all have rank 1.
        best = (result.ranks[:, at] == 1) & ~np.isnan(point) & (len(models) > 1)
        best &= result.directed[at]
        marked = _marks(result, at, letters)
        shown = (point, interval.low[:, at], interval.high[:, at], best, marked)
        whole |= {name: values[order] for name, values in zip(names, shown, strict=True)}
        arrow: Direction | None = "up" if result.direction[at] > 0 else "down"
        arrow = arrow if result.directed[at] else None
        title = value_name(key.metric, key.label)
        columns += [
            Column(title, "estimate", [estimate], digits, strong, marks, arrow),
            column("", low, high, kind="interval", decimals=digits),
        ]
    if any(letters.values()):
        columns.insert(0, column("", "letter"))
    title = f"Scores with their {interval_title(result.confidence_level)} ({result.headline})"
    return Table(
        title, columns, pd.DataFrame(whole), notes=_wide_notes(result, places, columns, whole)
    )


def _letters(models: Sequence[str]) -> dict[str, str]:
    """Return a letter for each model, best first; empty for one model, or for too many."""
    lettered = 2 <= len(models) <= _MOST_LETTERED
    return dict(zip(models, ascii_lowercase if lettered else [""] * len(models), strict=False))


def _marks(result: Compared, at: int, letters: Mapping[str, str]) -> AnyArray:
    """Return each model's marks: a dagger for a tie with the best, letters of worse models."""
    (a, b), better, first = result.pairs, result.ahead[at], result.ranks[:, at] == 1
    tied = np.zeros(len(first), dtype=bool)
    if not result.directed[at]:
        return np.full(len(first), "", dtype=object)
    if result.baseline is None:
        level = ~(better[a, b] | better[b, a] | np.isnan(result.p_adjusted[:, at]))
        tied[a[level & first[b]]] = tied[b[level & first[a]]] = True
    own = np.array([letters[model] for model in result.models], dtype=object)
    marks = [_TIED * int(dagger) + _spans("".join(own[beaten]))
             for dagger, beaten in zip(tied & ~first, better, strict=True)]  # fmt: skip
    return np.array(marks, dtype=object)


def _spans(letters: str) -> str:
    """Sort letters, and abbreviate spans of three or more by their ends.

    >>> _spans("fbac")
    'a–cf'
    """
    spans: list[str] = []
    for letter in sorted(letters):
        if spans and ord(letter) == ord(spans[-1][-1]) + 1:
            spans[-1] += letter
        else:
            spans.append(letter)
    return "".join(span if len(span) < 3 else f"{span[0]}\u2013{span[-1]}" for span in spans)


def _wide_notes(
    result: Compared, places: Sequence[int], columns: Sequence[Column], whole: Mapping[str, Any]
) -> list[str]:
    """Explain bold type and the marks in the table, and name the test."""
    if not any(np.any(whole[each.strong]) for each in columns if each.strong):
        return []
    marked = "".join(mark for each in columns if each.marks for mark in whole[each.marks])
    sizes = dict.fromkeys(result.n_tests(result.keys[at].metric) for at in places)
    n_tests = " or ".join(f"{size:,}" for size in sizes)
    adjusted = f"p ({result.correction}, {n_tests} tests)" if result.correction != "none" else "p"
    notes = ["Bold: the best."]
    if _TIED in marked:
        notes.append(f"{_TIED} not significantly different from the best.")
    if marked.strip(_TIED):
        text = "Superscripts: letters of the models that a model is significantly better than."
        notes.append(text)
    return [*notes, f"Shown: {adjusted} below {result.alpha:g}, {result.test} test."]


def _printed_leads(result: Compared) -> Table:
    """Make one table of all differences, with significantly better models in bold."""
    frame = result.leads.reset_index(drop=True)
    known = {key.metric: bool(up) for key, up in zip(result.keys, result.directed, strict=True)}
    shown = frame["significant"] & frame["metric"].map(known)
    unknown = [metric for metric, directed in known.items() if not directed]
    words = words_of(True if len(unknown) < len(known) else None)
    frame = frame.assign(ahead=shown & (frame["lead"] > 0), behind=shown & (frame["lead"] < 0))
    what, subtitle, (first, second, by) = lead_sides(result, words, every=False)
    strong = ("behind", "ahead") if result.baseline is not None else ("ahead", "behind")
    named = [
        replace(each, title=each.title.capitalize(), kind="text", strong=mark)
        for each, mark in zip((first, second), strong, strict=True)
    ]
    return Table(
        f"{what.capitalize()} ({result.headline}; {subtitle}); bold: significantly better",
        [
            column("Metric", "metric", "label", kind="value"),
            *named,
            replace(by, title=by.title.capitalize()),
            *lead_columns(result),
        ],
        frame,
        notes=[*lead_notes(result, result.metrics), *_undirected(unknown)],
        decimals=[result.decimals[metric] for metric in frame["metric"]],
    )


def _undirected(metrics: Sequence[str]) -> list[str]:
    """Return a note on metrics whose direction is not known."""
    what = "the direction is not known, so models are in order of their values."
    return [f"{', '.join(metrics)}: {what}"] if metrics else []
