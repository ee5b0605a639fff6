"""A scan gives the numbers that memory gives of the same rows, bit for bit."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics.registry import resolve_metrics
from modelcompare.plugins.large import planning
from modelcompare.resampling.weights import Units
from tests.plugged import needs
from tests.small_blocks import ROW_BLOCK

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
pytestmark = pytest.mark.usefixtures("small_blocks")

N = 2 * ROW_BLOCK + 1_001
SOFT = ("accuracy", "f1_macro", "cf1", "cf1_macro", "mcc", "log_loss", "brier_score", "ece")


@pytest.fixture(scope="module")
def soft_frame():
    """Three classes, two models' probabilities, weights."""
    rng = np.random.default_rng(1)
    columns = {"y_true": rng.choice(["x", "y", "z"], N, p=[0.5, 0.49, 0.01])}
    for model in "ab":
        p = rng.dirichlet([1, 2, 1], N)
        columns |= {f"{model}:{label}": p[:, j] for j, label in enumerate("xyz")}
    return pd.DataFrame(columns | {"w": rng.uniform(0, 2, N)})


@pytest.fixture(scope="module")
def in_memory(soft_frame):
    frame = soft_frame.drop(columns="w")
    return mc.bootstrap(mc.read_predictions(frame), "cf1_macro", n_resamples=130)


@pytest.fixture(scope="module")
def hard_frame():
    rng = np.random.default_rng(2)
    return pd.DataFrame({c: rng.choice(["no", "yes", "?"], N) for c in ("y_true", "a", "b", "c")})


def in_file(frame, path, **options):
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), path, **options)
    return path


def in_partitions(frame, folder, sizes):
    for number, (start, stop) in enumerate(zip([0, *sizes], [*sizes, N], strict=True)):
        in_file(frame.iloc[start:stop], folder / f"{number}.parquet")
    return folder


def equal(memory, scan):
    np.testing.assert_array_equal(memory.point, scan.point)
    np.testing.assert_array_equal(memory.draws, scan.draws)
    assert memory.evaluation.keys == scan.evaluation.keys


@needs("calibration")
def test_soft_metrics_have_the_replicates_and_intervals_of_memory(soft_frame, tmp_path):
    path = in_file(soft_frame.drop(columns="w"), tmp_path / "x.parquet")
    memory = mc.bootstrap(mc.read_predictions(path), SOFT, n_resamples=40)
    scan = mc.bootstrap(mc.io.scan_predictions(path), SOFT, n_resamples=40)
    assert not scan.evaluation.collapsed
    equal(memory, scan)
    for method in ("normal", "percentile", "basic", "BCa"):
        pd.testing.assert_frame_equal(
            memory.confidence_interval(method=method), scan.confidence_interval(method=method),
            check_exact=True,
        )  # fmt: skip


def test_no_array_is_as_long_as_all_rows(soft_frame, tmp_path, monkeypatch):
    lengths, counts = [], Units.counts

    def recorded(units, rows=slice(None)):
        found = counts(units, rows)
        lengths.append(len(found))
        return found

    monkeypatch.setattr(Units, "counts", recorded)
    scan = mc.io.scan_predictions(in_file(soft_frame.drop(columns="w"), tmp_path / "x.parquet"))
    smooth = [name for name in SOFT if name != "ece"]
    result = mc.compare(scan, smooth, n_resamples=20, method="normal", test="wald")
    assert result.evidence.p_values.shape == (1, len(result.bootstrap.evaluation.keys))
    for test in ("permutation", "sign-flip"):
        found = mc.compare(scan, "f1_macro", test=test, method="normal", n_resamples=20)
        assert len(found.differences) == 1
    assert 0 < max(lengths) <= ROW_BLOCK


def test_an_infinite_log_loss_is_noted_as_of_memory(soft_frame):
    sure = soft_frame.drop(columns="w")
    wrong = [7, ROW_BLOCK + 3, N - 1]
    last = sure["y_true"].map({"x": "y", "y": "z", "z": "x"})[wrong]
    for label in "xyz":
        sure.loc[wrong, f"b:{label}"] = (last == label).astype(float)
    notes = [
        [note for note in found.evidence.notes if "log loss" in note]
        for source in (mc.read_predictions(sure), mc.io.scan_predictions(pa.Table.from_pandas(sure)))
        if (found := mc.compare(source, "log_loss", n_resamples=2, method="normal", test="wald"))
    ]  # fmt: skip
    assert "probability 0 (b in 3 samples)" in notes[0][0]
    assert notes[1] == notes[0]


