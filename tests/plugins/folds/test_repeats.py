"""Rows that hold samples several times: asked for, and tables that only look so are read."""

import re
import shlex

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold, RepeatedKFold, StratifiedKFold

import modelcompare as mc
import modelcompare.testing
from modelcompare.cli.app import main
from modelcompare.data.sizes import times_repeated
from tests.advice import commands_in
from tests.plugged import needs

N, R = 60, 3
RNG = np.random.default_rng(0)
VALUES = RNG.normal(size=N).round(3)
LABELS = RNG.integers(0, 2, N)


def repeated(truth, n_folds=5, *, restart=True):
    """Return the rows of repeats of a cross-validation, fold after fold."""
    parts = []
    splits = RepeatedKFold(n_splits=n_folds, n_repeats=R, random_state=0).split(truth)
    for place, (_, rows) in enumerate(splits):
        fold = place % n_folds if restart else place
        parts.append(pd.DataFrame({"fold": fold, "y_true": truth[rows]}))
    return with_models(pd.concat(parts, ignore_index=True))


def with_models(frame):
    if frame["y_true"].dtype.kind == "f":
        noise = {m: frame["y_true"] + RNG.normal(0, s, len(frame)) for m, s in (("a", 1), ("b", 2))}
        return frame.assign(**noise)
    right = {m: RNG.random(len(frame)) < p for m, p in (("a", 0.8), ("b", 0.7))}
    return frame.assign(
        **{m: np.where(r, frame["y_true"], 1 - frame["y_true"]) for m, r in right.items()}
    )


ASKS = {
    "values, folds restart": repeated(VALUES),
    "values, folds numbered on": repeated(VALUES, restart=False),
    "values, no folds": repeated(VALUES).drop(columns="fold").sample(frac=1, random_state=0),
    "labels, folds restart": repeated(LABELS),
    "labels beside texts": repeated(LABELS, restart=False),
    "counts, folds numbered on": repeated(RNG.poisson(20, N).astype(float), restart=False),
}  # fmt: skip
# The text of a sample is in every repeat.
ASKS["labels beside texts"]["text"] = [
    f"text {row}"
    for _, rows in RepeatedKFold(n_splits=5, n_repeats=R, random_state=0).split(LABELS)
    for row in rows
]
MODELS = {"models": ["a", "b"]}


@needs("runs")
@pytest.mark.parametrize("name", ASKS)
def test_repeats_without_ids_are_asked_for(name):
    options = MODELS | ({"kind": "values"} if name.startswith("counts") else {})
    with pytest.raises(ValueError, match="180 rows would count as independent samples") as refused:
        mc.read_predictions(ASKS[name], **options)
    assert "Name the column of the samples with columns={'id': 'COLUMN'} (--id COLUMN)" in str(
        refused.value
    )
    sample = np.tile(np.arange(N), R)
    ids = mc.read_predictions(
        ASKS[name].assign(id=sample, run=np.repeat(np.arange(R), N)),
        columns={"id": "id", "runs": "run"},
        **options,
    )
    assert len(np.unique(ids.groups)) == N
    one_each = mc.read_predictions(
        ASKS[name].assign(id=np.arange(N * R)), columns={"id": "id"}, **options
    )
    assert len(one_each) == N * R


def test_the_command_that_the_refusal_names_answers(tmp_path, capsys):
    for model in ("a", "b"):
        part = ASKS["values, folds restart"].rename(columns={model: "y_pred"})
        part[["fold", "y_true", "y_pred"]].to_csv(tmp_path / f"{model}.csv", index=False)
    files = [str(tmp_path / f"{model}.csv") for model in ("a", "b")]
    assert main(["compare", *files]) == 2
    message = capsys.readouterr().err
    (flags,) = re.findall(r"\((--true .*?)\)", message.replace("\n", " "))
    assert main(["compare", *files, *shlex.split(flags), "--resamples", "99"]) == 0
    out, err = capsys.readouterr()
    assert "clusters: y_true" in err
    assert "clusters:60" in out
    # The folds that are left out are named.
    assert "left out: 1 (fold)" in err


def test_folds_that_are_left_out_are_no_scores_of_the_model(tmp_path, capsys):
    truth = np.random.default_rng(0).integers(0, 2, 120)
    table = pd.DataFrame({"fold": np.repeat(range(10), 12), "y_true": truth, "y_pred": truth[::-1]})
    table.to_csv(tmp_path / "one.csv", index=False)
    assert main(["compare", str(tmp_path / "one.csv"), "--resamples", "99"]) == 0
    err = capsys.readouterr().err
    assert "left out: 1 (fold)" in err
    assert "scores beside" not in err


