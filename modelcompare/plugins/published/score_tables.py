"""Tables of scores of models on data sets, or on other units, as papers print them.

Rows are units, models, or single scores; runs are averaged. A table that can be read in two ways is
refused, with the options that settle it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arguments import ColumnRoles
from modelcompare.data.checks import refuse_rows
from modelcompare.directions import direction_of
from modelcompare.readers import names
from modelcompare.readers.cell_types import Column, parse_printed, refuse_objects
from modelcompare.readers.column_roles import profile_of
from modelcompare.readers.messages import as_options, counted, listed
from modelcompare.readers.options import Columns
from modelcompare.readers.profile import SHARED, Profile
from modelcompare.readers.reading import write_directions
from modelcompare.readers.roles import Candidate, Role, Roles, only, solve
from modelcompare.readers.tables import as_frame
from modelcompare.spelling import chosen
from modelcompare.words import shown

_WHERE = "`table`"
# An epoch is a repetition in logs, and a stage of the training in a table.
_RUN = tuple(name for name in names.RUN if name != "epoch")


def _names_several(at: Candidate) -> bool:
    """Return whether a column varies, and is no column of scores: of a model ``method``, say."""
    return not at.seen.is_real(at.heading) and at.seen.frame[at.heading].nunique() > 1


def _of_one_role(first: Candidate, other: Candidate) -> str:
    return (
        f"{_WHERE}: columns {first.heading!r} and {other.heading!r} have usual names for the "
        f"same role; name one with {as_options(**{first.role.option: first.heading})}."
    )


ROLES = tuple(
    Role(name=name, option=option, usual=usual, fits=_names_several, accepts=only(_of_one_role))
    for name, option, usual in (
        ("run", "runs", _RUN), ("model", "model", names.MODEL), ("set", "id", names.SET),
    )
)  # fmt: skip
_METRIC = Role(name="metric", usual=("metric", "metric_name"))
# Roles of the columns of a table of results.
COLUMNS = ColumnRoles(("id", "model", "runs", "score"), several=("score",))
# Words of names of columns beside the scores of leaderboards.
_COSTS = {*names.MEASURE, *names.SIZES}
# Headings that name rows, not models: a table lies on its side.
_NUMBERED = re.compile(r"(fold|split|repeat|run|data ?set|set)?[ _-]?\d+", re.IGNORECASE)
# A cell with a number that has a comma.
_COMMA = r"\D*\d+(,\d+)+\D*"


@dataclass(frozen=True)
class ScoreTable:
    """Scores with a row for each data set and a column for each model, and how they were read.

    `parts` are the roles of the columns, `changes` those of the parts that change what is compared,
    `metric` the name of the scores, if there is one, and `rows` the single scores: set, model, run,
    value.
    """

    scores: pd.DataFrame
    parts: Mapping[str, str | None]
    changes: tuple[str, ...]
    metric: str | None
    rows: pd.DataFrame

    @property
    def notes(self) -> tuple[str, ...]:
        """Runs that were averaged, and what was left out."""
        changed = ((part, self.parts[part]) for part in self.changes)
        return tuple(f"{part.capitalize()}: {text}." for part, text in changed if text)


def frame_of(table: Any) -> pd.DataFrame:
    """Return a table as a frame."""
    if isinstance(table, Mapping) and not hasattr(table, "columns"):
        try:
            return pd.DataFrame(dict(table))
        except ValueError:
            raise ValueError(
                "`table` must map each model to its scores, as many of each as there are rows."
            ) from None
    if not hasattr(table, "columns") or isinstance(table, str):
        raise TypeError(
            f"`table` must be a DataFrame or a mapping of models to scores, got {shown(table)}."
        )
    return as_frame(table).copy()


def read_scores(frame: pd.DataFrame, columns: Columns, unit: str = "data set") -> ScoreTable:
    """Read a table of results; `columns.id` names the data sets, or other units of results."""
    seen = profile_of(_with_index(frame), columns, _WHERE)
    for heading in seen.headings:
        refuse_objects(seen.frame[heading])
    cells = {h: parse_printed(seen.frame[h], seen.marks) for h in seen.headings}
    numeric = [h for h in seen.headings if _are_scores(seen.frame[h], cells[h])]
    if not numeric:
        _refuse_commas(cells)
        held = listed(seen.headings, 6)
        raise ValueError(f"{_WHERE} has no column of scores (its columns: {held}).")
    keys = model, test_set, run = _keys(seen, numeric)
    metric = _metric(seen)
    scores = _scores(seen, [h for h in numeric if h not in keys], model, test_set)
    if model and test_set:
        metric = metric or scores[0]
    rows = pd.concat([_rows(seen.frame, keys, h).join(cells[h]) for h in scores], ignore_index=True)
    rows = rows[rows["model"].isin(chosen([*rows["model"].unique()], columns.models, _WHERE))]
    rows, summaries = _without_summaries(rows, columns)
    table, n_runs, dropped = _mean_over_runs(rows, columns, unit)
    _check_shape(table, unit)
    _refuse_counts(table, unit)
    if model and not test_set:
        _refuse_counts(table.T, "model")
    beside = [h for h in seen.headings if h not in {*keys, *scores}]
    parts = {
        f"{unit}s": counted([*map(str, table.index)]), "models": counted([*table.columns]),
        "runs": f"{run}, the mean of {n_runs}" if run else "",
        "left out": counted([*beside, *summaries]), f"{unit}s dropped": counted(dropped),
        "left out of cells": listed([each for each in rows["second"].unique() if each]),
        "direction": write_directions([metric], columns.direction()),
    }  # fmt: skip
    changes = "runs", "left out", "left out of cells", f"{unit}s dropped"
    return ScoreTable(table, parts, changes, metric, rows[rows["set"].isin(table.index)])


def _with_index(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose index of names is a column: of data sets, unless headings are these."""
    found, usual = frame.index.names, "model" if _are_sets(frame.columns) else "dataset"
    held = [usual if name is None else name for name in found]
    if {*held} & {*frame.columns} or (found == [None] and frame.index.dtype.kind in "iu"):
        return frame
    return frame.reset_index(names=held)


