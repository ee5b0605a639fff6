"""Several tables of the same rows, each with other columns -> one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pandas as pd

from modelcompare.readers import names
from modelcompare.readers.content import File
from modelcompare.readers.formats import format_of
from modelcompare.readers.messages import listed
from modelcompare.readers.profile import FEW_ROWS
from modelcompare.readers.records import PROBABILITY

# Names of outputs, under which each file has the outputs of another model.
_OUTPUTS = (*names.PRED, *names.PROBABILITIES, *names.SCORE)


def joined_tables(files: Sequence[File]) -> Sequence[File]:
    """Join tables that agree, row by row, in the columns that all have, and differ in the others.

    Other files are returned unchanged, as are tables whose common columns distinguish few rows.

    Examples
    --------
    >>> cnn = pd.DataFrame({"id": [1, 2], "cnn": [0, 1]})
    >>> bow = pd.DataFrame({"id": [1, 2], "bow": [1, 1]})
    >>> (one,) = joined_tables([File(Path("a.csv"), payload=cnn), File(Path("b.csv"), payload=bow)])
    >>> one.name, [*one.payload]
    ('a.csv, b.csv', ['id', 'cnn', 'bow'])
    """
    if len(files) < 2 or not all(map(_is_plain, files)):
        return files
    first, *others = (file.payload for file in files)
    shared = [heading for heading in first if all(heading in other for other in others)]
    own = [[h for h in file.payload if h not in shared] for file in files]
    distinct = len({*chain(*own)}) == sum(map(len, own))
    if not shared or not all(own) or not distinct or names.named(shared, _OUTPUTS):
        return files
    if any(heading.startswith(PROBABILITY) for heading in map(str, chain(*own))):
        return files
    rows = first[shared]
    in_order = int((rows != rows.shift()).any(axis=1).sum()) > FEW_ROWS
    if not (in_order or not rows.duplicated().any()):
        return files
    if not all(rows.equals(other[shared]) for other in others):
        return files
    frame = pd.concat([first, *(t[h] for t, h in zip(others, own[1:], strict=True))], axis=1)
    path = Path(listed([file.name for file in files]))
    return [replace(files[0], path=path, payload=frame)]


def _is_plain(file: File) -> bool:
    """Return whether a file is a table, of a model, set and run that nothing but its path names."""
    is_table = isinstance(file.payload, pd.DataFrame) and format_of(file) is None
    return is_table and not (file.is_named or file.set or file.run)
