"""Rows of the tables of other tests."""

import numpy as np

import modelcompare as mc
from tests.senseless import Door

COCO = {
    "images": [{"id": 1}, {"id": 2}],
    "categories": [{"id": 1, "name": "cat"}],
    "annotations": [],
}


def of_detections():
    rng = np.random.default_rng(10)
    objects, found = [], []
    for image in range(6):
        for _ in range(4):
            box = [*rng.integers(0, 50, 2).tolist(), *rng.integers(10, 30, 2).tolist()]
            objects.append({
                "id": len(objects), "image_id": image, "category_id": 1, "bbox": box,
                "area": box[2] * box[3], "iscrowd": 0,
            })  # fmt: skip
            found.append({"image_id": image, "category_id": 1, "bbox": box, "score": rng.random()})
    truth = {
        "images": [{"id": image} for image in range(6)],
        "categories": [{"id": 1, "name": "cat"}], "annotations": objects,
    }  # fmt: skip
    return mc.io.from_coco(truth, {"a": found, "b": found[::2]})


DATA = {"label_detections": of_detections}
DOORS = {
    "from_coco": Door(
        mc.io.from_coco,
        {"annotations": COCO, "results": {"a": []}},
        ("annotations", "results", "name"),
    ),
}
