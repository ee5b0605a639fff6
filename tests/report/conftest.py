"""Comparisons with invented numbers: the report room is tested without any statistics."""

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from modelcompare.comparison.compared import Compared
from modelcompare.comparison.result import Comparison
from modelcompare.engine.axis import ValueKey
from modelcompare.engine.design import Design, Estimator
from modelcompare.engine.scope import Scope
from modelcompare.intervals import Interval
from modelcompare.report.document import Finding
from modelcompare.words import is_missing

DIFFERENCE_COLUMNS = [
    "model_a", "model_b", "metric", "label", "difference", "standard_error", "ci_low", "ci_high",
    "p_value", "p_adjusted", "better", "method", "test",
]  # fmt: skip

NAMES = [
    "\x1b]0;owned\x07\x1b[2Jbert",
    "a\nb",
    "c\r\u2028\x9b31m\u202egnp",
    "=cmd|'/c calc'!A0",
    "<img src=x onerror=alert(1)>",
    "::error::x",
    "# h1 ##[error]y",
    "a|b",
    "[x](javascript:alert(1)) &lt;",
    "$\\frac{1}{2} \\input{x} * ~ ^ %",
]

ACCESS = SimpleNamespace(unit="samples", sums=None, abilities=frozenset())


def _first_places(frame):
    """Where each metric and class of a frame begins."""
    return frame.groupby(["metric", "label"], dropna=False, sort=False).ngroup()


class MadeEvidence(Compared):
    """Evidence of invented frames, whose arrays are those of the frames.

    Tests may change its frames until it is first read: what follows from them is kept then.
    """

    __setattr__ = object.__setattr__
    name = "made.npz"
    n_samples, n_resamples, size = 9824, 9999, "9,824 samples"
    notes, swapped_groups = (), None
    signature = metric_info = models = None
    bootstrap = SimpleNamespace(design=Design(None), estimator=Estimator(None), scope=Scope(9824), evaluation=SimpleNamespace(
        predictions=SimpleNamespace(labels=None, sample_weight=None, access=ACCESS),
        access=ACCESS,
        units=SimpleNamespace(strata=None),
    ))  # fmt: skip

    def __init__(self, scores, differences, metric_info, models, sentences):
        self.scores, self.differences = scores, differences
        self.metric_info, self.models = metric_info, models
        self.method, self.test, self.correction, self.family = (
            "BCa", "permutation", "holm", "metric",
        )  # fmt: skip
        self.alpha, self.baseline = 0.05, None
        self.tests_used, self.corrections_used, self.rng_label = {}, {}, "0"
        self.signature = (
            "modelcompare:0.1.0|n:9824|B:9999|ci:BCa|test:permutation|adjust:holm|rng:0"
        )
        self.sentences, self.warned = sentences, ()

    @cached_property
    def keys(self):
        pairs = self.scores[["metric", "label"]].drop_duplicates().itertuples(index=False)
        return [ValueKey(metric, None if is_missing(label) else label) for metric, label in pairs]

    @property
    def directed(self):
        return np.array(
            [self.metric_info[key.metric].greater_is_better is not None for key in self.keys]
        )

    def slice_of(self, metric):
        places = [place for place, key in enumerate(self.keys) if key.metric == metric]
        return slice(places[0], places[-1] + 1)

    @property
    def pairs(self):
        return np.triu_indices(len(self.models), 1)

    def _of(self, frame, *columns):
        """Arrays of a row for each model or pair and a column for each value."""
        frame = frame[[*columns]].astype(float)
        return [frame[name].to_numpy().reshape(len(self.keys), -1).T for name in columns]

    point = cached_property(lambda self: self._of(self.scores, "estimate")[0])
    ranks = cached_property(lambda self: self._of(self.scores, "rank")[0])
    rank_range = cached_property(lambda self: self._of(self.scores, "rank_low", "rank_high"))
    difference = cached_property(lambda self: self._of(self.differences, "difference")[0])
    error = cached_property(lambda self: self._of(self.differences, "standard_error")[0])
    p_values = cached_property(lambda self: self._of(self.differences, "p_value")[0])
    p_adjusted = cached_property(lambda self: self._of(self.differences, "p_adjusted")[0])
    leads = cached_property(lambda self: self._turned(every=False))
    all_leads = cached_property(lambda self: self._turned(every=True))

    @cached_property
    def score_interval(self):
        low, high = self._of(self.scores, "ci_low", "ci_high")
        return Interval.of(low, high, "BCa")

    @cached_property
    def corrected(self):
        return self.difference - 2 * self.error, self.difference + 2 * self.error

    @property
    def remarks(self):
        return {metric: [] for metric in self.metrics}

    def _turned(self, *, every):
        """Later models are better, so that model b is ahead of model a; the best come first."""
        pairs = self.differences
        pairs = pairs if every else pairs[pairs["model_b"] == self.models[-1]]
        place = pairs[["model_b", "model_a"]].map(self.models.index)
        up = pairs["metric"].map(lambda name: 1 if self.metric_info[name].greater_is_better else -1)
        half = 2 * pairs["standard_error"]
        frame = pd.DataFrame({
            "model": pairs["model_b"], "other": pairs["model_a"], "metric": pairs["metric"],
            "label": pairs["label"], "lead": -up * pairs["difference"],
            "ci_low": -up * pairs["difference"] - half, "ci_high": -up * pairs["difference"] + half,
            "p_adjusted": pairs["p_adjusted"], "significant": pairs["p_adjusted"] < self.alpha,
            "detectable": 3.3 * pairs["standard_error"],
        })  # fmt: skip
        frame = frame.assign(b=-place["model_b"], a=-place["model_a"], at=_first_places(frame))
        return frame.sort_values(["at", "b", "a"], kind="stable", ignore_index=True)


