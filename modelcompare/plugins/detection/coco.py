"""COCO's annotations and results of detectors -> Predictions of detections."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.arrays import BoolArray, FloatArray
from modelcompare.data.predictions import Predictions
from modelcompare.plugins.detection.kinds import DETECTIONS, N_OVERLAPS
from modelcompare.readers.content import File, known_kind, parse_json
from modelcompare.readers.messages import counted
from modelcompare.readers.options import Columns
from modelcompare.readers.reading import Reading
from modelcompare.spelling import chosen
from modelcompare.words import check_mapping, shown

# Boxes of objects, or of detections.
Boxes: TypeAlias = Sequence[Mapping[str, Any]]
_OVERLAPS = np.linspace(0.5, 0.95, N_OVERLAPS)
# Detections of an image and label that count.
_MOST = 100
# Numbers from which on areas would be infinite.
_HUGE = 1e100
# Fields of boxes and the like.
_SHAPES = ("bbox", "segmentation", "keypoints")
_PARTS = ("images", "categories", "annotations")
_OF_OBJECTS = ("image_id", "category_id", "bbox")
_OF_DETECTIONS = (*_OF_OBJECTS, "score")


@checked()
def from_coco(
    annotations: Any, results: Mapping[str, Any], *, name: str | None = None
) -> Predictions:
    """Make predictions from COCO's annotations of boxes and the results of detectors.

    Detections are matched with objects as pycocotools does: by decreasing score, each with the
    free object that it overlaps most, at ten overlaps from 0.5 to 0.95; at most 100 of an image and
    label count. Detections of crowds are ignored.

    Parameters
    ----------
    annotations : path or dict
        The annotations' JSON, with ``images``, ``categories`` and ``annotations`` (``image_id``,
        ``category_id``, ``bbox``, and ``iscrowd``).
    results : mapping of str to path or list of dict
        For each model its detections: ``image_id``, ``category_id``, ``bbox``, ``score``.
    name : str, optional
        Heading in tables.

    Returns
    -------
    Predictions
        Of the type ``label_detections``, a sample for each image; metrics ``map``, ``map_50`` and
        ``map_75``.

    Raises
    ------
    ValueError
        If a part is lacking, or a detection is of an unknown image or category.

    Examples
    --------
    >>> import modelcompare as mc
    >>> truth = {
    ...     "images": [{"id": 1}, {"id": 2}], "categories": [{"id": 7, "name": "cat"}],
    ...     "annotations": [
    ...         {"image_id": 1, "category_id": 7, "bbox": [0, 0, 10, 10]},
    ...         {"image_id": 2, "category_id": 7, "bbox": [5, 5, 10, 10]},
    ...     ],
    ... }
    >>> found = [
    ...     {"image_id": 1, "category_id": 7, "bbox": [0, 0, 10, 9], "score": 0.9},
    ...     {"image_id": 2, "category_id": 7, "bbox": [0, 0, 4, 4], "score": 0.4},
    ... ]
    >>> preds = mc.io.from_coco(truth, {"cnn": found})
    >>> mc.bootstrap(preds, ["map", "map_50"], n_resamples=2).estimate.round(4).tolist()
    [0.4545, 0.505]
    """
    check_mapping("results", results, "detections, e.g. {'cnn': 'cnn.json'}")
    known = _read(annotations, "`annotations`")
    lacking = {*_PARTS}.difference(known)
    if not isinstance(known, Mapping) or lacking:
        raise ValueError(
            f"`annotations` must be COCO's, with images, categories and annotations; "
            f"{', '.join(sorted(lacking))} is lacking."
        )
    images = [each["id"] for each in _entries(known["images"], "`annotations`", ("id",))]
    categories = _entries(known["categories"], "`annotations`", ("id", "name"))
    labels = {each["id"]: str(each["name"]) for each in categories}
    objects = _by_place(known["annotations"], "`annotations`", _OF_OBJECTS, images, labels)
    truth = np.array([
        [sum(not each.get("iscrowd") for each in objects.get((i, c), ())) for c in labels]
        for i in images
    ])  # fmt: skip
    outputs = {}
    for model, given in results.items():
        where = f"model {model!r}"
        found = _by_place(_read(given, where), where, _OF_DETECTIONS, images, labels)
        outputs[model] = np.empty(len(images), dtype=object)
        for place, image in enumerate(images):
            rows = [
                _rows(k, found[image, c], objects.get((image, c), ()))
                for k, c in enumerate(labels) if (image, c) in found
            ]  # fmt: skip
            outputs[model][place] = np.concatenate([*rows, np.empty((0, 2 + N_OVERLAPS))])
    return Predictions(
        truth.astype(float), outputs, kind=DETECTIONS, labels=[*labels.values()],
        ids=np.array(images), name=name,
    )  # fmt: skip


def coco_reading(files: Sequence[File], columns: Columns) -> Reading | None:
    """Read COCO's annotations and the results beside them; refuse results alone."""
    documents = [file for file in files if isinstance(file.payload, dict)]
    known = [file for file in documents if {*_PARTS} <= {*file.payload}]
    if not known:
        for file in files:
            if known_kind(file.path) == "json" and isinstance(file.payload, pd.DataFrame):
                refuse_results(file.payload, file.name)
        return None
    if len(known) > 1:
        names = " and ".join(file.name for file in known)
        raise ValueError(f"{names} have annotations of COCO; name one of them.")
    (truth,) = known
    results = {
        "/".join(filter(None, [file.set, file.model, file.run])): file.payload
        for file in files if file is not truth
    }  # fmt: skip
    what = f"{truth.name} has annotations of COCO"
    columns.refuse_beside({"models", "directs_functions"}, what)
    if not results:
        raise ValueError(f"{what} (images, categories); name the results of a detector too.")
    models = chosen([*results], columns.models, truth.name)
    predictions = from_coco(truth.payload, {m: results[m] for m in models}, name=truth.name)
    labels = [] if predictions.labels is None else predictions.labels.tolist()
    parts: dict[str, str | None] = {
        "format": "COCO", "truth": f"{truth.name} ({len(predictions):,} images)",
        "labels": counted(labels), "models": counted(models),
    }  # fmt: skip
    return Reading(predictions, parts)


