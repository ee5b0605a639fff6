"""Tables of the documents that models rank for queries -> scores of queries, as of TREC's runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from modelcompare.plugins import COLUMNS
from modelcompare.plugins.logs.trec import measures
from modelcompare.readers import cell_types, names
from modelcompare.readers.content import File
from modelcompare.readers.formats import lone_table
from modelcompare.readers.options import Columns
from modelcompare.readers.profile import Profile
from modelcompare.readers.reading import Reading, record_predictions
from modelcompare.readers.records import Records
from modelcompare.readers.roles import Role, Roles, solve

_NEEDED = tuple(
    Role(name=name, usual=usual)
    for name, usual in zip(("query", "document", "relevance"), COLUMNS["logs"], strict=True)
)
_ROLES = (*_NEEDED, Role(name="model", usual=names.MODEL))
_RANK = ("rank", "rank_id", "position")


def ranked_reading(files: Sequence[File], columns: Columns) -> Reading | None:
    """Read a table of queries, documents, their relevance and scores; None for other files.

    A model has its own column of scores, or rows that name it. Queries that it lacks score 0.
    """
    table, name = lone_table(files), files[0].name or None
    if table is None or columns.kind != "auto" or columns.true is not None:
        return None
    headings = [*map(str, table.columns)]
    if len({*headings}) < len(headings) or not all(names.named(headings, r.usual) for r in _NEEDED):
        return None
    frame = table.rename(columns=str).reset_index(drop=True)
    seen = Profile(frame, columns, name or "the table", written=files[0].written)
    roles = solve(seen, _ROLES)
    scores = _scores(seen, roles)
    if not scores or not all(roles[role.name] for role in _NEEDED):
        return None
    relevance = pd.Series(cell_types.as_numbers(frame[roles["relevance"]]))
    if not (relevance.dropna() % 1 == 0).all():
        return None
    found = _by_model(frame.assign(**{" grade": relevance}), roles, scores, files[0].model)
    judged = _judged(found, seen.where)
    records = Records(
        frame=pd.concat(
            [_measured(judged, rows).assign(model=model) for model, rows in found.items()],
            ignore_index=True,
        ),
        kind="scores", format="ranking",
        parts={role.name: f"column {roles[role.name]}" for role in _NEEDED},
    )  # fmt: skip
    return record_predictions(records, columns, name=name)


def _scores(seen: Profile, roles: Roles) -> list[str]:
    """Return the column of scores where rows name models, or the columns of all models."""
    taken = {*roles.columns, *seen.named}
    numeric = [h for h in seen.headings if h not in taken and seen.is_numeric(h)]
    free = [h for h in numeric if names.plain(h) not in _RANK and not names.describes(h)]
    usual = [*seen.columns.score] or names.named(free, (*names.SCORE, "sim", "similarity"))
    return (usual or free)[:1] if roles["model"] else free


def _by_model(
    frame: pd.DataFrame, roles: Roles, scores: Sequence[str], model: str
) -> dict[str, pd.DataFrame]:
    """Return the query, document, grade and score of each row, by model."""
    keys = [roles["query"], roles["document"], " grade"]
    parts = [
        (model if heading == "score" else heading, frame[[*keys, heading]]) for heading in scores
    ]
    if roles["model"]:
        by_model = frame.groupby(roles["model"], sort=False)
        parts = [(str(each), rows[[*keys, *scores]]) for each, rows in by_model]
    made = {}
    for each, rows in parts:
        rows = rows.set_axis(["query", "document", "grade", "score"], axis=1)
        score = pd.Series(cell_types.as_numbers(rows["score"]), index=rows.index)
        made[each] = rows.assign(
            query=rows["query"].astype(str), document=rows["document"].astype(str), score=score
        )
    return made


def _judged(found: Mapping[str, pd.DataFrame], where: str) -> dict[str, dict[str, int]]:
    """Return the grade of each judged document of each query, the same for all models."""
    rows = pd.concat([each.dropna(subset="grade") for each in found.values()])
    grades = rows[["query", "document", "grade"]].drop_duplicates()
    for again in grades[grades.duplicated(["query", "document"])][:1].itertuples():
        raise ValueError(
            f"{where}: document {again.document} of query {again.query} has two grades of "
            "relevance; keep one."
        )
    for model, each in found.items():
        for again in each[each.duplicated(["query", "document"])][:1].itertuples():
            raise ValueError(
                f"{where}: model {model!r} has two scores of document {again.document} of query "
                f"{again.query}; keep one."
            )
    return {
        str(query): dict(zip(own["document"], own["grade"].astype(int), strict=True))
        for query, own in grades.groupby("query", sort=False)
    }


def _measured(judged: Mapping[str, Mapping[str, int]], rows: pd.DataFrame) -> pd.DataFrame:
    """Return the measures of one model on each judged query."""
    ranked = rows[np.isfinite(rows["score"])].groupby("query", sort=False)
    scores = {
        str(query): dict(zip(own["document"], own["score"], strict=True)) for query, own in ranked
    }
    return measures(judged, scores)


READERS = (ranked_reading,)
