"""Kernels that numba compiles (``pip install "modelcompare[fast]"``): the same numbers, sooner.

Importing numba takes longer than most comparisons, so a process does without it until it has had so
much work that the import pays. Nothing but time depends on when that is.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType

# Weights drawn or read by numpy in about a second, which is what importing numba may take.
ENOUGH_WORK = 2**28


@dataclass
class _Gate:
    """What this process was asked for so far, and whether numba came of it."""

    work: int = 0
    kernels: ModuleType | None = None
    missing: bool = False

    def open(self, work: int) -> ModuleType | None:
        """Count the work; the kernels once it is enough and if numba is there."""
        self.work += work
        if self.missing or self.work < ENOUGH_WORK:
            return None
        if self.kernels is None:
            try:
                from modelcompare.compiled import kernels
            except ImportError:
                self.missing = True
            else:
                self.kernels = kernels
        return self.kernels


_gate = _Gate()


def kernels_for(work: int) -> ModuleType | None:
    """Compiled kernels for work on so many numbers; None where numpy is to do it."""
    return _gate.open(work)
