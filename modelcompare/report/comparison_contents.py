"""What a comparison shows: the rows of each metric, sorted for reading, and its tables."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import pandas as pd

from modelcompare.report.numbers import decimals_for, format_percent
from modelcompare.report.shapes import ComparisonShape, EstimatorShape
from modelcompare.report.tables import (
    ESTIMATE,
    VALUE,
    Column,
    Direction,
    Table,
    interval_column,
    pair_columns,
    rows_at,
)
from modelcompare.words import is_missing, value_name

# Columns of metrics side by side in one printed table: what fits the width of a page.
_SIDE_BY_SIDE = 3


@dataclass(frozen=True)
class Block:
    """The rows of one metric, or of one class of a metric: models best first."""

    metric: str
    label: Hashable | None  # the class; None for a metric that has one value per model
    scores: pd.DataFrame
    differences: pd.DataFrame
    greater_is_better: bool
    decimals: int  # digits after the point, alike for all blocks of the metric

    @property
    def title(self) -> str:
        """The metric and, if there is one, the class."""
        return value_name(self.metric, self.label)

    @property
    def direction(self) -> str:
        """Say which way is better."""
        return f"{'higher' if self.greater_is_better else 'lower'} is better"


def comparison_tables(result: ComparisonShape) -> dict[str, Table]:
    """Make a table of scores for each metric, and one of differences below it."""
    tables = {}
    for metric, blocks in metric_blocks(result).items():
        tables[metric] = _score_table(result, blocks)
        if any(len(block.differences) for block in blocks):
            tables[f"{metric}, differences"] = _difference_table(result, blocks)
    return tables


def _score_table(result: ComparisonShape, blocks: Sequence[Block]) -> Table:
    rank = Column("rank", "ranks", ("rank_low", "rank_high"))
    score = [Column("estimate", "estimate"), interval_column(result.confidence_level)]
    return Table(
        blocks[0].metric,
        [*_class_column(blocks), rank, Column("model"), *score],
        pd.concat([block.scores for block in blocks], ignore_index=True),
        subtitle=blocks[0].direction,
        notes=[note for block in blocks for note in _undefined(block)],
        decimals=blocks[0].decimals,
        drawn=("ci_low", "estimate", "ci_high"),
        n_shown=20,
    )


def _difference_table(result: ComparisonShape, blocks: Sequence[Block]) -> Table:
    better = Column("better", "better", ("better", "model_a", "model_b"))
    pair = pair_columns(result.confidence_level, result.correction)
    return Table(
        f"{blocks[0].metric}, differences",
        [*_class_column(blocks), *pair, better],
        pd.concat([block.differences for block in blocks], ignore_index=True),
        subtitle="model a - model b",
        decimals=blocks[0].decimals,
        detail=True,
        n_shown=12,
    )


def _class_column(blocks: Sequence[Block]) -> list[Column]:
    return [] if blocks[0].label is None else [Column("class", "class", ["label"])]


def _undefined(block: Block) -> Iterator[str]:
    """Yield one note for each score that some resamples leave undefined."""
    for row in block.scores[block.scores["n_undefined"] > 0].itertuples():
        where = f"{row.n_undefined:,} resamples of {row.model}"
        yield f"{block.title}: undefined in {where}; a resampled interval uses the others."


def printed_tables(result: ComparisonShape) -> list[Table]:
    """Lay a comparison out for paper: metrics side by side, then all differences."""
    blocks = [block for group in metric_blocks(result).values() for block in group]
    tables = [
        _wide_table(result, blocks[start : start + _SIDE_BY_SIDE])
        for start in range(0, len(blocks), _SIDE_BY_SIDE)
    ]
    return [*tables, _all_differences(result, blocks)] if len(result.differences) else tables


def _wide_table(result: ComparisonShape, blocks: Sequence[Block]) -> Table:
    """Put models in rows and blocks in columns, bold where a model may be the best."""
    columns, frames = [Column("Model", of=["model"])], []
    models = list(blocks[0].scores["model"])
    for place, block in enumerate(blocks):
        *scored, best = (f"{name}_{place}" for name in ("estimate", "ci_low", "ci_high", "best"))
        frame = block.scores.assign(best=block.scores["rank_low"] == 1).set_index("model")
        frames.append(frame.add_suffix(f"_{place}")[[*scored, best]].reindex(models))
        arrow: Direction = "up" if block.greater_is_better else "down"
        columns.append(Column(block.title, "scored", scored, block.decimals, best, arrow))
    level = format_percent(result.confidence_level)
    return Table(
        f"Scores with {level} intervals ({result.method}); "
        "bold: the range of ranks includes the first place",
        columns,
        pd.concat(frames, axis=1).reset_index(),
    )


def _all_differences(result: ComparisonShape, blocks: Sequence[Block]) -> Table:
    """Put the pairs of all blocks into one table, the better model in bold."""
    named = [block.differences.assign(value=block.title) for block in blocks]
    frame = pd.concat(named, ignore_index=True)
    models = []
    for side in ("a", "b"):
        frame[f"strong_{side}"] = frame["better"] == frame[f"model_{side}"]
        models.append(Column(f"Model {side}", of=[f"model_{side}"], strong=f"strong_{side}"))
    _, _, *tested = pair_columns(result.confidence_level, result.correction)
    return Table(
        "Differences of all pairs; bold: the better model",
        [Column("Metric", of=["value"]), *models, *tested],
        frame,
        decimals=[block.decimals for block in blocks for _ in range(len(block.differences))],
    )


def comparison_note(result: ComparisonShape) -> str:
    """Say in one paragraph how the numbers came about."""
    adjusted = (
        "not adjusted for the number of pairs"
        if result.correction == "none"
        else f"adjusted for the number of pairs by {result.correction}"
    )
    return (
        f"Intervals: {result.method}, {format_percent(result.confidence_level)}, from "
        f"{result.n_resamples:,} resamples that all models share. P-values: {result.test} test of "
        f"the paired difference, {adjusted}; a model counts as better where the adjusted p-value "
        f"is below {result.alpha:g}. Ranks are given as a range: ties are models that the test "
        "set does not tell apart."
    )


def estimator_tables(result: EstimatorShape) -> dict[str, Table]:
    """Mean values over folds, and tested differences."""
    values = [Column("mean", "estimate"), Column("sd", "estimate")]
    scores = Table(
        "Over folds",
        [VALUE, Column("model"), *values, Column("folds", "count", ["n_folds"])],
        result.scores,
        decimals=[decimals_for([sd]) for sd in result.scores["sd"]],
    )
    sources = {"a": "p_a", "same": "p_equivalent", "b": "p_b"}
    posterior = [Column(title, "share", [source]) for title, source in sources.items()]
    note = (
        "a, same, b: posterior probability that a is better, that the difference is within "
        f"{result.rope:g}, that b is better (Bayesian correlated t-test)."
    )
    columns = [VALUE, *pair_columns(result.confidence_level, result.correction), *posterior]
    differences = table_of("Differences", columns, result.differences, [note])
    return {"scores": scores, "differences": differences}


def table_of(
    title: str, columns: Sequence[Column], frame: pd.DataFrame, notes: Sequence[str] = ()
) -> Table:
    """Make a table of unlike values, each rounded as its own interval bears."""
    return Table(title, columns, frame, notes=notes, decimals=row_decimals(frame))


def value_columns(confidence_level: float) -> list[Column]:
    """Show a value and its interval."""
    return [ESTIMATE, interval_column(confidence_level)]


def row_decimals(frame: pd.DataFrame) -> list[int]:
    """Decimals that each row bears: two digits of its standard error, or of a quarter interval."""
    quarters = (frame["ci_high"] - frame["ci_low"]) / 4
    return [decimals_for([error]) for error in frame.get("standard_error", quarters)]


def metric_blocks(
    result: ComparisonShape, metrics: Sequence[str] | None = None
) -> dict[str, list[Block]]:
    """Cut a comparison's frames into blocks, by metric."""
    available = list(dict.fromkeys(result.scores["metric"]))
    names = available if metrics is None else list(metrics)
    if unknown := [name for name in names if name not in available]:
        raise ValueError(
            f"`metrics` names {', '.join(unknown)}, not compared here; "
            f"compared were {', '.join(available)}."
        )
    return {name: list(_blocks_of(result, name)) for name in names}


