"""Options and outputs of the commands that cannot be had."""

from tests.bad_input.case import Call, Run

CASES: list[Call | Run] = [
    Run(
        "a gate without a margin",
        "gate preds.csv --baseline a --candidate b",
        "--margin is needed to ask for non-inferior: how much worse would matter?",
        {"preds.csv": "y_true,a,b\nx,x,x\ny,y,x\n"},
    ),
]
