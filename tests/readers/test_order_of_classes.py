"""The order of columns, keys and files is not that of the classes, of which the positive is the last."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, cohen_kappa_score

import modelcompare as mc
from modelcompare import Predictions, read_predictions
from tests.plugged import needs

N = 60
RNG = np.random.default_rng(3)
TRUTH = np.where(RNG.random(N) < 0.4, "yes", "no")
YES = {m: np.clip(0.3 * (TRUTH == "yes") + 0.7 * RNG.random(N), 0, 1) for m in "ab"}
ORDERS = (["no", "yes"], ["yes", "no"])
GRADES = RNG.integers(0, 12, N)


def columns_of(model, order, head="{}:{}"):
    """Return the columns of a model's probabilities, in some order of the classes."""
    p = {"yes": YES[model], "no": 1 - YES[model]}
    return {head.format(model, label): p[label] for label in order}


def wide(order, other=None):
    return pd.DataFrame(
        {"y_true": TRUTH, **columns_of("a", order), **columns_of("b", other or order)}
    )


def one_file_each(folder, order, reverse):
    files = []
    for model, own in zip("ab", (order, order[::-1]), strict=True):
        soft = columns_of(model, own, "prob:{1}")
        frame = pd.DataFrame({"id": np.arange(N), "y_true": TRUTH, **soft})
        frame.to_csv(folder / f"{model}.csv", index=False)
        files.append(folder / f"{model}.csv")
    return read_predictions(files[::-1] if reverse else files)


def long(order):
    return pd.concat(
        pd.DataFrame({"model": m, "item": np.arange(N), "y_true": TRUTH,
                      **columns_of(m, order, "prob:{1}")}) for m in "ab"
    )  # fmt: skip


