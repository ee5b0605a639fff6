"""``modelcompare folds`` and ``ranks``: models by tables of scores, as papers print them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from modelcompare.cli.output import Output
from modelcompare.comparison.fold_scores import compare_folds
from modelcompare.comparison.ranks import critical_difference
from modelcompare.readers.opening import read_table


def folds(table: Path, output: Output, *, lower_is_better: bool, **options: Any) -> None:
    """Compare models by their scores on the folds of a cross-validation."""
    output.check([table])
    higher = False if lower_is_better else None
    output.emit(compare_folds(read_table(table).frame, greater_is_better=higher, **options))


def ranks(table: Path, output: Output, *, lower_is_better: bool, **options: Any) -> None:
    """Compare models by their ranks over many data sets."""
    output.check([table])
    higher = not lower_is_better
    output.emit(critical_difference(read_table(table).frame, greater_is_better=higher, **options))
