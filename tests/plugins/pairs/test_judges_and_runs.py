"""Runs of models on samples that people labelled in part, beside a judge of all answers."""

import numpy as np
import pytest

import modelcompare as mc
from modelcompare.engine.design import design_of
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics
from modelcompare.resampling.weights import BootstrapWeights
from tests.plugged import needed, needs

needed("judges", "runs")
pytestmark = pytest.mark.filterwarnings(
    "ignore::modelcompare.SparseDataWarning", "ignore:samples with labels by people"
)
METRICS = ["accuracy", "f1_macro", "cf1_macro"]
N, R = 80, 5


def world(seed, n=N, n_runs=R, share=0.5, *, separate=False, **options):
    """Probabilities of two models in runs, verdicts, and labels of some items in all runs."""
    rng = np.random.default_rng(seed)
    item, run = (each.ravel() for each in np.indices((n, n_runs)))
    truth, easy = (rng.random(n) < 0.4).astype(int), rng.normal(size=n)
    outputs = {}
    for model, quality in {"a": 1.2, "b": 0.8}.items():
        good = quality + 0.3 * rng.normal(size=n_runs)
        score = (2 * truth[item] - 1) * (good[run] + easy[item]) + rng.normal(size=len(item))
        p = 1 / (1 + np.exp(-score))
        outputs[model] = np.c_[1 - p, p]
    verdict = np.where(1.2 + easy + rng.normal(size=n) > 0, truth, 1 - truth)
    seen = np.where(rng.permutation(n) < share * n, truth, np.nan)
    runs = {m: np.char.add(m, run.astype(str)) for m in "ab"} if separate else run
    return mc.Predictions(
        seen[item], outputs, judge=verdict[item], labels=[0, 1], ids=item, runs=runs, **options
    )


def scores(seed, n=200, n_runs=4):
    """Scores of answers, each judged, of which people scored some: of other items in each run."""
    rng = np.random.default_rng(seed)
    item, run = (each.ravel() for each in np.indices((n, n_runs)))
    good, labelled = rng.normal(size=n)[item], rng.random(n * n_runs) < 0.3
    right, verdicts = {}, {}
    for model in "ab":
        x = 0.5 + good + 0.4 * rng.normal(size=n_runs)[run] + rng.normal(size=len(item)) > 0
        wrong = rng.random(len(x)) < 0.15
        right[model], verdicts[model] = np.where(labelled, x, np.nan), (x ^ wrong) * 1.0
    return mc.Predictions.from_scores(right, judge=verdicts, ids=item, runs=run)


def run_of(preds, model, place):
    """Return one run of a model as a test set without runs, in the order of the items."""
    runs = np.asarray(preds.access.runs_of(model))
    rows = np.flatnonzero(runs == np.unique(runs)[place])
    part = preds.subset(rows[np.argsort(preds.access.unit_of[rows])])
    return part.with_columns(runs=None, groups=None)


def estimator(preds, generalize_to="auto"):
    metrics = ["mean_score"] if preds.labels is None else METRICS
    evaluation = Evaluation(preds, resolve_metrics(metrics, preds), collapse=False)
    return design_of(preds, generalize_to).estimator(evaluation)


def influences(preds):
    """Return derivatives of values by the weights of samples, times their number."""
    whole, n, step = estimator(preds), len(preds), 1e-6
    more = whole.values(1 + step * np.eye(n))
    return n * (more - whole.values(np.ones((1, n)))) / step


WORLDS = {
    "shared": world(0), "separate": world(1, separate=True), "scores": scores(2),
    "weights": world(3, sample_weight=np.repeat(np.linspace(0.5, 2, N), R)),
}  # fmt: skip