def _are_sets(texts: Any) -> bool:
    """Return whether two texts name benchmarks."""
    return sum(names.is_benchmark(str(text)) for text in texts) > 1


def _are_scores(column: Column, cells: pd.DataFrame) -> bool:
    """Return whether a column has scores, or marks of missing ones and nothing else."""
    if cells["missing"].all():
        return column.dtype.kind == "f" or bool(column.notna().any())
    return bool(cells["value"][~cells["missing"]].notna().mean() >= SHARED)


def _refuse_commas(cells: Mapping[str, pd.DataFrame]) -> None:
    """Refuse numbers with a comma, which are ambiguous: 93,3 and 1,200."""
    for heading, column in cells.items():
        for cell in column["cell"][column["cell"].str.fullmatch(_COMMA)][:1]:
            raise ValueError(
                f"{_WHERE}: {cell!r} in column {heading!r} has a comma; write a decimal point, as "
                "93.3, and nothing between thousands."
            )


def _keys(seen: Profile, numeric: Sequence[str]) -> tuple[str | None, str | None, str | None]:
    """Find the columns of models, data sets and runs; None if headings or nothing name them."""
    roles = solve(seen, ROLES, Roles(skip=seen.chosen))
    run, model, test_set = (roles[role] for role in ("run", "model", "set"))
    known = model or test_set
    if (model and test_set) or (known and seen.unique(*roles.of("model", "set", "run"))):
        return model, test_set, run
    taken = {run, known, *seen.chosen, *numeric}
    texts = [h for h in seen.headings if h not in taken and seen.frame[h].nunique() > 1]
    free = [h for h in texts if seen.unique(*roles.of("model", "set", "run"), h)]
    across = _are_sets(seen.headings)
    if known is None and not (texts or run or across):
        return None, None, None
    if len(free) == 1 and (known or across):
        return model or free[0], None if across and not known else test_set or free[0], run
    if len(free) == 1 and _are_sets(seen.frame[free[0]]):
        return None, free[0], run
    raise ValueError(
        f"{_WHERE}: its columns ({listed(seen.headings, 6)}) do not show whether a row is a data "
        f"set, a model or one score. Name data sets (id) and models (model), as with "
        f"{_ways(seen, texts, roles)}; name runs with {as_options(runs='COLUMN')}."
    )


def _ways(seen: Profile, texts: Sequence[str], roles: Roles) -> str:
    """Write options under which no two rows have the same names."""
    known = {"id": roles["set"], "model": roles["model"]}
    guesses = [{role: h} for h in texts for role, held in known.items() if held is None]
    if known["id"] is known["model"]:
        guesses += [{"model": a, "id": b} for a, b in permutations(texts, 2)]
    keys = roles.of("model", "set", "run")
    fit = [guess for guess in guesses if seen.unique(*keys, *guess.values())][:2]
    return " or ".join(as_options(**each) for each in fit or [dict.fromkeys(known, "COLUMN")])


