"""Options of ``modelcompare ranks`` for scores on folds."""

from __future__ import annotations

from dataclasses import replace

from modelcompare.cli.commands import Addition
from modelcompare.cli.options import statistics
from modelcompare.options import OPTIONS, Option
from modelcompare.plugins.folds.words import FoldTest
from modelcompare.words import listed


def _of_folds(name: str) -> Option:
    """Take a named option that is for scores of folds."""
    option = OPTIONS[name]
    text = f"Of folds: {option.help[0].lower()}{option.help[1:]}"
    return replace(option, help=text)


ADDITIONS = (
    Addition(
        "ranks",
        (
            Option(name="test", type=FoldTest, help=f"by folds: {listed(FoldTest)}"),
            statistics(
                name="n_train", type=float | None, metavar="N",
                help="Training samples of a fold; their ratio matters, so 9 for ten folds.",
            ),
            statistics(
                name="n_test", type=float | None, metavar="N",
                help="Test samples of a fold; 1 for ten folds.",
            ),
            _of_folds("correction"),
            statistics(
                name="rope", type=float | None, metavar="NUMBER",
                help="Of folds: differences up to this count as none.",
            ),
            _of_folds("confidence_level"),
        ),
        help="""
        Scores on the folds of a cross-validation, which have a column fold, --n-train and --n-test
        or a test of folds, are compared by their values.
        """,
        examples=("folds.csv --n-train 9 --n-test 1", "folds.csv --test 5x2cv-f"),
    ),
)  # fmt: skip