@pytest.mark.parametrize("name", WORLDS)
def test_values_are_means_over_the_runs_of_values_beside_a_judge(name):
    preds = WORLDS[name]
    n_runs = len(np.unique(np.asarray(preds.runs)))
    found = mc.compare(preds).scores
    for model, rows in found.groupby("model"):
        metrics = [*rows["metric"]]
        each = [
            mc.compare(run_of(preds, model, k), metrics).scores.query("model == @model")["estimate"]
            for k in range(n_runs)
        ]
        np.testing.assert_allclose(rows["estimate"], np.mean(each, axis=0), rtol=1e-12)


def expected_variances(preds, generalize_to):
    """Variances of both models and their difference, by sums of squares of items x runs."""
    n_runs = len(np.unique(np.asarray(preds.runs)))
    shared = np.array_equal(*(np.asarray(preds.access.runs_of(m)) for m in "ab"))
    parts = [[run_of(preds, model, k) for k in range(n_runs)] for model in "ab"]
    tables = []
    for k, of_model in enumerate(parts):
        of_runs = [influences(part)[:, k] + estimator(part).point[k] for part in of_model]
        tables.append(np.stack(of_runs, axis=1))
    a, b = tables
    # What the added label of a cell adds to the errors within runs.
    more = [[], [], []]
    for k in range(n_runs):
        for row, part in enumerate((parts[0][k], parts[1][k], parts[0][k])):
            own, u = estimator(part), influences(part)
            u = u[:, row] if row < 2 else u[:, 0] - u[:, 1]
            model = own.layers(None if row < 2 else (np.array([0]), np.array([1])))
            variance = model.variance[0][row if row < 2 else 0]
            more[row].append(np.maximum(variance - (u**2).sum(axis=0) / len(u) ** 2, 0))
    found = []
    for row, xs in enumerate(([a], [b], [a - b] if shared else [a, b])):
        means = [x.mean(axis=1) for x in xs]
        means = means[0] if len(xs) == 1 else means[0] - means[1]
        items = means.var(axis=0, ddof=1) / len(means) + np.mean(more[row], axis=0)
        of_runs = sum(x.mean(axis=0).var(axis=0, ddof=1) / n_runs for x in xs)
        rest = sum(
            ((x - x.mean(0) - x.mean(1)[:, None] + x.mean((0, 1))) ** 2).sum((0, 1))
            / ((len(x) - 1) * (n_runs - 1) * len(x) * n_runs)
            for x in xs
        )
        new = np.maximum.reduce([items + of_runs - rest, items, of_runs])
        found.append(items if generalize_to == "items" else new)
    return np.array(found)


@pytest.mark.parametrize("generalize_to", ["items", "items+runs"])
@pytest.mark.parametrize("name", WORLDS)
def test_errors_are_those_of_items_and_runs_of_the_judges_influences(name, generalize_to):
    preds = WORLDS[name]
    own = estimator(preds, generalize_to)
    models = own.layers(None).variance[0]
    pair = own.layers((np.array([0]), np.array([1]))).variance[0]
    expected = expected_variances(preds, generalize_to)
    np.testing.assert_allclose(np.concatenate([models, pair]), expected, rtol=2e-3)


def test_more_labels_than_needed_leave_the_errors_of_runs():
    # A judge who is right, and labels of nearly all: what is left are the items and the runs.
    preds = world(5, n=400, share=0.98)
    found = mc.compare(preds, METRICS).differences
    labelled = preds.access.labelled
    plain = mc.compare(labelled, METRICS).differences
    np.testing.assert_allclose(found["standard_error"], plain["standard_error"], rtol=0.12)


@needs("paper")
def test_resamples_of_these_runs_are_means_of_the_runs_on_the_items_drawn():
    preds = WORLDS["shared"]
    own = estimator(preds, "items")
    weights = BootstrapWeights(own.evaluation.units, 40, np.random.SeedSequence(0))
    (drawn,) = weights.blocks()
    expected = []
    for times in drawn[:8]:
        parts = [
            run_of(preds, "a", k).subset(np.repeat(np.arange(N), times.astype(int)))
            for k in range(R)
        ]
        expected.append(np.mean([estimator(part).point for part in parts], axis=0))
    np.testing.assert_allclose(own.drawn(weights)[:8], expected, rtol=1e-9)
    (u,) = own.influences()
    items = own.layers(None).variance[0]
    assert ((u**2).sum(axis=0) / N**2 <= items).all()
    study = mc.studies.variance_study(
        preds, [("f1_macro", "cf1_macro")], ratios=[1.0, 0.05], n_resamples=50
    )
    assert study.scope.generalize_to == "items+runs"
    small = study.distribution[study.distribution["ratio"] == 0.05]
    assert (small["n_undefined"] == 50).all()


