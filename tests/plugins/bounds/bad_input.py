"""Slips about bounds for missing results."""

import modelcompare as mc
from tests.bad_input.case import Call, Run
from tests.bad_input.slips import HOLED, MEANT

WORST = mc.read_predictions(HOLED, missing="worst")

# fmt: off
CASES: list[Call | Run] = [
    Call("bounds with a baseline", lambda _: mc.compare(WORST, baseline="a", missing="bounds"), "bounds are of all pairs of models; leave `baseline` out."),
    Call("a metric misspelt in bounds", lambda _: mc.compare(WORST, "acuracy", missing="bounds"), MEANT),
    Run("a metric misspelt in bounds of a file", "compare preds.csv --missing bounds --metric acuracy", MEANT, {"preds.csv": "y_true,a,b\nx,x,y\ny,,x\ny,y,y\n"}),
]
