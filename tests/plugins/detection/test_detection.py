"""Mean average precision by COCO's rule: pycocotools, a loop, laws, refusals."""

import contextlib
import io
import json
import re
from dataclasses import replace

import numpy as np
import pytest

import modelcompare as mc
from modelcompare.cli import main
from modelcompare.engine.definedness import never_undefined
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics
from modelcompare.metrics.base import Outcomes
from tests.readers.opening import DATA

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


def test_values_are_those_that_pycocotools_printed_for_four_images_of_coco():
    # Images 42, 73, 74 and 133 of val2014 with the first of COCO's example results, corners of the
    # boxes, and the summary of COCOeval, from torchmetrics v0.7 (tests/detection/test_map.py).
    objects = {
        42: [(4, 214.15, 41.29, 562.41, 285.07)],
        73: [(2, 13.00, 22.75, 548.98, 632.42), (2, 1.66, 3.32, 270.26, 275.23)],
        74: [
            (4, 61.87, 276.25, 358.29, 379.43), (1, 2.75, 3.66, 162.15, 316.06),
            (0, 295.55, 93.96, 313.97, 152.79), (0, 326.94, 97.05, 340.49, 122.98),
            (0, 356.62, 95.47, 372.33, 147.55), (0, 462.08, 105.09, 493.74, 146.99),
            (0, 277.11, 103.84, 292.44, 150.72),
        ],
        133: [(5, 13.99, 2.87, 640.00, 421.52)],
    }  # fmt: skip
    found = {
        42: [(4, 258.15, 41.29, 606.41, 285.07, 0.236)],
        73: [(3, 61.00, 22.75, 565.00, 632.42, 0.318), (2, 12.66, 3.32, 281.26, 275.23, 0.726)],
        74: [
            (4, 87.87, 276.25, 384.29, 379.43, 0.546), (1, 0.00, 3.66, 142.15, 316.06, 0.3),
            (0, 296.55, 93.96, 314.97, 152.79, 0.407), (0, 328.94, 97.05, 342.49, 122.98, 0.611),
            (0, 356.62, 95.47, 372.33, 147.55, 0.335), (0, 464.08, 105.09, 495.74, 146.99, 0.805),
            (0, 276.11, 103.84, 291.44, 150.72, 0.953),
        ],
        133: [(5, 0.00, 2.87, 601.00, 421.52, 0.699)],
    }  # fmt: skip

    def boxes(given):
        return [
            {"image_id": image, "category_id": label, "bbox": [x, y, right - x, low - y],
             **({"score": score[0]} if score else {})}
            for image, rows in given.items() for label, x, y, right, low, *score in rows
        ]  # fmt: skip

    truth = {
        "images": [{"id": i} for i in objects], "annotations": boxes(objects),
        "categories": [{"id": k, "name": str(k)} for k in range(6)],
    }  # fmt: skip
    preds = mc.io.from_coco(truth, {"fake": boxes(found)})
    assert values(preds, "fake")[0] == pytest.approx([0.706, 0.901, 0.846], abs=5e-4)


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


def test_a_block_of_weights_has_the_values_of_its_rows_alone():
    # Rows that are equal on the images of a label share its value.
    preds = mc.io.from_coco(*world(5, n=20))
    drawn = np.random.default_rng(0).integers(0, 3, (5, 20))
    weights = np.vstack([np.ones(20), 1 - np.eye(20), drawn])
    for model in preds.models:
        alone = [values(preds, model, row[None])[0] for row in weights]
        assert values(preds, model, weights) == pytest.approx(np.array(alone), abs=1e-15)


def test_no_resample_of_sixty_images_with_objects_is_undefined():
    for n, known in ((70, True), (40, False)):
        preds = mc.io.from_coco(*world(6, n=n))
        assert never_undefined(Evaluation(preds, resolve_metrics(METRICS, preds))) == known


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
    assert {*preds.access.kinds.values()} == {"label_detections"}
    result = mc.compare(preds, n_resamples=300)
    row = result.differences.query("metric == 'map'").iloc[0]
    assert row["difference"] == pytest.approx(values(preds, "a")[0, 0] - values(preds, "b")[0, 0])
    assert row["ci_low"] < row["difference"] < row["ci_high"]
    asked = {"candidate": "a", "baseline": "b", "rules": ["map:-0.01"]}
    assert mc.gate(preds, **asked, n_resamples=300).passed
    with pytest.raises(ValueError, match="needs labels, but"):
        mc.compare(preds, "f1_micro")


