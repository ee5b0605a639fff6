"""What a comparison shows: the rows of each metric, sorted for reading, and its tables."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from modelcompare.report.numbers import decimals_for, interval_title
from modelcompare.report.shapes import ComparisonShape, EstimatorShape
from modelcompare.report.tables import (
    ESTIMATE,
    MAX_CLASSES,
    VALUE,
    Column,
    Table,
    interval_column,
    pair_columns,
    pair_notes,
    rows_at,
)
from modelcompare.words import INTERVALS, PAIRED_TESTS, is_missing, label_name, value_name

# Intervals of differences that are made only if asked for by name.
_ASKED_FOR = {*INTERVALS} - {"auto"}


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
    def pairs(self) -> pd.DataFrame:
        """The differences, those of the best models first."""
        return _by_rank(self.differences, list(self.scores["model"]))

    @property
    def title(self) -> str:
        """The metric and, if there is one, the class."""
        return value_name(self.metric, self.label)

    @property
    def direction(self) -> str:
        """Say which way is better."""
        return f"{'higher' if self.greater_is_better else 'lower'} is better"


def comparison_tables(result: ComparisonShape, *, every: bool = False) -> dict[str, Table]:
    """Make a table of scores for each metric, and one of differences below it.

    The differences are those from the leader, or the baseline; of `every` pair where asked for.
    """
    tables = {}
    for metric, blocks in metric_blocks(result).items():
        shown = [label_name(block.label) for block in _by_telling(blocks)]
        tables[metric] = replace(_score_table(result, blocks), foremost=shown, metric=metric)
        if any(len(block.differences) for block in blocks):
            table = _lead_table(result, blocks, every=every)
            tables[f"{metric}, differences"] = replace(table, foremost=shown, metric=metric)
    return tables


def _by_telling(blocks: Sequence[Block]) -> list[Block]:
    """All blocks: few in their own order, many with those first where models differ most."""
    return list(blocks) if len(blocks) <= MAX_CLASSES else sorted(blocks, key=_sameness)


def foremost(blocks: Sequence[Block], most: int) -> list[Block]:
    """The blocks to look at first: all if there are few, else where models differ most.

    That is where the smallest adjusted p-value is smallest, and then where the largest difference
    is the largest multiple of its standard error.
    """
    return list(blocks) if len(blocks) <= most else sorted(blocks, key=_sameness)[:most]


def _sameness(block: Block) -> tuple[float, float]:
    """Small where models differ: the smallest p-value, then the largest difference over error."""
    if not len(block.differences):
        return 1.0, 0.0
    difference, error, p_adjusted = (
        block.differences[["difference", "standard_error", "p_adjusted"]].to_numpy(dtype=float).T
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        times = np.nan_to_num(np.abs(difference) / error, posinf=np.inf)
    return float(np.nan_to_num(p_adjusted, nan=1.0).min()), -float(times.max())


def _score_table(result: ComparisonShape, blocks: Sequence[Block]) -> Table:
    rank = Column("rank", "ranks", ("rank_low", "rank_high"))
    score = [Column("estimate", "estimate"), interval_column(result.confidence_level)]
    return Table(
        blocks[0].metric,
        [*_class_column(blocks), rank, Column("model"), *score],
        pd.concat([block.scores for block in blocks], ignore_index=True),
        subtitle=blocks[0].direction,
        notes=[*result.remarks.get(blocks[0].metric, ()),
               *(note for block in blocks for note in _undefined(block))],
        decimals=blocks[0].decimals,
        drawn=("ci_low", "estimate", "ci_high"),
        n_shown=20,
    )  # fmt: skip


def _lead_table(result: ComparisonShape, blocks: Sequence[Block], *, every: bool) -> Table:
    """Who is ahead of whom and by how much, p-values and intervals corrected alike."""
    metric = blocks[0].metric
    frame = rows_at(result.all_leads if every else result.leads, metric=metric)
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
    )


def lead_sides(result: ComparisonShape, *, every: bool) -> tuple[str, str, list[Column]]:
    """Title, meaning of the sign, and the columns that name both sides and the difference."""
    by = Column("by", "difference", ["lead"])
    other = Column("ahead of", of=["other"])
    if result.baseline is not None:
        columns = [
            Column("baseline", "leader", ["other"]), Column("model"),
            Column("difference", "difference", ["lead"]),
        ]  # fmt: skip
        return "differences from the baseline", "+: better than the baseline", columns
    if every:
        return "differences of all pairs", "+: the first is better", [Column("model"), other, by]
    columns = [Column("leader", "leader", ["model"]), other, by]
    return "differences from the leader", "+: the leader is better", columns


def lead_columns(result: ComparisonShape) -> list[Column]:
    """The interval and the p-value of a difference, corrected alike."""
    title = "p" if result.correction == "none" else f"p ({result.correction})"
    p_value = Column(title, "p-value", ["p_adjusted", "at_odds"])
    return [interval_column(result.confidence_level), p_value]


def lead_notes(result: ComparisonShape, metrics: Sequence[str], frame: pd.DataFrame) -> list[str]:
    """For how many tests intervals and p-values are corrected, and what a star means."""
    level = interval_title(result.confidence_level)
    sizes = list(dict.fromkeys(result.n_tests(metric) for metric in metrics))
    n_tests = " or ".join(f"{size:,}" for size in sizes)
    notes = [f"{level} and p are both corrected for {n_tests} tests."] if max(sizes) > 1 else []
    made = result.differences[result.differences["metric"].isin(metrics)]
    if result.correction == "max-t":
        made = made.assign(test="max-t")
    return notes + _odd_notes(frame, result.confidence_level, made)


def _odd_notes(
    frame: pd.DataFrame, confidence_level: float, made: pd.DataFrame | None = None
) -> list[str]:
    """What a star behind a p-value means, where there is one, and which of the two decides.

    `made` names what intervals and p-values were made with, in the columns method and test.
    """
    if not frame["at_odds"].any():
        return []
    level = interval_title(confidence_level)
    parts = (
        f"* the {level} and p part at {1 - confidence_level:.2g}: they answer one question by two "
        "methods, which part where the difference is close to the edge or samples are few."
    )
    if made is None or not {"method", "test"} <= {*made.columns}:
        return [f"{parts} Decide by p."]
    pairs = made.loc[:, ["method", "test"]].dropna().drop_duplicates().astype(str)
    weaker = pairs[[not _p_decides(*pair) for pair in pairs.itertuples(index=False)]]
    if weaker.empty:
        return [f"{parts} Decide by p."]
    if weaker["method"].isin(_ASKED_FOR).any():
        return [
            f"{parts} The defaults of `method` and `test`, which hold more widely, decide better."
        ]
    tests = " and ".join(dict.fromkeys(weaker["test"]))
    return [f"{parts} Decide by the interval: p is of the test {tests}, which holds less widely."]


def _p_decides(method: str, test: str) -> bool:
    """Whether a p-value holds where its interval does: of the default test, or of one kind."""
    if test in ("studentized-permutation", "max-t") or test not in PAIRED_TESTS:
        return True
    of_resamples = {"BCa", "percentile", "basic", "studentized"}
    kinds = {"bootstrap": of_resamples, "wald": {"normal"}, "delong": {"delong"}}
    return method in kinds.get(test, set())


def _class_column(blocks: Sequence[Block]) -> list[Column]:
    return [] if blocks[0].label is None else [Column("class", "class", ["label"])]


def _undefined(block: Block) -> Iterator[str]:
    """Yield one note for each score that some resamples leave undefined."""
    for row in block.scores[block.scores["n_undefined"] > 0].itertuples():
        where = f"{row.n_undefined:,} resample{'s' * (row.n_undefined != 1)} of {row.model}"
        yield f"{block.title}: undefined in {where}; a resampled interval uses the others."


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
    settings = (result.confidence_level, result.correction)
    table = pair_table("Differences", [VALUE], result.differences, *settings)
    differences = replace(table, columns=[*table.columns, *posterior], notes=[*table.notes, note])
    return {"scores": scores, "differences": differences}


def pair_table(
    title: str, named: Sequence[Column], frame: pd.DataFrame, confidence_level: float,
    correction: str,
) -> Table:  # fmt: skip
    """Make a table of differences a - b, each with its own interval beside its own p-value."""
    excluded = (frame["ci_low"] > 0) | (frame["ci_high"] < 0)
    known = frame["p_value"].notna() & frame["ci_low"].notna()
    told = frame["p_value"] < round(1 - confidence_level, 12)
    frame = frame.assign(at_odds=known & (excluded != told))
    odd = _odd_notes(frame, confidence_level, frame[frame["at_odds"]])
    notes = pair_notes(confidence_level, correction) + odd
    return table_of(title, [*named, *pair_columns(confidence_level, correction)], frame, notes)


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
    result: ComparisonShape, metrics: Sequence[str] | None = None, *, corrected: bool = False
) -> dict[str, list[Block]]:
    """Cut a comparison's frames into blocks, by metric; intervals `corrected` like p-values."""
    available = list(dict.fromkeys(result.scores["metric"]))
    names = available if metrics is None else list(metrics)
    if unknown := [name for name in names if name not in available]:
        raise ValueError(
            f"`metrics` names {', '.join(unknown)}, not compared here; "
            f"compared were {', '.join(available)}."
        )
    differences = result.corrected_differences if corrected else result.differences
    return {name: list(_blocks_of(result, differences, name)) for name in names}


def _blocks_of(result: ComparisonShape, differences: pd.DataFrame, metric: str) -> Iterator[Block]:
    scores = rows_at(result.scores, metric=metric)
    differences = rows_at(differences, metric=metric)
    of_label, pairs_of_label = map(_places, (scores, differences))
    up, decimals = result.metric_info[metric].greater_is_better, result.decimals(metric)
    for label, places in of_label.items():
        ranked = scores.iloc[places].sort_values(
            "rank", kind="stable", na_position="last", ignore_index=True
        )
        pairs = differences.iloc[pairs_of_label.get(label, [])]
        yield Block(metric, label, ranked, pairs, up, decimals)


def _places(frame: pd.DataFrame) -> dict[Hashable | None, list[int]]:
    """Rows of each class, in the order of the classes."""
    places: dict[Hashable | None, list[int]] = {}
    for place, label in enumerate(map(whole_label, frame["label"])):
        places.setdefault(label, []).append(place)
    return places


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