def _metric(seen: Profile) -> str | None:
    """Return the name of the metric, which one column may give."""
    for heading in solve(seen, [_METRIC]).of("metric"):
        first, *others = seen.frame[heading].unique()
        if others:
            raise ValueError(
                f"{_WHERE}: column {heading!r} has {listed([first, *others])}; ranks are of one "
                "metric, so leave the rows of the others out."
            )
        return str(first)
    return None


def _scores(
    seen: Profile, numeric: Sequence[str], model: str | None, test_set: str | None
) -> list[str]:
    """Return the column of scores, or one for each model or data set."""
    if seen.columns.score and model and not test_set:
        return [*seen.columns.score]
    if seen.columns.score and not (model and test_set):
        raise ValueError(
            f"{_WHERE}: score is for a table with one score in each row; leave it out. The "
            f"columns are {listed(seen.headings, 6)}."
        )
    if model is None and seen.chosen:
        return [h for h in numeric if h in seen.chosen]
    companions = names.companions(numeric)
    free = [h for h in numeric if h not in companions and not names.is_no_score(h)]
    usual = names.named_scores(free)
    if model and test_set:
        found = [*seen.columns.score] or usual or free
        if len(found) == 1:
            return found
        what = f"one score, in one of {listed(found) or 'no columns of numbers'}"
        remedy = f"name it with {as_options(score=next(iter(found), 'COLUMN'))}"
    elif free and not usual:
        _check_sets(free if model else [], seen.columns.direction())
        return free
    else:
        what = "several scores, in columns of models or data sets"
        remedy = f"these are none: {listed(usual or seen.headings, 6)}; give one metric's scores"
    raise ValueError(f"{_WHERE} has in each row {what}; {remedy}.")


def _check_sets(headings: Sequence[str], direction: bool | None) -> None:
    """Refuse columns of data sets that may be costs, sizes or errors: ``Price ($/M)``, ``TED WER``.

    The direction of errors must be given.
    """
    costs = [h for h in headings if not _COSTS.isdisjoint(names.words(h).split("_"))]
    errors = [h for h in headings if direction is None and direction_of(h) is False]
    others = [h for h in headings if h not in {*costs, *errors}]
    which = f"name the data sets, as {as_options(score=others)}" if others else "leave it out"
    low = "low scores are good in all columns pass greater_is_better=False (--lower-is-better)"
    for heading in [*costs, *errors][:1]:
        why = "may be a cost or a size, not a data set;"
        why = why if costs else f"is named like an error; if {low}, else"
        raise ValueError(f"{_WHERE}: column {heading!r} {why} {which}.")


def _rows(frame: pd.DataFrame, keys: Sequence[str | None], heading: str) -> pd.DataFrame:
    """Return the model, data set and run of each cell of a column."""
    model, test_set, run = keys
    for key in filter(None, keys):
        missing = frame[key].isna().to_numpy()
        refuse_rows(missing, f"{_WHERE}: column {key!r} is empty", "fill it in, or leave them out")
    sets = frame.index if model is None else heading
    return pd.DataFrame(
        {
            "model": frame[model].astype(str) if model else heading,
            "set": frame[test_set].astype(str) if test_set else sets,
            "run": frame[run].astype(str) if run else "",
        },
        index=frame.index,
    )


def _without_summaries(rows: pd.DataFrame, columns: Columns) -> tuple[pd.DataFrame, list[str]]:
    """Leave out what is no data set and no model: means over data sets, and their sizes."""
    left_out: list[str] = []
    for axis in ("set", "model") if columns.models is None else ("set",):
        for name in rows[axis].dropna().unique():
            plain = names.plain(str(name))
            if plain in names.SUMMARY and axis == "model":
                raise ValueError(
                    f"{_WHERE}: {name!r} is named like a summary, not like a model; leave it out, "
                    "or name all models with models= (--model)."
                )
            held = rows["value"][rows[axis] == name]
            if plain in names.SUMMARY or (plain in names.COUNT and not (held % 1 > 0).any()):
                left_out.append(str(name))
        rows = rows[~rows[axis].isin(left_out)]
    return rows, left_out


