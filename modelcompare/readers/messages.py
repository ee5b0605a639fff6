"""Lists of names, and options as code and as flags, for messages."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from modelcompare.escape import shell
from modelcompare.words import shown

_MOST_NAMES = 6
_MOST_LETTERS = 60
# Options whose flag has another name.
_FLAGS = {"models": "model", "model": "model-column", "slices": "slice", "runs": "run",
          "bounds": "range", "greater_is_better": "lower-is-better"}  # fmt: skip
_OTHER_FLAGS = {"slices": ", or --by of groups"}
# Keys of `columns`: roles of one column and of several, how labels by several people are used, and
# what of a source is read.
ONE_COLUMN = (
    "true", "event", "id", "groups", "strata", "runs", "weight", "judge", "label_weight", "pred",
    "model",
)  # fmt: skip
SEVERAL = ("slices", "score", "battles")
ROLES = (*ONE_COLUMN, *SEVERAL, "annotators", "set", "filter")
KEYS = {
    "pred", "model", "runs", "set", "filter", "strata", "weight", "score",
    "bounds", "ids", "na", "labels", "normalize", "battles", "event",
}  # fmt: skip


class DoubtError(ValueError):
    """A table that may be read in several ways, with options that read it in the likeliest."""

    def __init__(self, problem: str, **options: str | Sequence[str]) -> None:
        self.problem = problem
        self.options: dict[str, Any] = {name: value for name, value in options.items() if value}
        super().__init__(f"{problem} Try: {as_options(**options)}." if self.options else problem)


class MissingCellsError(ValueError):
    """A table with missing cells, whose treatment was not chosen."""


def listed(values: Collection[Any], most: int = 3) -> str:
    """Write the first few of many values out.

    Values with line ends or many letters are written as code.

    Examples
    --------
    >>> listed(["a", "b", "c", "d"]), listed(range(2))
    ('a, b, c, ...', '0, 1')
    """
    first = ", ".join(_in_a_line(value) for value in list(values)[:most])
    return first + (", ..." if len(values) > most else "")


def _in_a_line(value: Any) -> str:
    text = str(value)
    return text if text.isprintable() and len(text) <= _MOST_LETTERS else shown(value)


def counted(names: Sequence[str]) -> str:
    """Write the number of names and the first few of them.

    Examples
    --------
    >>> counted(["bert", "cnn"]), counted([f"m{i}" for i in range(100)])
    ('2 (bert, cnn)', '100 (m0, m1, m2, m3, m4, m5, ...)')
    """
    more = ", ..." if len(names) > _MOST_NAMES else ""
    return f"{len(names):,} ({', '.join(names[:_MOST_NAMES])}{more})" if names else ""


def as_options(**options: str | Sequence[str]) -> str:
    """Write options to pass, as Python and as flags; those without a value are left out.

    Examples
    --------
    >>> as_options(true="gold", models=["my cnn", "bow"], pred=[])
    "columns={'true': 'gold'}, models=['my cnn', 'bow'] (--true gold --model 'my cnn' --model bow)"
    """
    given = {name: value for name, value in options.items() if len(value) or name == "na"}
    columns = {name: value for name, value in given.items() if name in ROLES}
    others = {name: value for name, value in given.items() if name not in ROLES}
    written = ({"columns": columns} if columns else {}) | others
    python = ", ".join(f"{name}={value!r}" for name, value in written.items())
    return f"{python} ({' '.join(flags(**given))})"


def flags(**options: str | bool | Sequence[str]) -> list[str]:
    """Write options as they are typed on the command line.

    Examples
    --------
    >>> flags(id="key", score=["acc", "f1"], missing="drop", normalize=True)
    ['--id key', '--read score=acc', '--read score=f1', '--missing drop', '--read normalize']
    """
    return [
        _flag(name if each else "higher_is_better") if isinstance(each, bool) else
        f"{_flag(name)}{'=' if name in KEYS else ' '}{shell(each)}"
        for name, value in options.items()
        for each in ([value] if isinstance(value, str | bool) else value)
    ]  # fmt: skip


def option(name: str) -> str:
    """Write the name of an option, as an argument and as it is typed.

    Examples
    --------
    >>> option("bounds"), option("slices")
    ('bounds (--read range)', 'slices (--slice, or --by of groups)')
    """
    return f"{name} ({_flag(name)}{_OTHER_FLAGS.get(name, '')})"


def _flag(name: str) -> str:
    """Return the flag of an option, or its key of --read."""
    flag = _FLAGS.get(name, name).replace("_", "-")
    return f"--read {flag}" if name in KEYS else f"--{flag}"
