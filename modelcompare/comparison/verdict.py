"""The verdict: one sentence for each metric and class."""

from __future__ import annotations

import math
from dataclasses import dataclass

from modelcompare.comparison.compared import Compared
from modelcompare.directions import Words, words_of
from modelcompare.intervals.unknown import convention
from modelcompare.report.document import Finding
from modelcompare.report.numbers import (
    EXCLUDES_0,
    format_number,
    grounds,
    interval_clause,
    p_clause,
    some_of,
)
from modelcompare.words import value_name


def findings(result: Compared) -> list[Finding]:
    """Return a sentence per metric and class: leader, ties, worse models."""
    return [
        Finding(
            f"{value_name(key.metric, key.label)}: {_Sentence(result, at).text()}",
            key.metric, result.sameness[at],
        )
        for at, key in enumerate(result.keys)
    ]  # fmt: skip


@dataclass(frozen=True)
class _Sentence:
    """Sentence about one value."""

    found: Compared
    at: int

    def text(self) -> str:
        found, models = self.found, self.found.models
        order = found.order[:, self.at].tolist()
        order = [model for model in order if not math.isnan(found.point[model, self.at])]
        if not order:
            return "undefined for every model on this test set."
        leader, *others = order
        best = self._score(leader)
        if len(models) == 1:
            low, high = found.score_interval.low[0, self.at], found.score_interval.high[0, self.at]
            return f"{models[0]} scores {best} ({self._interval(low, high)})."
        if found.baseline is not None:
            return self._against_baseline(models.index(found.baseline), order)
        if not others:
            return f"{models[leader]} scores {best}{self._undefined}."
        level = [i for i in others if self._are_level(leader, i)]
        beaten = [i for i in others if found.ahead[self.at, [leader, *level], i].any()]
        tied = [i for i in others if i not in beaten]
        if not tied:
            return (
                f"{models[leader]} {self._words.leads} ({best}) and is {self._words.better} than "
                f"{self._names(beaten)} "
                f"({self._grounds(leader, beaten)}){self._undefined}."
                f"{self._by_convention(leader, others)}"
            )
        first = self._tie(leader, tied, level, best)
        behind = self._behind(leader, level, beaten)
        return f"{first}{behind}{self._undefined}.{self._by_convention(leader, others)}"

    def _behind(self, leader: int, level: list[int], beaten: list[int]) -> str:
        """Return clauses: models that the leader, and those of its value, are better than."""
        # Leaders of one value are better than a model if all are: none of them comes first.
        whole = [i for i in beaten if self.found.ahead[self.at, [leader, *level], i].all()]
        better = f"{'they are' if level else 'it is'} {self._words.better} than"
        clause = f"; {better} {self._names(whole)}" if whole else ""
        leads = [self._lead(leader, other) for other in whole]
        enclosed = any(low <= 0 <= high for _, low, high, _ in leads)
        clause += f" ({self._grounds(leader, whole)})" if enclosed else ""
        partly = [i for i in beaten if i not in whole]
        return clause + (
            f"; some of them are {self._words.better} than {self._names(partly)}" if partly else ""
        )

    @property
    def _undefined(self) -> str:
        """Clause on the models without a value, one of which may be the best; empty if none."""
        values = self.found.point[:, self.at].tolist()
        none = [model for model, value in enumerate(values) if math.isnan(value)]
        return f"; it is undefined for {self._names(none)}" if none else ""

    def _by_convention(self, model: int, others: list[int]) -> str:
        """Return a sentence on the models that classes without a value alone set apart."""
        by_convention = self.found.by_convention[:, self.at]
        if not by_convention.any():
            return ""
        turned = by_convention[self.found.row_of[model, others]].tolist()
        apart = [other for other, is_turned in zip(others, turned, strict=True) if is_turned]
        if not apart:
            return ""
        metric = self.found.metric_info[self.found.keys[self.at].metric]
        name = self.found.models[model]
        return f" {name} and {self._names(apart)} are in this order {convention(metric)}."

    def _score(self, model: int) -> str:
        return format_number(self.found.point[model, self.at], self._digits)

    @property
    def _words(self) -> Words:
        return words_of(self.found.metric_info[self.found.keys[self.at].metric].greater_is_better)

    @property
    def _digits(self) -> int:
        return self.found.decimals[self.found.keys[self.at].metric]

    def _interval(self, low: float, high: float) -> str:
        return interval_clause(low, high, self._digits, self.found.confidence_level)

    def _names(self, models: list[int]) -> str:
        return some_of([self.found.models[model] for model in models])

    def _are_level(self, a: int, b: int) -> bool:
        """Return whether two models have the same value, but for rounding."""
        point = self.found.point[:, self.at]
        return math.isclose(point[a], point[b], rel_tol=1e-12)

    def _tie(self, leader: int, tied: list[int], level: list[int], best: str) -> str:
        """Return a clause: models with the same value as the leader, and models not different."""
        models = self.found.models
        clause = self._difference_clause(leader, tied[0])
        if not level:
            rival = models[tied[0]] + (f" and {len(tied) - 1} more" if len(tied) > 1 else "")
            return (
                f"{models[leader]} {self._words.leads} ({best}) but is not significantly different "
                f"from {rival} ({clause})"
            )
        together = f"{self._names([leader, *level])} have the same value, {best} ({clause})"
        apart = [i for i in tied if i not in level]
        others = f" and not significantly different from {self._names(apart)}" if apart else ""
        return f"{together}{others}"

    def _against_baseline(self, baseline: int, order: list[int]) -> str:
        """Return a sentence: models better than, worse than and tied with the baseline."""
        named = f"the baseline {self.found.models[baseline]} ({self._score(baseline)})"
        others = [model for model in order if model != baseline]
        if baseline not in order or not others:
            return f"{named} has nothing to be compared with{self._undefined}."
        of_value, words = self.found.ahead[self.at], self._words
        better, worse = of_value[:, baseline], of_value[baseline]
        parts = []
        for word, shown in ((words.better, better), (words.worse, worse)):
            if group := [i for i in others if shown[i]]:
                verb = "is" if len(group) == 1 else "are"
                p_values = self._grounds(baseline, group)
                parts.append(f"{self._names(group)} {verb} {word} than {named} ({p_values})")
        if tied := [i for i in others if not better[i] and not worse[i]]:
            clause = self._difference_clause(tied[0], baseline)
            what = "it" if parts else named
            verb = "is" if len(tied) == 1 else "are"
            parts.append(
                f"{self._names(tied)} {verb} not significantly different from {what} ({clause})"
            )
        return f"{'; '.join(parts)}{self._undefined}.{self._by_convention(baseline, others)}"

    def _difference_clause(self, a: int, b: int) -> str:
        """Return the lead of a over b, its interval and p-value, and what the test set detects."""
        lead, low, high, p_value = self._lead(a, b)
        difference = format_number(lead, self._digits, signed=True)
        p = f"{'of exchangeability ' * self._by_interval}{p_clause(p_value)}"
        apart = not self._by_interval and (low > 0 or high < 0)
        detects = self.found.detects(int(self.found.row_of[a, b]), self.at)
        beside = f"; {detects}" if detects else ""
        return f"{difference}, {self._interval(low, high)}, {p}{beside}{EXCLUDES_0 * apart}"

    def _grounds(self, one: int, others: list[int]) -> str:
        """Return what the differences of a model from others are significant by."""
        names = self.found.models
        found = {names[other]: self._lead(one, other)[1:] for other in others}
        return grounds(found, self.found.confidence_level, by_interval=self._by_interval)

    @property
    def _by_interval(self) -> bool:
        return bool(self.found.by_interval[self.at])

    def _lead(self, a: int, b: int) -> tuple[float, float, float, float]:
        """Return lead, interval and p-value of two models, in the order of `Compared.leads`."""
        known, (one, other) = self.found.lead_numbers, (self.found.models[x] for x in (a, b))
        return known.get((self.at, one, other)) or known[self.at, other, one]
