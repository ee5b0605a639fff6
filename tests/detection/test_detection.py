"""Mean average precision by COCO's rule: pycocotools, a loop, laws, refusals."""

import contextlib
import io
import json

import numpy as np
import pytest

import modelcompare as mc
from modelcompare.metrics.base import Outcomes

METRICS = ["map", "map_50", "map_75"]


def world(seed, n=12, n_labels=3):
    """Boxes of images, some of them of crowds, and detections with tied scores of two models."""
    rng = np.random.default_rng(seed)
    known, found = [], {"a": [], "b": []}

    def box():
        return np.r_[rng.uniform(0, 60, 2), rng.uniform(10, 40, 2)].round(1)

    def detect(model, i, label, where, score):
        found[model].append({
            "image_id": i, "category_id": label, "bbox": np.maximum(where, 1).round(2).tolist(),
            "score": round(float(score), 2),
        })  # fmt: skip

    for i in range(n):
        for label in range(1, n_labels + 1):
            for _ in range(rng.integers(0, 4)):
                where = box()
                known.append({
                    "id": len(known) + 1, "image_id": i, "category_id": label,
                    "bbox": where.tolist(), "area": float(where[2] * where[3]),
                    "iscrowd": int(rng.random() < 0.12),
                })  # fmt: skip
                for model, error in (("a", 2.0), ("b", 5.0)):
                    if rng.random() < 0.85:
                        detect(model, i, label, where + rng.normal(0, error, 4), rng.beta(4, 2))
            for model in found:
                for _ in range(rng.poisson(0.7)):
                    detect(model, i, label, box(), rng.beta(2, 3))
    truth = {
        "info": {}, "images": [{"id": i} for i in range(n)], "annotations": known,
        "categories": [{"id": k, "name": f"c{k}"} for k in range(1, n_labels + 1)],
    }  # fmt: skip
    return truth, found


def values(preds, model, weights=None):
    outcomes = Outcomes.of(preds, model)
    weights = np.ones((1, len(preds))) if weights is None else weights
    return np.array([mc.get_metric(m).prepare(outcomes)(weights) for m in METRICS]).T


@pytest.mark.parametrize("seed", range(5))
def test_values_are_those_of_pycocotools(seed):
    coco = pytest.importorskip("pycocotools.coco")
    evaluate = pytest.importorskip("pycocotools.cocoeval").COCOeval
    truth, found = world(seed)
    preds = mc.io.from_coco(truth, found)
    for model, results in found.items():
        with contextlib.redirect_stdout(io.StringIO()):
            made = coco.COCO()
            made.dataset = truth
            made.createIndex()
            theirs = evaluate(made, made.loadRes(results), "bbox")
            theirs.evaluate()
            theirs.accumulate()
            theirs.summarize()
        assert values(preds, model)[0] == pytest.approx(theirs.stats[:3], abs=1e-9)


def test_average_precision_is_that_of_a_loop_over_recalls():
    truth, found = world(7, n_labels=1)
    preds = mc.io.from_coco(truth, found)
    n = preds.y_true.sum()
    rows = np.concatenate([*preds.output("a").array])
    rows = rows[np.argsort(-rows[:, 1], kind="stable")]
    for name, column in (("map_50", 2), ("map_75", 7)):
        marks = rows[~np.isnan(rows[:, column]), column]
        points = []
        for k in range(1, len(marks) + 1):
            points.append((marks[:k].sum() / n, marks[:k].mean()))
        expected = [
            max((p for r, p in points if r >= recall), default=0)
            for recall in np.linspace(0, 1, 101)
        ]
        place = METRICS.index(name)
        assert values(preds, "a")[0, place] == pytest.approx(np.mean(expected))


def test_perfect_detections_have_1_and_none_0():
    truth, _ = world(1)
    for each in truth["annotations"]:
        each["iscrowd"] = 0
    perfect = [{**each, "score": 0.5} for each in truth["annotations"]]
    preds = mc.io.from_coco(truth, {"perfect": perfect, "nothing": []})
    assert values(preds, "perfect")[0] == pytest.approx([1, 1, 1])
    assert values(preds, "nothing")[0] == pytest.approx([0, 0, 0])


def test_a_weight_is_a_number_of_equal_images():
    preds = mc.io.from_coco(*world(2))
    counts = np.random.default_rng(0).integers(0, 4, 12)
    repeated = preds.subset(np.repeat(np.arange(12), counts))
    # The order of tied scores follows that of the images, which is the same in both.
    found = values(preds, "a", np.stack([counts, 2 * counts]).astype(float))
    assert found[0] == pytest.approx(found[1])
    assert found[0] == pytest.approx(values(repeated, "a")[0])


def test_labels_without_an_object_are_left_out():
    truth, found = world(3)
    preds = mc.io.from_coco(truth, found)
    more = {**truth, "categories": [*truth["categories"], {"id": 9, "name": "none"}]}
    assert values(mc.io.from_coco(more, found), "a") == pytest.approx(values(preds, "a"))
    none = np.zeros((1, 12))
    assert np.isnan(values(preds, "a", none)).all()


def test_compare_and_gate_take_detections(tmp_path):
    truth, found = world(4, n=40)
    paths = {}
    for name, part in {"truth": truth, **found}.items():
        paths[name] = tmp_path / f"{name}.json"
        paths[name].write_text(json.dumps(part))
    known = paths.pop("truth")
    preds = mc.io.from_coco(known, paths)
    assert {*preds.kinds.values()} == {"label_detections"}
    result = mc.compare(preds, n_resamples=300)
    row = result.differences.query("metric == 'map'").iloc[0]
    assert row["difference"] == pytest.approx(values(preds, "a")[0, 0] - values(preds, "b")[0, 0])
    assert row["ci_low"] < row["difference"] < row["ci_high"]
    assert mc.gate(preds, candidate="a", baseline="b", rules=["map:-0.01"]).passed
    with pytest.raises(ValueError, match="needs labels, but"):
        mc.compare(preds, "f1_micro")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda _, f: ({"images": []}, f), "annotations, categories is lacking"),
        (lambda t, _: (t, {"a": [{"image_id": 0}]}), "a box without bbox, category_id, score"),
        (lambda t, f: (t, {"a": [{**f["a"][0], "image_id": 99}]}), "image 99 and category"),
        (lambda t, f: (t, {"a": [{**f["a"][0], "bbox": [1, 2, 3]}]}), "boxes are"),
        (lambda t, f: (t, {"a": [{**f["a"][0], "score": np.nan}]}), "all numbers finite"),
        (lambda t, _: (t, {}), "`results` is empty"),
    ],
)  # fmt: skip
def test_files_that_do_not_fit_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        mc.io.from_coco(*change(*world(0)))


def test_rows_of_other_widths_are_refused():
    with pytest.raises(ValueError, match="rows of 12 numbers for each image"):
        mc.Predictions(np.ones((2, 1)), {"a": [[[0, 1.0, 1]], []]}, kind="label_detections")
