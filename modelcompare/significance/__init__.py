"""Paired tests, one function and one row of `TESTS` each; corrections; tests beyond pairs.

A test receives a `PairView` (the `Contrasts` of pairs that intervals receive, and on demand swaps
and degrees of freedom) and returns an `Outcome` with arrays of shape
(n_pairs, n_values). `compare`, `paired_test` and the studies all call `run_test`. `extreme` defines
which differences are as extreme as the observed one.

To add a test of all pairs: its function and row in `resampled`, its name and when to choose it in
`words`. A test refuses unsuitable input with a ValueError that names a remedy. If another test is
used for a metric, the outcome names it in `used`.
"""

from collections.abc import Mapping

import numpy as np

from modelcompare.engine.parallel import one_blas_thread
from modelcompare.plugs import needed, rows
from modelcompare.significance import flipped, resampled, studentized
from modelcompare.significance.inverted import with_quantiles
from modelcompare.significance.pairwise import Outcome, PairTest, PairView
from modelcompare.words import PAIRED_TESTS

__all__ = ["TESTS", "Outcome", "PairTest", "PairView", "choices", "named", "run_named", "run_test"]

_ROWS = {
    row.name: row
    for row in (
        *studentized.ROWS, *flipped.ROWS, *resampled.ROWS, *rows("tests"),
    )
}  # fmt: skip
TESTS: Mapping[str, PairTest] = {name: _ROWS[name] for name in PAIRED_TESTS if name in _ROWS}


def named(test: str) -> PairTest:
    """Return the row of a test.

    Raises
    ------
    ValueError
        If a plugin adds it that is absent.
    """
    if test not in TESTS:
        raise ValueError(needed(f"test {test!r}"))
    return TESTS[test]


@one_blas_thread()
def run_test(name: str, view: PairView) -> Outcome:
    """Run a test for all pairs and values of a view.

    Raises
    ------
    ValueError
        If the test does not apply to the metric, the data or the alternative.
    """
    row = named(name)
    view.sample.design.check("test", name)
    row.check(view.evaluation.metrics)
    if len(view.model_a) == 0:
        nothing = np.empty((0, len(view.evaluation.keys)))
        return Outcome(nothing, nothing)
    if view.alternative in row.alternatives:
        return row.compute(view)
    if view.alternative == "two-sided":
        raise ValueError(
            f"{name!r} is one-sided: declare alternative='greater' or 'less' before seeing the "
            "data, or use 'bootstrap'."
        )
    raise ValueError(
        f"{name!r} is two-sided; use alternative='two-sided', not {view.alternative!r}."
    )


def run_named(name: str, view: PairView) -> Outcome:
    """Run a test as `compare` and `paired_test` name it; see `inverted` for quantiles."""
    outcome = run_test(name, view)
    return with_quantiles(view, outcome) if name == studentized.NAME else outcome


def choices(names: tuple[str, ...], indent: int = 8) -> str:
    """Return a list of tests for docstrings, each with the cases for which to choose it."""
    lines = []
    for row in (TESTS[name] for name in names if name in TESTS):
        about = "; ".join(filter(None, [row.when, row.needs and f"for {row.needs}"]))
        lines.append(f'- "{row.name}": {about}.')
    return f"\n{' ' * indent}".join(lines)
