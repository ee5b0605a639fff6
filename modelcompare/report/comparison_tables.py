"""Tables of a comparison: for a screen a pair for each metric, on paper metrics side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from string import ascii_lowercase

import pandas as pd

from modelcompare.report.compared import Block, Compared, by_telling, metric_blocks
from modelcompare.report.figures.forest import plot_comparison
from modelcompare.report.figures.types import Figure
from modelcompare.report.numbers import interval_title
from modelcompare.report.pair_tables import odd_notes
from modelcompare.report.tables import (
    MAX_CLASSES,
    Column,
    Direction,
    Table,
    column,
    interval_column,
    rows_at,
)
from modelcompare.words import label_name

# Metrics in one table: what fits the width of a page.
_SIDE_BY_SIDE = 2
# Of more models, which is better than which makes no superscript that anybody reads.
_MOST_LETTERED = 12
_TIED = "\u2020"


def comparison_tables(result: Compared, remarks: Mapping[str, Sequence[str]]) -> dict[str, Table]:
    """Make a table of scores for each metric, and one of differences below it.

    The differences are those from the leader, or the baseline. `remarks` are notes by metric.
    """
    tables = {}
    for metric, blocks in metric_blocks(result).items():
        tables[metric] = _score_table(result, blocks, remarks.get(metric, ()))
        if any(len(block.differences) for block in blocks):
            tables[f"{metric}, differences"] = _lead_table(result, blocks)
    return tables


def comparison_figures(
    result: Compared, tables: Mapping[str, Table]
) -> dict[str, Callable[[], Figure]]:
    """Draw what each table of a comparison shows."""
    return {
        name: partial(
            plot_comparison, result, ("differences" if table.detail else "scores",),
            metrics=[table.metric],
        )
        for name, table in tables.items()
    }  # fmt: skip


def _score_table(result: Compared, blocks: Sequence[Block], remarks: Sequence[str]) -> Table:
    rank = column("rank", "rank_low", "rank_high", kind="ranks")
    score = [column("estimate"), interval_column(result.confidence_level)]
    return Table(
        blocks[0].metric,
        [*_class_column(blocks), rank, column("model"), *score],
        pd.concat([block.scores for block in blocks], ignore_index=True),
        subtitle=blocks[0].direction,
        notes=[*remarks,
               *(note for block in blocks for note in _undefined(block))],
        decimals=blocks[0].decimals,
        drawn=("ci_low", "estimate", "ci_high"),
        n_shown=20,
        foremost=[label_name(block.label) for block in by_telling(blocks, MAX_CLASSES)],
        metric=blocks[0].metric,
    )  # fmt: skip


def _lead_table(result: Compared, blocks: Sequence[Block], *, every: bool = False) -> Table:
    """Make the table of differences from the leader or the baseline, or of `every` pair."""
    metric = blocks[0].metric
    frame = rows_at(result.leads(every), metric=metric)
    what, subtitle, named = lead_sides(result, every=every)
    return Table(
        f"{metric}, {what}",
        [*_class_column(blocks), *named, *lead_columns(result)],
        frame.reset_index(drop=True),
        subtitle=subtitle,
        notes=lead_notes(result, [metric], frame),
        decimals=blocks[0].decimals,
        detail=True,
        n_shown=12,
        n_every=len(blocks[0].differences),
        unit="row" if every or result.baseline is not None else "pair",
        foremost=[label_name(block.label) for block in by_telling(blocks, MAX_CLASSES)],
        metric=metric,
        every=partial(_lead_table, result, blocks, every=True),
    )


def lead_sides(result: Compared, *, every: bool) -> tuple[str, str, list[Column]]:
    """Title, meaning of the sign, and the columns that name both sides and the difference."""
    by = column("by", "lead")
    other = column("ahead of", "other")
    if result.baseline is not None:
        columns = [
            column("baseline", "other", kind="leader"), column("model"),
            column("difference", "lead"),
        ]  # fmt: skip
        return "differences from the baseline", "+: better than the baseline", columns
    if every:
        return "differences of all pairs", "+: the first is better", [column("model"), other, by]
    columns = [column("leader", "model", kind="leader"), other, by]
    return "differences from the leader", "+: the leader is better", columns


def lead_columns(result: Compared) -> list[Column]:
    """The interval and the p-value of a difference, corrected alike."""
    title = "p" if result.correction == "none" else f"p ({result.correction})"
    p_value = column(title, "p_adjusted", "at_odds")
    return [interval_column(result.confidence_level), p_value]


def lead_notes(result: Compared, metrics: Sequence[str], frame: pd.DataFrame) -> list[str]:
    """For how many tests intervals and p-values are corrected, and what a star means."""
    level = interval_title(result.confidence_level)
    n_tests = result.corrected_for(metrics)
    notes = [f"{level} and p are both corrected for {n_tests}."] if n_tests else []
    made = result.differences[result.differences["metric"].isin(metrics)]
    if result.correction == "max-t":
        made = made.assign(test="max-t")
    return notes + odd_notes(frame, result.confidence_level, made)


def _class_column(blocks: Sequence[Block]) -> list[Column]:
    return [] if blocks[0].label is None else [column("class", "label", kind="class")]


def _undefined(block: Block) -> Iterator[str]:
    """Yield one note for each score that some resamples leave undefined."""
    for row in block.scores[block.scores["n_undefined"] > 0].itertuples():
        where = f"{row.n_undefined:,} resample{'s' * (row.n_undefined != 1)} of {row.model}"
        yield f"{block.title}: undefined in {where}; a resampled interval uses the others."


def printed_tables(result: Compared) -> list[Table]:
    """Lay a comparison out for paper: metrics side by side, then the differences."""
    blocks = [block for group in metric_blocks(result).values() for block in group]
    models = list(blocks[0].scores["model"])
    tables = [
        _wide_table(result, models, blocks[start : start + _SIDE_BY_SIDE])
        for start in range(0, len(blocks), _SIDE_BY_SIDE)
    ]
    return [*tables, _printed_leads(result, blocks)] if len(result.differences) else tables


def _wide_table(result: Compared, models: Sequence[str], blocks: Sequence[Block]) -> Table:
    """Put models in rows and blocks in columns, with marks for what the tests have shown."""
    letters = _letters(models)
    columns = [column("Model", "model")]
    frames = [pd.DataFrame({"letter": letters}, index=models)]
    for place, block in enumerate(blocks):
        names = [f"{name}_{place}" for name in ("estimate", "ci_low", "ci_high", "best", "marks")]
        estimate, low, high, best, marks = names
        frame = block.scores.set_index("model").reindex(models)
        frame = frame.assign(best=_is_best(frame), marks=_marks(result, block, letters))
        frames.append(frame.add_suffix(f"_{place}")[names])
        arrow: Direction = "up" if block.greater_is_better else "down"
        columns += [
            Column(block.title, "estimate", [estimate], block.decimals, best, marks, arrow),
            column("", low, high, kind="interval", decimals=block.decimals),
        ]
    if any(letters.values()):
        columns.insert(0, column("", "letter"))
    title = f"Scores with their {interval_title(result.confidence_level)} ({result.headline})"
    whole = pd.concat(frames, axis=1).rename_axis("model").reset_index()
    marked = "".join(mark for column in columns if column.marks for mark in whole[column.marks])
    strong = any(whole[column.strong].any() for column in columns if column.strong)
    return Table(title, columns, whole, notes=_wide_notes(result, blocks, marked, strong=strong))


def _letters(models: Sequence[str]) -> dict[str, str]:
    """A letter for each model, the first for the best; none where there are none to compare."""
    lettered = 2 <= len(models) <= _MOST_LETTERED
    return dict(zip(models, ascii_lowercase if lettered else [""] * len(models), strict=False))


def _is_best(scores: pd.DataFrame) -> pd.Series:
    # Where no model has a value, all share the first rank.
    return (scores["rank"] == 1) & scores["estimate"].notna() & (len(scores) > 1)


def _marks(result: Compared, block: Block, letters: dict[str, str]) -> dict[str, str]:
    """For each model a dagger if it is tied with the best, and the letters of those it beats."""
    pairs = block.differences.dropna(subset="p_adjusted")
    best = set(block.scores.loc[block.scores["rank"] == 1, "model"])
    beaten: dict[str, str] = dict.fromkeys(letters, "")
    tied = set()
    for a, b, better in zip(pairs["model_a"], pairs["model_b"], pairs["better"], strict=True):
        if better in (a, b):
            beaten[better] += letters[b if better == a else a]
        elif result.baseline is None and best & {a, b}:
            tied |= {a, b} - best
    return {model: _TIED * (model in tied) + _runs(beaten[model]) for model in letters}


def _runs(letters: str) -> str:
    """Sort letters, with the ends of three and more in a row.

    >>> _runs("fbac")
    'a–cf'
    """
    runs: list[str] = []
    for letter in sorted(letters):
        if runs and ord(letter) == ord(runs[-1][-1]) + 1:
            runs[-1] += letter
        else:
            runs.append(letter)
    return "".join(run if len(run) < 3 else f"{run[0]}\u2013{run[-1]}" for run in runs)


def _wide_notes(
    result: Compared, blocks: Sequence[Block], marked: str, *, strong: bool
) -> list[str]:
    """Explain bold and the marks that there are, and name the test."""
    if not strong:
        return []
    sizes = dict.fromkeys(result.n_tests[block.metric] for block in blocks)
    n_tests = " or ".join(f"{size:,}" for size in sizes)
    adjusted = f"p ({result.correction}, {n_tests} tests)" if result.correction != "none" else "p"
    notes = ["Bold: the best."]
    if _TIED in marked:
        notes.append(f"{_TIED} not told apart from the best.")
    if marked.strip(_TIED):
        notes.append("Superscripts: letters of the models that a model is shown to be better than.")
    return [*notes, f"Shown: {adjusted} below {result.alpha:g}, {result.test} test."]


def _printed_leads(result: Compared, blocks: Sequence[Block]) -> Table:
    """Put the differences of all blocks into one table, in bold the model shown to be better."""
    metrics = list(dict.fromkeys(block.metric for block in blocks))
    leads = result.leads(False)
    frame = pd.concat([rows_at(leads, metric=name) for name in metrics], ignore_index=True)
    shown = frame["p_adjusted"] < result.alpha
    frame = frame.assign(ahead=shown & (frame["lead"] > 0), behind=shown & (frame["lead"] < 0))
    what, subtitle, (first, second, by) = lead_sides(result, every=False)
    strong = ("behind", "ahead") if result.baseline is not None else ("ahead", "behind")
    named = [
        replace(each, title=each.title.capitalize(), kind="text", strong=mark)
        for each, mark in zip((first, second), strong, strict=True)
    ]
    digits = {block.metric: block.decimals for block in blocks}
    return Table(
        f"{what.capitalize()} ({result.headline}; {subtitle}); bold: shown to be better",
        [
            column("Metric", "metric", "label", kind="value"),
            *named,
            replace(by, title=by.title.capitalize()),
            *lead_columns(result),
        ],
        frame,
        notes=lead_notes(result, metrics, frame),
        decimals=[digits[metric] for metric in frame["metric"]],
    )
