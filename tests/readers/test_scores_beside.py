"""Scores beside outputs: latencies and costs next to labels, in memory and in wide tables."""

import json

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.cli import main
from tests.plugged import needs

N = 200


def table(*, whole=False):
    """Labels of two models, the second of which is faster."""
    rng = np.random.default_rng(0)
    truth = rng.choice(["ham", "spam"], N)
    frame = pd.DataFrame({"y_true": truth})
    for model, right, ms in (("a", 0.9, 120), ("b", 0.9, 70)):
        flipped = np.where(truth == "ham", "spam", "ham")
        frame[model] = np.where(rng.random(N) < right, truth, flipped)
        latency = rng.lognormal(np.log(ms), 0.4, N)
        frame[f"latency_ms_{model}"] = latency.round() if whole else latency.round(2)
    return frame


def latencies(frame):
    return {model: {"latency_ms": frame[f"latency_ms_{model}"]} for model in "ab"}


def predictions(frame):
    return mc.Predictions(frame["y_true"], {m: frame[m] for m in "ab"})


@pytest.mark.parametrize("test", ["studentized-permutation", "permutation"])
def test_numbers_are_those_of_labels_and_of_scores_alone(test):
    frame = table()
    both = predictions(frame).with_scores(latencies(frame))
    metrics = ["latency_ms", "latency_ms_p95"]
    options = {"n_resamples": 199, "test": test}
    if test == "permutation":
        metrics.pop()  # of percentiles it is the studentized test
    found = mc.compare(both, ["accuracy", *metrics], **options)
    alone = mc.compare(mc.Predictions.from_scores(latencies(frame)), metrics, **options)
    quality = mc.compare(predictions(frame), "accuracy", collapse=False, **options)
    for part in ("scores", "differences"):
        expected = pd.concat([getattr(quality, part), getattr(alone, part)])
        rows = getattr(found, part)
        keys = [name for name in ("model", "model_a", "model_b", "metric") if name in rows]
        numbers = rows.set_index(keys).sort_index().select_dtypes(float)
        same = expected.set_index(keys).sort_index()[numbers.columns].astype(float)
        pd.testing.assert_frame_equal(numbers, same, rtol=1e-9)


def test_names_of_metrics_keep_their_meaning_and_default_metrics_are_the_same():
    frame = table()
    scores = {m: {"accuracy": np.zeros(N), **latencies(frame)[m]} for m in "ab"}
    both = predictions(frame).with_scores(scores)
    plain = mc.bootstrap(predictions(frame), "accuracy", n_resamples=2).estimate
    assert (mc.bootstrap(both, "accuracy", n_resamples=2).estimate == plain).all()
    assert mc.compare(both, n_resamples=99).evidence.metrics == ("accuracy", "f1_macro")
    assert both.access.scores.beside == ("accuracy", "latency_ms")
    assert both.access.scores.names == ()


def test_rows_models_and_columns_keep_the_scores():
    frame = table()
    both = predictions(frame).with_scores(latencies(frame))
    part = both[["b"]].subset(np.arange(50)).with_columns(groups=np.arange(50) // 2)
    assert mc.bootstrap(part, "latency_ms", n_resamples=2).estimate.item() == pytest.approx(
        frame["latency_ms_b"][:50].mean()
    )


def test_a_direction_and_a_range_are_those_given():
    frame = table()
    scores = {m: {"speed": 1 / frame[f"latency_ms_{m}"]} for m in "ab"}
    both = predictions(frame).with_scores(
        scores, bounds={"speed": (0, 0.1)}, greater_is_better=True
    )
    found = mc.decide(both, "a", "b", "speed", kind="superior")
    assert found.passed
    assert "known range" not in found.sentence()
    turned = predictions(frame).with_scores(scores, greater_is_better=False)
    assert not mc.decide(turned, "a", "b", "speed", kind="superior").passed


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ({"a": {"ms": np.ones(N)}}, "`scores` must have named scores of all models, 200 each"),
        ({m: {"ms": np.ones(9)} for m in "ab"}, "must have named scores of all models, 200 each"),
        ({m: np.ones(N) for m in "ab"}, "must have named scores of all models, 200 each"),
    ],
)
def test_scores_that_do_not_fit_are_refused(scores, message):
    with pytest.raises(ValueError, match=message):
        predictions(table()).with_scores(scores)