def _blocks_of(result: ComparisonShape, metric: str) -> Iterator[Block]:
    scores = rows_at(result.scores, metric=metric)
    differences = rows_at(result.differences, metric=metric)
    for label in dict.fromkeys(map(whole_label, scores["label"])):
        ranked = rows_at(scores, label=label).sort_values(
            "rank", kind="stable", na_position="last", ignore_index=True
        )
        pairs = _by_rank(rows_at(differences, label=label), list(ranked["model"]))
        up = result.metric_info[metric].greater_is_better
        yield Block(metric, label, ranked, pairs, up, result.decimals(metric))


def _by_rank(differences: pd.DataFrame, models: list[str]) -> pd.DataFrame:
    """Sort pairs: the leader against all others first."""
    place = {model: position for position, model in enumerate(models)}
    first, second = (differences[side].map(place) for side in ("model_a", "model_b"))
    order = differences.assign(_best=first.where(first < second, second), _sum=first + second)
    order = order.sort_values(["_best", "_sum"], kind="stable", ignore_index=True)
    return order.drop(columns=["_best", "_sum"])


def whole_label(value: Hashable) -> Hashable | None:
    """Turn a missing label into None, and an integer that pandas made a float back into one."""
    if is_missing(value):
        return None
    return int(value) if isinstance(value, float) and value.is_integer() else value
