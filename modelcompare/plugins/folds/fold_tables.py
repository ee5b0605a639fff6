"""Tables of scores on the folds of a cross-validation, read as other tables of results are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd

from modelcompare.data.checks import check_columns_distinct
from modelcompare.plugins.folds.columns import FOLD
from modelcompare.plugs import behind
from modelcompare.readers import names
from modelcompare.readers.column_roles import profile_of
from modelcompare.readers.messages import as_options, listed
from modelcompare.readers.options import Columns
from modelcompare.readers.roles import Candidate, Role, Roles, only, solve
from modelcompare.words import is_missing, label_name, value_name


def _named_exactly(at: Candidate) -> bool:
    """Return whether a heading is the name: not ``Fold 1``, which has a fold's scores."""
    return names.words(at.heading) in at.role.usual


def _of_one_role(first: Candidate, other: Candidate) -> str:
    return (
        f"`table` has columns {first.heading!r} and {other.heading!r}, which are both named "
        f"like the {first.role.name} of a score; leave one out."
    )


# Columns of a fold, and of what was measured on it, besides the scores.
_ROLES = tuple(
    Role(name=name, option=option, usual=usual, fits=_named_exactly, accepts=only(_of_one_role))
    for name, option, usual in (
        ("fold", "id", FOLD.usual), ("repeat", "", ("repeat", "repetition")),
        ("n_train", "", ("n_train",)), ("n_test", "", ("n_test",)),
        ("metric", "", ("metric", "metric_name")), ("label", "", ("label",)),
    )
)  # fmt: skip
_USUAL = frozenset(name for role in _ROLES for name in role.usual)
# Numbers with fractions are scores, of a model that is named ``method``, say.
_MODEL = Role(
    name="model", option="model", usual=names.MODEL,
    fits=lambda at: not at.seen.is_real(at.heading),
)  # fmt: skip
# Name of the metric if a table does not give it, and headings of scores that give none.
UNNAMED = "score"
_NO_METRIC = (UNNAMED, "scores", "value", "metric_value")


def read_folds(table: Any, columns: Columns) -> tuple[pd.DataFrame, Any]:
    """Read a table of scores on folds; `columns.id` names the folds.

    Returns
    -------
    folds : DataFrame
        A row for each score: repeat, fold, model, metric, label, value, and sizes if given.
    read : ScoreTable
        The scores with a row for each fold and value, and how they were read, as tables of
        published results are.
    """
    tables = behind("table")
    frame = tables.frame_of(table)
    levels = [name for name in frame.index.names if names.words(str(name)) in _USUAL]
    seen = profile_of(frame.reset_index(level=levels) if levels else frame, columns, "`table`")
    model = solve(seen, [_MODEL], Roles(skip=seen.chosen))["model"]
    roles = solve(seen, _ROLES, Roles(skip=[] if model is None else [model]))
    frame = seen.frame.rename(columns={each.heading: r for r, each in roles.found.items()})
    check_columns_distinct(frame, "`table`")
    if model is not None and "fold" not in frame:
        raise ValueError(
            "`table` has a row for each score, and no column fold; name the folds with "
            f"{as_options(id='COLUMN')}. It has {listed(seen.headings, 6)}."
        )
    described = _describe_scores(frame)
    frame = frame.drop(columns=described.columns, errors="ignore").assign(fold=described.index)
    _refuse_repeated(frame, model)
    read = tables.read_scores(frame, replace(columns, id="fold", model=model), "fold")
    other = read.parts["left out"] or read.parts["runs"]
    if other and (columns.models is None or model is not None):
        raise ValueError(
            f"`table` has besides scores of folds {other}; leave it out, or call repeats repeat, "
            "metrics metric and classes label; or if each model has a column, and a fold one row, "
            "name the models with models= (--model)."
        )
    unnamed = read.metric is None or names.plain(read.metric) in _NO_METRIC
    metric = UNNAMED if unnamed else read.metric
    described = described[~described.index.duplicated()].loc[read.scores.index]
    described["metric"] = [metric if each is None else each for each in described["metric"]]
    # One model after the other, to keep the given order of models and folds.
    parts = [described.assign(model=m, value=scores) for m, scores in read.scores.items()]
    return pd.concat(parts, ignore_index=True), read


def _describe_scores(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the columns that describe scores, with an index of names of their folds."""
    blank = {"fold": range(len(frame)), "repeat": 0, "metric": None, "label": None}
    several = not {"metric", "label"}.isdisjoint(frame)
    frame = frame.assign(**{name: each for name, each in blank.items() if name not in frame})
    keys = [*frame[[*blank]].itertuples(index=False)]
    rows = [
        f"{label_name(fold)} of repeat {label_name(repeat)}"
        + (f" in {value_name(str(metric), label)}" if several else "")
        for fold, repeat, metric, label in keys
    ]
    columns = {
        "metric": [None if key.metric is None else str(key.metric) for key in keys],
        "label": [None if is_missing(key.label) else key.label for key in keys],
    }
    described = frame[[name for name in (r.name for r in _ROLES) if name in frame]].assign(
        **{name: pd.Series(each, frame.index, dtype=object) for name, each in columns.items()}
    )
    return described.set_axis(rows)


def _refuse_repeated(frame: pd.DataFrame, model: str | None) -> None:
    """Refuse several scores of a model in one fold, and rows that sum up the folds."""
    folds = frame["fold"].str.partition(" of repeat ")[0]
    for fold in folds[folds.map(names.plain).isin(names.SUMMARY)][:1]:
        raise ValueError(f"`table` has a row {fold!r} among the folds; leave it out.")
    twice = frame.duplicated(["fold"] if model is None else ["fold", model])
    for place in twice.to_numpy().nonzero()[0][:1]:
        of_model = "" if model is None else f" of {frame[model].iloc[place]!r}"
        raise ValueError(
            f"`table` has several scores{of_model} in fold {frame['fold'].iloc[place]}; name "
            "repeats in a column repeat, metrics in a column metric."
        )
