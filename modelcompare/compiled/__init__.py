"""Kernels compiled by numba (``pip install "modelcompare-stats[fast]"``): the same numbers, sooner.

Importing numba takes longer than most comparisons, so a process uses it only after so much work
that the import pays. Results do not depend on it.
"""

from __future__ import annotations

from functools import cache
from types import ModuleType

# Weights drawn or read by numpy in about a second, which is what importing numba may take.
ENOUGH_WORK = 2**28


# Work of this process so far.
_work = 0


def kernels_for(work: int) -> ModuleType | None:
    """Return the compiled kernels for work on so many numbers; None if numpy should do it."""
    global _work
    _work += work
    return None if _work < ENOUGH_WORK else _kernels()


@cache
def _kernels() -> ModuleType | None:
    try:
        from modelcompare.compiled import kernels
    except ImportError:
        return None
    return kernels
