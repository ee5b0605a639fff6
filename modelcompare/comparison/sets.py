"""Models on several test sets, one by one and pooled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.comparison.compare import compare
from modelcompare.comparison.correction import correct
from modelcompare.comparison.grouped import Grouped, compare_each
from modelcompare.comparison.pooled import PooledSets
from modelcompare.comparison.ranks import compare_ranks, diagram
from modelcompare.comparison.result import Comparison
from modelcompare.comparison.tables import pair_table
from modelcompare.data.predictions import Predictions
from modelcompare.engine.axis import pair_frame, score_frame
from modelcompare.engine.influence import Pairs
from modelcompare.engine.units import THESE_RUNS
from modelcompare.metrics.registry import MetricLike
from modelcompare.report.document import Document
from modelcompare.report.figures.critical_difference import plot_critical_difference
from modelcompare.report.figures.plots import Plots
from modelcompare.report.figures.types import Axes, Figure
from modelcompare.report.tables import VALUE, Table, interval_column
from modelcompare.resampling.seeds import RngLike, rng_label
from modelcompare.significance.pairwise import Outcome, all_pairs
from modelcompare.words import Correction, check_mapping, signature


def plot_ranks(
    result: SetComparison, metric: str | None = None, *, ax: Axes | None = None
) -> Figure:
    """Draw mean ranks by a metric (the first by default); bars over models not told apart."""
    chosen = metric or next(iter(result._ranked_by), result._first.metrics[0])
    return plot_critical_difference(result.friedman(chosen), chosen, result.signature, ax=ax)


@dataclass(frozen=True)
class SetComparison(Grouped):
    """Models on several test sets.

    Attributes
    ----------
    results : dict of str to Comparison
        One comparison for each test set.
    models, confidence_level, alpha, correction
        As in `compare`; the models in the order of the first test set.
    scores, differences : DataFrame
        Those of all test sets, behind a column `set`; corrected within each set.
    """

    _types: ClassVar[Mapping[str, type]] = {"set": str}
    stem: ClassVar[str] = "sets"
    _members: ClassVar[str] = """
        confidence_level alpha correction rng_label signature
        scores: set model metric label estimate standard_error ci_low ci_high n_undefined rank
          rank_low rank_high method
        differences: set model_a model_b metric label difference standard_error ci_low ci_high
          p_value p_adjusted better method test
        pooled_scores?: model metric label estimate ci_low ci_high
        pooled_differences?: model_a model_b metric label difference ci_low ci_high p_value
          p_adjusted
    """
    plot = Plots(critical_difference=plot_ranks)

    @property
    def signature(self) -> str:
        first = self._first
        n_samples = sum(result.n_samples for result in self.results.values())
        pooled = self._pooled() if self._can_be_pooled else None
        return signature(
            "compare_sets", sets=len(self.results), n=n_samples, B=first.n_resamples,
            ci=first.method, ci_pooled=pooled and pooled.method,
            test_pooled=pooled and pooled.test, test=first.test, adjust=self.correction,
            rng=self.rng_label, **{THESE_RUNS: bool(self._notes)},
        )  # fmt: skip

    @property
    def _notes(self) -> list[str]:
        found = {name: result.notes for name, result in self.results.items()}
        return [f"{name}: {note}" for name, notes in found.items() for note in notes]

    def document(self) -> Document:
        level = self.confidence_level
        named = (VALUE, "model", "estimate", interval_column(level))
        tables = {"scores": Table.of("Each test set", self.scores, "set", *named, decimals=None)}
        if self._can_be_pooled:
            tables |= {
                "pooled": Table.of(
                    "Mean over test sets", self.pooled_scores, *named, decimals=None
                ),
                "differences": pair_table(
                    "Differences of means", [VALUE], self.pooled_differences, level, self.correction
                ),
            }
        pooled = () if self._can_be_pooled else ("pooled_scores", "pooled_differences")
        return self._document(tables, findings=self._notes, figures=self._figures(), without=pooled)

    @cached_property
    def pooled_scores(self) -> pd.DataFrame:
        """Mean over test sets, each counting alike.

        Columns: model, metric, label, estimate, ci_low, ci_high. The test sets are independent, and
        taken as given: intervals tell what other samples of the same sets would give, not other
        sets. They join the sets' own intervals (MOVER, and no shorter than their half widths
        joined); of a `method` of replicates they are made of the means of these.
        """
        pooled = self._pooled()
        interval = pooled.interval(self.confidence_level)
        return score_frame(
            self.models, self._first.keys, estimate=pooled.estimate, ci_low=interval.low,
            ci_high=interval.high,
        )  # fmt: skip

    @cached_property
    def pooled_differences(self) -> pd.DataFrame:
        """Differences of the means over test sets.

        Columns: model_a, model_b, metric, label, difference, ci_low, ci_high, p_value, p_adjusted.
        Intervals are made as those of `pooled_scores`, from each set's intervals of differences. A
        p-value is below alpha where the interval at 1 - alpha leaves out 0; of a `method` of
        replicates it is that of the bootstrap shifted to the null. It is not that of `test`, which
        knows one set.
        """
        pooled = self._pooled(pairs := all_pairs(len(self.models)))
        interval = pooled.interval(self.confidence_level)
        p_values = pooled.p_values(self.alpha)
        outcome = Outcome(pooled.estimate, p_values)
        adjusted, _ = correct(pooled, outcome, self.correction, family="metric", alpha=self.alpha)
        return pair_frame(
            self.models, *pairs, self._first.keys,
            difference=pooled.estimate, ci_low=interval.low, ci_high=interval.high,
            p_value=p_values, p_adjusted=adjusted,
        )  # fmt: skip

    def friedman(self, metric: str) -> pd.DataFrame:
        """Mean ranks over test sets, Friedman's test and Nemenyi's critical difference.

        By a metric that is not per class. Columns: model, mean_rank, best first; ``attrs`` hold
        statistic, p_value, critical_difference, p_values (n_models, n_models) of Nemenyi's test,
        and together, which of the frame's models it does not tell apart.
        """
        if len(self.models) < 3:
            raise ValueError(f"Friedman's test needs 3 models, there are {len(self.models)}.")
        if not isinstance(metric, str) or metric not in self._first.metric_info:
            raise ValueError(
                f"metric {metric!r} was not compared; there are {', '.join(self._first.metrics)}."
            )
        info = self._first.metric_info[metric]
        if info.per_class:
            raise ValueError(f"metric {metric!r} is per class; name an average.")
        found = self.results.values()
        values = np.array([each.point[:, each.slice_of(metric).start] for each in found])
        return diagram(compare_ranks(
            pd.DataFrame(values, columns=list(self.models)), test="nemenyi", alpha=self.alpha,
            greater_is_better=info.greater_is_better,
        ))  # fmt: skip

    def _figures(self) -> dict[str, Callable[[], Figure]]:
        """The diagram of each metric that has one value, where models can be ranked."""
        names = self._ranked_by if len(self.models) >= 3 else []
        return {f"ranks_{name}": partial(self.plot.critical_difference, name) for name in names}

    @property
    def _ranked_by(self) -> list[str]:
        """Metrics that have one value."""
        return [name for name, info in self._first.metric_info.items() if not info.per_class]

    @property
    def _can_be_pooled(self) -> bool:
        return all(result.keys == self._first.keys for result in self.results.values())

    def _pooled(self, pairs: Pairs | None = None) -> PooledSets:
        """Means of the models' values, or of the differences of `pairs`."""
        if not self._can_be_pooled:
            raise ValueError(
                "the test sets have different classes, so metrics per class cannot be pooled; name "
                "averages, e.g. f1_macro."
            )
        return PooledSets(self._first.bootstrap, pairs, [*self.results.values()])

    def _named(self, key: str, _: Comparison) -> Mapping[str, object]:
        return {"set": key}


