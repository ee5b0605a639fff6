"""Rows of the tables of other tests."""

import numpy as np
import pandas as pd

import modelcompare as mc

FEW = {"n_resamples": 99}


def bounded():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.integers(0, 2, 60).astype(float) for name in ("m0", "m1")})
    frame.loc[:2, "m0"] = np.nan
    return mc.compare(
        mc.read_predictions(frame, missing="worst", greater_is_better=True), missing="bounds", **FEW
    )


def bounded_losses(_):
    """Compare absolute errors of two models, one of which lacks a result."""
    rng = np.random.default_rng(0)
    errors = {"b": rng.normal(0, 1.5, 90), "a": rng.normal(0, 0.5, 90)}
    frame = pd.DataFrame({m: np.abs(each).clip(max=9) for m, each in errors.items()})
    frame.loc[5, "a"] = np.nan
    worst = mc.read_predictions(frame, greater_is_better=False, missing="worst", bounds=(0, 9))
    return mc.compare(worst, missing="bounds", **FEW)


def _write(folder):
    rows = (f"{i},{i % 2},{i % 3 // 2 if i else ''}\n" for i in range(30))
    (folder / "holed.csv").write_text("item,a,b\n" + "".join(rows))


MADE = {"BoundedComparison": bounded}
PICKLED = {"bounds": lambda _: bounded()}
ASKED = {
    "compare: bounds": (
        ("holed.csv", "--missing", "bounds", "--higher-is-better", "--resamples", "60"), "bounds",
    ),
}  # fmt: skip
FILES = {"holed.csv": _write}
# Model b is worse than a, whose values are missing in one place.
SIGNED = {"missing results": bounded_losses}
