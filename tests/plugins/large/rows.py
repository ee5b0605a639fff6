"""Rows of the tables of other tests."""

import numpy as np
import pandas as pd

import modelcompare as mc
from modelcompare.arrays import ROW_BLOCK
from tests.made_up import made_up
from tests.senseless import FLAG, PLAIN, Door

FEW = {"n_resamples": 20}
LIBRARY = {"sketch": mc.io.sketch}
TABLE = pd.DataFrame({"y_true": [0, 1], "a": [0, 1], "b": [1, 1]})


def scan(folder):
    rng = np.random.default_rng(6)
    path = folder / "predictions.parquet"
    columns = {name: rng.integers(0, 2, 80) for name in ("y_true", "a", "b")}
    pd.DataFrame(columns).to_parquet(path)
    return mc.io.scan_predictions(path)


def scan_areas(folder, n=80):
    rng = np.random.default_rng(6)
    path = folder / f"probabilities_{n}.parquet"
    truth = rng.integers(0, 2, n)
    frame = {"y_true": truth}
    for name in "ab":
        p = rng.random(n)
        frame |= {f"{name}:0": 1 - p, f"{name}:1": p}
    pd.DataFrame(frame).to_parquet(path)
    return mc.io.scan_predictions(path)


def compared_blocks(folder):
    scan = scan_areas(folder, 2 * ROW_BLOCK + 9)
    return scan, mc.compare(scan, "log_loss", method="normal", test="wald")


PICKLED = {
    "sketch": lambda _: mc.io.sketch(made_up(90), ["accuracy", "f1"]),
    "compare a sketch": lambda _: mc.compare(mc.io.sketch(made_up(90), ["accuracy"]), **FEW),
    "scan": scan,
    "scan that was compared": lambda folder: compared_blocks(folder)[0],
    "compare a scan of several blocks": lambda folder: compared_blocks(folder)[1],
    "compare a scan": lambda folder: mc.compare(scan(folder), ["accuracy", "f1"], **FEW),
    "compare areas of a scan": lambda folder: mc.compare(scan_areas(folder), "roc_auc", **FEW),
}


def DOORS():
    return {
        "sketch": Door(mc.io.sketch, {"source": PLAIN}),
        "read_sketch": Door(mc.io.read_sketch, {"source": mc.io.sketch(PLAIN).to_frame()}),
        "scan_predictions": Door(
            mc.io.scan_predictions,
            {"source": TABLE},
            instead={"normalize": FLAG},
        ),
    }