@checked(compare)
def compare_sets(
    sets: Mapping[str, Predictions], metrics: MetricLike | Sequence[MetricLike] | None = None, *,
    confidence_level: float = 0.95, alpha: float = 0.05, correction: Correction = "holm",
    rng: RngLike = 0, **options: Any,
) -> SetComparison:  # fmt: skip
    """Compare the same models on several test sets.

    Parameters
    ----------
    sets : mapping of str to Predictions
        Test sets by name; each holds the same models.
    metrics, confidence_level, alpha, correction, rng
        As in `compare`.
    **options
        Further options of `compare`.

    Returns
    -------
    SetComparison
        Each test set alone, pooled (macro over sets), and ranks over sets. Pooled intervals are
        made of those of `method`; see `SetComparison.pooled_scores`.

    Raises
    ------
    ValueError
        If there is one set only, or models differ between sets.
    """
    check_mapping("sets", sets, "predictions", kind=Predictions)
    if correction == "min-p":
        raise ValueError("min-p steps down within one test set; for several use 'holm' or 'max-t'.")
    if len(sets) < 2:
        raise ValueError("`sets` holds one test set; compare_sets needs 2, use compare.")
    first_name, first = next(iter(sets.items()))
    for name, predictions in sets.items():
        if {*predictions.models} != {*first.models}:
            differ = sorted({*predictions.models} ^ {*first.models})
            raise ValueError(
                f"test sets {first_name!r} and {name!r} hold different models ({differ[0]!r})."
            )
    results = compare_each(
        ((name, name, predictions[list(first.models)]) for name, predictions in sets.items()),
        metrics, what="sets", rng=rng, confidence_level=confidence_level, alpha=alpha,
        correction=correction, **options,
    )  # fmt: skip
    return SetComparison(results, rng_label(rng))
