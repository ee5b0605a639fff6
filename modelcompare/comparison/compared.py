"""Evidence as long frames, with the headline, signature and notes of tables and figures."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray, BoolArray, FloatArray, IntArray
from modelcompare.comparison.correction import corrected_bounds
from modelcompare.comparison.evidence import Evidence, winners
from modelcompare.comparison.notes import notes
from modelcompare.comparison.standings import compact_letters, rank_bounds, share_of_best, tiers
from modelcompare.engine.axis import pair_frame, score_frame
from modelcompare.engine.parallel import one_blas_thread
from modelcompare.intervals import difference_method
from modelcompare.intervals.ratios import detectable
from modelcompare.intervals.unknown import turned_by_convention
from modelcompare.metrics.planning import positive_note
from modelcompare.report.numbers import decimals_for, format_number
from modelcompare.significance.studentized import n_groups
from modelcompare.words import Answer, signature

# Of a test that detects a difference.
POWER = 0.8


@dataclass(frozen=True)
class Compared(Evidence):
    """Evidence as frames of scores, differences, standings and leads, with a headline."""

    @property
    def name(self) -> str | None:
        """Source of the predictions."""
        return self.bootstrap.evaluation.predictions.name

    @cached_property
    @one_blas_thread()
    def announced(self) -> BoolArray:
        """True for differences that are significant, (n_pairs, n_values).

        By the corrected p-value or, of values `by_interval`, the corrected interval.
        """
        shown: BoolArray = self.p_adjusted < self.alpha
        if len(shown) and self.by_interval.any():
            low, high = self.corrected
            shown = np.where(self.by_interval, (low > 0) | (high < 0), shown)
        return shown

    @cached_property
    def ahead(self) -> BoolArray:
        """True if model i is significantly better than j: (n_values, n_models, n_models).

        Where the direction is not known, it is higher.
        """
        (a, b), n_models = self.pairs, len(self.models)
        signed = self.difference.T * self.direction[:, None]
        out = np.zeros((len(self.direction), n_models, n_models), dtype=bool)
        out[:, a, b] = self.announced.T & (signed > 0)
        out[:, b, a] = self.announced.T & (signed < 0)
        return out

    @cached_property
    def rank_range(self) -> tuple[IntArray, IntArray]:
        """Confidence bounds of each model's rank, each (n_models, n_values)."""
        return rank_bounds(self.ahead)

    @property
    def winner(self) -> AnyArray:
        """Name of the significantly better model, or None: (n_pairs, n_values)."""
        a_leads = self.difference * self.direction > 0
        return winners(self.models, *self.pairs, a_leads, self.announced & self.directed)

    @cached_property
    @one_blas_thread()
    def scores(self) -> pd.DataFrame:
        """Frame of `Comparison.scores`."""
        interval, (rank_low, rank_high) = self.score_interval, self.rank_range
        return score_frame(
            self.models, self.keys, estimate=self.point,
            standard_error=self.bootstrap.standard_error(),
            ci_low=interval.low, ci_high=interval.high, n_undefined=self.bootstrap.n_undefined,
            rank=self.of_merit(self.ranks), rank_low=self.of_merit(rank_low),
            rank_high=self.of_merit(rank_high), method=interval.method,
        )  # fmt: skip

    @cached_property
    @one_blas_thread()
    def differences(self) -> pd.DataFrame:
        """Frame of `Comparison.differences`."""
        tests = np.array([self.tests[key.metric] for key in self.keys], dtype=object)
        tests = np.broadcast_to(tests, self.p_values.shape)
        if self.ways is not None:
            tests = np.where(tests == self.test, tests + ": " + self.ways, tests)
        interval = self.difference_interval
        return pair_frame(
            self.models, *self.pairs, self.keys, difference=self.difference,
            standard_error=self.error, ci_low=interval.low, ci_high=interval.high,
            p_value=self.p_values, p_adjusted=self.p_adjusted, better=self.winner,
            method=interval.method,
            test=tests,
        )  # fmt: skip

    @cached_property
    def standings(self) -> pd.DataFrame:
        """Frame of `Comparison.standings`."""
        parts, of_items = [], not self.bootstrap.design.beyond_items
        for at, key in enumerate(self.keys):
            ahead, point, order = self.ahead[at], self.point[:, at], self.order[:, at]
            known = bool(self.directed[at])
            frame = score_frame(
                self.models, [key], estimate=point,
                tier=tiers(ahead, order) if known else math.nan,
                may_be_best=~ahead.any(axis=0) & ~np.isnan(point) if known else None,
                letters=np.array(compact_letters(ahead | ahead.T, order), dtype=object),
                # Resamples are of items: they do not know which model's new runs are best.
                p_best=(
                    share_of_best(self.bootstrap.draws[:, :, at] * self.direction[at])
                    if of_items and known
                    else math.nan
                ),
            )  # fmt: skip
            parts.append(frame.iloc[order])
        return pd.concat(parts, ignore_index=True)

    @cached_property
    def leads(self) -> pd.DataFrame:
        """Frame of `Comparison.leads`."""
        return self._lead_frame(every=False)

    @cached_property
    def all_leads(self) -> pd.DataFrame:
        """Frame of `leads` for all pairs: the better model minus the other."""
        return self._lead_frame(every=True)

    @cached_property
    def lead_numbers(self) -> dict[tuple[int, str, str], tuple[float, float, float, float]]:
        """Lead, bounds and adjusted p-value of `leads`, by position of the value and models."""
        leads, n_rows = self.leads, len(self.models) - 1
        numbers = leads[["lead", "ci_low", "ci_high", "p_adjusted"]].to_numpy(float).tolist()
        named = zip(leads["model"].tolist(), leads["other"].tolist(), strict=True)
        return {(row // n_rows, *both): (*numbers[row],) for row, both in enumerate(named)}

    @cached_property
    def corrected(self) -> FloatArray:
        """Bounds of all differences, corrected like p-values, of shape (2, n_pairs, n_values)."""
        return corrected_bounds(self, np.arange(len(self.pairs[0])))

    @cached_property
    def by_convention(self) -> BoolArray:
        """Differences that turn without classes that are 0 / 0, (n_pairs, n_values)."""
        evaluation, pairs = self.bootstrap.evaluation, self.pairs
        found = {m.name: turned_by_convention(evaluation, m, pairs) for m in evaluation.metrics}
        return np.stack([found[key.metric] for key in self.keys], axis=1)

    @cached_property
    def detectable(self) -> FloatArray:
        """Smallest difference that is significant with power 0.8, (n_pairs, n_values).

        At the level of Bonferroni's correction, as `sample_size` computes it at this level.
        """
        tests = np.array([self.n_tests(key.metric) for key in self.keys])
        return detectable(self.error, self.alpha / tests, POWER)

    def detects(self, pair: int, at: int) -> str:
        """Return a clause: the difference that this test set detects; empty if it is not known."""
        least = float(self.detectable[pair, at])
        # More samples do not reduce what runs, or a few labels, add to the error.
        if self.bootstrap.design.beyond_items or not 0 < least < math.inf:
            return ""
        metric = self.keys[at].metric
        low, high = self.metric_info[metric].bounds
        what = (
            "no difference" if least > high - low else format_number(least, self.decimals[metric])
        )
        return f"this test set detects {what}"

    def answer(self, at: int, model: int, other: int) -> Answer:
        """Return whether a model is significantly better than another, or worse.

        Without a direction nothing is better.
        """
        if self.directed[at] and self.ahead[at, model, other]:
            return "shown"
        worse = self.directed[at] and self.ahead[at, other, model]
        return "shown otherwise" if worse else "not enough data"

    @property
    def signature(self) -> str:
        """Line of `Comparison.signature`."""
        evaluation = self.bootstrap.evaluation
        unit, paired = evaluation.access.unit, len(self.models) > 1
        intervals = [self.method, *([difference_method(self.method)] if paired else [])]
        tests = [self.test, *self.tests_used.values()]
        corrections = [self.correction, *self.corrections_used.values()]
        units, scheme = evaluation.units, self.bootstrap.scheme
        corrected = paired and self.correction != "none"
        return signature(
            n=self.n_samples,
            **{unit: units.n_units if unit != "samples" else None},
            **self.bootstrap.scope.settings,
            B=self.n_resamples, ci="/".join(dict.fromkeys(intervals)),
            test="/".join(dict.fromkeys(tests)), adjust="/".join(dict.fromkeys(corrections)),
            family="all" if self.family == "all" else None, baseline=self.baseline,
            tests="+".join(map(str, self.family_sizes.values())) if corrected else None,
            swaps=0 if self.ways is not None and not self.n_swaps else None,
            rng=self.rng_label, groups=self.swapped_groups, stratified=units.strata is not None,
            **{scheme: scheme != "multinomial"},
            collapsed=evaluation.collapsed and not self.bootstrap.design.beyond_items,
            **{m.name: f"[{m.signature()}]" for m in evaluation.metrics if m.signature},
        )  # fmt: skip

    @property
    def swapped_groups(self) -> int | None:
        """Number of groups of samples that the test swaps; None if it swaps samples."""
        paired = len(self.models) > 1
        ways = None if self.ways is None else np.where(np.isnan(self.p_values), "", self.ways)
        return n_groups(self.bootstrap.evaluation, self.test, ways) if paired else None

    @cached_property
    def decimals(self) -> dict[str, int]:
        """Number of decimals that each metric's standard errors justify, for all texts."""
        errors = self.scores.groupby("metric")["standard_error"]
        return {metric: decimals_for(errors.get_group(metric)) for metric in self.metrics}

    @property
    def headline(self) -> str:
        """Source, and numbers of models and samples."""
        models = f"{len(self.models):,} model{'s' * (len(self.models) != 1)}"
        name = f"{self.name}: " if self.name else ""
        return f"{name}{models}, {self.size}"

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """Scope of the conclusions (runs, given thresholds), and where few samples decide."""
        source = self.bootstrap.evaluation.access.source
        return (*self.bootstrap.scope.notes, *source.notes, *self.clipped, *self.few)

    @property
    def positive_notes(self) -> tuple[str, ...]:
        """The positive class of each metric that depends on which it is."""
        predictions, known = self.bootstrap.evaluation.predictions, self.metric_info.values()
        return tuple(note for metric in known for note in positive_note(metric, predictions))

    @cached_property
    def remarks(self) -> dict[str, list[str]]:
        """Notes below the table of each metric."""
        found = {metric: notes(self, metric) for metric in self.metrics}
        found[self.metrics[-1]] += self.left_out
        return found

    def _lead_frame(self, *, every: bool) -> pd.DataFrame:
        """Make the rows of `leads`; with `every`, of all pairs, better model minus the other."""
        sides = [self._sides(order, every=every) for order in self.order.T]
        first, second = (np.concatenate(side) for side in zip(*sides, strict=True))
        at = np.repeat(np.arange(len(sides)), [len(side) for side, _ in sides])
        pair, direction = self.row_of[first, second], self.direction[at]
        rows = np.unique(pair)
        bounds = np.full((2, *self.p_values.shape), np.nan)
        bounds[:, rows] = corrected_bounds(self, rows)
        turn = direction * np.where(self.pairs[0][pair] == first, 1.0, -1.0)
        low, high = np.sort(turn * bounds[:, pair, at], axis=0)
        beyond = self.bootstrap.design.beyond_items
        names, keys = np.array(self.models, dtype=object), [self.keys[k] for k in at.tolist()]
        return pd.DataFrame({
            "model": names[first], "other": names[second], "metric": [key.metric for key in keys],
            "label": pd.Series([key.label for key in keys], dtype=object),
            "lead": direction * (self.point[first, at] - self.point[second, at]),
            "standard_error": self.error[pair, at], "ci_low": low, "ci_high": high,
            "p_adjusted": self.p_adjusted[pair, at], "significant": self.announced[pair, at],
            "detectable": np.where(beyond, np.nan, self.detectable[pair, at]),
        })  # fmt: skip

    def _sides(self, order: IntArray, *, every: bool) -> tuple[IntArray, IntArray]:
        """Return the two models of each row, given the models from best to worst."""
        if self.baseline is not None:
            baseline = self.models.index(self.baseline)
            others = order[order != baseline]
            return others, np.full(len(others), baseline)
        if every:
            first, second = np.triu_indices(len(order), 1)
            return order[first], order[second]
        return np.full(len(order) - 1, order[0]), order[1:]
