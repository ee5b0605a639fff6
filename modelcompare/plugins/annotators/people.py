"""Labels by several people of each item, as one truth.

It is each label of an item, whose rows are a cluster; the most frequent one; or the shares of the
labels.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray
from modelcompare.data.checks import refuse_rows
from modelcompare.data.predictions import Predictions
from modelcompare.data.variants import with_shares
from modelcompare.readers.beside import substitutes
from modelcompare.readers.cell_types import (
    as_numbers,
    present,
    refuse_marks,
    refuse_objects,
    share_of_numbers,
    with_missing,
)
from modelcompare.readers.messages import as_options, option
from modelcompare.readers.options import ITEM, Columns

# Heading of a column that no table has: the weight of a label.
_WEIGHT = " weight"
_WITH_TIES = (
    "count each label (--annotators each), take their shares (--annotators soft), or leave these "
    "samples out (--missing drop)"
)


def with_truth(frame: pd.DataFrame, columns: Columns) -> tuple[pd.DataFrame, Columns]:
    """Return a table with the truth of labels by people, and the options of reading it.

    The truth has the pattern of their columns as its name: the most frequent label of each item, to
    which `every_label` adds the others.
    """
    people, true = [*columns.people], str(columns.true)
    of_one = columns.substitutes or columns.missing == "worst"
    other = columns.output_kind.scored or columns.output_kind.free_text
    several = f"labels by several people (--true {columns.true!r})"
    if other:
        raise ValueError(f"{several} do not go with scores (--kind scores) or texts.")
    if of_one and columns.annotators != "majority":
        beside = "".join(f"beside a {option(each.option)} or " for each in substitutes())
        raise ValueError(
            f"{several} are one label {beside}with missing='worst' (--missing worst); take the "
            f"most frequent with {as_options(annotators='majority')}."
        )
    frame = frame.rename(columns=str).reset_index(drop=True)
    cells = frame[people] = _labels(frame[people], columns)
    return frame.assign(**{true: _most_frequent(cells, columns)}), columns


def every_label(frame: pd.DataFrame, columns: Columns) -> tuple[pd.DataFrame, Columns]:
    """Return a row for each label by people, and options by which those of an item are a cluster.

    Items have the same weight, with few labels or many.
    """
    cells = frame[[*columns.people]].to_numpy(dtype=object)
    item, person = np.nonzero(~pd.isna(cells))
    made: dict[str, Any] = {str(columns.true): cells[item, person], ITEM: frame.index[item]}
    times = np.bincount(item)
    if columns.annotators == "each" and len({*times}) > 1:
        weight = 1.0 if columns.weight is None else as_numbers(frame[columns.weight])[item]
        made[_WEIGHT] = weight / times[item]
        columns = replace(columns, weight=_WEIGHT)
    rows = frame.drop(columns=[*columns.people]).iloc[item].assign(**made)
    if frame.index.name is not None:
        who = " " + np.array(columns.people, dtype=object)[person]
        rows.index = rows.index.astype(str).astype(object) + who
    return rows, replace(columns, people=(), annotators="each", groups=columns.groups or ITEM)


def as_shares(every: Predictions, frame: pd.DataFrame, columns: Columns) -> Predictions:
    """Return a row for each item, whose truth is the shares of the classes among its labels."""
    access = every.access
    if access.codes is None:
        raise ValueError("annotators 'soft' (--annotators soft) is for labels; take 'each'.")
    item = np.repeat(np.arange(len(frame)), frame[[*columns.people]].notna().sum(axis=1))
    counts = np.zeros((len(frame), access.n_classes))
    np.add.at(counts, (item, access.codes), 1)
    part = every.subset(np.unique(item, return_index=True)[1])
    ids = None if frame.index.name is None else frame.index.to_numpy()
    groups = None if columns.groups is None else part.groups
    return with_shares(part, counts / counts.sum(axis=1, keepdims=True), ids=ids, groups=groups)


def _labels(cells: pd.DataFrame, columns: Columns) -> pd.DataFrame:
    """Return labels by people, missing where they are empty or marked so."""
    marks = columns.marks(cells.columns)
    for name, column in cells.items():
        refuse_objects(column)
        if columns.na is None:
            refuse_marks([cells], str(name), marks)
        held, others = present(column), cells.drop(columns=name).to_numpy(dtype=object).ravel()
        if len(held) and not share_of_numbers(held, marks) and not held.isin(others).any():
            raise ValueError(
                f"{as_options(true=columns.true or '')} names column {name!r}, and no other person "
                "gave a label that it has; if it has no labels write a pattern that leaves it out."
            )
    cells = with_missing(cells, marks)
    return cells.apply(lambda column: present(column).astype(object).reindex(column.index))


def _most_frequent(cells: pd.DataFrame, columns: Columns) -> AnyArray:
    """Return the most frequent label of each item; several are refused, or missing if dropped."""
    item, person = np.nonzero(cells.notna().to_numpy())
    given = pd.DataFrame({"item": item, "label": cells.to_numpy(dtype=object)[item, person]})
    counts = given.groupby(["item", "label"], sort=False).size().reset_index(name="n")
    top = counts[counts["n"] == counts.groupby("item")["n"].transform("max")]
    first = top.drop_duplicates("item").set_index("item")["label"]
    found: AnyArray = first.reindex(range(len(cells))).to_numpy(dtype=object)
    if columns.annotators == "majority":
        tied = np.isin(np.arange(len(cells)), top["item"][top["item"].duplicated()])
        if columns.missing != "drop" or columns.substitutes:
            others = (
                f"with a {each.option} add labels of another person, else "
                for each in substitutes()
            )
            what = "as many people gave one label as another"
            refuse_rows(tied, what, f"{''.join(others)}{_WITH_TIES}")
        found[tied] = np.nan
    return found
