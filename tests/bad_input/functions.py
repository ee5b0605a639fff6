"""Arguments of the public functions that make no sense."""

import modelcompare as mc
from tests.bad_input.case import Call, Run

CASES: list[Call | Run] = [
    Call(
        "no models",
        lambda _: mc.Predictions([0, 1], {}),
        "`outputs` is empty; give at least one model.",
    ),
]