@pytest.fixture
def files(tmp_path, monkeypatch):
    """COCO's annotations and the results of two detectors, in the folder where we are."""
    monkeypatch.chdir(tmp_path)
    truth, found = world(4, n=40)
    for name, part in {"instances": truth, **found}.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(part))
    return truth, found


def test_a_command_takes_the_annotations_and_the_results(files, capsys):
    names = ["instances.json", "a.json", "b.json"]
    expected = mc.compare(mc.io.from_coco(*files), "map", n_resamples=300)
    for order in (names, names[::-1]):
        assert main(["compare", *order, "-m", "map", "--resamples", "300", "--format", "json"]) == 0
        shown = capsys.readouterr()
        found = {row["model"]: row["estimate"] for row in json.loads(shown.out)["scores"]}
        assert found == dict(expected.scores[["model", "estimate"]].to_numpy().tolist())
        assert "format: COCO; truth: instances.json (40 images); labels: 3 (c1, c2," in shown.err
    few = ["--resamples", "300"]
    gate = ["gate", *names, "--baseline", "b", "--candidate", "a", "--rule", "map:-0.01", *few]
    assert main(gate) == 0
    assert main(["compare", *names, "--model", "b", "-m", "map_50", *few]) == 0
    assert "models: 1 (b)" in capsys.readouterr().err
    assert mc.read_predictions({"x": "a.json", "truth": "instances.json"}).models == ("x",)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("instances.json", r"annotations of COCO .*; name the results of a detector too\."),
        ("a.json b.json", r"a\.json has detections of COCO .*compare instances\.json a\.json`"),
        (
            "instances.json copy.json a.json",
            r"instances\.json and copy\.json have .*name one of them",
        ),
        ("instances.json a.json --id image", r"annotations of COCO, for which .*--id"),
        ("instances.json a.json --model c", r"there is no model 'c'; there are a\."),
        (
            "instances.json a.json notes.txt",
            r"model 'notes' has an entry without bbox, category_id, image_id, score",
        ),
    ],
)
def test_files_of_coco_that_do_not_go_together_are_refused(files, capsys, arguments, message):
    with open("copy.json", "w") as copy, open("notes.txt", "w") as notes:
        json.dump(files[0], copy)
        notes.write("seen on Monday\n")
    assert main(["compare", *arguments.split()]) == 2
    assert re.search(message, capsys.readouterr().err)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda _, f: ({"images": []}, f), "annotations, categories is lacking"),
        (lambda t, _: (t, {"a": [{"image_id": 0}]}), "an entry without bbox, category_id, score"),
        (lambda t, _: (t, {"annotator": [{"image_id": 0}]}), "without bbox, category_id, score"),
        (lambda t, f: (t, {"a": [{**f["a"][0], "image_id": 99}]}), "image 99 and category"),
        (lambda t, f: (t, {"a": [{**f["a"][0], "bbox": [1, 2, 3]}]}), "boxes are"),
        (lambda t, f: (t, {"a": [{**f["a"][0], "score": np.nan}]}), "all numbers finite"),
        (lambda t, f: (t, {"a": [{**f["a"][0], "bbox": [0, 0, 1e300, 1e300]}]}), "numbers finite"),
        (lambda t, f: (t, {"a": [{**f["a"][0], "bbox": [[0], 0, 1, 1]}]}), r"a box \[\[0\], 0, 1, 1"),
        (lambda t, f: (t, {"a": [{**f["a"][0], "bbox": None}]}), "a box None with the score"),
        (lambda t, f: (t, {"a": [{**f["a"][0], "image_id": []}]}), r"image_id \[\], not a number"),
        (lambda t, _: (t, {"a": [5]}), "an entry without bbox, category_id, image_id, score"),
        (lambda t, f: ({**t, "images": [{}]}, f), "`annotations` has an entry without id"),
        (lambda t, f: ({**t, "categories": True}, f), "must have lists of entries, got True"),
        (lambda t, _: (t, {}), "`results` is empty"),
    ],
)  # fmt: skip
def test_files_that_do_not_fit_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        mc.io.from_coco(*change(*world(0)))


