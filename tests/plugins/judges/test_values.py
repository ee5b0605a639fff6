"""Values, errors and degrees of freedom of labels by people beside a judge."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import f1_score, roc_auc_score

import modelcompare as mc
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics.registry import resolve_metrics
from modelcompare.plugins.judges.cells import LEAST
from modelcompare.plugins.judges.judged import Judged
from modelcompare.plugins.judges.predicted_means import PredictedMean
from modelcompare.plugins.judges.verdicts import judge_of
from tests.plugins.judges.sets import answers, drawn


def judged(predictions: mc.Predictions, *metrics: Any) -> Judged:
    return Judged(Evaluation(predictions, resolve_metrics(list(metrics), predictions)))


def cells_by_loop(answer: Any, verdict: Any, labelled: Any) -> Any:
    """Cells of answer and verdict; those of few labels join by agreement, those of none the least."""
    keys = [*zip(answer.tolist(), verdict.tolist(), strict=True)]
    counts = {
        key: sum(k == key for k, seen in zip(keys, labelled, strict=True) if seen) for key in keys
    }
    cells = [key if counts[key] >= LEAST else key[0] == key[1] for key in keys]
    labels = {
        c: sum(x == c for x, seen in zip(cells, labelled, strict=True) if seen) for c in cells
    }
    least = min((c for c in labels if labels[c]), key=lambda c: (labels[c], str(type(c))))
    return [cell if labels[cell] else least for cell in cells]


@pytest.mark.parametrize("n_labels", [60, 200])
def test_a_value_is_that_of_labels_weighted_by_cells(n_labels: int) -> None:
    preds, _ = drawn(3, n_labels)
    found = judged(preds, "accuracy", "f1_macro")
    assert judge_of(preds) is not None
    labelled = judge_of(preds).labelled
    for place, model in enumerate(preds.models):
        cells = cells_by_loop(preds.predicted(model), judge_of(preds).verdicts[model], labelled)
        every = {c: cells.count(c) for c in cells}
        seen = [c for c, there in zip(cells, labelled, strict=True) if there]
        weights = np.array([every[c] / seen.count(c) for c in seen])
        truth, said = preds.access.codes[labelled], preds.predicted(model)[labelled]
        assert found.point[place, 0] == pytest.approx(np.average(truth == said, weights=weights))
        expected = f1_score(truth, said, average="macro", sample_weight=weights)
        assert found.point[place, 1] == pytest.approx(expected)


def variance_by_loop(preds: mc.Predictions) -> tuple[float, float]:
    """Variance and degrees of freedom of a difference of accuracies of two classes."""
    a, b = (preds.predicted(m) for m in preds.models)
    verdict, labelled, truth = (
        judge_of(preds).verdicts["m0"],
        judge_of(preds).labelled,
        preds.access.codes,
    )
    fine = [*zip(a.tolist(), b.tolist(), verdict.tolist(), strict=True)]
    counts = {
        key: sum(1 for k, s in zip(fine, labelled, strict=True) if s and k == key) for key in fine
    }
    cells = [
        key
        if counts[key] >= LEAST
        else ("few", key[0] == key[2], key[1] == key[2], key[0] == key[1])
        for key in fine
    ]
    n_samples, terms, squares, means, own = len(cells), [], [], {}, []
    for cell in dict.fromkeys(cells):
        here = [k for k, c in enumerate(cells) if c == cell]
        seen = [k for k in here if labelled[k]]
        # The added label is divided between the two classes, for every sample of the cell.
        values = [(float(a[k] == truth[k]) - float(b[k] == truth[k]), 1.0) for k in seen]
        values += [
            (float(a[k] == c) - float(b[k] == c), 0.5 / len(here)) for k, c in product(here, (0, 1))
        ]
        total = len(seen) + 1
        mean = sum(v * w for v, w in values) / total
        own += [(len(here) / n_samples / total * (v - mean)) ** 2 for v, _ in values[: len(seen)]]
        spread = sum(w * (v - mean) ** 2 for v, w in values) / total
        terms.append((len(here) / n_samples) ** 2 * spread / total)
        squares.append(terms[-1] ** 2 / max(len(seen), 1))
        means[cell] = mean, len(here)
    centre = sum(m * n for m, n in means.values()) / n_samples
    between = sum(n * (m - centre) ** 2 for m, n in means.values()) / n_samples**2
    variance = sum(terms) + between
    satterthwaite = variance**2 / (sum(squares) + between**2 / (n_samples - 1))
    carriers = sum(own) ** 2 / sum(x**2 for x in own)
    by_labels = (2 * carriers - 1) * (variance / sum(own)) ** 2
    return variance, min(np.sqrt(satterthwaite * (judge_of(preds).n_labels - 1)), by_labels)


def test_the_error_of_a_difference_is_that_of_a_loop_over_cells() -> None:
    preds, _ = drawn(5, 80, 400, n_classes=2)
    found = judged(preds, "accuracy")
    pair = found.estimates((np.array([0]), np.array([1])))
    variance, degrees = variance_by_loop(preds)
    # A few samples of a cell stand for all in the added label.
    assert pair.variance[0, 0] == pytest.approx(variance, rel=0.02)
    assert pair.degrees[0, 0] == pytest.approx(degrees, rel=0.05)


def test_models_that_agree_everywhere_differ_by_nothing() -> None:
    preds, _ = drawn(1, 50)
    same = mc.Predictions(
        np.where(judge_of(preds).labelled, preds.access.codes, np.nan),
        {"a": preds.predicted("m0"), "b": preds.predicted("m0")}, judge=judge_of(preds).verdicts["m0"],
    )  # fmt: skip
    row = mc.compare(same, "accuracy").differences.iloc[0]
    assert row["difference"] == 0
    assert row["p_value"] == 1


def test_a_judge_that_agrees_on_every_label_leaves_some_width() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 1000)
    seen = np.where(np.arange(1000) % 20 == 0, truth, np.nan)
    preds = mc.Predictions(seen, {"a": truth, "b": answers(rng, truth, 0.9, 2)}, judge=truth)
    result = mc.compare(preds, ["accuracy", "f1_macro"])
    assert ((result.scores["ci_high"] - result.scores["ci_low"]) > 0.01).all()
    assert ((result.differences["ci_high"] - result.differences["ci_low"]) > 0.01).all()


def test_the_area_under_the_curve_is_that_of_weighted_labels() -> None:
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 1500)
    score = np.clip(0.5 * truth + rng.normal(0.25, 0.3, 1500), 0.001, 0.999)
    seen = np.where(rng.random(1500) < 0.2, truth, np.nan)
    preds = mc.Predictions(
        seen, {"a": np.stack([1 - score, score], 1)}, judge=answers(rng, truth, 0.9, 2)
    )
    found = judged(preds, "roc_auc")
    labelled = judge_of(preds).labelled
    cell = 2 * (score > 0.5) + judge_of(preds).verdicts["a"]
    weights = (np.bincount(cell) / np.bincount(cell[labelled]))[cell[labelled]]
    expected = roc_auc_score(truth[labelled], score[labelled], sample_weight=weights)
    assert found.point[0, 0] == pytest.approx(expected)
    assert roc_auc_score(truth, score) == pytest.approx(found.point[0, 0], abs=0.05)


def test_numbers_of_a_judge_predict_those_of_people() -> None:
    rng = np.random.default_rng(0)
    f = rng.normal(0, 1, 2000)
    labelled = np.sort(rng.permutation(2000)[:200])
    people = 2 + 0.8 * f[labelled] + rng.normal(0, 0.5, 200)
    plain = PredictedMean.of(people, f, labelled, coefficient=1.0)
    mean, variance = plain.mean, plain.variance
    # Prediction-powered inference with coefficient 1, by its definition.
    rest = people - f[labelled]
    assert mean == pytest.approx(f.mean() + rest.mean())
    # The samples with labels are among all, whose mean varies with theirs.
    common = 2 * np.cov(rest, f[labelled])[0, 1] / 2000
    parts = rest.var(ddof=1) / 200 + f.var(ddof=1) / 2000
    assert variance == pytest.approx(parts + common, rel=1e-9)
    best = PredictedMean.of(people, f, labelled).variance
    alone = people.var(ddof=1) / 200
    assert best < variance
    assert best < 0.5 * alone


def test_variances_of_predicted_means_are_those_of_many_draws() -> None:
    rng, means, variances = np.random.default_rng(0), [], []
    # A third of the samples have labels, so that both means vary together.
    labelled = np.arange(200)
    for _ in range(1500):
        people = rng.normal(size=600)
        judged = people + rng.normal(0, 0.5, 600)
        found = PredictedMean.of(people[labelled], judged, labelled)
        means.append(found.mean)
        variances.append(found.variance)
    assert np.mean(variances) == pytest.approx(np.var(means), rel=0.08)
    # Least squares: the mean of all, and of what the judge leaves open a third.
    assert np.var(means) == pytest.approx((0.8 + 3 * 0.2) / 600, rel=0.08)


def test_weights_of_labels_undo_how_they_were_drawn() -> None:
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 2, 4000)
    model = answers(rng, truth, 0.8, 2)
    # Errors are labelled four times as often, by known probabilities.
    chance = np.where(model == truth, 0.05, 0.2)
    seen = np.where(rng.random(4000) < chance, truth, np.nan)
    judge = answers(rng, truth, 0.6, 2)
    plain = judged(mc.Predictions(seen, {"a": model}, judge=judge), "accuracy")
    known = mc.Predictions(seen, {"a": model}, judge=judge, label_weight=1 / chance)
    weighted = judged(known, "accuracy")
    assert plain.point[0, 0] < 0.65
    assert weighted.point[0, 0] == pytest.approx(0.8, abs=0.04)


@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.filterwarnings("ignore:samples with labels by people are not spread")
def test_values_do_not_depend_on_the_order_of_the_samples(soft: bool) -> None:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 4, 500)
    outputs: Any = {name: answers(rng, truth, 0.7, 4) for name in "ab"}
    if soft:
        spread = {m: rng.dirichlet(np.ones(4), 500) for m in "ab"}
        outputs = {m: 0.4 * spread[m] + 0.6 * np.eye(4)[outputs[m]] for m in "ab"}
    judge, seen = answers(rng, truth, 0.8, 4), np.where(np.arange(500) < 70, truth, np.nan)
    metrics = ["f1_macro", "cf1_macro", "brier_score"] if soft else ["f1_macro", "cohen_kappa"]
    found = []
    for order in (np.arange(500), rng.permutation(500)):
        preds = mc.Predictions(
            seen[order], {m: array[order] for m, array in outputs.items()}, judge=judge[order]
        )
        result = mc.compare(preds, metrics)
        numbers = [
            result.scores.select_dtypes("number"),
            result.differences.select_dtypes("number"),
        ]
        found.append(np.concatenate([frame.to_numpy(float).ravel() for frame in numbers]))
    assert found[0] == pytest.approx(found[1], abs=1e-9, nan_ok=True)


@pytest.mark.filterwarnings("ignore:samples with labels by people are not spread")
def test_means_of_numbers_do_not_depend_on_the_order_of_the_samples() -> None:
    rng = np.random.default_rng(5)
    people, noise = rng.normal(size=(2, 400)), rng.normal(size=(2, 400))
    seen = np.arange(400) < 120
    found = []
    for order in (np.arange(400), rng.permutation(400)):
        scores = {m: np.where(seen, x, np.nan)[order] for m, x in zip("ab", people, strict=True)}
        judge = {m: (x + y)[order] for m, x, y in zip("ab", people, noise, strict=True)}
        preds = mc.Predictions.from_scores(scores, judge=judge, greater_is_better=True)
        result = mc.compare(preds)
        found.append(result.differences[["ci_low", "ci_high", "p_value"]].to_numpy(float))
    assert found[0] == pytest.approx(found[1], abs=1e-9)


def test_the_truth_is_none_where_people_gave_no_label() -> None:
    preds, truth = drawn(0, 60)
    assert judge_of(preds) is not None
    seen = judge_of(preds).labelled
    assert preds.y_true[seen].tolist() == truth[seen].tolist()
    assert {*preds.y_true[~seen].tolist()} == {None}
    assert preds.access.labelled.y_true.tolist() == truth[seen].tolist()