def _mean_over_runs(
    rows: pd.DataFrame, columns: Columns, unit: str
) -> tuple[pd.DataFrame, str, list[str]]:
    """Return means over runs, by data set and model; the number of runs; data sets dropped."""
    _refuse_cells(rows, unit)
    cells = rows.groupby(["set", "model"], sort=False)["value"].agg(
        value=lambda values: np.mean(values.to_numpy()), runs="size"
    )
    wide = cells["value"].unstack("model").loc[rows["set"].unique(), rows["model"].unique()]
    lacking = wide.isna().any(axis=1)
    if columns.missing == "refuse" and lacking.any():
        first = wide[lacking].iloc[0]
        raise ValueError(
            f"{_WHERE} lacks the score of {listed(wide.columns[first.isna()])} on {unit} "
            f"{first.name!r} ({wide.isna().to_numpy().sum()} missing in all); fill it in, or drop "
            f"such {unit}s with missing='drop' (--missing drop)."
        )
    _refuse_units(wide)
    low, high = cells["runs"].min(), cells["runs"].max()
    n_runs = f"{low}" if low == high else f"{low} to {high}"
    wide = wide.rename_axis(index=None, columns=None)
    return wide[~lacking], n_runs, [*map(str, wide.index[lacking])]


def _refuse_cells(rows: pd.DataFrame, unit: str) -> None:
    """Refuse cells that are no scores, scores given twice, and percent signs of some scores."""
    for row in rows[rows["value"].isna() & ~rows["missing"]][:1].itertuples():
        raise ValueError(
            f"{_WHERE}: {row.cell!r} of {row.model!r} on {row.set!r} is no score; write a number, "
            "as 93.3, 93.3 +- 0.5 or 93.3 (0.5)."
        )
    for row in rows[rows.duplicated(["model", "set", "run"])][:1].itertuples():
        raise ValueError(
            f"{_WHERE} has two scores of {row.model!r} on {row.set!r}; if they are runs name their "
            f"column with {as_options(runs='COLUMN')}."
        )
    present = rows[~rows["missing"]].assign(percent=lambda part: part["cell"].str.contains("%"))
    ways = present.drop_duplicates(["set", "percent"])
    mixed = ways[ways.duplicated("set", keep=False)]
    for name, (first, second) in mixed.groupby("set", sort=False)["cell"]:
        raise ValueError(
            f"{_WHERE}: {unit} {name!r} has {first!r} and {second!r}, with and without a "
            "percent sign; write all in one unit."
        )


def _check_shape(scores: pd.DataFrame, unit: str) -> None:
    """Refuse fewer than two models or rows, and a table that lies on its side."""
    models = list(scores.columns)
    if len(models) < 2:
        raise ValueError(
            f"`table` needs a column of scores for each of 2 models or more; it has "
            f"{', '.join(models) or 'none'}."
        )
    if all(map(_NUMBERED.fullmatch, models)):
        raise ValueError(
            f"`table` has the headings {models[0]}, {models[1]}, ..., which name no models; give a "
            f"row for each {unit} and a column for each model, table.T perhaps."
        )
    if len(scores) < 2:
        raise ValueError(
            f"`table` needs a row for each of 2 {unit}s or more; it has {len(scores)}."
        )


def _refuse_counts(scores: pd.DataFrame, rows: str) -> None:
    """Refuse a column that counts or numbers the rows, which would be ranked as a model."""
    values = scores.to_numpy()
    whole, sizes = (values % 1 == 0).all(axis=0), np.abs(values).max(axis=0)
    if whole.all():
        return
    second, largest = np.partition(sizes, -2)[-2:]
    for place in np.flatnonzero(whole):
        name, of_others = scores.columns[place], second if sizes[place] == largest else largest
        apart = values[:, place].max() > 1 >= of_others
        if apart or names.plain(str(name)) in names.COUNT:
            raise ValueError(
                f"`table`: column {name!r} holds whole numbers and the others do not, as counts "
                f"and numbers of each {rows} do; leave it out, or if it is a model write its "
                "scores like the others'."
            )


def _refuse_units(scores: pd.DataFrame) -> None:
    """Refuse shares of some models beside percentages of others."""
    shares = scores.loc[:, ((scores > 0) & (scores <= 1)).all()]
    percents = scores.loc[:, ((scores > 1) & (scores <= 100)).all()]
    if shares.size and percents.size and (percents.min(axis=1) > 20 * shares.max(axis=1)).all():
        raise ValueError(
            f"{_WHERE}: scores of {shares.columns[0]!r} look like shares ({shares.iloc[0, 0]:g}), "
            f"those of {percents.columns[0]!r} like percentages ({percents.iloc[0, 0]:g}); write "
            "all in one unit."
        )
