"""What models said, a row for each model and sample, whatever file it came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from modelcompare.words import KindOrAuto

PROBABILITY = "prob:"
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
    """The rows of several files of one format."""
    first: Any = parts[0]
    return Records(
        frame=pd.concat([part.frame for part in parts], ignore_index=True),
        beside=pd.concat(
            [pd.DataFrame(index=part.frame.index) if part.beside is None else part.beside
             for part in parts],
            ignore_index=True,
        ),
        kind=first.kind, written=first.written,
        says=first.says, parts=first.parts, same=first.same,
    )  # fmt: skip
