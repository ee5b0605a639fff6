"""Many models and pairs beside a judge, computed at once: as each of them by itself."""

from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import modelcompare as mc
import modelcompare.plugins.judges.judged
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics.registry import resolve_metrics
from modelcompare.plugins.judges import label_rows
from modelcompare.plugins.judges.judged import Judged
from tests.plugged import needs
from tests.plugins.judges.sets import answers, drawn

Array = Any

CLASSES = ["accuracy", "f1", "f1_macro", "cohen_kappa"]
PROBABILITIES = ["accuracy", "cf1_macro", "log_loss", "ece_mass", "roc_auc_ovr"]


def share_right(y_true: Array, y_pred: Array, sample_weight: Array = None) -> float:
    return float(np.average(y_true == y_pred, weights=sample_weight))


def of_kind(kind: str, seed: int) -> tuple[mc.Predictions, list[Any] | None]:
    """Return four models with a judge, and metrics."""
    rng = np.random.default_rng(seed)
    if kind in ("strata", "weights", "function"):
        strata = np.arange(600) % 3 if kind == "strata" else None
        weight = rng.uniform(1, 4, 600) if kind == "weights" else None
        preds, _ = drawn(
            seed, 90, 600, models=(0.9, 0.6, 0.8, 0.85), strata=strata, label_weight=weight
        )
        own = mc.metrics.from_callable(share_right, needs="labels", greater_is_better=True)
        return preds, [own, "accuracy"] if kind == "function" else CLASSES
    # From 100 labels on scores of many values are predicted from the judge's.
    seen = rng.permutation(600) < (130 if kind == "many scores" else 80)
    if kind in ("two scores", "many scores"):
        people = {f"m{k}": rng.normal(k / 9, 1, 600) for k in range(4)}
        if kind == "two scores":
            people = {model: (score > 0).astype(float) for model, score in people.items()}
        judge = {m: np.where(rng.random(600) < 0.7, x, x[::-1]) for m, x in people.items()}
        scores = {model: np.where(seen, score, np.nan) for model, score in people.items()}
        return mc.Predictions.from_scores(scores, judge=judge, greater_is_better=True), None
    truth = rng.integers(0, 3, 600)
    said = {f"m{k}": answers(rng, truth, 0.6 + k / 12, 3) for k in range(4)}
    soft = {m: 0.6 * np.eye(3)[x] + 0.4 * rng.dirichlet(np.ones(3), 600) for m, x in said.items()}
    labels = {"classes": [*said], "mixed": ["m1", "m2"], "probabilities": []}[kind]
    outputs = soft | {model: said[model] for model in labels}
    verdicts = answers(rng, truth, 0.8, 3)
    preds = mc.Predictions(np.where(seen, truth, np.nan), outputs, judge=verdicts)
    return preds, PROBABILITIES if kind == "probabilities" else CLASSES


def judged(predictions: mc.Predictions, metrics: list[Any] | None) -> Judged:
    return Judged(Evaluation(predictions, resolve_metrics(metrics, predictions)))


@cache
def of_two(kind: str, *places: int) -> tuple[Judged, Any, Any]:
    """Return two of the models alone, and the estimates of their difference and of each."""
    preds, metrics = of_kind(kind, 4)
    alone = judged(preds[[preds.models[k] for k in places]], metrics)
    return alone, alone.estimates((np.array([0]), np.array([1]))), alone.estimates(None)


@needs("calibration")
@pytest.mark.parametrize("at_once", ["all", "one"])
@pytest.mark.parametrize("kind", [
    "classes", "strata", "weights", "probabilities", "mixed", "function", "two scores",
    "many scores",
])  # fmt: skip
def test_pairs_have_the_numbers_of_the_two_models_alone(
    kind: str, at_once: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    preds, metrics = of_kind(kind, 4)
    if at_once == "one":
        monkeypatch.setattr(label_rows, "PASS_BYTES", 1)
        monkeypatch.setattr(modelcompare.plugins.judges.judged, "CACHE_BYTES", 1)
    every = judged(preds, metrics)
    pairs = np.array([*combinations(range(4), 2)])
    assert len([*every.blocks(pairs)]) == (1 if at_once == "all" else len(pairs))
    a, b = pairs.T
    together, models = every.estimates((a, b)), every.estimates(None)
    monkeypatch.undo()
    for place, both in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        alone, difference, of_each = of_two(kind, *both)
        for name in together._fields:
            found = getattr(together, name)[place]
            # Derivatives are measured by small changes of weights.
            assert found == pytest.approx(getattr(difference, name)[0], rel=1e-6, abs=1e-9)
            found = getattr(models, name)[[*both]]
            assert found == pytest.approx(getattr(of_each, name), rel=1e-6, abs=1e-9)
        assert every.point[[*both]] == pytest.approx(alone.point, rel=1e-12)


@pytest.mark.parametrize("kind", ["probabilities", "mixed"])
def test_labels_of_the_same_classes_are_counted_as_single_ones_are(kind: str) -> None:
    preds, _ = of_kind(kind, 7)
    # A function may see more than classes, so that each label is a row.
    own = mc.metrics.from_callable(share_right, needs="labels", greater_is_better=True)
    merged, single = judged(preds, ["accuracy", "f1_macro"]), judged(preds, ["accuracy", own])
    places = np.array([*combinations(range(4), 2)])
    few, every = (len(next(each.blocks(places)).of) for each in (merged, single))
    assert few < every / 2
    for pairs in (None, tuple(places.T)):
        found, expected = merged.estimates(pairs), single.estimates(pairs)
        for name in found._fields:
            numbers = getattr(expected, name)
            assert getattr(found, name)[:, 0] == pytest.approx(numbers[:, 0], rel=1e-6, abs=1e-9)
            # The function is accuracy by another definition.
            assert numbers[:, 1] == pytest.approx(numbers[:, 0], rel=1e-6, abs=1e-9)


def test_a_comparison_computes_each_model_and_pair_once(monkeypatch):
    preds, _ = drawn(0, 90, 600, models=(0.9, 0.6, 0.8))
    computed, of_rows = [], Judged._post_stratified

    def counted(judged, rows):
        computed.extend(map(tuple, rows.places.tolist()))
        return of_rows(judged, rows)

    monkeypatch.setattr(Judged, "_post_stratified", counted)
    mc.compare(preds, "accuracy")
    assert sorted(computed) == [(0,), (0, 1), (0, 2), (1,), (1, 2), (2,)]
