"""Comparisons with invented numbers: the report room is tested without any statistics."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from modelcompare.comparison.method import comparison_code, comparison_method
from modelcompare.report.compared import Compared
from modelcompare.report.comparison_tables import (
    comparison_figures,
    comparison_tables,
    printed_tables,
)
from modelcompare.report.numbers import decimals_for
from modelcompare.report.result import Result

DIFFERENCE_COLUMNS = [
    "model_a", "model_b", "metric", "label", "difference", "standard_error", "ci_low", "ci_high",
    "p_value", "p_adjusted", "better", "method", "test",
]  # fmt: skip


def _first_places(frame):
    """Where each metric and class of a frame begins."""
    return frame.groupby(["metric", "label"], dropna=False, sort=False).ngroup()


@dataclass
class MadeComparison(Result):
    """The attributes of a Comparison that the report room reads."""

    scores: pd.DataFrame
    differences: pd.DataFrame
    metric_info: dict[str, Any]
    models: tuple[str, ...]
    name: str = "made.npz"
    n_samples: int = 9824
    n_resamples: int = 9999
    method: str = "BCa"
    test: str = "permutation"
    correction: str = "holm"
    alpha: float = 0.05
    confidence_level: float = 0.95
    parts: str = "modelcompare:0.1.0|n:9824|B:9999|ci:BCa|test:permutation|adjust:holm|rng:0"
    sentences: list[str] = field(default_factory=list)
    baseline: str | None = None
    odd: bool = False
    family: str = "metric"
    rng_label: str = "0"
    corrections_used: Mapping[str, str] = field(default_factory=dict)
    remarks: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def leads(self, every):
        pairs = self.differences
        return self._turned(pairs if every else pairs[pairs["model_b"] == self.models[-1]])

    def corrected(self):
        half = 2 * self.differences["standard_error"]
        difference = self.differences["difference"]
        return self.differences.assign(ci_low=difference - half, ci_high=difference + half)

    def _turned(self, pairs):
        """Later models are better, so that model b is ahead of model a; the best come first."""
        place = pairs[["model_b", "model_a"]].map(self.models.index)
        up = pairs["metric"].map(lambda name: 1 if self.metric_info[name].greater_is_better else -1)
        half = 2 * pairs["standard_error"]
        frame = pd.DataFrame({
            "model": pairs["model_b"], "other": pairs["model_a"], "metric": pairs["metric"],
            "label": pairs["label"], "lead": -up * pairs["difference"],
            "ci_low": -up * pairs["difference"] - half, "ci_high": -up * pairs["difference"] + half,
            "p_adjusted": pairs["p_adjusted"], "at_odds": self.odd,
        })  # fmt: skip
        frame = frame.assign(b=-place["model_b"], a=-place["model_a"], at=_first_places(frame))
        return frame.sort_values(["at", "b", "a"], kind="stable", ignore_index=True)

    def n_tests(self, metric):
        return 1 if self.correction == "none" else int((self.differences["metric"] == metric).sum())

    @property
    def signature(self):
        return self.parts

    def decimals(self, metric):
        return decimals_for(self.scores.loc[self.scores["metric"] == metric, "standard_error"])

    @property
    def headline(self):
        return f"made.npz: {len(self.models)} models, 9,824 samples"

    @property
    def compared(self):
        made = {
            "upwards": {name: info.greater_is_better for name, info in self.metric_info.items()},
            "decimals": {name: self.decimals(name) for name in self.metric_info},
            "n_tests": {name: self.n_tests(name) for name in self.metric_info},
        }
        same = {each.name for each in fields(Compared)} - {*made}
        return Compared(**made, **{name: getattr(self, name) for name in same})

    def document(self):
        compared = self.compared
        tables = comparison_tables(compared, self.remarks)
        method, references = comparison_method(compared, {})
        return self._document(
            tables,
            headline=self.headline,
            findings=self.sentences,
            frames=lambda: {"scores": self.scores, "differences": self.differences},
            printed=lambda: printed_tables(compared),
            figures=comparison_figures(compared, tables),
            method=method,
            references=references,
            reproduce=comparison_code(compared),
            settings={"models": self.models, "verdict": self.sentences},
        )


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
        metric: SimpleNamespace(greater_is_better=metric not in lower_is_better, bounds=(0.0, 1.0))
        for metric in metrics
    }
    return MadeComparison(
        scores=pd.DataFrame(scores),
        differences=pd.DataFrame(differences, columns=DIFFERENCE_COLUMNS),
        metric_info=info,
        models=tuple(models),
        sentences=[f"{metric}: {models[-1]} leads." for metric in metrics],
    )


@pytest.fixture(name="make_comparison")
def make_comparison_fixture() -> Callable[..., MadeComparison]:
    return make_comparison
