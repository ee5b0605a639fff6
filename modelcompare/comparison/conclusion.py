"""The answer of a comparison in a line or two: who leads, or who may replace the baseline."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from modelcompare.arrays import BoolArray, FloatArray, IntArray
from modelcompare.comparison.compared import Compared
from modelcompare.comparison.leaders import leaders_of
from modelcompare.directions import words_of
from modelcompare.engine.axis import ValueKey
from modelcompare.escape import shell
from modelcompare.metrics import Metric
from modelcompare.metrics.base import AnyMetric
from modelcompare.report.document import Finding
from modelcompare.report.numbers import format_number, joined, some_of
from modelcompare.significance.pairwise import all_pairs
from modelcompare.words import Answer, label_name, value_name

# Candidates with a sentence each.
_MOST_CANDIDATES = 3
_MAY: dict[Answer, str] = {"shown": "yes", "shown otherwise": "no", "not enough data": "not shown"}


def all_of(answers: Iterable[Answer]) -> Answer:
    """Return the answer to whether all claims hold."""
    found = {*answers}
    if found == {"shown"}:
        return "shown"
    return "shown otherwise" if "shown otherwise" in found else "not enough data"


def conclusions(found: Compared) -> list[Finding]:
    """Return the answer about all averages together; of metrics per class alone, about these.

    A single value has its own sentence; that is the answer unless there is a baseline.
    """
    if len(found.models) == 1 or (len(found.keys) == 1 and found.baseline is None):
        return []
    baseline = found.baseline is not None
    texts = Conclusion(found).of_candidates() if baseline else Leaders.of(found).sentences()
    return [Finding(text) for text in texts]


def conclusions_of_frames(
    scores: pd.DataFrame, differences: pd.DataFrame, value: str, keys: Sequence[ValueKey],
    metrics: Mapping[str, AnyMetric], decimals: Mapping[str, int], what: str,
) -> list[Finding]:  # fmt: skip
    """Return the answer about a column of scores, means over test sets for example.

    None if there is a single value, one is missing, or the better direction of one is not known:
    then the sentences about each value are the answer.
    """
    models = tuple(dict.fromkeys(scores["model"]))
    point = scores[value].to_numpy(np.float64).reshape(len(models), len(keys))
    directed = all(metrics[key.metric].greater_is_better is not None for key in keys)
    if len(models) < 2 or len(keys) < 2 or np.isnan(point).any() or not directed:
        return []
    (a, b), names = all_pairs(len(models)), np.array(models, dtype=object)
    better = differences["better"].to_numpy(dtype=object).reshape(len(a), len(keys))
    ahead = np.zeros((len(keys), len(models), len(models)), dtype=bool)
    ahead[:, a, b] = (better == names[a, None]).T
    ahead[:, b, a] = (better == names[b, None]).T
    merit = [-1.0 if metrics[key.metric].greater_is_better is False else 1.0 for key in keys]
    order = np.argsort(-point * merit, axis=0, kind="stable")
    leaders = Leaders(models, keys, point, order, ahead, metrics, decimals)
    return [Finding(f"{what}: {text}") for text in leaders.sentences()]


def decision(found: Compared) -> pd.DataFrame:
    """Return the frame of `Comparison.decision`."""
    at = np.repeat(np.arange(len(found.keys)), len(found.models) - 1)
    made = found.leads.drop(columns="significant")
    sides = (made[side].map(found.models.index) for side in ("model", "other"))
    made = made.assign(answer=[found.answer(*each) for each in zip(at, *sides, strict=True)])
    asked = made[np.isin(at, averages(found.keys)) & found.directed[at]]
    overall = asked.groupby(["model", "other"], sort=False)["answer"].agg(all_of).to_dict()
    pairs = zip(made["model"], made["other"], strict=True)
    return made.assign(overall=[overall.get(pair) for pair in pairs])


def averages(keys: Sequence[ValueKey]) -> list[int]:
    """Return the positions of the averages, or of all values if there are no averages."""
    return [at for at, key in enumerate(keys) if key.label is None] or [*range(len(keys))]


@dataclass(frozen=True)
class Leaders:
    """Sentences on who has the best values, of a test set or of several together.

    Parameters
    ----------
    models, keys
        Axes of the models and of the values.
    point, order : ndarray of shape (n_models, n_values)
        Values, and the models from best to worst.
    ahead : ndarray of shape (n_values, n_models, n_models)
        True if model i is significantly better than j.
    metrics, decimals : mapping
        Metric, and number of decimals, by name of the metric.
    """

    models: Sequence[str]
    keys: Sequence[ValueKey]
    point: FloatArray
    order: IntArray
    ahead: BoolArray
    metrics: Mapping[str, AnyMetric]
    decimals: Mapping[str, int]

    @classmethod
    def of(cls, found: Compared) -> Leaders:
        """Return those of one test set."""
        return cls(
            found.models, found.keys, found.point, found.order, found.ahead, found.metric_info,
            found.decimals,
        )  # fmt: skip

    def sentences(self) -> Iterator[str]:
        """Yield who has the best values, and whom the leaders are shown to differ from."""
        places = averages(self.keys)
        if self.keys[places[0]].label is not None:
            yield from map(self._of_classes, dict.fromkeys(key.metric for key in self.keys))
            return
        led: dict[tuple[int, ...], list[int]] = {}
        for at in places:
            if best := self._best(at):
                led.setdefault(best, []).append(at)
        clauses = [self._of_leader(best, own) for best, own in led.items()]
        yield from [f"{'; '.join(clauses)}."] if clauses else []
        yield from self._of_confidence(led)

    def _best(self, at: int) -> tuple[int, ...]:
        """Return the models with the best value, several if it is the same but for rounding."""
        values = self.point[:, at].tolist()
        known = [model for model in self.order[:, at].tolist() if not math.isnan(values[model])]
        best = leaders_of(known, [values[model] for model in known])[0] if known else []
        return tuple(best)

    def _of_leader(self, best: tuple[int, ...], places: Sequence[int]) -> str:
        """Return a clause: the values of one leader, and how it compares with the other models."""
        sides: dict[str, list[str]] = {}
        for at in places:
            key = self.keys[at]
            number = format_number(self.point[best[0], at], self.decimals[key.metric])
            side = "lowest" if self._metric(at).greater_is_better is False else "highest"
            sides.setdefault(side, []).append(f"{_name(key)} ({number})")
        values = joined([f"the {side} {joined(named)}" for side, named in sides.items()])
        has = "has" if len(best) == 1 else "have"
        head, relations = f"{self._names(best)} {has} {values}", self._relations(best, places)
        if len(relations) < 2:
            return f"{head}{' and '.join(['', *relations])}"
        return f"{head}; {'it' if len(best) == 1 else 'they'} {joined(relations)}"

    def _relations(self, best: tuple[int, ...], places: Sequence[int]) -> list[str]:
        """Return clauses: models that are not shown to differ from a leader, and worse ones."""
        others = self.order[:, places[0]].tolist()
        others = [i for i in others if i not in best and not np.isnan(self.point[i, places]).any()]
        # Leaders of one value are better than a model if all are.
        ahead = {i: [at for at in places if self.ahead[at, list(best), i].all()] for i in others}
        level = [i for i in others if not ahead[i]]
        worse = [i for i in others if len(ahead[i]) == len(places)]
        verb = "is" if len(best) == 1 else "are"
        better = joined(list(dict.fromkeys(self._better(at) for at in places)), "or")
        clauses = [f"{verb} not shown to differ from {self._names(level)}"] if level else []
        if worse:
            every = len(worse) == len(others) > 2
            names = "all others" if every else self._names(worse)
            clauses.append(f"{verb} {better} than {names}")
        if partly := [i for i in others if ahead[i] and i not in worse]:
            where = joined([_name(self.keys[at]) for at in ahead[partly[0]]])
            where = where if len(partly) == 1 else "some of these"
            clauses.append(f"{verb} {better} than {self._names(partly)} in {where} only")
        return clauses

    def _better(self, at: int) -> str:
        return words_of(self._metric(at).greater_is_better).better

    def _metric(self, at: int) -> AnyMetric:
        return self.metrics[self.keys[at].metric]

    def _of_classes(self, metric: str) -> str:
        """Return a sentence on a metric per class: in how many classes each model leads."""
        places = [at for at, key in enumerate(self.keys) if key.metric == metric]
        led = {at: best for at in places if (best := self._best(at))}
        counts = Counter(model for best in led.values() for model in best).most_common()
        if not counts:
            return f"{metric}: undefined for every model."
        n_clear = sum(
            self.ahead[at, best[0]].sum() == len(self.models) - 1 for at, best in led.items()
        )
        words = words_of(self.metrics[metric].greater_is_better)
        (first, n), *others = counts[:_MOST_CANDIDATES]
        parts = [f"{self.models[first]} {words.leads} in {n:,} of {len(led):,} classes"]
        parts += [f"{self.models[model]} in {n:,}" for model, n in others]
        clear = f"{words.better} than every other model in {n_clear or 'none'} of these"
        return f"{metric}: {joined(parts)}; {clear}."

    def _of_confidence(self, led: dict[tuple[int, ...], list[int]]) -> Iterator[str]:
        """Yield why metrics of probabilities and of decisions name different leaders."""
        of_kind: dict[bool, dict[tuple[int, ...], str]] = {True: {}, False: {}}
        for best, places in led.items():
            for at in places:
                metric = self._metric(at)
                if isinstance(metric, Metric) and metric.kind.has_classes:
                    of_kind[metric.kind.soft].setdefault(best, metric.name)
        pairs = (
            (soft, hard)
            for by_soft, soft in of_kind[True].items()
            for by_hard, hard in of_kind[False].items()
            if not {*by_soft} & {*by_hard}
        )
        for soft, hard in pairs:
            yield (
                f"{soft} also rates how confident the probabilities are, {hard} decisions alone: "
                "calibrate the models on other data first, then compare both (modelcompare compare "
                "FILE -m debiased_ece measures calibration)."
            )
            return

    def _names(self, models: Sequence[int]) -> str:
        return some_of([self.models[model] for model in models])


@dataclass(frozen=True)
class Conclusion:
    """Sentences on who may replace the baseline of a comparison."""

    found: Compared

    def of_candidates(self) -> Iterator[str]:
        """Yield which models may replace the baseline: those that are better in every value."""
        found, places = self.found, averages(self.found.keys)
        known = [at for at in places if found.directed[at]]
        answers = {
            model: all_of(found.answer(at, model, self._baseline) for at in known)
            for model in found.order[:, places[0]].tolist() if model != self._baseline
        }  # fmt: skip
        if not known:
            return
        if len(answers) > _MOST_CANDIDATES:
            of = {answer: [m for m, own in answers.items() if own == answer] for answer in _MAY}
            parts = [f"{_MAY[a]}: {self._names(own)}" for a, own in of.items() if own]
            yield f"May replace {found.baseline}: {'; '.join(parts)}."
        else:
            for model, answer in answers.items():
                yield self._of_candidate(model, answer, known)
        undecided = [model for model, answer in answers.items() if answer == "not enough data"]
        if undecided:
            yield self._what_would_show(undecided[0], known)

    @property
    def _baseline(self) -> int:
        return self.found.models.index(str(self.found.baseline))

    def _of_candidate(self, model: int, answer: Answer, places: Sequence[int]) -> str:
        """Return whether a model may replace the baseline, and by which values."""
        found, baseline = self.found, self._baseline
        by: dict[Answer, list[str]] = {}
        for at in places:
            by.setdefault(found.answer(at, model, baseline), []).append(_name(found.keys[at]))
        words: dict[Answer, str] = {
            "shown otherwise": "worse in", "shown": "better in", "not enough data": "not shown in",
        }  # fmt: skip
        parts = [f"{word} {some_of(by[each])}" for each, word in words.items() if each in by]
        if answer == "not enough data" and len(parts) == 1:
            parts = [self._detects(model, places)]
        head = f"{found.models[model]} may replace {found.baseline}: {_MAY[answer]}"
        return f"{head}{'; ' if answer == 'not enough data' else ', '}{', '.join(parts)}."

    def _detects(self, model: int, places: Sequence[int]) -> str:
        """Return the observed differences beside those that this test set detects."""
        found, row = self.found, self.found.row_of[model, self._baseline]
        parts = []
        for at in places[:2]:
            digits = found.decimals[found.keys[at].metric]
            gain = found.direction[at] * (found.point[model, at] - found.point[self._baseline, at])
            clause = found.detects(row, at)
            observed = f"observed {format_number(gain, digits, signed=True)}"
            parts.append(f"{_name(found.keys[at])}: {', '.join(filter(None, [observed, clause]))}")
        return "; ".join(parts)

    def _what_would_show(self, model: int, places: Sequence[int]) -> str:
        """Return the commands that plan a larger test set, and ask with a margin."""
        found, key = self.found, self.found.keys[places[0]]
        a, b = map(shell, (str(found.baseline), found.models[model]))
        metric = key.metric if key.label is None else f"{key.metric}[{label_name(key.label)}]"
        metric, level = shell(metric), found.alpha / found.n_tests(key.metric)
        return (
            f"What would show it: modelcompare sample-size FILE --model {a} --model {b} -m {metric}"
            f" --alpha {level:.3g}; not worse by a margin M: modelcompare gate FILE --baseline {a} "
            f"--candidate {b} -m {metric} --margin M."
        )

    def _names(self, models: Sequence[int]) -> str:
        return some_of([self.found.models[model] for model in models])


def _name(key: ValueKey) -> str:
    return value_name(key.metric, key.label)
