"""Settings of the execution, which change no result: set by `config_context`, read where work is.

No function has them as arguments, and none passes them on.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Execution:
    """Settings of the execution.

    Parameters
    ----------
    n_jobs : int, optional
        Number of workers, as in joblib.
    progress : bool
        Whether a progress bar is shown.
    """

    n_jobs: int | None = None
    progress: bool = False


SETTINGS, _BY_DEFAULT = tuple(each.name for each in fields(Execution)), Execution()
execution: ContextVar[Execution] = ContextVar("execution", default=_BY_DEFAULT)


@contextmanager
def set_within(variable: ContextVar[T], value: T) -> Iterator[None]:
    """Set a variable of the context within a ``with`` block."""
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)