@needs("suites")
def test_ten_repeats_in_a_file_of_each_model_are_asked_for_by_commands(tmp_path, capsys):
    y = RNG.normal(size=6130).round(2)
    folds = [*RepeatedKFold(n_splits=5, n_repeats=10, random_state=0).split(y)]
    rows = np.concatenate([held for _, held in folds])
    fold = np.repeat(np.arange(50) % 5, [len(held) for _, held in folds])
    files = []
    for model in ("a", "b"):
        pred = y[rows] + RNG.normal(size=len(rows)).round(2)
        files.append(str(tmp_path / f"{model}.csv"))
        pd.DataFrame({"fold": fold, "y_true": y[rows], "y_pred": pred}).to_csv(
            files[-1], index=False
        )
    asked = (
        ["compare"],
        ["gate", "--baseline", "a", "--candidate", "b", "--margin", "0.1", "-m", "rmse"],
        ["groups"],
        ["sample-size"],
    )
    for command, *options in asked:
        assert main([command, *files, *options]) == 2
        message = " ".join(capsys.readouterr().err.split())
        assert "each value of column 'y_true' is in 10 rows, or a multiple" in message
        assert "61,300 rows would count as independent samples. Name the column" in message


@needs("suites")
def test_repeats_within_test_sets_are_asked_for_and_sets_of_the_same_samples_are_read():
    frame = ASKS["values, folds restart"]
    both = pd.concat([frame.assign(dataset="x"), frame.assign(dataset="y")], ignore_index=True)
    with pytest.raises(ValueError, match="each value of column 'y_true' is in 3 rows"):
        mc.read_predictions(both, **MODELS)
    once = with_models(pd.DataFrame({"y_true": np.tile(VALUES, 3)}))
    frame = once.assign(dataset=np.repeat(["x", "y", "z"], N))
    assert len(mc.read_predictions(frame, columns={"set": "y"}, **MODELS)) == N
    assert [*mc.io.read_sets(frame, **MODELS)] == ["x", "y", "z"]


BALANCED = np.repeat([0, 1], 50)


def in_folds(truth, splitter, by=None):
    """Return the rows of one partition, in the order of the samples."""
    fold = np.empty(len(truth), dtype=int)
    for place, (_, rows) in enumerate(splitter.split(truth, by)):
        fold[rows] = place
    return pd.DataFrame({"fold": fold, "y_true": truth})


