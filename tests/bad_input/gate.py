"""What a test suite may not ask of `modelcompare.testing`."""

import pandas as pd

from modelcompare.testing import assert_not_worse
from tests.bad_input.case import Call, Run

TABLE = pd.DataFrame({"y_true": ["x", "y"], "a": ["x", "y"], "b": ["x", "x"]})
NEITHER = "give `metric` and `margin`, or `rules`, to say what must hold."
BOTH = "`rules` contains metric and margin; leave their options out."

CASES: list[Call | Run] = [
    Call(
        "assert_not_worse: nothing that must hold",
        lambda _: assert_not_worse(TABLE, "a", "b"),
        NEITHER,
    ),
    Call(
        "assert_not_worse: a metric without its margin",
        lambda _: assert_not_worse(TABLE, "a", "b", "accuracy"),
        NEITHER,
    ),
    Call(
        "assert_not_worse: rules beside a margin",
        lambda _: assert_not_worse(TABLE, "a", "b", margin=0.1, rules=["accuracy:-0.1"]),
        BOTH,
    ),
    Call(
        "assert_not_worse: rules beside a metric",
        lambda _: assert_not_worse(TABLE, "a", "b", "recall[x]", rules=["recall[x]:-0.1"]),
        BOTH,
    ),
    Call(
        "assert_not_worse: another way for too few data",
        lambda _: assert_not_worse(
            TABLE, "a", "b", "accuracy", margin=0.1, on_inconclusive="xfail"
        ),
        "`on_inconclusive` must be one of fail, pass, skip, got 'xfail'.",
    ),
]
