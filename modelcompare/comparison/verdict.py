"""The verdict: one sentence for each metric and class."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from modelcompare.arrays import IntArray
from modelcompare.comparison.compared import Compared
from modelcompare.intervals.ratios import normal_quantile
from modelcompare.report.document import Finding
from modelcompare.report.numbers import (
    format_number,
    format_size,
    interval_clause,
    joined,
    p_clause,
)
from modelcompare.words import value_name

_POWER = 0.8
_MOST_NAMES = 4


@dataclass(frozen=True)
class Verdict:
    """Sentences on who leads, who is tied, who is beaten, and what would settle it."""

    evidence: Compared

    @property
    def findings(self) -> list[Finding]:
        """One sentence for each metric and class."""
        found = zip(self.evidence.keys, self.evidence.sameness, strict=True)
        return [
            Finding(f"{value_name(key.metric, key.label)}: {self._sentence(position)}",
                    key.metric, sameness)
            for position, (key, sameness) in enumerate(found)
        ]  # fmt: skip

    def _digits(self, position: int) -> int:
        return self.evidence.decimals(self.evidence.keys[position].metric)

    def _names(self, models: list[int]) -> str:
        return _listed([self.evidence.models[model] for model in models])

    def _sentence(self, position: int) -> str:
        found, point = self.evidence, self.evidence.point[:, position]
        order = found.order[:, position]
        order = order[~np.isnan(point[order])]
        if len(order) == 0:
            return "undefined for every model on this test set."
        leader, others = int(order[0]), [int(i) for i in order[1:]]
        models, digits = found.models, self._digits(position)
        best = format_number(point[leader], digits)
        if len(models) == 1:
            ends = found.score_interval.low[0, position], found.score_interval.high[0, position]
            interval = interval_clause(*ends, digits, found.confidence_level)
            return f"{models[0]} scores {best} ({interval})."
        if found.baseline is not None:
            return self._against_baseline(position, order)
        if not others:
            undefined = [i for i in range(len(models)) if i != leader]
            return f"{models[leader]} scores {best}; it is undefined for {self._names(undefined)}."
        beaten = [i for i in others if found.better[position, leader, i]]
        tied = [i for i in others if i not in beaten]
        if not tied:
            return (
                f"{models[leader]} leads ({best}) and is better than {self._names(beaten)} "
                f"({self._largest_p(position, leader, beaten)})."
            )
        first = self._tie(position, leader, tied, best)
        who = models[leader] if " are level at " in first else "it"
        behind = f"; {who} is better than {self._names(beaten)}" if beaten else ""
        return f"{first}{behind}.{self._what_would_settle(position, leader, tied[0])}"

    def _tie(self, position: int, leader: int, tied: list[int], best: str) -> str:
        """Name the models with the leader's very value, and those not different from it."""
        point, models = self.evidence.point[:, position], self.evidence.models
        clause = self._difference_clause(position, leader, tied[0])
        level = [i for i in tied if math.isclose(point[leader], point[i], rel_tol=1e-12)]
        if not level:
            rival = models[tied[0]] + (f" and {len(tied) - 1} more" if len(tied) > 1 else "")
            return f"{models[leader]} leads ({best}) but cannot be told from {rival} ({clause})"
        together = f"{self._names([leader, *level])} are level at {best} ({clause})"
        apart = [i for i in tied if i not in level]
        return f"{together} and cannot be told from {self._names(apart)}" if apart else together

    def _against_baseline(self, position: int, order: IntArray) -> str:
        """Name the models better, and worse, than the baseline, and those not different."""
        found = self.evidence
        models, baseline = found.models, found.models.index(found.baseline or "")
        point = found.point[baseline, position]
        named = f"the baseline {models[baseline]} ({format_number(point, self._digits(position))})"
        others = [int(i) for i in order if i != baseline]
        if math.isnan(point) or not others:
            return f"{named} has nothing to be compared with."
        better, worse = found.better[position, :, baseline], found.better[position, baseline]
        parts = []
        for word, shown in (("better", better), ("worse", worse)):
            if group := [i for i in others if shown[i]]:
                verb = "is" if len(group) == 1 else "are"
                p_values = self._largest_p(position, baseline, group)
                parts.append(f"{self._names(group)} {verb} {word} than {named} ({p_values})")
        if tied := [i for i in others if not better[i] and not worse[i]]:
            clause = self._difference_clause(position, tied[0], baseline)
            what = "it" if parts else named
            parts.append(f"{self._names(tied)} cannot be told from {what} ({clause})")
        settle = self._what_would_settle(position, tied[0], baseline) if len(tied) == 1 else ""
        return f"{'; '.join(parts)}.{settle}"

    def _difference_clause(self, position: int, a: int, b: int) -> str:
        """Write the lead of a over b with interval and p-value, both corrected alike."""
        found, digits = self.evidence, self._digits(position)
        n_rows = len(found.models) - 1
        rows = found.leads.iloc[position * n_rows : (position + 1) * n_rows]
        row = rows[(rows["model"] == found.models[a]) & (rows["other"] == found.models[b])].iloc[0]
        difference = format_number(row["lead"], digits, signed=True)
        interval = interval_clause(row["ci_low"], row["ci_high"], digits, found.confidence_level)
        n_tests = found.n_tests(found.keys[position].metric)
        both = f", both for {n_tests:,} tests" if n_tests > 1 else ""
        return f"{difference}, {interval}, {p_clause(row['p_adjusted'])}{both}"

    def _largest_p(self, position: int, leader: int, beaten: list[int]) -> str:
        several, rows = len(beaten) > 1, self.evidence.row_of[leader, beaten]
        worst = float(self.evidence.p_adjusted[rows, position].max())
        return f"{'all ' if several else ''}{p_clause(worst, at_most=several)}"

    def _what_would_settle(self, position: int, a: int, b: int) -> str:
        """Estimate the samples that would show the observed difference at the corrected level."""
        from scipy.special import ndtri

        found = self.evidence
        difference = found.point[a, position] - found.point[b, position]
        error = found.error[found.row_of[a, b], position]
        if difference == 0 or error == 0:
            return ""
        alpha = found.alpha / found.n_tests(found.keys[position].metric)
        quantiles = normal_quantile(1 - alpha) + ndtri(_POWER)
        needed = found.n_samples * float(quantiles * error / difference) ** 2
        if not math.isfinite(needed) or needed > 1e9:
            return " No test set of a practical size would tell them apart."
        if needed <= found.n_samples:
            return ""
        return (
            f" About {format_size(needed)} samples would tell them apart if the true "
            f"difference is what was observed (power {_POWER:g})."
        )


def _listed(names: list[str]) -> str:
    more = len(names) - _MOST_NAMES
    return joined(names) if more <= 0 else f"{', '.join(names[:_MOST_NAMES])} and {more} more"
