"""Sets of labels: read in all their forms, measured as scikit-learn does, compared on all ways."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn import metrics as reference

import modelcompare as mc
from tests.plugged import needs
from tests.test_inputs import NULLABLE, Tensor

LABELS = ["cat", "dog", "emu"]
N = 120
AVERAGES = ("micro", "macro", "weighted", "samples")
FUNCTIONS = {
    "f1": reference.f1_score, "precision": reference.precision_score,
    "recall": reference.recall_score, "jaccard": reference.jaccard_score,
}  # fmt: skip


def world(n=N, seed=0):
    """Return true rows of 0 and 1, and probabilities of two models; no row is empty or constant."""
    rng = np.random.default_rng(seed)
    truth = (rng.random((n, 3)) < [0.6, 0.3, 0.1]).astype(int)
    noise = {m: rng.random((n, 3)) for m in ("sure", "weak")}
    probabilities = {
        "sure": 0.6 * truth + 0.6 * noise["sure"] - 0.1, "weak": 0.4 * truth + 0.7 * noise["weak"]
    }  # fmt: skip
    return truth, {m: p.clip(0, 1) for m, p in probabilities.items()}


def lists(rows):
    return [[label for label, one in zip(LABELS, row, strict=True) if one] for row in rows]


@pytest.fixture(scope="module")
def soft():
    truth, probabilities = world()
    return mc.Predictions(truth, probabilities, labels=LABELS)


@pytest.fixture(scope="module")
def hard():
    truth, probabilities = world()
    outputs = {m: (p >= 0.5).astype(int) for m, p in probabilities.items()}
    return mc.Predictions(truth, outputs, labels=LABELS)


def estimate(preds, metric):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mc.UndefinedMetricWarning)
        found = mc.bootstrap(preds, metric, n_resamples=2)
    return np.asarray(found.estimate)


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_are_those_of_scikit_learn(soft, hard, name, average):
    truth, probabilities = world()
    expected = []
    for p in probabilities.values():
        # The default call; but a sample with neither true nor predicted labels is left out.
        rows = truth.any(axis=1) | (p >= 0.5).any(axis=1) | (average != "samples")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected.append(FUNCTIONS[name](truth[rows], p[rows] >= 0.5, average=average))
    for preds in (soft, hard):
        assert estimate(preds, f"{name}_{average}").ravel() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("zero", [0.0, 1.0])
def test_a_value_for_zero_by_zero_is_used_in_means_over_samples(hard, zero):
    truth, probabilities = world()
    assert (truth.sum(axis=1) == 0).any()
    expected = [
        reference.f1_score(truth, p >= 0.5, average="samples", zero_division=zero)
        for p in probabilities.values()
    ]
    found = mc.bootstrap(hard, "f1_samples", zero_division=zero, n_resamples=2).estimate
    assert np.asarray(found).ravel() == pytest.approx(expected)
    chosen = mc.get_metric("f1_samples", zero_division=zero)
    assert chosen != mc.get_metric("f1_samples")
    assert chosen.soft == mc.get_metric("cf1_samples", zero_division=zero)


def test_other_values_are_those_of_scikit_learn(soft, hard):
    truth, probabilities = world()
    p = probabilities["sure"]
    expected = {
        "subset_accuracy": reference.accuracy_score(truth, p >= 0.5),
        "hamming_loss": reference.hamming_loss(truth, p >= 0.5),
        "lrap": reference.label_ranking_average_precision_score(truth, p),
    }
    for name, value in expected.items():
        assert estimate(soft["sure"], name).item() == pytest.approx(value, abs=1e-12)
    for name in ("subset_accuracy", "hamming_loss"):
        assert estimate(hard["sure"], name).item() == pytest.approx(expected[name], abs=1e-12)
    per_label = reference.f1_score(truth, p >= 0.5, average=None)
    assert estimate(soft["sure"], "f1").ravel() == pytest.approx(per_label)


@given(
    arrays(np.int8, (6, 4), elements=st.integers(0, 1)),
    arrays(np.float64, (6, 4), elements=st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])),
)
def test_ranks_of_tied_labels_are_those_of_scikit_learn(truth, scores):
    expected = reference.label_ranking_average_precision_score(truth, scores)
    assert mc.metrics.lrap(truth, scores) == pytest.approx(expected)


def test_soft_counts_are_sums_of_probabilities(soft):
    truth, probabilities = world()
    for place, p in enumerate(probabilities.values()):
        hits, given_, support = (truth * p).sum(axis=0), p.sum(axis=0), truth.sum(axis=0)
        each = 2 * hits / (given_ + support)
        assert estimate(soft, "cf1").reshape(2, 3)[place] == pytest.approx(each)
        assert estimate(soft, "cf1_macro")[place].item() == pytest.approx(each.mean())
        micro = 2 * hits.sum() / (given_ + support).sum()
        assert estimate(soft, "cf1_micro")[place].item() == pytest.approx(micro)
        of_sample = 2 * (truth * p).sum(axis=1) / (truth + p).sum(axis=1)
        assert estimate(soft, "cf1_samples")[place].item() == pytest.approx(np.nanmean(of_sample))


def forms(folder):
    """Yield tables of the same sets, and what is passed to read them."""
    truth, probabilities = world()
    rows = {"y_true": truth, **{m: p >= 0.5 for m, p in probabilities.items()}}
    as_lists = {name: lists(x) for name, x in rows.items()}
    frame = pd.DataFrame({"id": range(N), **as_lists})
    frame.to_json(folder / "lists.jsonl", orient="records", lines=True)
    frame.to_parquet(folder / "lists.parquet")
    frame.astype(dict.fromkeys(rows, str)).to_csv(folder / "written.csv", index=False)
    for sign in (";", "|"):
        joined = {name: [sign.join(cell) for cell in x] for name, x in as_lists.items()}
        path = folder / f"joined{ord(sign)}.csv"
        pd.DataFrame({"id": range(N), **joined}).to_csv(path, index=False)
    columns = {
        f"{name}:{label}": x[:, k].astype(int)
        for name, x in rows.items() for k, label in enumerate(LABELS)
    }  # fmt: skip
    pd.DataFrame({"id": range(N), **columns}).to_csv(folder / "columns.csv", index=False)
    long = pd.concat([
        pd.DataFrame({"id": range(N), "model": m, "y_true": as_lists["y_true"],
                      "y_pred": as_lists[m]})
        for m in probabilities
    ])  # fmt: skip
    long.to_json(folder / "long.jsonl", orient="records", lines=True)
    yield from ((folder / name, {}) for name in (
        "lists.jsonl", "lists.parquet", "written.csv", "columns.csv", "long.jsonl"))  # fmt: skip
    yield from ((folder / f"joined{ord(s)}.csv", {"kind": "label_sets"}) for s in (";", "|"))


def test_files_of_every_form_give_the_same_sets(tmp_path, hard):
    expected = mc.bootstrap(hard, ["f1", "f1_samples"], n_resamples=99).replicates
    for path, options in forms(tmp_path):
        found = mc.read_predictions(path, **options)
        assert found.labels.tolist() == LABELS, path.name
        assert {*found.access.kinds.values()} == {"label_sets"}
        again = mc.bootstrap(found, ["f1", "f1_samples"], n_resamples=99).replicates
        assert np.array_equal(np.asarray(again), np.asarray(expected)), path.name


def test_probabilities_of_labels_in_columns(tmp_path, soft):
    truth, probabilities = world()
    columns = {f"y_true:{label}": truth[:, k] for k, label in enumerate(LABELS)}
    for model, p in probabilities.items():
        columns |= {f"{model}:{label}": p[:, k] for k, label in enumerate(LABELS)}
    path = tmp_path / "p.csv"
    pd.DataFrame(columns).to_csv(path, index=False)
    found = mc.read_predictions(path)
    assert {*found.access.kinds.values()} == {"label_probabilities"}
    assert estimate(found, "cf1_micro") == pytest.approx(estimate(soft, "cf1_micro"))


def test_a_label_that_never_occurs_is_kept(tmp_path):
    truth, _ = world()
    columns = {f"y_true:{label}": truth[:, k] for k, label in enumerate(LABELS)}
    columns |= {f"a:{label}": truth[:, k] for k, label in enumerate(LABELS)}
    columns |= {"y_true:fox": 0, "a:fox": 0}
    pd.DataFrame(columns).to_csv(tmp_path / "t.csv", index=False)
    assert mc.read_predictions(tmp_path / "t.csv").labels.tolist() == [*LABELS, "fox"]


def test_lists_and_rows_are_the_same_test_set(hard):
    truth, probabilities = world()
    outputs = {m: lists(p >= 0.5) for m, p in probabilities.items()}
    for y_true in (lists(truth), [{*row} for row in lists(truth)], pd.Series(lists(truth))):
        found = mc.Predictions(y_true, outputs)
        assert found.labels.tolist() == LABELS
        assert np.array_equal(found.access.true_distribution, hard.access.true_distribution)
        assert np.array_equal(found.output("sure").array, hard.output("sure").array)


def test_frames_and_tensors_of_rows_are_sets(hard):
    truth, probabilities = world()
    outputs = {m: p >= 0.5 for m, p in probabilities.items()}
    tensors = {m: Tensor(p) for m, p in outputs.items()}
    of_frames = {m: pd.DataFrame(p) for m, p in outputs.items()}
    for y_true, models in (
        (pd.DataFrame(truth), of_frames),
        (Tensor(truth), tensors),
        (pl.DataFrame(truth), outputs),
    ):
        found = mc.Predictions(y_true, models, labels=LABELS)
        assert {*found.access.kinds.values()} == {"label_sets"}
        assert np.array_equal(found.access.true_distribution, hard.access.true_distribution)
        assert np.array_equal(found.output("sure").array, hard.output("sure").array)


def test_frames_of_one_class_each_are_soft_labels():
    truth = np.eye(3)[[0, 1, 2, 1]]
    for y_true in (pd.DataFrame(truth), Tensor(truth)):
        assert mc.Predictions(y_true, {"a": truth}).access.kinds == {"a": "probabilities"}


def test_one_one_in_each_row_is_one_class():
    truth = np.eye(3)[[0, 1, 2, 1]]
    assert mc.Predictions(truth, {"a": truth}).access.kinds == {"a": "probabilities"}
    assert mc.Predictions(truth, {"a": truth}, kind="label_sets").access.kinds == {
        "a": "label_sets"
    }


@pytest.mark.parametrize(
    ("y_true", "output", "options", "message"),
    [
        ([["a"], ["b", "a"]], [["a"], ["c"]], {"labels": ["a", "b"]}, "unknown or repeated in 1 row"),
        ([["a"], ["b", "b"]], [["a"], ["b"]], {}, r"`y_true` has labels that are unknown or repeated"),
        ([[1, 1], [0, 0]], [[0.5, 2], [0, 0]], {}, "numbers between 0 and 1"),
        ([[1, 1], [0, 0]], [[1, 0, 1], [0, 0, 0]], {}, r"got shape \(2, 3\), not \(n_samples, 2\)"),
        ([[1, 1], [0, 0]], [0, 1], {}, "lists of labels, or a row of numbers"),
        ([[1, 1], [0, 0]], [[0.5, 1], [0, 0]], {"kind": "label_sets"}, "other than 0 and 1"),
        ([[1, 1], [0, 0]], [[1, 1]], {}, "has 1 rows, `y_true` has 2"),
        (None, [[1, 1]], {"kind": "label_sets"}, "`y_true` is missing"),
    ],
)  # fmt: skip
def test_rows_that_are_no_sets_are_refused(y_true, output, options, message):
    with pytest.raises(ValueError, match=message):
        mc.Predictions(y_true, {"a": output}, **options)


@needs("calibration")
@pytest.mark.parametrize(
    "metric", ["accuracy", "balanced_accuracy", "specificity", "matthews_corrcoef", "cohen_kappa",
               "brier_score", "log_loss", "ece", "zero_one_loss"],
)  # fmt: skip
def test_metrics_of_one_class_are_refused(soft, metric):
    with pytest.raises(ValueError, match="is of one class for each sample"):
        mc.compare(soft, metric)


def test_one_label_has_the_interval_and_test_of_two_classes(hard):
    found = mc.compare(hard, "f1")
    truth, probabilities = world()
    for k in range(3):
        of_one = mc.Predictions(
            truth[:, k], {m: (p[:, k] >= 0.5).astype(int) for m, p in probabilities.items()}
        )
        alone = mc.compare(of_one, "f1").scores
        for ends in ("ci_low", "ci_high"):
            own = found.scores[found.scores["label"] == LABELS[k]][ends]
            assert own.tolist() == pytest.approx(alone.query("label == 1")[ends].tolist())


def test_exact_sets_have_the_interval_of_a_proportion(hard):
    found = mc.compare(hard, "subset_accuracy").scores
    truth, probabilities = world()
    right = {m: ((p >= 0.5) == truth).all(axis=1).astype(float) for m, p in probabilities.items()}
    alone = mc.compare(mc.Predictions.from_scores(right)).scores
    assert found["ci_low"].tolist() == pytest.approx(alone["ci_low"].tolist())
    assert found["method"].tolist() == ["wilson", "wilson"]


def test_an_interval_of_a_sum_over_labels_allows_for_samples_not_labels(hard):
    # The same sample three times over is three samples less certain than three samples.
    truth, probabilities = world()
    outputs = {m: (p >= 0.5).astype(int) for m, p in probabilities.items()}
    doubled = mc.Predictions(
        np.tile(truth, 2), {m: np.tile(x, 2) for m, x in outputs.items()}, labels=range(6)
    )
    once, twice = (mc.compare(p, "f1_micro").scores for p in (hard, doubled))
    assert once["ci_low"].tolist() == pytest.approx(twice["ci_low"].tolist(), abs=1e-6)


def test_clusters_and_weights_of_sets(hard):
    truth, probabilities = world()
    outputs = {m: (p >= 0.5).astype(int) for m, p in probabilities.items()}
    twice = mc.Predictions(
        np.repeat(truth, 2, axis=0), {m: np.repeat(x, 2, axis=0) for m, x in outputs.items()},
        groups=np.repeat(np.arange(N), 2),
    )  # fmt: skip
    weighted = mc.Predictions(truth, outputs, sample_weight=np.full(N, 2.0))
    for metric in ("f1_micro", "f1_macro", "f1_samples"):
        alone, same, heavy = (
            mc.bootstrap(p, metric, n_resamples=2) for p in (hard, twice, weighted)
        )
        assert np.asarray(same.estimate) == pytest.approx(np.asarray(alone.estimate))
        assert np.asarray(heavy.estimate) == pytest.approx(np.asarray(alone.estimate))
        errors = [mc.compare(p, metric).scores["standard_error"].tolist() for p in (hard, twice)]
        assert errors[0] == pytest.approx(errors[1], rel=0.02)


@needs("large")
def test_gates_and_sketches_take_sets(hard):
    assert mc.gate(hard, "weak", "sure", ["f1_micro:+0", "f1[cat]:-0.05"]).passed
    sketch = mc.io.sketch(hard, ["f1", "f1_micro"])
    expected = estimate(hard, ["f1", "f1_micro"])
    assert np.asarray(mc.bootstrap(sketch, n_resamples=2).estimate) == pytest.approx(expected)


@needs("large")
def test_a_scan_of_sets_is_refused(tmp_path):
    paths = [path for path, _ in forms(tmp_path) if path.suffix == ".parquet"]
    with pytest.raises(ValueError, match="read it whole with read_predictions"):
        mc.io.scan_predictions(paths[0])


@needs("agreement")
def test_where_two_models_differ(hard):
    found = mc.diagnostics.disagreements(hard, "sure", "weak").table
    _, probabilities = world()
    a, b = (p >= 0.5 for p in probabilities.values())
    assert len(found) == (a != b).any(axis=1).sum()
    assert found["distance"].max() == pytest.approx((a != b).mean(axis=1).max())
    first = found.iloc[0]
    row = lists([(a)[int(first["id"])]])[0]
    assert first["predicted_a"] == ", ".join(row)


def test_a_function_gets_rows_of_each(soft):
    seen = []

    def share(y_true, y_output):
        seen.append((y_true.shape, y_output.shape))
        return float(((y_output >= 0.5) == y_true).mean())

    found = mc.bootstrap(soft, share, n_resamples=9).estimate
    assert {*seen} == {((N, 3), (N, 3))}
    assert np.asarray(found).ravel() == pytest.approx(1 - estimate(soft, "hamming_loss").ravel())


def test_a_column_of_a_true_label_that_is_neither_0_nor_1_is_refused_by_its_row():
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, (12, 3))
    columns = {f"y_true:{label}": truth[:, k] for k, label in enumerate(LABELS)}
    columns |= {f"a:{label}": truth[::-1, k] for k, label in enumerate(LABELS)}
    table = pd.DataFrame(columns)
    assert mc.read_predictions(table).models == ("a",)
    table.loc[7, "y_true:dog"] = 2
    with pytest.raises(
        ValueError, match=r"columns y_true:LABEL must hold 0 or 1, but do not in 1 row \(row 7\)"
    ):
        mc.read_predictions(table)


@pytest.mark.parametrize("convert", NULLABLE.values(), ids=NULLABLE)
def test_marks_of_nullable_types_are_sets(convert):
    marks = pd.DataFrame({"x": [1, 1] * 30, "z": [0, 1] * 30})
    assert mc.Predictions(convert(marks), {"a": convert(marks)}).access.kinds == {"a": "label_sets"}


@pytest.mark.parametrize("name", ["hamming_loss", "label_ranking_average_precision_score"])
def test_a_function_of_scikit_learn_is_known_by_its_name(name):
    assert mc.get_metric(name) is mc.get_metric(mc.get_metric(name).name)


@pytest.mark.filterwarnings("ignore::modelcompare.metrics.UndefinedMetricWarning")
def test_many_more_labels_than_samples_have_scikit_learn_s_values():
    rng = np.random.default_rng(0)
    truth = (rng.random((60, 300)) < 0.02).astype(int)
    answers = np.where(rng.random(truth.shape) < 0.003, 1 - truth, truth)
    preds = mc.Predictions(truth, {"a": answers, "b": np.zeros_like(truth)})
    found = mc.compare(preds, ["f1_macro", "f1_micro", "f1_samples"], n_resamples=99)
    for name, rows in found.scores.groupby("metric"):
        expected = []
        for marks in (answers, np.zeros_like(truth)):
            # A label that neither samples nor answers have is of no average.
            there = (truth | marks).any(axis=0)
            sides, average = (truth[:, there], marks[:, there]), name.removeprefix("f1_")
            both_empty = 1 if average == "samples" else 0
            expected.append(reference.f1_score(*sides, average=average, zero_division=both_empty))
        values = rows.set_index("model")["estimate"].loc[["a", "b"]]
        np.testing.assert_allclose(values, expected, rtol=1e-12)
        assert rows["ci_low"].between(0, 1).all()


def test_sets_that_mostly_differ_are_no_texts_and_lists_of_references_are(tmp_path):
    rng = np.random.default_rng(0)
    sets = [[f"l{k:02}" for k in rng.choice(20, 4, replace=False)] for _ in range(120)]
    frame = pd.DataFrame({"id": range(120), "y_true": sets, "a": sets[::-1], "b": sets})
    frame.to_json(tmp_path / "sets.jsonl", orient="records", lines=True)
    assert {*mc.read_predictions(tmp_path / "sets.jsonl").access.kinds.values()} == {"label_sets"}
    references = [[f"answer {i}", f"reply {i}"] for i in range(120)]
    frame = frame.assign(y_true=references, a=references, b=references[::-1])
    frame.to_json(tmp_path / "texts.jsonl", orient="records", lines=True)
    with pytest.raises(ValueError, match="240 different texts in 240 rows; if they are texts"):
        mc.read_predictions(tmp_path / "texts.jsonl")
