"""Weights of samples beside a judge: values of weighted sums, and errors that know how weights go with errors."""

import numpy as np
import pytest

import modelcompare as mc

pytestmark = pytest.mark.filterwarnings("ignore::modelcompare.SparseDataWarning")


def world(seed, n=3000, share=0.2):
    """Labels of two classes; where samples are easier they weigh more, and the judge is better."""
    rng = np.random.default_rng(seed)
    easy, truth = rng.normal(size=n), (rng.random(n) < 0.4).astype(int)

    def answers(quality):
        right = quality + easy + rng.normal(size=n) > 0
        return np.where(right, truth, 1 - truth)

    outputs, verdicts = {"a": answers(0.8), "b": answers(0.5)}, answers(1.2)
    seen = np.where(rng.random(n) < share, truth, np.nan)
    return seen, outputs, verdicts, np.exp(0.6 * easy + 0.2 * rng.normal(size=n))


def predictions(seen, outputs, verdicts, weight=None, **given):
    return mc.Predictions(
        seen, outputs, judge=verdicts, labels=[0, 1], sample_weight=weight, **given
    )


def accuracy(seen, answer, verdict, weight):
    """The weighted accuracy: in cells of answer and verdict, labels stand for all samples."""
    total, labelled = 0.0, ~np.isnan(seen)
    for cell in range(4):
        here = 2 * answer + verdict == cell
        known = here & labelled
        right = weight[known] @ (answer[known] == seen[known]) / weight[known].sum()
        total += weight[here].sum() * right
    return total / weight.sum()


def test_values_are_those_of_a_loop():
    seen, outputs, verdicts, weight = world(0)
    found = mc.compare(predictions(seen, outputs, verdicts, weight), "accuracy").scores
    wanted = {m: accuracy(seen, x, verdicts, weight) for m, x in outputs.items()}
    for model, value in zip(found["model"], found["estimate"], strict=True):
        assert value == pytest.approx(wanted[model], rel=1e-12)


@pytest.mark.parametrize("seed", [1, 2])
def test_errors_are_those_of_a_bootstrap_of_samples_with_their_labels(seed):
    seen, outputs, verdicts, weight = world(seed, n=10_000)
    found = mc.compare(predictions(seen, outputs, verdicts, weight), "accuracy")
    rng, n, values = np.random.default_rng(0), len(seen), []
    for _ in range(800):
        rows = rng.integers(0, n, n)
        a, b = (
            accuracy(seen[rows], x[rows], verdicts[rows], weight[rows]) for x in outputs.values()
        )
        values.append([a, a - b])
    score = found.scores[found.scores["model"] == "a"]["standard_error"].item()
    errors = score, found.differences["standard_error"].item()
    # The bootstrap of differences has the cells of each model, which are coarser.
    np.testing.assert_allclose(errors, np.std(values, axis=0), rtol=0.07)


def test_equal_weights_are_none():
    seen, outputs, verdicts, _ = world(3, n=600)
    metrics, columns = ["accuracy", "f1_macro"], ["estimate", "standard_error", "ci_low", "ci_high"]
    weighted, plain = (
        mc.compare(predictions(seen, outputs, verdicts, w), metrics)
        for w in (np.full(600, 3.0), None)
    )
    for frame in ("scores", "differences"):
        shown = [n for n in columns if n in getattr(plain, frame)]
        np.testing.assert_allclose(
            getattr(weighted, frame)[shown], getattr(plain, frame)[shown], rtol=1e-7
        )
    np.testing.assert_allclose(
        weighted.differences["p_value"], plain.differences["p_value"], rtol=1e-6
    )


def test_samples_of_weight_0_only_cost_labels():
    seen, outputs, verdicts, weight = world(4)
    out = np.arange(len(seen)) % 3 == 0
    kept = {m: x[~out] for m, x in outputs.items()}
    zero = predictions(seen, outputs, verdicts, np.where(out, 0.0, weight))
    without = predictions(seen[~out], kept, verdicts[~out], weight[~out])
    one, other = (mc.compare(each, "accuracy").scores for each in (zero, without))
    np.testing.assert_allclose(one["estimate"], other["estimate"], rtol=1e-12)
    np.testing.assert_allclose(one["standard_error"], other["standard_error"], rtol=1e-3)


def test_weights_and_clusters_beside_a_judge_are_those_of_leaving_clusters_out():
    seen, outputs, verdicts, weight = world(5, n=1200, share=0.4)
    cluster, values = np.arange(1200) // 20, []
    heavy = weight * np.exp(0.4 * np.random.default_rng(0).normal(size=60))[cluster]
    for each in range(60):
        rows = cluster != each
        values.append(
            [accuracy(seen[rows], x[rows], verdicts[rows], heavy[rows]) for x in outputs.values()]
        )
    jackknifed = np.sqrt(59**2 / 60 * np.var(values, axis=0, ddof=1))
    found = mc.compare(predictions(seen, outputs, verdicts, heavy, groups=cluster), "accuracy")
    of = found.scores.set_index("model")["standard_error"]
    np.testing.assert_allclose(of[["a", "b"]], jackknifed, rtol=0.06)


def test_the_plan_of_labels_starts_from_the_error_of_today():
    preds = predictions(*world(6, n=1000))
    error = mc.compare(preds, "accuracy").differences["standard_error"].item()
    plan = mc.sample_size(preds, "a", "b", "accuracy", margin=0.02)
    assert plan.components.standard_error(plan.size) == pytest.approx(error, rel=1e-9)
    queue = plan.queue(50)
    assert queue["label_next"].sum() == 50
    assert queue["probability"].between(0, 1).all()


def test_labels_alone_have_the_weights_of_samples_and_labels():
    seen, outputs, verdicts, weight = world(7)
    preds = predictions(seen, outputs, verdicts, weight)
    labelled = ~np.isnan(seen)
    np.testing.assert_array_equal(preds.access.labelled.sample_weight, weight[labelled])
    alone = mc.compare(preds.access.labelled, "accuracy", test="wald", method="normal").scores
    worth = mc.diagnostics.judge_report(preds, "accuracy", n_resamples=99).worth
    beside = mc.compare(preds, "accuracy").scores["standard_error"].to_numpy()
    wanted = labelled.sum() * (alone["standard_error"].to_numpy() / beside) ** 2
    np.testing.assert_allclose(worth["worth"], wanted[[0, 1]], rtol=0.1)
