"""Tables of a study of variances: by size of the test set, and of tests on the replicates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from modelcompare.plugins.paper.pairs import Pair, at_part
from modelcompare.report.numbers import decimals_for
from modelcompare.report.tables import Table, column, rows_at

_NAMES = {
    "f": "F", "bartlett": "Bartlett", "levene": "Levene", "brown-forsythe": "Brown-Forsythe",
    "fligner": "Fligner-Killeen", "pitman-morgan": "Pitman-Morgan",
}  # fmt: skip


def table_of_sizes(
    pair: Pair, distribution: pd.DataFrame, ratios: pd.DataFrame, separated: pd.DataFrame | None
) -> Table:
    """Make the table of a pair of metrics, a row for each size of the test set.

    Parameters
    ----------
    pair : (str, str)
        Metrics a and b.
    distribution, ratios : DataFrame
        Frames `VarianceStudy.distribution` and `variance_ratios`.
    separated : DataFrame or None
        Frame `VarianceStudy.separated`; None for one model.
    """
    found = _by_ratio(distribution)["n_samples"].first().to_frame()
    shares = {} if separated is None else dict(zip("ab", pair, strict=True))
    for side, name in zip("ab", pair, strict=True):
        variance = _by_ratio(rows_at(distribution, metric=name))["variance"].median()
        found[f"sd of {side}"] = np.sqrt(variance)
    of_pair = _by_ratio(rows_at(ratios, metric_a=pair[0], metric_b=pair[1]))
    found["ratio of variances"] = of_pair["variance_ratio"].median()
    found["interval above 1"] = of_pair["ci_low"].agg(lambda low: (low > 1).mean())
    for side, name in shares.items():
        shown = _by_ratio(rows_at(separated, metric=name))
        found[f"separated by {side}"] = shown["n_separated"].sum() / shown["n_pairs"].sum()
    return Table.of(
        f"{pair[0]} (a) and {pair[1]} (b)", found.reset_index(), column("part", "ratio"),
        column("samples", "n_samples"),
        *(column(f"sd of {side}", kind="estimate") for side in "ab"),
        column("ratio of variances", kind="estimate", decimals=2),
        column("interval above 1", kind="share"),
        *(column(f"separated by {side}", kind="share") for side in shares),
        # A thousand resamples determine no third digit of a standard deviation.
        decimals=[decimals_for([each]) for each in found[["sd of a", "sd of b"]].min(axis=1)],
    )  # fmt: skip


def key_of_sizes(confidence_level: float) -> str:
    """Explain the columns of `table_of_sizes`."""
    return (
        "sd: standard deviation; sd and ratio are medians over models and classes. interval above "
        "1: share of models and classes whose interval of the ratio lies above 1. separated: share "
        f"of pairs of models, with p < {1 - confidence_level:.6g}."
    )


def table_of_tests(tests: pd.DataFrame, note: str) -> Table:
    """Make the table of significant tests, a row for each pair of metrics and test."""
    shown = tests.assign(
        metrics=tests["metric_a"] + ", " + tests["metric_b"], shown=tests["p_value"] < 0.05,
        test=tests["test"].map(_NAMES),
    )  # fmt: skip
    shares = shown.pivot_table("shown", ["metrics", "test"], "ratio", "mean", sort=False)
    shares.columns = [*map(at_part, shares)]
    return Table.of(
        "Tests of equal variances of the replicates", shares.reset_index(),
        column("metrics", kind="leader"), "test", *(column(each, kind="share") for each in shares),
        notes=[note], on_request=True, subtitle="share with p < 0.05, by part of the test set",
    )  # fmt: skip


def _by_ratio(frame: pd.DataFrame) -> Any:
    return frame.groupby("ratio", sort=False)