@needs("judges", "runs")
def test_scores_beside_scores_and_beside_a_judge_are_refused():
    frame = table()
    alone = mc.Predictions.from_scores(latencies(frame))
    with pytest.raises(ValueError, match="the outputs are scores themselves"):
        alone.with_scores(latencies(frame))
    some = np.where(np.arange(N) % 2, frame["y_true"], None)
    judged = mc.Predictions(some, {m: frame[m] for m in "ab"}, judge=frame["y_true"])
    with pytest.raises(ValueError, match="is of scores of every sample, which need no judge"):
        mc.compare(judged.with_scores(latencies(frame)), "latency_ms")


@pytest.mark.parametrize("sign", ["_", ".", "-", " "])
@pytest.mark.parametrize("first", [True, False])
def test_columns_of_all_models_are_read_under_one_name(sign, first):
    frame = table(whole=True)
    names = {m: f"latency_ms{sign}{m}" if first else f"{m}{sign}latency_ms" for m in "ab"}
    frame = frame.rename(columns={f"latency_ms_{m}": name for m, name in names.items()})
    preds = mc.read_predictions(frame)
    assert preds.models == ("a", "b")
    assert preds.access.scores.beside == ("latency_ms",)
    found = mc.bootstrap(preds, "latency_ms", n_resamples=2).estimate.to_numpy()
    assert found == pytest.approx([frame[name].mean() for name in names.values()])


def test_columns_that_some_models_lack_or_with_gaps_are_left_out():
    frame = table()
    frame["tokens_a"] = np.arange(N) + 0.5
    assert mc.read_predictions(frame).access.scores.beside == ("latency_ms",)
    frame.loc[3, "latency_ms_b"] = np.nan
    assert mc.read_predictions(frame).access.scores.beside == ()


@pytest.mark.filterwarnings("ignore:.*left out 1 of 200 rows")
def test_one_command_asks_for_quality_and_latency(tmp_path, capsys):
    path = tmp_path / "served.csv"
    frame = table(whole=True)
    frame.loc[0, "a"] = None
    frame.to_csv(path, index=False)
    gate = [
        "gate", str(path), "--baseline", "a", "--candidate", "b", "--missing", "drop",
        "--rule", "accuracy:-0.1", "--rule", "latency_ms_p95:+0", "--format", "json",
    ]  # fmt: skip
    assert main(gate) == 0
    shown = capsys.readouterr()
    assert "scores beside: 1 (latency_ms)" in shown.err
    gains = {row["metric"]: row["gain"] for row in json.loads(shown.out)["decisions"]}
    kept = frame.iloc[1:]
    right = [(kept[m] == kept["y_true"]).mean() for m in "ab"]
    tail = [
        np.quantile(kept[f"latency_ms_{m}"], 0.95, method="averaged_inverted_cdf") for m in "ab"
    ]
    assert gains == pytest.approx(
        {"accuracy": right[1] - right[0], "latency_ms_p95": tail[0] - tail[1]}
    )


@needs("large")
def test_a_sketch_sums_them(tmp_path):
    frame = table()
    both = predictions(frame).with_scores(latencies(frame))
    sketched = mc.io.sketch(both, ["accuracy", "latency_ms"], buckets=64)
    path = tmp_path / "day.parquet"
    sketched.save(path)
    for read in (sketched, mc.io.read_sketch(path)):
        found = mc.compare(read, ["accuracy", "latency_ms"], n_resamples=99).scores
        assert found["estimate"].to_numpy() == pytest.approx(
            mc.bootstrap(both, ["accuracy", "latency_ms"], n_resamples=2).estimate.to_numpy()
        )