@pytest.mark.parametrize("scheme", ["multinomial", "poisson", "bayesian"])
def test_weights_of_samples_and_of_resamples_are_those_of_memory(scheme, soft_frame):
    metrics = ("accuracy", "cf1_macro")
    memory = mc.bootstrap(
        mc.read_predictions(soft_frame, columns={"weight": "w"}),
        metrics,
        n_resamples=20,
        scheme=scheme,
    )
    scan = mc.bootstrap(
        mc.io.scan_predictions(soft_frame, columns={"weight": "w"}),
        metrics,
        n_resamples=20,
        scheme=scheme,
    )
    equal(memory, scan)


@pytest.mark.parametrize(
    "cuts", [(), (1,), (ROW_BLOCK + 7, ROW_BLOCK + 9, 2 * ROW_BLOCK), "row groups"]
)
def test_neither_jobs_nor_files_nor_row_groups_change_a_bit(cuts, soft_frame, in_memory, tmp_path):
    frame = soft_frame.drop(columns="w")
    if cuts == "row groups":
        source = in_file(frame, tmp_path / "x.parquet", row_group_size=999)
    else:
        source = in_partitions(frame, tmp_path, list(cuts))
    scan = mc.io.scan_predictions(source)
    for n_jobs in (1, 2):
        with mc.config_context(n_jobs=n_jobs):
            equal(in_memory, mc.bootstrap(scan, "cf1_macro", n_resamples=130))


@pytest.mark.parametrize("n", [2, 900, ROW_BLOCK, ROW_BLOCK + 1])
def test_any_number_of_rows_is_served(n, soft_frame):
    frame = soft_frame.drop(columns="w").iloc[-n:].reset_index(drop=True)
    frame.loc[:1, "y_true"] = ["x", "y"]
    memory = mc.bootstrap(mc.read_predictions(frame), "caccuracy", n_resamples=40)
    equal(memory, mc.bootstrap(mc.io.scan_predictions(frame), "caccuracy", n_resamples=40))


def test_labels_become_the_distinct_rows_of_memory(hard_frame, tmp_path):
    path = in_file(hard_frame, tmp_path / "x.parquet")
    metrics = ("accuracy", "f1", "kappa")
    memory = mc.bootstrap(mc.read_predictions(path), metrics, n_resamples=200)
    scan = mc.bootstrap(mc.io.scan_predictions(path), metrics, n_resamples=200)
    assert memory.evaluation.collapsed
    assert scan.evaluation.collapsed
    equal(memory, scan)
    apart = mc.bootstrap(mc.io.scan_predictions(path), metrics, n_resamples=20, collapse=False)
    equal(mc.bootstrap(mc.read_predictions(path), metrics, n_resamples=20, collapse=False), apart)


def test_probabilities_collapse_to_the_classes_that_they_say(soft_frame):
    frame = soft_frame.drop(columns="w")
    memory = mc.bootstrap(mc.read_predictions(frame), "f1", n_resamples=50)
    scan = mc.bootstrap(mc.io.scan_predictions(frame), "f1", n_resamples=50)
    assert scan.evaluation.collapsed
    equal(memory, scan)


def test_real_values_and_scores_are_served():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"y_true": rng.normal(size=N), "a": rng.normal(size=N)})
    memory = mc.bootstrap(mc.read_predictions(frame), ["rmse", "mae"], n_resamples=20)
    equal(memory, mc.bootstrap(mc.io.scan_predictions(frame), ["rmse", "mae"], n_resamples=20))
    scores = frame.rename(columns={"y_true": "b"})
    memory = mc.bootstrap(mc.read_predictions(scores), n_resamples=20)
    equal(memory, mc.bootstrap(mc.io.scan_predictions(scores), n_resamples=20))


@pytest.mark.parametrize(
    "metric", ["average_precision", "ece_mass", lambda y, p: float((y == p).mean())]
)
def test_what_needs_all_samples_at_once_is_refused_by_name(metric, soft_frame):
    frame = soft_frame[soft_frame["y_true"] != "z"].drop(columns=["w", "a:z", "b:z"])
    scan = mc.io.scan_predictions(frame, normalize=True, positive="x")
    with pytest.raises(ValueError, match=r"cannot be computed block by block.*\.load\(\)"):
        Evaluation(scan, resolve_metrics(metric, scan))