def refuse_results(table: pd.DataFrame, name: str) -> None:
    """Refuse results of COCO, which are no results of images without the annotations."""
    fields = {*map(str, table.columns)}
    boxes = next((shape for shape in _SHAPES if shape in fields), None)
    if {"image_id", "category_id", "score"} <= fields and boxes is not None:
        raise ValueError(
            f"{name} has detections of COCO ({boxes}), not a row for each image; name the "
            f"annotations of boxes too, as in `modelcompare compare instances.json {name}`, match "
            "others by pycocotools, as docs/reading.md shows in three steps (Detections), and "
            "compare a table of each image's score, as image,score = 42,0.8."
        )
    if fields == {"image_id", "caption"}:
        raise ValueError(
            f"{name} has captions of COCO without references; add those of each image, and compare "
            "a table for each model with `modelcompare compare --kind texts`, as "
            "id,y_true,y_pred = 42,a dog runs,a dog."
        )


def _read(given: Any, where: str) -> Any:
    """Return annotations, or a list of detections: JSON of a file, or as given."""
    if isinstance(given, pd.DataFrame):
        return given.to_dict("records")
    if not isinstance(given, str | Path):
        return given
    return parse_json(Path(given).read_text(encoding="utf-8"), f"{where}: {given}")


def _by_place(
    given: Boxes, where: str, fields: Sequence[str], images: Sequence[Any],
    labels: Mapping[Any, str],
) -> Mapping[tuple[Any, Any], Boxes]:  # fmt: skip
    """Return the boxes of each image and category."""
    found: dict[tuple[Any, Any], list[Mapping[str, Any]]] = defaultdict(list)
    places = {*images}
    for each in _entries(given, where, fields):
        box, score = each["bbox"], each.get("score", 0.0)
        numbers = [*box, score] if isinstance(box, list | tuple | np.ndarray) else []
        if len(numbers) != 5 or not all(map(_is_finite, numbers)):
            raise ValueError(
                f"{where} has a box {shown(box)} with the score {shown(each.get('score'))}; boxes "
                "are [x, y, width, height], and all numbers finite."
            )
        place = each["image_id"], each["category_id"]
        if place[0] not in places or place[1] not in labels:
            raise ValueError(
                f"{where} has a box of image {place[0]!r} and category {place[1]!r}, which the "
                "annotations do not name; give results of the same images."
            )
        found[place].append(each)
    return found


