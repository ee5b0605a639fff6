"""Rows of the tables of other tests."""

import modelcompare as mc
from tests.made_up import sliced
from tests.senseless import FEW, PLAIN, Door

MADE = {
    "Gaps": lambda: mc.diagnostics.gaps(
        sliced(), "accuracy", by=sliced().slices.columns[0], margin=0.1
    ),
}
REPEATED = {
    "gaps": lambda p: mc.diagnostics.gaps(p, "accuracy", min_size=5, n_resamples=99).groups,
}
ASKED = {
    "groups: gaps": (
        ("halves.csv", "--by", "half", "--gaps", "-m", "accuracy", "--resamples", "60"), "gaps",
    ),
}  # fmt: skip
DOORS = {
    "gaps": Door(
        mc.diagnostics.gaps, {"predictions": PLAIN, "metric": "accuracy", "min_size": 5, **FEW},
        ("label",), {"by": [5, [], "no such slice"]},
    ),
}  # fmt: skip
HOSTILE_SETS = {
    "gaps": lambda sets, _: [
        mc.diagnostics.gaps(preds, "accuracy", by=preds.slices.columns[0], margin=0.1)
        for preds in sets.values()
    ],
}