def of_objects(folder, order, *, pairs=False):
    rows = []
    for model in "ab":
        for i in range(N):
            p = {name: float(column[i]) for name, column in columns_of(model, order, "{1}").items()}
            cell = [{"label": name, "score": share} for name, share in p.items()] if pairs else p
            rows.append({"model": model, "item": i, "y_true": TRUTH[i], "probs": cell})
    (folder / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return read_predictions(folder / "t.jsonl")


def scanned(folder, order):
    pytest.importorskip("pyarrow")
    wide(order).to_parquet(folder / "t.parquet")
    return mc.io.scan_predictions(folder / "t.parquet").load()


ROADS = {
    "wide": lambda _, order: read_predictions(wide(order)),
    "wide, each in its order": lambda _, order: read_predictions(wide(order, order[::-1])),
    "one file each": lambda folder, order: one_file_each(folder, order, reverse=False),
    "files in another order": lambda folder, order: one_file_each(folder, order, reverse=True),
    "long": lambda _, order: read_predictions(long(order)),
    "objects": of_objects,
    "label and score": lambda folder, order: of_objects(folder, order, pairs=True),
    "scan": scanned,
}


@needs("large", "curves")
@pytest.mark.parametrize("road", ROADS)
@pytest.mark.parametrize("order", ORDERS, ids=["no-yes", "yes-no"])
def test_the_last_class_by_name_is_positive_wherever_its_column_is(road, order, tmp_path):
    preds = ROADS[road](tmp_path, order)
    assert preds.labels.tolist() == ["no", "yes"]
    for model, yes in YES.items():
        np.testing.assert_allclose(preds.probabilities(model)[:, 1], yes, atol=1e-12)
    scores = mc.compare(preds, "average_precision", n_resamples=99).scores
    found = scores.set_index("model")["estimate"]
    for model, yes in YES.items():
        assert found[model] == pytest.approx(average_precision_score(TRUTH == "yes", yes))
    decided = mc.diagnostics.at_thresholds(preds, {"a": 0.3, "b": 0.3})
    assert (decided.labels[decided.predicted("a")] == "yes").tolist() == (YES["a"] >= 0.3).tolist()


def test_probabilities_and_labels_have_their_classes_in_one_order():
    hard = pd.DataFrame({"y_true": TRUTH, "a": np.where(YES["a"] > 0.5, "yes", "no")})
    assert (
        read_predictions(hard).labels.tolist()
        == read_predictions(wide(["yes", "no"])).labels.tolist()
    )


@needs("large")
@pytest.mark.parametrize("road", ["wide", "long", "objects", "scan", "one file each"])
def test_labels_give_the_order_of_headings_and_keys(road, tmp_path):
    source = {"wide": lambda: wide(ORDERS[0]), "long": lambda: long(ORDERS[0])}
    if road in source:
        preds = read_predictions(source[road](), labels=["yes", "no"])
    elif road == "scan":
        scanned(tmp_path, ORDERS[0])
        scan = mc.io.scan_predictions(tmp_path / "t.parquet", labels=["yes", "no"])
        assert scan.labels.tolist() == ["yes", "no"]
        preds = scan.load()
    else:
        ROADS[road](tmp_path, ORDERS[0])
        files = [tmp_path / "t.jsonl"] if road == "objects" else [*tmp_path.glob("?.csv")]
        preds = read_predictions(files[0] if road == "objects" else files, labels=["yes", "no"])
    assert preds.labels.tolist() == ["yes", "no"]
    np.testing.assert_allclose(preds.probabilities("a")[:, 0], YES["a"], atol=1e-12)


@needs("large")
def test_a_scan_of_labels_has_the_order_that_is_named(tmp_path):
    pytest.importorskip("pyarrow")
    truth = RNG.choice(["low", "mid", "top"], N)
    said = np.where(RNG.random(N) < 0.6, truth, RNG.choice(["low", "mid", "top"], N))
    order = ["top", "low", "mid"]
    pd.DataFrame({"y_true": truth, "a": said}).to_parquet(tmp_path / "t.parquet")
    scan = mc.io.scan_predictions(tmp_path / "t.parquet", labels=order)
    assert scan.labels.tolist() == order
    # Without a warning: the order is not that of the names, so it was given.
    found = mc.bootstrap(scan, ["cohen_kappa_quadratic"], n_resamples=2).point[0, 0]
    codes = [[order.index(label) for label in each] for each in (truth, said)]
    assert found == pytest.approx(cohen_kappa_score(*codes, weights="quadratic"))


@pytest.mark.parametrize("written", [False, True])
def test_numbers_are_in_the_order_of_their_values(written, tmp_path):
    likeliest = np.clip(GRADES + RNG.integers(-1, 2, N), 0, 11)
    soft = np.eye(12)[likeliest]
    order = RNG.permutation(12).tolist()
    frame = pd.DataFrame({"y_true": GRADES, **{f"a:{k}": soft[:, k] for k in order}})
    if written:
        frame.to_csv(tmp_path / "t.csv", index=False)
    preds = read_predictions(tmp_path / "t.csv" if written else frame)
    assert preds.labels.tolist() == [*range(12)]
    found = mc.bootstrap(preds, ["cohen_kappa_quadratic"], n_resamples=2).point[0, 0]
    expected = cohen_kappa_score(GRADES, likeliest, weights="quadratic")
    assert found == pytest.approx(expected)


def test_false_comes_before_true():
    frame = pd.DataFrame({"y_true": TRUTH == "yes", "a:True": YES["a"], "a:False": 1 - YES["a"]})
    preds = read_predictions(frame)
    assert preds.labels.tolist() == [False, True]
    np.testing.assert_allclose(preds.probabilities("a")[:, 1], YES["a"])


# -- archives, which declare an order ------------------------------------------------------------


def archive(path, order, **arrays):
    np.savez(path, y_true=TRUTH, labels=np.array(order), **arrays)
    return path


def probabilities(model, order):
    return np.column_stack([*columns_of(model, order).values()])


def test_an_archive_declares_the_order_of_its_classes(tmp_path):
    path = archive(tmp_path / "t.npz", ["yes", "no"], probs__a=probabilities("a", ["yes", "no"]))
    preds = read_predictions(path)
    assert preds.labels.tolist() == ["yes", "no"]
    np.testing.assert_allclose(preds.probabilities("a")[:, 0], YES["a"])
    turned = read_predictions(path, labels=["no", "yes"])
    assert turned.labels.tolist() == ["no", "yes"]
    np.testing.assert_allclose(turned.probabilities("a")[:, 1], YES["a"])


def test_labels_turn_logits_and_their_order_too(tmp_path):
    logits = 400 * np.log(probabilities("a", ["yes", "no"]))  # ties as probabilities
    path = archive(tmp_path / "t.npz", ["yes", "no"], logits__a=logits)
    as_declared, turned = read_predictions(path), read_predictions(path, labels=["no", "yes"])
    areas = [mc.bootstrap(p, ["roc_auc"], n_resamples=2).point[0, 0] for p in (as_declared, turned)]
    assert areas[1] == pytest.approx(areas[0])
    found = mc.bootstrap(turned, ["average_precision"], n_resamples=2).point[0, 0]
    log_odds = logits[:, 0] - logits[:, 1]
    assert found == pytest.approx(average_precision_score(TRUTH == "yes", log_odds))


def test_a_single_probability_is_of_the_class_that_is_named_whatever_an_archive_declares(tmp_path):
    path = archive(tmp_path / "t.npz", ["no", "yes"], a=YES["a"])
    assert read_predictions(path).probabilities("a")[0, 1] == YES["a"][0]
    turned = archive(tmp_path / "turned.npz", ["yes", "no"], a=YES["a"])
    for refused in (
        lambda: read_predictions(path, labels=["yes", "no"]),
        lambda: read_predictions(turned),
    ):
        with pytest.raises(ValueError, match="nothing determines which of 'yes' and 'no' is the"):
            refused()
    for found in (path, turned):
        preds = read_predictions(found, positive="yes")
        assert preds.labels.tolist() == ["no", "yes"]
        np.testing.assert_array_equal(preds.probabilities("a")[:, 1], YES["a"])


def archives(folder, **orders):
    return [
        archive(folder / f"{m}.npz", order, ids=np.arange(N), probs=probabilities(m, order))
        for m, order in orders.items()
    ]


def test_archives_of_a_model_each_declare_the_order(tmp_path):
    preds = read_predictions(archives(tmp_path, a=["yes", "no"], b=["yes", "no"]))
    assert preds.labels.tolist() == ["yes", "no"]
    pd.DataFrame({"ids": np.arange(N), "y_true": TRUTH, **columns_of("b", ORDERS[0], "prob:{1}")}
                 ).rename(columns={"ids": "id"}).to_csv(tmp_path / "b.csv", index=False)  # fmt: skip
    for files in (["a.npz", "b.csv"], ["b.csv", "a.npz"]):
        preds = read_predictions([tmp_path / name for name in files])
        assert preds.labels.tolist() == ["yes", "no"]
        np.testing.assert_allclose(preds.probabilities("b")[:, 0], YES["b"], atol=1e-12)


def test_archives_of_labels_declare_the_order_too(tmp_path):
    for model in "ab":
        said = np.where(YES[model] > 0.5, "yes", "no")
        archive(tmp_path / f"{model}.npz", ["yes", "no"], ids=np.arange(N), pred__x=said)
    preds = read_predictions([tmp_path / "a.npz", tmp_path / "b.npz"])
    assert preds.labels.tolist() == ["yes", "no"]


def test_archives_that_declare_different_orders_are_refused(tmp_path):
    files = archives(tmp_path, a=["yes", "no"], b=["no", "yes"])
    with pytest.raises(ValueError, match=r"different orders .*--read labels=yes --read labels=no"):
        read_predictions(files)
    preds = read_predictions(files, labels=["no", "yes"])
    assert preds.labels.tolist() == ["no", "yes"]
    for model, yes in YES.items():
        np.testing.assert_allclose(preds.probabilities(model)[:, 1], yes, atol=1e-12)


@needs("suites")
def test_test_sets_have_their_own_declared_classes(tmp_path):
    for model in "ab":
        for name, classes in {"x": ["yes", "no"], "y": ["up", "down"]}.items():
            folder = tmp_path / model
            folder.mkdir(exist_ok=True)
            truth = np.where(TRUTH == "yes", *classes)
            np.savez(folder / f"{name}.npz", y_true=truth, labels=np.array(classes),
                     ids=np.arange(N), probs=probabilities(model, ["yes", "no"]))  # fmt: skip
    found = mc.io.read_sets([tmp_path / "a", tmp_path / "b"])
    assert found["x"].labels.tolist() == ["yes", "no"]
    assert found["y"].labels.tolist() == ["up", "down"]


# -- results name the positive class -------------------------------------------------------------

NOTE = "The positive class of average_precision is yes."


@needs("suites", "gaps")
def test_results_of_such_metrics_name_the_positive_class():
    preds = read_predictions(wide(["yes", "no"]))
    metric = "average_precision"
    tables = mc.compare(preds, [metric, "accuracy"], n_resamples=99).document().tables
    assert [NOTE in table.notes for table in tables.values()].count(True) == 1
    decided = mc.decide(preds, "a", "b", metric, margin=0.1, n_resamples=99)
    assert decided.sentence().endswith(NOTE)
    tested = mc.paired_test(preds, "a", "b", metric, n_resamples=99)
    assert tested.notes == (NOTE,)
    assert "runs" not in tested.signature
    assert mc.paired_test(preds, "a", "b", "roc_auc", n_resamples=99).notes == ()
    sets = {"x": preds, "y": preds.subset(np.arange(N - 1))}
    assert NOTE in mc.compare_groups(sets, metric, n_resamples=99).notes
    frame = wide(["yes", "no"]).assign(part=["l", "r"] * (N // 2))
    sliced = read_predictions(frame, columns={"slices": ["part"]})
    assert NOTE in mc.diagnostics.gaps(sliced, metric, min_size=9, n_resamples=99).notes


def test_a_class_beside_such_a_metric_is_refused_with_the_option_that_names_it():
    remedy = r"leave 'no' out and pass positive='no' \(--positive no\)"
    with pytest.raises(ValueError, match=remedy):
        mc.compare(read_predictions(wide(["yes", "no"])), "average_precision[no]")


def test_raw_scores_are_high_for_the_positive_class():
    scores = {m: 10 * yes for m, yes in YES.items()}
    preds = Predictions(TRUTH == "yes", scores, kind="values", labels=[False, True])
    notes = mc.paired_test(preds, "a", "b", "roc_auc", n_resamples=99).notes
    assert notes == ("The positive class of roc_auc is True.",)
