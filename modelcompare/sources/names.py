"""Names of the samples of a scan: none is missing, and none comes twice."""

from __future__ import annotations

import numpy as np
import pandas as pd

from modelcompare import checks
from modelcompare.arrays import AnyArray
from modelcompare.checks import rows_from
from modelcompare.readers.cells import column_array
from modelcompare.readers.tables import arrow_table
from modelcompare.resampling import ROW_BLOCK
from modelcompare.sources.rows import Rows, recut

# Of more rows the names are not compared: eight bytes each are kept.
MOST_NAMES = 10_000_000


def check_names(rows: Rows, column: str, where: str) -> None:
    """Refuse names that are missing in any row, or that two rows share, as memory does."""
    seen = []
    for number, table in enumerate(recut(rows.batches([column]), ROW_BLOCK)):
        names = column_array(arrow_table(table, where).frame.iloc[:, 0])
        with rows_from(number * ROW_BLOCK):
            checks.check_defined(names, "`ids`")
        if rows.n_rows <= MOST_NAMES:
            seen.append(_hashed(names))
    found, times = np.unique(np.concatenate(seen or [np.empty(0, np.uint64)]), return_counts=True)
    again = found[times > 1]
    if not len(again):
        return
    # Names of one hash may still be two.
    held = []
    for table in recut(rows.batches([column]), ROW_BLOCK):
        names = column_array(arrow_table(table, where).frame.iloc[:, 0])
        held.append(names[np.isin(_hashed(names), again)].astype(object))
    checks.check_ids(np.concatenate(held))


def _hashed(names: AnyArray) -> AnyArray:
    """A hash of each name: the same where whole numbers came as texts."""
    return pd.util.hash_array(names.astype(str).astype(object), categorize=False)