def test_a_scan_is_compared_on_several_threads_at_once(soft_frame):
    scan = mc.io.scan_predictions(soft_frame.drop(columns="w"))

    def compared(_=None):
        return mc.compare(scan, ["cf1", "log_loss"], method="normal", test="wald")

    expected = compared()
    with ThreadPoolExecutor(4) as threads:
        found = [*threads.map(compared, range(8))]
        # One result may be asked on several, too.
        evaluation = compared().bootstrap.evaluation
        rows = [slice(start, start + 9) for start in range(0, N - 9, ROW_BLOCK // 2)]
        parts = [*threads.map(lambda some: evaluation.statistics(rows=some), 3 * rows)]
    for each in found:
        pd.testing.assert_frame_equal(each.scores, expected.scores)
        pd.testing.assert_frame_equal(each.differences, expected.differences)
    for part, some in zip(parts, 3 * rows, strict=True):
        np.testing.assert_array_equal(part, evaluation.statistics(rows=some))


def test_rows_of_several_blocks_are_refused_at_once(soft_frame):
    scan = mc.io.scan_predictions(soft_frame.drop(columns="w"))
    evaluation = Evaluation(scan, resolve_metrics("cf1", scan))
    assert evaluation.statistics(rows=slice(ROW_BLOCK, ROW_BLOCK + 9)).shape == (9, 15)
    for rows in (slice(None), slice(ROW_BLOCK - 1, ROW_BLOCK + 1)):
        with pytest.raises(ValueError, match=r"the statistics of all rows at once.*read block by"):
            evaluation.statistics(rows=rows)


def real_frame(**columns):
    rng = np.random.default_rng(3)
    made = {c: rng.normal(size=N) for c in ("y_true", "a", "b")}
    return pd.DataFrame({**made, "a": made["y_true"] + 0.1 * made["a"], **columns})


SWAPPED = {
    "labels and probabilities": (
        None, {}, ["accuracy", "f1", "f1_macro", "cohen_kappa", "cf1", "cf1_macro", "log_loss", "ece"],
    ),
    "weights": (None, {"columns": {"weight": "w"}}, ["accuracy", "f1_macro", "cf1", "log_loss"]),
    "values": (real_frame, {}, ["rmse", "mae"]),
    "scores": (lambda: real_frame().drop(columns="y_true"), {"kind": "scores"}, ["mean_score"]),
}  # fmt: skip


@pytest.mark.parametrize("case", SWAPPED)
def test_swaps_of_blocks_are_those_of_memory(case, soft_frame):
    make, options, metrics = SWAPPED[case]
    frame = make() if make else soft_frame if "columns" in options else soft_frame.drop(columns="w")
    asked = {"metrics": metrics, "method": "normal", "n_resamples": 99}
    memory = mc.compare(mc.read_predictions(frame, **options), **asked)
    scan = mc.compare(mc.io.scan_predictions(frame, **options), **asked)
    assert scan.bootstrap.n_resamples == 0
    assert "|test:studentized-permutation" in scan.signature
    columns = ["metric", "label", "difference", "p_value", "p_adjusted", "better", "test"]
    pd.testing.assert_frame_equal(
        memory.differences[columns], scan.differences[columns], check_exact=True
    )


@pytest.mark.parametrize("n", [900, ROW_BLOCK])
def test_swaps_of_one_block_are_those_of_memory(n, soft_frame):
    frame = soft_frame.drop(columns="w").iloc[:n]
    asked = {"metrics": ["f1_macro", "cf1"], "method": "normal", "n_resamples": 99}
    memory, scan = (
        mc.compare(read(frame), **asked) for read in (mc.read_predictions, mc.io.scan_predictions)
    )
    columns = ["difference", "p_value", "p_adjusted"]
    pd.testing.assert_frame_equal(
        memory.differences[columns], scan.differences[columns], check_exact=True
    )


def test_labels_of_many_distinct_rows_have_walds_test_by_name(monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 40, N)
    columns = {"y_true": y} | {
        m: np.where(rng.random(N) < 0.3, y, rng.integers(0, 40, N)) for m in "abc"
    }
    monkeypatch.setattr(planning, "SHARE", 0)
    scan = mc.io.scan_predictions(pd.DataFrame(columns))
    assert "|test:wald|" in mc.compare(scan, "f1_macro").signature


@needs("texts")
def test_texts_of_blocks_are_compared_as_in_memory():
    pytest.importorskip("rapidfuzz")
    pytest.importorskip("sacrebleu")
    rng = np.random.default_rng(1)
    words = rng.choice([*"abcdefgh"], (ROW_BLOCK + 501, 4))

    def noisy(share):
        other = rng.choice([*"abcdefgh"], words.shape)
        return [" ".join(row) for row in np.where(rng.random(words.shape) < share, other, words)]

    frame = pd.DataFrame({"y_true": noisy(0), "a": noisy(0.2), "b": noisy(0.21)})
    metrics = ["wer", "bleu", "exact_match"]
    memory, scan = (
        mc.read_predictions(frame, kind="texts"),
        mc.io.scan_predictions(frame, kind="texts"),
    )
    asked = {"metrics": metrics, "method": "normal", "n_resamples": 30}
    found, expected = (mc.compare(preds, **asked) for preds in (scan, memory))
    columns = ["metric", "difference", "ci_low", "ci_high", "p_value"]
    pd.testing.assert_frame_equal(
        found.differences[columns], expected.differences[columns], rtol=1e-12
    )
    one, other = (mc.io.sketch(preds, metrics, buckets=16) for preds in (scan, memory))
    for key, numbers in other.numbers.items():
        np.testing.assert_array_equal(one.numbers[key], numbers)
