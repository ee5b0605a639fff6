"""How public names and arguments go: with a warning that names what takes their place, and a date.

The warning is a `DeprecationWarning` that points at the line of the caller. Python shows it in
scripts and notebooks, and pytest in the tests of whoever builds on the package: to those who can
change the line. A `FutureWarning` would also reach people who run somebody else's program and can
do nothing about it; it is for numbers that will change though the call stays as it is.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Deprecation:
    """What goes, since which version it warns, when it is gone, and what to write instead."""

    name: str
    since: str
    gone: date
    instead: str

    def __str__(self) -> str:
        return (
            f"`{self.name}` is deprecated since version {self.since} and will be removed after "
            f"{self.gone}: use `{self.instead}`."
        )


def deprecated(
    *, since: str, gone: str, instead: str
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Make a function, a method or the getter of a property warn whenever it is called.

    Parameters
    ----------
    since : str
        The first version that warns.
    gone : str
        Date from which a test of the package asks for the removal, as ``"2027-06-01"``.
    instead : str
        What to call.

    Returns
    -------
    callable
        The decorator; `deprecations` reads from what it decorated what goes.

    Examples
    --------
    >>> @deprecated(since="0.2", gone="2027-06-01", instead="score")
    ... def mark():
    ...     return 1
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     mark()
    1
    >>> print(caught[0].message)
    `mark` is deprecated since version 0.2 and will be removed after 2027-06-01: use `score`.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        what = Deprecation(function.__qualname__, since, date.fromisoformat(gone), instead)

        @wraps(function)
        def warning(*args: P.args, **kwargs: P.kwargs) -> T:
            warnings.warn(str(what), DeprecationWarning, stacklevel=2)
            return function(*args, **kwargs)

        return _noted(warning, what)

    return decorate


def renamed_arguments(
    former: Mapping[str, str], *, since: str, gone: str
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Let a function whose keyword arguments have new names take the former ones, with a warning.

    Parameters
    ----------
    former : mapping of str to str
        The present name, which alone the signature has, of each former one.
    since, gone : str
        As for `deprecated`.

    Returns
    -------
    callable
        The decorator.

    Raises
    ------
    TypeError
        By the decorated function, if both names are given.

    Examples
    --------
    >>> @renamed_arguments({"size": "n_resamples"}, since="0.2", gone="2027-06-01")
    ... def draw(n_resamples=99):
    ...     return n_resamples
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     draw(size=10)
    10
    >>> print(caught[0].message)
    `draw(size=)` is deprecated since version 0.2 and will be removed after 2027-06-01:
    use `n_resamples=`.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        notes = {
            old: Deprecation(
                f"{function.__qualname__}({old}=)", since, date.fromisoformat(gone), f"{new}="
            )
            for old, new in former.items()
        }

        @wraps(function)
        def renaming(*args: P.args, **kwargs: P.kwargs) -> T:
            for old in notes.keys() & kwargs:
                if former[old] in kwargs:
                    raise TypeError(
                        f"`{old}` is the former name of `{former[old]}`; give only the new one."
                    )
                warnings.warn(str(notes[old]), DeprecationWarning, stacklevel=2)
                kwargs[former[old]] = kwargs.pop(old)
            return function(*args, **kwargs)

        return _noted(renaming, *notes.values())

    return decorate


def deprecations(function: object) -> tuple[Deprecation, ...]:
    """What of a function goes: itself, or arguments.

    Parameters
    ----------
    function : object
        Anything; what is not decorated keeps all that it has.

    Returns
    -------
    tuple of Deprecation
        Empty where nothing goes.

    Examples
    --------
    >>> @deprecated(since="0.2", gone="2027-06-01", instead="score")
    ... def mark():
    ...     return 1
    >>> [(what.name, str(what.gone)) for what in deprecations(mark)]
    [('mark', '2027-06-01')]
    """
    found: tuple[Deprecation, ...] = getattr(function, "__deprecations__", ())
    return found


def _noted(function: Callable[P, T], *notes: Deprecation) -> Callable[P, T]:
    """The function with its notes, once: of two decorators the inner would blame the outer."""
    if deprecations(function):
        raise TypeError(f"`{function.__qualname__}` is deprecated twice; use one decorator.")
    vars(function)["__deprecations__"] = notes
    return function
