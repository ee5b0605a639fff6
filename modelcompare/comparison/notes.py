"""Notes below a table: what its reader should know and cannot see in it, with the remedy."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from modelcompare.comparison.evidence import Evidence

# A difference of so many standard errors would have a far smaller p-value than resamples give.
_CLEAR = 5.0
# From here down tables do not write a p-value out.
_WRITTEN = 0.001


def notes(evidence: Evidence, metric: str) -> list[str]:
    """Write the lines below the scores of a metric."""
    return [*_of_the_floor(evidence, metric), *_of_the_correction(evidence, metric)]


def _of_the_floor(evidence: Evidence, metric: str) -> Iterator[str]:
    """Say where the number of resamples keeps clear differences from a small p-value."""
    where = evidence.slice_of(metric)
    alone, adjusted = evidence.p[:, where], evidence.p_adjusted[:, where]
    floor = 1 / (evidence.n_resamples + 1)
    clear = (np.abs(evidence.difference) > _CLEAR * evidence.error)[:, where]
    held = clear & np.isclose(alone, floor, rtol=1e-9) & (adjusted >= _WRITTEN)
    # Where they do not count at all, a warning says so.
    if held.any() and (adjusted[held] < evidence.alpha).all():
        n_tests = evidence.n_tests(metric)
        needed = math.ceil(n_tests / _WRITTEN / 1000) * 1000
        tests = f"{n_tests:,} test{'s' * (n_tests != 1)}"
        yield (
            f"{evidence.n_resamples:,} resamples and {tests}: no p-value can be below "
            f"{adjusted[held].min():.2g}, however clear the difference. More "
            f"resamples ({needed:,}){_fewer_tests(evidence)} or the correction max-t make it "
            "smaller."
        )


def _of_the_correction(evidence: Evidence, metric: str) -> Iterator[str]:
    """Say where little is shown because so much was asked."""
    where = evidence.slice_of(metric)
    alone, adjusted = evidence.p[:, where], evidence.p_adjusted[:, where]
    n_found, n_tests = np.count_nonzero(alone < evidence.alpha), evidence.n_tests(metric)
    n_left = np.count_nonzero(adjusted < evidence.alpha)
    if n_tests > 1 and n_left < n_found / 2:
        ways = f"a larger test set{_fewer_tests(evidence)}"
        ways += "" if evidence.correction == "max-t" else " or the correction max-t"
        left = f"{n_left:,}" if n_left else "none"
        yield (
            f"{n_found:,} of {n_tests:,} differences have p below {evidence.alpha:g} alone, "
            f"{left} after the correction for so many tests: {ways} can show more."
        )


def _fewer_tests(evidence: Evidence) -> str:
    others = len(evidence.models) - 1
    return f", a baseline ({others:,} pairs)" if evidence.baseline is None and others > 1 else ""
