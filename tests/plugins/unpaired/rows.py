"""Rows of the tables of other tests."""

from typing import get_args

import numpy as np

import modelcompare as mc
from modelcompare.plugins.unpaired.unpaired import UnpairedTest
from tests.senseless import FEW, PLAIN, Door

Y = np.random.default_rng(0).integers(0, 2, 60)
CLASSES = mc.Predictions(Y, {"a": Y, "b": Y[::-1]})


def asked(preds, metric):
    return mc.inference.unpaired_test(preds[["a"]], preds[["b"]], metric, **FEW)


def at_random(draw, preds, options):
    """A test of the first and the last model, by a method drawn at random."""
    method, last = str(draw.choice(get_args(UnpairedTest))), preds[preds.models[-1]]
    return f"unpaired_test {method}", lambda: mc.inference.unpaired_test(
        preds["m0"], last, method=method, **options
    )


ALONE = {"unpaired_test": at_random}
PICKLED = {"unpaired_test": lambda _: asked(CLASSES, "f1_macro")}
SCOPED = {"unpaired_test": lambda preds: asked(preds, "average_precision")}
OF_ONE_VALUE = {"unpaired_test": asked}
DOORS = {
    "unpaired_test": Door(
        mc.inference.unpaired_test,
        {"predictions_a": PLAIN["a"], "predictions_b": PLAIN["b"], **FEW},
    ),
}
