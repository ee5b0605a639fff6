"""Costs, and files of metrics, that make no sense."""

import pandas as pd

import modelcompare as mc
from tests.bad_input.case import Call, Run

PREDS = {"preds.csv": "y_true,a,b\nx,x,x\ny,y,x\n"}
METRIC = {"mine.py": "def hits(y_true, y_output):\n    return 0.5\n"}

# fmt: off
CASES: list[Call | Run] = [
    Call(
        "costs of a class twice",
        lambda _: mc.metrics.cost(
            pd.DataFrame([[0, 1, 5], [2, 0, 0]], index=["x", "y"], columns=["x", "y", "y"])
        ),
        "`costs` must have the same classes in rows (true) and columns (predicted), each once; got x, y and x, y, y.",
    ),
    Run(
        "compare: -o names the file of a metric",
        "compare preds.csv --metric-from mine.py:hits -o mine.py --format table",
        "mine.py is read here and would be lost; write to another place.",
        PREDS | METRIC,
    ),
]
