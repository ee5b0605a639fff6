"""Rows of labels that are looked up among the few distinct ones, which are converted once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from modelcompare.arrays import IntArray
from modelcompare.data.predictions import Predictions

# A table of a step has at most so many numbers.
_MOST_STARTS = 2**22


@dataclass(frozen=True)
class Coded:
    """Distinct rows of labels, found by their cells.

    Attributes
    ----------
    rows : Predictions
        The distinct rows, in the order of their numbers.
    steps : list
        For each column its name, its values, and a table that maps the number of a row's start, up
        to the column before, and the place of its value to the number of its longer start. It has
        -1 where no row starts so.
    """

    rows: Predictions
    steps: list[tuple[str, Any, IntArray]]

    @classmethod
    def of(cls, distinct: Any, rows: Predictions) -> Coded | None:
        """Number the distinct rows of a table of pyarrow, from which predictions were made.

        None if the table of a step would be large.
        """
        steps, number = [], np.zeros(len(rows), dtype=np.intp)
        for name in distinct.column_names:
            values = distinct[name].unique()
            if hasattr(values, "dictionary"):
                values = values.dictionary_decode()
            pair = number * len(values) + _places(distinct[name], values)
            known, number = np.unique(pair, return_inverse=True)
            size = (int(pair.max()) // len(values) + 1) * len(values)
            if size > _MOST_STARTS:
                return None
            longer = np.full(size, -1)
            longer[known] = np.arange(len(known))
            steps.append((name, values, longer))
        return cls(rows.subset(np.argsort(number)), steps)

    def predictions(self, table: Any) -> Predictions | None:
        """Return predictions of the rows of a table; None if some are unknown."""
        number = np.zeros(table.num_rows, dtype=np.intp)
        for name, values, longer in self.steps:
            places = _places(table[name], values)
            number = np.where(places < 0, -1, longer[number * len(values) + places])
            if number.min() < 0:
                return None
        return self.rows.subset(number)


def _places(column: Any, values: Any) -> IntArray:
    """Return the place of each cell among some values; -1 if it, or any cell, is none of them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if column.null_count:
        return np.full(len(column), -1)
    if pa.types.is_dictionary(column.type):
        encoded = column.unify_dictionaries().combine_chunks()
        return _places(encoded.dictionary, values)[encoded.indices.to_numpy()]
    return pc.index_in(column.cast(values.type), values).fill_null(-1).to_numpy()
