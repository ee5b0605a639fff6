"""``modelcompare folds`` and ``modelcompare ranks``: tables of scores, as papers print them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from modelcompare.cli.commands import Command
from modelcompare.cli.options import OutputOptions, statistics, written
from modelcompare.cli.output import check_outputs, emit, emit_figure
from modelcompare.words import Correction, FoldTest, PosthocTest, listed

if TYPE_CHECKING:
    import pandas as pd

_FOLDS = "A row for each fold and a column for each model; or columns model, fold, score."
_SETS = "A row for each data set and a column for each model; or columns dataset, model, score."
AlphaOption = Annotated[
    float, statistics("FRACTION", "A difference counts where its adjusted p-value is below.")
]
LowerOption = Annotated[bool, statistics("", "Low scores are good.", "--lower-is-better")]


def folds(
    table: Annotated[Path, typer.Argument(metavar="TABLE", help=_FOLDS)],
    *,
    n_train: Annotated[
        float | None, statistics("N", "Samples that a fold trains on; 9 for ten folds does, too.")
    ] = None,
    n_test: Annotated[
        float | None, statistics("N", "Samples that a fold tests on; then 1 for ten folds.")
    ] = None,
    test: Annotated[FoldTest, statistics("NAME", f"{listed(FoldTest)}.")] = "corrected-t",
    lower_is_better: LowerOption = False,
    correction: Annotated[
        Correction, statistics("NAME", f"Adjustment for many pairs: {listed(Correction)}.")
    ] = "holm",
    alpha: AlphaOption = 0.05,
    rope: Annotated[float, statistics("NUMBER", "Differences up to this are none.")] = 0.01,
    confidence_level: Annotated[float, statistics("FRACTION", "Of every interval.")] = 0.95,
    output: OutputOptions,
) -> None:
    """Compare models by their scores on the folds of a cross-validation."""
    check_outputs(output, inputs=[table])
    read = _read(table)
    from modelcompare.comparison.fold_scores import compare_folds

    result = compare_folds(
        read, n_train=n_train, n_test=n_test, test=test, correction=correction, alpha=alpha,
        greater_is_better=False if lower_is_better else None, rope=rope,
        confidence_level=confidence_level,
    )  # fmt: skip
    emit(result, output)


def ranks(
    table: Annotated[Path, typer.Argument(metavar="TABLE", help=_SETS)],
    *,
    test: Annotated[
        PosthocTest, statistics("NAME", f"Of the pairs: {listed(PosthocTest)}.")
    ] = "nemenyi",
    lower_is_better: LowerOption = False,
    alpha: AlphaOption = 0.05,
    output: OutputOptions,
    plot: Annotated[
        Path | None,
        written("PATH", "Write the critical-difference diagram: .png, .pdf or .svg.", "--plot"),
    ] = None,
) -> None:
    """Compare models by their ranks over many data sets."""
    check_outputs(output, plot, inputs=[table])
    read = _read(table)
    from modelcompare.comparison.ranks import critical_difference

    result = critical_difference(
        read, greater_is_better=not lower_is_better, test=test, alpha=alpha
    )
    emit(result, output)
    if plot is not None:
        emit_figure(plot, result.plot())


def _read(path: Path) -> pd.DataFrame:
    """Read a table whose cells stay as they are written."""
    from modelcompare.readers.opening import read_table

    return read_table(path).frame


COMMANDS: tuple[Command, ...] = (
    ("folds", folds, ("folds.csv --n-train 9 --n-test 1", "folds.csv --test 5x2cv-f")),
    ("ranks", ranks, ("results.csv --plot cd.png", "errors.csv --lower-is-better")),
)
