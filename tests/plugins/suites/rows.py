"""Rows of the tables of other tests."""

import numpy as np
import pandas as pd

import modelcompare as mc
from modelcompare.plugs import plugins
from tests.made_up import made_up, sliced
from tests.senseless import FEW, PLAIN, Door

LONG = pd.DataFrame(
    [(m, s, i, i % 2) for m in "ab" for s in "xy" for i in range(4)],
    columns=["model", "set", "item", "score"],
)


def _two():
    return mc.compare_groups({"x": made_up(90), "y": made_up(60, seed=1)}, "accuracy", **FEW)


def _of_other_classes():
    """Test sets without a mean, as their classes differ."""
    truths = {"first": np.resize([True, False], 40), "second": np.resize([0, 1, 2], 40)}
    sets = {k: mc.Predictions(y, {"a": y, "b": np.roll(y, 1)}) for k, y in truths.items()}
    return mc.compare_groups(sets, "f1", **FEW)


def _hostile(sets, models):
    label = next(iter(sets.values())).labels[1]
    return (
        mc.decide(sets, *models, ("f1", label), margin=0.1, n_resamples=99),
        mc.gate(sets, *models, ["each(accuracy):+0.9", "any(f1_macro):+0"], n_resamples=99),
        mc.compare_groups(sets, ["accuracy", "f1"], n_resamples=99),
    )


MADE = {
    "SuiteComparison": lambda: mc.compare_groups(
        {"first": sliced(), "second": made_up(150, seed=1)}, ["accuracy", "f1"], **FEW
    ),
} | ({} if "published" not in plugins() else {
    "RankComparison of test sets": lambda: mc.compare_groups(
        {name: made_up(150, seed=seed) for seed, name in enumerate("wxyz")}, "accuracy", **FEW
    ).friedman("accuracy"),
})  # fmt: skip
PICKLED = {"sets": lambda _: _two()}
if "published" in plugins():
    PICKLED["ranks"] = lambda _: _two().friedman("accuracy")
ODD = {"test sets of other classes": _of_other_classes}
HOSTILE_SETS = {"suites": _hostile}
ASKED = {
    "groups:sets": (("snli.npz", "other.npz", "-m", "accuracy", "--resamples", "99"), "groups"),
}


def DOORS():
    sets = mc.compare_groups({"x": PLAIN, "y": PLAIN}, "accuracy", **FEW)
    ranked = {"SuiteComparison.friedman": Door(sets.friedman, {"metric": "accuracy"})}
    return {
        **(ranked if "published" in plugins() else {}),
        "read_sets": Door(mc.io.read_sets, {"source": LONG}),
    }