def test_rows_of_other_widths_are_refused():
    with pytest.raises(ValueError, match="rows of 12 numbers for each image"):
        mc.Predictions(np.ones((2, 1)), {"a": [[[0, 1.0, 1]], []]}, kind="label_detections")


# -- results without annotations ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("instances_val2014_fakebbox100_results", r"has detections of COCO \(bbox\).*image,score"),
        ("person_keypoints_val2014_fakekeypoints100_results", r"of COCO \(keypoints\)"),
        (
            "captions_val2014_fakecap_results",
            "has captions of COCO without references.*--kind texts",
        ),
    ],
)
def test_results_of_coco_are_refused_with_the_way_out(name, message):
    with pytest.raises(ValueError, match=message):
        mc.read_predictions(DATA / "coco" / f"{name}.json")


def test_the_steps_on_the_page_make_a_table_of_images(tmp_path, monkeypatch):
    pytest.importorskip("pycocotools")
    page = (DATA.parents[2] / "docs" / "reading.md").read_text().partition("## Detections")[2]
    code = page.partition("```python\n")[2].partition("```")[0]
    box = [10.0, 10.0, 30.0, 30.0]
    truths = [
        {"id": n, "image_id": n, "category_id": 1, "bbox": box, "area": 900.0, "iscrowd": 0}
        for n in range(1, 5)
    ]
    images = [{"id": n, "width": 100, "height": 100} for n in range(1, 5)]
    away = [60.0, 60.0, 30.0, 30.0]
    # Image 1 is right, 2 has a false box beside the right one, 3 a false one, 4 none.
    boxes = [(1, box), (2, box), (2, away), (3, away)]
    found = [{"image_id": n, "category_id": 1, "bbox": b, "score": 0.9} for n, b in boxes]
    monkeypatch.chdir(tmp_path)
    document = {"images": images, "annotations": truths, "categories": [{"id": 1}]}
    for name, content in (("instances.json", document), ("boxes.json", found)):
        (tmp_path / name).write_text(json.dumps(content))
    exec(compile(code, "reading.md", "exec"), {})
    preds = mc.read_predictions(tmp_path / "detr.csv")
    scores = dict(
        zip(preds.ids.tolist(), preds.output(preds.models[0]).array.tolist(), strict=True)
    )
    assert scores == {1: 1.0, 2: pytest.approx(2 / 3), 3: 0.0, 4: 0.0}


def mean_precision(preds, model):
    """Precision at 101 recalls, of a hit its half, by a loop over labels, overlaps, recalls."""
    points = []
    for code, n in enumerate(np.asarray(preds.y_true).sum(axis=0)):
        rows = np.concatenate([*preds.output(model).array])
        rows = rows[rows[:, 0] == code]
        rows = rows[np.argsort(-rows[:, 1], kind="stable")]
        for column in range(2, 12):
            marks = rows[~np.isnan(rows[:, column]), column]
            hits = np.flatnonzero(marks) + 1  # number of detections at each hit
            wanted = np.maximum(np.ceil(np.linspace(0, 1, 101) * n - 1e-9), 1)
            points += [
                (k - 0.5) / (hits[int(k) - 1] - 0.5) if k <= len(hits) else 0.0 for k in wanted
            ]
    return np.mean(points)


def test_intervals_allow_for_the_optimism_of_the_highest_precision():
    preds = mc.io.from_coco(*world(8, n=40))
    plain = replace(resolve_metrics("map", preds)[0], name="plain", without_optimism=None)
    found, alone = (mc.bootstrap(preds, metric, n_resamples=2) for metric in ("map", plain))
    pair = np.array([0]), np.array([1])
    optimism = [
        found.point[k, 0] - mean_precision(preds, model) for k, model in enumerate(preds.models)
    ]
    assert min(optimism) > 0.005

    low, base = (each.score_interval("auto", 0.95) for each in (found, alone))
    apart, base_apart = (each.difference_interval(*pair, "auto", 0.95) for each in (found, alone))

    assert (base.low - low.low)[:, 0] == pytest.approx(optimism)
    assert low.high == pytest.approx(base.high)
    more = optimism[0] - optimism[1]
    assert base_apart.low - apart.low == pytest.approx(max(more, 0))
    assert apart.high - base_apart.high == pytest.approx(max(-more, 0))
