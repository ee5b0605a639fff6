"""Cells of many rows are converted as those of few."""

import re

import numpy as np
import pandas as pd
import pytest

from modelcompare.readers import cell_types

_PLAIN = re.compile(r"0|-?[1-9][0-9]{0,17}")
_ODD = [
    "01", "+1", " 1", "1 ", "1\n2", "1_0", "\uff11", "-0", "--1", "1.0", "1e3", "", "x", "9" * 19,
    "-" + "9" * 19, "9" * 18, "-" + "9" * 18, "0", "-7", None,
]  # fmt: skip


def one_by_one(cells):
    """Return integers if each cell is one in canonical form, else the cells."""
    plain = all(isinstance(cell, str) and _PLAIN.fullmatch(cell) for cell in cells)
    return np.array([int(cell) for cell in cells]) if plain else cells


@pytest.mark.parametrize("odd", _ODD)
@pytest.mark.parametrize("place", [0, 700, 2_999])
def test_many_integers_are_recognized_together_as_one_by_one(odd, place):
    cells = np.array([*map(str, range(-1_000, 2_000))], dtype=object)
    cells[place] = odd
    wanted = one_by_one(cells)
    found = cell_types.names(cells)
    assert found.dtype == wanted.dtype
    assert found.tolist() == wanted.tolist()
    # Of cells that repeat, the distinct ones are converted.
    twice = np.append(np.repeat(cells[:1], 2), cells)
    assert cell_types.names(twice)[2:].tolist() == wanted.tolist()


def test_columns_without_cells_and_of_missing_cells_stay():
    assert cell_types.names(np.array([], dtype=object)).dtype == np.int64
    missing = np.array([None, None], dtype=object)
    assert cell_types.names(missing) is missing


def test_texts_stay_objects_where_columns_are_converted():
    frame = pd.DataFrame({"y": ["a", "b"] * 5, "m": ["a", "a"] * 5}, dtype=object)
    kind = cell_types.UNDECLARED
    found = cell_types.with_types(frame, kind, true="y", models=["m"], measures=[])
    assert {*found.dtypes} == {np.dtype(object)}