def test_answers_name_runs_and_labels():
    preds = WORLDS["separate"]
    found = mc.compare(preds, METRICS)
    assert "|labels:40|generalize_to:items+runs|" in found.signature
    assert "seen in 5 runs each" in str(found)
    assert "Labels by people on 40 of 80 samples" in str(found)
    assert found.differences["method"].unique().tolist() == ["design-t"]
    these = mc.compare(preds, METRICS, generalize_to="items")
    assert "|for these runs|labels:40|" in these.signature
    assert (these.scores["standard_error"] <= found.scores["standard_error"]).all()
    assert (these.scores["standard_error"] < found.scores["standard_error"]).any()
    assert these.scores["estimate"].tolist() == found.scores["estimate"].tolist()


@pytest.mark.parametrize("generalize_to", ["items", "items+runs"])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "percentile"}, "method='percentile' does not know the error of a judge"),
        ({"test": "permutation"}, "test='permutation' does not know the error of a judge"),
        ({"undefined": "redraw"}, "undefined='redraw' does not know the error of a judge"),
    ],
)
def test_what_knows_no_judge_is_refused_with_runs(options, message, generalize_to):
    with pytest.raises(ValueError, match=message):
        mc.compare(WORLDS["shared"], METRICS, generalize_to=generalize_to, **options)


def test_runs_that_lack_items_or_labels_are_refused():
    preds = WORLDS["shared"]
    with (
        pytest.warns(match="runs are declared, but"),
        pytest.raises(ValueError, match="every item in every run"),
    ):
        mc.compare(preds.subset(np.arange(len(preds)) > 0), METRICS)
    with pytest.raises(ValueError, match="Label at least 5"):
        mc.compare(world(4, share=0.05), METRICS)
    with pytest.raises(
        ValueError, match=r"test='run-permutation' does not know the error of a judge"
    ):
        mc.compare(preds, METRICS, test="run-permutation")


def test_labels_that_were_not_drawn_at_random_stop_a_decision():
    n, n_runs = 400, 3
    item, run = (each.ravel() for each in np.indices((n, n_runs)))
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, n)
    answers = {
        m: np.where(rng.random(n * n_runs) < 0.8, truth[item], 1 - truth[item]) for m in "ab"
    }
    verdict = np.where(rng.random(n) < 0.8, truth, 1 - truth)
    seen = np.where(verdict == 1, truth, np.nan)
    preds = mc.Predictions(
        seen[item], answers, judge=verdict[item], labels=[0, 1], ids=item, runs=run
    )
    with pytest.raises(ValueError, match="they were not drawn at random"):
        mc.decide(preds, "a", "b", "accuracy", margin=0.1)


def test_more_items_and_runs_have_the_error_that_is_planned():
    preds = world(6, n=300, share=0.5)
    size = mc.sample_size(preds, "a", "b", "accuracy", margin=0.05)
    assert "runs" in str(size)
    found = mc.compare(preds, "accuracy").differences
    assert size.components.standard_error(size.size) == pytest.approx(
        found["standard_error"][0], rel=0.15
    )


def test_a_report_is_of_one_run():
    preds = WORLDS["shared"]
    with pytest.raises(ValueError, match=r"take one, such as p.subset\(p.runs == p.runs\[0\]\)"):
        mc.diagnostics.judge_report(preds)
    one = preds.subset(np.asarray(preds.runs) == preds.runs[0])
    assert mc.diagnostics.judge_report(one).verdict
