"""Counts of each item: sums of counts, items as units, one annotation for all models."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc

N = 30


def counts(labels=("loc", "per"), seed=0):
    """Return a row for each document, model and label."""
    rng = np.random.default_rng(seed)
    rows = []
    for document in range(N):
        for label in labels:
            n_true = rng.poisson(3)
            for model, rate in (("old", 0.6), ("new", 0.8)):
                tp = rng.binomial(n_true, rate)
                rows.append((f"d{document}", model, label, tp, rng.poisson(1), n_true - tp))
    return pd.DataFrame(rows, columns=["doc_id", "model", "label", "tp", "fp", "fn"])


def f1(frame):
    tp, fp, fn = frame[["tp", "fp", "fn"]].sum()
    return 2 * tp / (2 * tp + fp + fn)


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("f1_micro", f1),
        ("f1_macro", lambda x: x.groupby("label").apply(f1, include_groups=False).mean()),
        ("f1_samples", lambda x: x.groupby("doc_id").apply(f1, include_groups=False).mean()),
        ("precision_micro", lambda x: x["tp"].sum() / (x["tp"] + x["fp"]).sum()),
        ("recall_micro", lambda x: x["tp"].sum() / (x["tp"] + x["fn"]).sum()),
        ("jaccard_micro", lambda x: x["tp"].sum() / (x["tp"] + x["fp"] + x["fn"]).sum()),
        ("subset_accuracy",
         lambda x: (x.groupby("doc_id")[["fp", "fn"]].sum().sum(axis=1) == 0).mean()),
    ],
)  # fmt: skip
def test_values_are_those_of_sums(metric, value):
    frame = counts()
    preds = mc.io.from_item_counts(frame)
    found = np.asarray(mc.bootstrap(preds, metric, n_resamples=2).estimate).ravel()
    for model, estimate in zip(preds.models, found, strict=True):
        assert estimate == pytest.approx(value(frame[frame["model"] == model]))


def test_errors_are_those_of_documents():
    frame, rng = counts(), np.random.default_rng(1)
    preds = mc.io.from_item_counts(frame)
    error = mc.compare(preds, "f1_micro").scores.set_index("model")["standard_error"]
    own = frame[frame["model"] == "new"].groupby("doc_id")[["tp", "fp", "fn"]].sum()
    draws = rng.integers(0, N, (4000, N))
    sums = own.to_numpy()[draws].sum(axis=1)
    resampled = (2 * sums[:, 0] / (2 * sums[:, 0] + sums[:, 1] + sums[:, 2])).std()
    assert error["new"] == pytest.approx(resampled, rel=0.1)
    assert preds.access.unit == "clusters"


def wide(frame):
    parts = {"document": frame["doc_id"].unique()}
    for model, own in frame[frame["label"] == "per"].groupby("model"):
        parts |= {f"{model}_{what}": own[what].to_numpy() for what in ("tp", "fp", "fn")}
    return pd.DataFrame(parts)


def test_a_row_for_each_item_is_read_too(tmp_path, run):
    frame = counts()
    own = frame[frame["label"] == "per"]
    path = tmp_path / "wide.csv"
    wide(frame).to_csv(path, index=False)
    expected = mc.compare(mc.io.from_item_counts(own), "f1_micro").scores
    found = mc.compare(mc.read_predictions(path, columns={"id": "document"}), "f1_micro").scores
    both = (each.set_index("model").loc["new", ["estimate", "ci_low", "ci_high"]]
            for each in (expected, found))  # fmt: skip
    assert next(both).tolist() == pytest.approx(next(both).tolist())
    shown = run("compare", path)
    assert "read counts: tp, fp, fn; models: 2 (new, old); labels: 1 (all)" in shown.read
    assert "f1_samples" in shown.out


def test_an_item_and_label_without_a_row_counts_0():
    frame = counts()
    empty = frame.groupby(["doc_id", "label"])[["tp", "fp", "fn"]].transform("sum").sum(axis=1) == 0
    frame.loc[(frame["doc_id"] == "d3") & (frame["label"] == "per"), ["tp", "fp", "fn"]] = 0
    kept = frame.drop(frame[(frame["doc_id"] == "d3") & (frame["label"] == "per")].index)
    assert empty.sum() < len(frame)
    first, second = (mc.io.from_item_counts(each) for each in (frame, kept))
    assert np.array_equal(first.access.true_distribution, second.access.true_distribution)
    assert np.array_equal(first.output("new").array, second.output("new").array)


def test_clusters_of_items():
    frame = counts().assign(site=lambda x: x["doc_id"].str[-1])
    preds = mc.io.from_item_counts(frame, columns={"groups": "site"})
    assert len(set(preds.groups)) == 10
    assert mc.decide(preds, "old", "new", "f1_micro", kind="superior").n_samples == 10


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda x: pd.concat([x, x.head(1)]), "more than once in 1 row"),
        (lambda x: x.assign(tp=x["tp"].where(x.index != 2, -1)), "counts of at least 0 in 1 row"),
        (lambda x: x.assign(fp=x["fp"] + 0.5 * (x.index == 2)), "whole counts of at least 0 in 1 row"),
        (lambda x: x.drop(x[(x["model"] == "new") & (x["doc_id"] == "d4")].index),
         r"model 'new' has no row of 1 items \(first: d4\)"),
        (lambda x: x.assign(fn=x["fn"] + (x.index == 5)),
         r"other numbers of true objects \(tp \+ fn\) in 1 items"),
        (lambda x: x.drop(columns="fn"), "no column 'fn'"),
        (lambda x: x.drop(columns="model"), r"no column of each row's model"),
        (lambda x: x.assign(doc_id=x["doc_id"].where(x.index != 1)), "missing cells in 1 row"),
    ],
)  # fmt: skip
def test_counts_that_do_not_fit_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        mc.io.from_item_counts(change(counts()))


def test_named_columns_are_there_and_complete():
    with pytest.raises(ValueError, match="the table has no column 'kind'; there are doc_id, "):
        mc.io.from_item_counts(counts(), columns={"label": "kind"})
    frame = counts().assign(site="s")
    frame["site"] = frame["site"].where(frame.index != 1)
    with pytest.raises(ValueError, match="column 'site' has missing cells in 1 row"):
        mc.io.from_item_counts(frame, columns={"groups": "site"})
    halves = frame.assign(site=np.arange(len(frame)) % 2)
    with pytest.raises(ValueError, match="column 'site' has several clusters for one item"):
        mc.io.from_item_counts(halves, columns={"groups": "site"})


def test_options_of_other_tables_are_refused(tmp_path):
    path = tmp_path / "counts.csv"
    counts().to_csv(path, index=False)
    with pytest.raises(ValueError, match=r"tp, fp, fn\), for which kind \(--kind\) has no"):
        mc.read_predictions(path, kind="scores")
    with pytest.raises(ValueError, match="have no true negatives"):
        mc.compare(mc.read_predictions(path), "hamming_loss")
    with pytest.raises(ValueError, match="have no true negatives"):
        mc.compare(mc.read_predictions(path), "specificity")