SHUFFLED = in_folds(BALANCED, StratifiedKFold(10, shuffle=True, random_state=0), BALANCED)
READ = {
    "balanced labels": pd.DataFrame({"y_true": np.tile([0, 1], 50)}),
    "twenty balanced classes": pd.DataFrame({"y_true": np.tile(np.arange(20), 10)}),
    "stratified folds in the order of the samples": SHUFFLED,
    "stratified folds one after the other": SHUFFLED.sort_values("fold", kind="stable"),
    "folds that take turns": pd.DataFrame(
        {"fold": np.arange(100) % 10, "y_true": np.tile([0, 1], 50)}
    ),
    "plain folds": in_folds(RNG.normal(size=100), KFold(10)),
    "grades": pd.DataFrame({"y_true": np.tile(np.arange(1, 5.5, 0.5), 20)}),
    "two hundred classes of three sizes": pd.DataFrame(
        {"y_true": np.repeat(np.arange(200), np.tile([10, 20, 30, 20], 50))}
    ),
    "classes in folds of the file's order": pd.DataFrame(
        {"fold": np.tile(np.repeat(np.arange(5), 10), 2), "y_true": np.repeat([0, 1], 50)}
    ),
    "values of which some are equal": pd.DataFrame({"y_true": RNG.normal(size=300).round(2)}),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_tables_whose_samples_differ_are_read(name):
    frame = with_models(READ[name].reset_index(drop=True))
    preds = mc.read_predictions(frame, **MODELS)
    assert len(preds) == len(frame)
    mc.bootstrap(preds, "accuracy" if preds.access.n_classes else "rmse", n_resamples=2)
    mc.bootstrap(mc.Predictions(frame["y_true"], dict(frame[["a", "b"]])), n_resamples=2)


@needs("large")
def test_predictions_of_repeated_values_are_asked_for_by_every_road():
    frame = ASKS["values, no folds"]
    preds = mc.Predictions(frame["y_true"], dict(frame[["a", "b"]]))
    message = r"each value of `y_true` is in 3 rows, or a multiple of that.*180 rows would count"
    for ask in (
        lambda: mc.compare(preds, n_resamples=9),
        lambda: mc.decide(preds, "a", "b", "rmse", margin=0.1, n_resamples=9),
        lambda: mc.gate(preds, "a", "b", ["rmse:-0.1"], n_resamples=9),
        lambda: mc.paired_test(preds, "a", "b", "rmse", n_resamples=9),
        lambda: mc.sample_size(preds, "a", "b", "rmse"),
        lambda: mc.io.sketch(preds, "mae"),
        lambda: mc.testing.assert_not_worse(preds, "a", "b", metric="rmse", margin=0.1),
    ):
        with pytest.raises(ValueError, match=message):
            ask()
    for given in ({"groups": frame["y_true"]}, {"ids": np.arange(len(frame))}):
        known = mc.Predictions(frame["y_true"], dict(frame[["a", "b"]]), **given)
        assert mc.compare(known, "rmse", n_resamples=99).verdict()


@needs("large")
def test_a_scan_of_repeated_values_is_asked_for_too(tmp_path):
    pytest.importorskip("pyarrow")
    frame = ASKS["values, folds restart"]
    frame.to_parquet(tmp_path / "x.parquet")
    with pytest.raises(ValueError, match="180 rows would count as independent samples"):
        mc.io.scan_predictions(tmp_path / "x.parquet", **MODELS)
    frame.assign(id=np.arange(len(frame))).to_parquet(tmp_path / "y.parquet")
    assert len(
        mc.io.scan_predictions(tmp_path / "y.parquet", columns={"id": "id"}, **MODELS)
    ) == len(frame)


@needs("large")
def test_a_scan_sees_repeats_beyond_its_first_rows(tmp_path):
    pytest.importorskip("pyarrow")
    values, labels = RNG.normal(size=70_000), RNG.integers(0, 2, 70_000)
    folds = {"fold": np.tile(np.arange(70_000) // 14_000, 2)}
    for truth, beside in ((values, {}), (labels, folds)):
        frame = with_models(pd.DataFrame({"y_true": np.tile(truth, 2)} | beside))
        frame.to_parquet(tmp_path / "x.parquet")
        with pytest.raises(ValueError, match="140,000 rows would count as independent samples"):
            mc.io.scan_predictions(tmp_path / "x.parquet", **MODELS)
        part = frame.iloc[:70_000]
        part.to_parquet(tmp_path / "once.parquet")
        assert len(mc.io.scan_predictions(tmp_path / "once.parquet", **MODELS)) == 70_000
        # A cluster for each sample.
        frame.assign(case=np.tile(np.arange(70_000), 2)).to_parquet(tmp_path / "y.parquet")
        mc.io.scan_predictions(tmp_path / "y.parquet", columns={"groups": "case"}, **MODELS)


SCORES = pd.DataFrame(
    {"fold": np.arange(50), "a": RNG.normal(0.8, 0.02, 50), "b": RNG.normal(0.79, 0.02, 50)}
)
FOLDS = {
    "wide": (SCORES, MODELS),
    "by --id": (SCORES, {"columns": {"id": "fold"}}),
    "repeats": (SCORES.assign(repeat=np.arange(50) // 5, fold=np.arange(50) % 5), MODELS),
    "rows of one model": (SCORES.melt("fold", var_name="model", value_name="score"), {}),
}  # fmt: skip


@pytest.mark.parametrize("name", FOLDS)
def test_scores_of_folds_are_no_samples(name, tmp_path, capsys):
    frame, options = FOLDS[name]
    with pytest.raises(ValueError, match="scores of folds share training data, so they are no"):
        mc.read_predictions(frame, **options)
    path = tmp_path / "scores.csv"
    frame.to_csv(path, index=False)
    asked = {"models": ["--model", "a", "--model", "b"], "columns": ["--id", "fold"]}
    asked = [part for key in options for part in asked[key]]
    assert main(["compare", str(path), *asked]) == 2
    message = " ".join(capsys.readouterr().err.split())
    (command,) = commands_in(message, ["compare", str(path)])
    k = 5 if name == "repeats" else 10
    assert command == ["ranks", "--n-train", str(k - 1), "--n-test", "1", str(path)]


def test_scores_of_samples_in_folds_are_read():
    frame = pd.DataFrame(
        {"fold": np.arange(50) % 5, "a": RNG.normal(size=50), "b": RNG.normal(size=50)}
    )
    assert len(mc.read_predictions(frame, **MODELS)) == 50


def test_balanced_classes_and_stratified_folds_are_read_whatever_their_order():
    rng = np.random.default_rng(2)
    for n_classes, n_folds, each in [(2, 10, 50), (3, 5, 10), (4, 10, 10), (20, 5, 5), (10, 2, 30)]:
        truth = rng.permutation(np.repeat(np.arange(n_classes), each))
        for splitter in (StratifiedKFold(n_folds), StratifiedKFold(n_folds, shuffle=True)):
            frame = in_folds(truth, splitter, truth)
            for order in ([], ["fold"], ["y_true"], ["y_true", "fold"], ["fold", "y_true"]):
                rows = frame.sort_values(order, kind="stable") if order else frame
                made = with_models(rows.reset_index(drop=True))
                assert len(mc.read_predictions(made, **MODELS)) == len(truth)


def test_repeats_of_any_number_are_seen_in_any_order():
    rng = np.random.default_rng(3)
    for n, k in [(10, 2), (12, 10), (60, 5), (300, 100), (6130, 10)]:
        # Some samples have the same value.
        values = rng.normal(size=n).round(2 if n > 50 else 8)
        assert times_repeated(rng.permutation(np.tile(values, k))) % k == 0