def in_rows(*, whole=False):
    """The same table, with a row for each model and sample, and a column of the samples."""
    frame = table(whole=whole)
    length = np.arange(N) % 7
    return pd.concat([
        pd.DataFrame({
            "model": m, "item": [f"i{k}" for k in range(N)], "y_true": frame["y_true"],
            "y_pred": frame[m], "latency_ms": frame[f"latency_ms_{m}"], "length": length,
        })
        for m in "ab"
    ]).sample(frac=1, random_state=0)  # fmt: skip


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("written", [False, True])
def test_rows_of_one_model_each_have_them_too(tmp_path, written, whole):
    frame = in_rows(whole=whole)
    if written:
        frame.to_csv(tmp_path / "long.csv", index=False)
    read = mc.read_predictions(tmp_path / "long.csv" if written else frame)
    assert read.access.scores.beside == ("latency_ms",)  # the length is that of the sample
    wide = mc.read_predictions(table(whole=whole))
    metrics = ["accuracy", "latency_ms", "latency_ms_p95"]
    found = mc.bootstrap(read[["a", "b"]], metrics, n_resamples=2).estimate
    assert found.to_numpy() == pytest.approx(mc.bootstrap(wide, metrics, n_resamples=2).estimate)


def test_rows_of_a_single_model_keep_all_their_numbers():
    frame = in_rows()
    alone = mc.read_predictions(frame[frame["model"] == "a"])
    assert alone.access.scores.beside == ("latency_ms", "length")


def test_files_of_one_model_each_have_them_too(tmp_path):
    for model, part in in_rows().groupby("model"):
        part.drop(columns="model").to_csv(tmp_path / f"{model}.csv", index=False)
    read = mc.read_predictions([tmp_path / "a.csv", tmp_path / "b.csv"])
    found = mc.bootstrap(read, "latency_ms", n_resamples=2).estimate
    assert found.to_numpy() == pytest.approx([table()[f"latency_ms_{m}"].mean() for m in "ab"])


@pytest.mark.filterwarnings("ignore:.*left out 1 of 200 samples")
def test_rows_with_missing_results_are_left_out_with_their_scores(tmp_path, capsys):
    frame = in_rows()
    frame.loc[(frame["model"] == "a") & (frame["item"] == "i0"), "y_pred"] = None
    frame.to_csv(tmp_path / "long.csv", index=False)
    gate = [
        "gate", str(tmp_path / "long.csv"), "--baseline", "a", "--candidate", "b", "--missing",
        "drop", "--rule", "accuracy:-0.1", "--rule", "latency_ms:+0", "--format", "json",
    ]  # fmt: skip
    assert main(gate) == 0
    shown = capsys.readouterr()
    assert "scores beside: 1 (latency_ms)" in shown.err
    gains = {row["metric"]: row["gain"] for row in json.loads(shown.out)["decisions"]}
    kept = table().iloc[1:]
    expected = kept["latency_ms_a"].mean() - kept["latency_ms_b"].mean()
    assert gains["latency_ms"] == pytest.approx(expected)


@pytest.mark.filterwarnings("ignore:.*missing")
def test_scores_of_results_that_count_as_the_worst_are_not_made_up():
    frame = in_rows()
    lacking = frame[~((frame["model"] == "a") & (frame["item"] == "i0"))]
    read = mc.read_predictions(lacking, missing="worst")
    assert read.access.scores.beside == ()
    with pytest.raises(ValueError, match="'latency_ms' is a column, and no metric"):
        mc.compare(read, "latency_ms")


@needs("large")
@pytest.mark.parametrize("metric", ["latency_ms", "latency_ms_p95"])
def test_a_column_that_is_no_score_is_named(tmp_path, metric):
    frame = table()
    frame.loc[3, "latency_ms_b"] = np.nan
    told = (
        r"'latency_ms' is a column, and no metric: .* without gaps, in columns such as latency_ms_a"
    )
    with pytest.raises(ValueError, match=told):
        mc.compare(mc.read_predictions(frame), metric)
    frame = table()
    path = tmp_path / "wide.parquet"
    frame.to_parquet(path)
    with pytest.raises(ValueError, match="and not read block by block"):
        mc.compare(mc.io.scan_predictions(path), metric)
    in_rows().to_parquet(path)
    with pytest.raises(ValueError, match="has a row for each model and sample"):
        mc.io.scan_predictions(path)
