"""Steps between reading predictions and answering about them, which plugins add to commands."""

from __future__ import annotations

from dataclasses import dataclass

from modelcompare.options import Option


@dataclass(frozen=True)
class Step:
    """A change of the predictions that a command has read.

    Parameters
    ----------
    options : tuple of Option
        Its options, which all commands that read predictions have; it is left out where none of
        them is given.
    place : str
        The function, ``module:function`` of `package`: ``f(predictions, reading, columns)`` returns
        the changed predictions; `reading` has the options, and `columns` are those that were read.
    package : str
        The package of the function.
    of_each : bool
        Whether it changes each of several test sets as well.
    columns : tuple of str
        Options that name columns of the files, which are slices of the predictions for the step.
    """

    options: tuple[Option, ...]
    place: str
    package: str
    of_each: bool = False
    columns: tuple[str, ...] = ()