class MadeComparison(Comparison):
    """A comparison of invented evidence, through which this is read and set."""

    def __init__(self, evidence):
        object.__setattr__(self, "evidence", evidence)

    def __getattr__(self, name):
        return getattr(self.evidence, name)

    def __setattr__(self, name, value):
        setattr(self.evidence, name, value)

    @property
    def _findings(self):
        return [Finding(sentence) for sentence in self.sentences]


def make_comparison(
    models: Sequence[str] = ("bow", "cnn", "lstm"),
    metrics: Sequence[str] = ("accuracy",),
    labels: dict[str, Sequence[Any]] | None = None,
    *,
    lower_is_better: Sequence[str] = (),
    standard_error: float = 0.005,
    center: float = 0.7,
) -> MadeComparison:
    """Estimates that rise by one standard error from model to model, later models being better."""
    scores, differences = [], []
    for metric in metrics:
        sign = -1 if metric in lower_is_better else 1
        for shift, label in enumerate((labels or {}).get(metric, [None])):
            estimates = center + standard_error * (sign * np.arange(len(models)) + 2.5 * shift)
            scores += [
                {
                    "model": model,
                    "metric": metric,
                    "label": label,
                    "estimate": estimate,
                    "standard_error": standard_error,
                    "ci_low": estimate - 2 * standard_error,
                    "ci_high": estimate + 2 * standard_error,
                    "n_undefined": 0,
                    "rank": len(models) - place,
                    "rank_low": max(len(models) - place - 1, 1),
                    "rank_high": min(len(models) - place + 1, len(models)),
                    "method": "BCa",
                }
                for place, (model, estimate) in enumerate(zip(models, estimates, strict=True))
            ]
            for a, b in combinations(range(len(models)), 2):
                difference = estimates[a] - estimates[b]
                p_value = min(1.0, 2.0 ** -abs(b - a))
                differences.append(
                    {
                        "model_a": models[a],
                        "model_b": models[b],
                        "metric": metric,
                        "label": label,
                        "difference": difference,
                        "standard_error": standard_error,
                        "ci_low": difference - 2 * standard_error,
                        "ci_high": difference + 2 * standard_error,
                        "p_value": p_value,
                        "p_adjusted": min(1.0, 2 * p_value),
                        "better": models[b] if 2 * p_value < 0.05 else None,
                        "method": "BCa",
                        "test": "permutation",
                    }
                )
    info = {
        metric: SimpleNamespace(
            smooth=True,
            greater_is_better=metric not in lower_is_better,
            bounds=(0.0, 1.0),
            references=(),
        )
        for metric in metrics
    }
    return MadeComparison(MadeEvidence(
        scores=pd.DataFrame(scores),
        differences=pd.DataFrame(differences, columns=DIFFERENCE_COLUMNS),
        metric_info=info,
        models=tuple(models),
        sentences=[f"{metric}: {models[-1]} leads." for metric in metrics],
    ))  # fmt: skip


@pytest.fixture(name="make_comparison", scope="session")
def make_comparison_fixture() -> Callable[..., MadeComparison]:
    return make_comparison


@pytest.fixture(params=["models", "classes", "elsewhere"], scope="module")
def hostile(request, make_comparison):
    """A comparison whose models, classes, or sentences, notes and signature have such names."""
    if request.param == "models":
        made = make_comparison(NAMES)
        made.sentences = [f"accuracy: {name} leads." for name in NAMES]
        return made
    if request.param == "classes":
        return make_comparison(metrics=["f1"], labels={"f1": NAMES})
    made = make_comparison()
    made.name = made.sentences = NAMES
    made.signature = f"modelcompare|baseline:{'|'.join(NAMES)}`"
    made.scores["n_undefined"] = 1
    return made