def _entries(given: Any, where: str, fields: Sequence[str]) -> Boxes:
    """Return entries, each of which has all fields; ids are numbers or texts."""
    if not isinstance(given, list | tuple):
        raise ValueError(f"{where} must have lists of entries, got {shown(given)}.")
    for each in given:
        lacking = {*fields}.difference(each) if isinstance(each, Mapping) else {*fields}
        if lacking:
            raise ValueError(
                f"{where} has an entry without {', '.join(sorted(lacking))}; COCO has a list of "
                f"entries with {', '.join(fields)}."
            )
        for name in fields:
            if name.endswith("id") and not isinstance(each[name], int | float | np.number | str):
                raise ValueError(f"{where} has {name} {shown(each[name])}, not a number or text.")
    return given


def _is_finite(number: Any) -> bool:
    numeric = isinstance(number, int | float | np.number)
    return numeric and bool(abs(number) < _HUGE)


def _rows(label: int, detections: Boxes, objects: Boxes) -> FloatArray:
    """Return the label, the score, and marks of a match at each overlap, of each detection."""
    ordered = sorted(detections, key=lambda each: -each["score"])[:_MOST]
    objects = sorted(objects, key=lambda each: bool(each.get("iscrowd")))
    crowd = np.array([bool(each.get("iscrowd")) for each in objects], dtype=bool)
    boxes = [np.array([each["bbox"] for each in side], float).reshape(-1, 4)
             for side in (ordered, objects)]  # fmt: skip
    overlap = _overlaps(boxes[0], boxes[1], crowd)
    marks = np.column_stack([_matches(overlap, crowd, least) for least in _OVERLAPS])
    scores = [each["score"] for each in ordered]
    return np.column_stack([np.full(len(scores), label), scores, marks])


def _overlaps(detected: FloatArray, objects: FloatArray, crowd: BoolArray) -> FloatArray:
    """Return intersections over unions; of crowds, over the detection."""
    low = np.maximum(detected[:, None, :2], objects[None, :, :2])
    high = np.minimum(
        (detected[:, :2] + detected[:, 2:])[:, None], (objects[:, :2] + objects[:, 2:])[None]
    )
    both = np.prod(np.maximum(high - low, 0.0), axis=2)
    area, of_object = detected[:, 2:].prod(axis=1)[:, None], objects[:, 2:].prod(axis=1)
    whole = np.where(crowd, area, area + of_object - both)
    return np.divide(both, whole, out=np.zeros_like(both), where=whole > 0)


def _matches(overlap: FloatArray, crowd: BoolArray, least: float) -> FloatArray:
    """Return 1 for a detection that matches an object, 0 if none, NaN if it matches a crowd."""
    free, marks = np.ones(len(crowd), dtype=bool), np.zeros(len(overlap))
    for place, row in enumerate(overlap):
        for among, mark in ((free & ~crowd, 1.0), (crowd, np.nan)):
            fits = np.flatnonzero(among & (row >= min(least, 1 - 1e-10)))
            if fits.size:
                # Of equal overlaps, the last.
                best = fits[len(fits) - 1 - np.argmax(row[fits][::-1])]
                free[best], marks[place] = False, mark
                break
    return marks


READERS = (coco_reading,)
