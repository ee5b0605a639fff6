"""What models said, a row for each model and sample, whatever file it came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.words import KindOrAuto

PROBABILITY = "prob:"
_PLAIN = (int, float, np.number, np.bool_)
SCORE = "score:"


@dataclass(frozen=True, kw_only=True)
class Records:
    """Results in one form, as the readers of all formats give them.

    Parameters
    ----------
    frame : DataFrame
        A row for each model, sample and run. Columns, each left out where the file does not know
        it: ``model``; ``set``, the test set; ``run``, the repetition; ``filter``, of several ways
        to read one answer; ``group``, the cluster of the sample; ``id``, the sample; ``y_true``;
        and what the model gave: ``y_pred`` (a label, a value or a text), ``prob:CLASS`` for each
        class, or ``score:NAME``, numbers whose NaN is a missing result. Rows that hold a truth and
        no model (references, answer keys) have a missing ``model``.
    beside : DataFrame, optional
        All other columns, in the same rows, to be named as clusters, strata or subgroups; objects
        in its cells are reached by dotted names.
    kind : str
        What ``y_pred`` is, where the format says it.
    written : bool
        Cells are texts as they were written, as in a file that knows no types.
    says : str
        Name of the format, for people.
    parts : mapping
        Which column was taken for what, where that was found out.
    same : tuple of str
        Columns beside the results that all models must share for each sample.
    """

    frame: pd.DataFrame
    beside: pd.DataFrame | None = None
    kind: KindOrAuto = "auto"
    written: bool = False
    says: str = "table"
    parts: Mapping[str, str] = field(default_factory=dict)
    same: tuple[str, ...] = ()

    @property
    def scores(self) -> tuple[str, ...]:
        """Names of the scores."""
        return tuple(c.removeprefix(SCORE) for c in self.frame.columns if c.startswith(SCORE))


def stacked(parts: Sequence[Records]) -> Records:
    """The rows of several files; where one knows no types, as if they were written in it."""
    first: Any = parts[0]
    if len({part.written for part in parts}) > 1:
        parts = [part if part.written else _as_written(part) for part in parts]
    return Records(
        frame=pd.concat([part.frame for part in parts], ignore_index=True),
        beside=pd.concat(
            [pd.DataFrame(index=part.frame.index) if part.beside is None else part.beside
             for part in parts],
            ignore_index=True,
        ),
        kind=first.kind, written=parts[0].written,
        says=first.says, parts=first.parts, same=first.same,
    )  # fmt: skip


def _as_written(part: Records) -> Records:
    """Records whose numbers are texts, as a file without types would hold them."""
    frames = [part.frame, pd.DataFrame() if part.beside is None else part.beside]
    frame, beside = (
        pd.DataFrame({name: _in_text(column) for name, column in each.items()}, index=each.index)
        for each in frames
    )
    return replace(
        part, frame=frame, beside=None if part.beside is None else beside, written=True
    )  # fmt: skip


def _in_text(column: pd.Series[Any]) -> pd.Series[Any]:
    """Numbers as Python writes them; whole ones beside missing cells are whole again."""
    held = column.dropna()
    if column.dtype.kind == "f" and len(held) < len(column) and (held % 1 == 0).all():
        held = held.astype("int64")
    texts = held.map(lambda cell: str(cell) if isinstance(cell, _PLAIN) else cell)
    return texts.astype(object).reindex(column.index)
