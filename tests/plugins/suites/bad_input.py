"""Several test sets that do not go together, and options of them that make no sense."""

import modelcompare as mc
from tests.bad_input.case import Call, Run
from tests.bad_input.commands import PREDS as FILE
from tests.bad_input.functions import PREDS, TABLE
from tests.bad_input.screens import MANY
from tests.bad_input.slips import HOLED, MEANT

CASES: list[Call | Run] = [
    Call(
        "weights of test sets in a decision",
        lambda _: mc.decide({"x": PREDS, "y": PREDS}, "a", "b", margin=0.1, weights="samples"),
        "decide() has no argument `weights`; ask gate(), which has it, by a rule as 'mean(f1_macro):-0.01'.",
        TypeError,
    ),
    Call(
        "one test set of several",
        lambda _: mc.compare_groups({"x": PREDS}),
        "`source` holds one test set; compare_groups needs 2, use compare.",
    ),
    Call(
        "roles as arguments",
        lambda _: mc.io.read_sets(TABLE, true="y_true", slices=["a"]),
        "read_sets() has no argument `true`; name columns by their roles, with columns={'true': 'y_true', 'slices': ['a']}.",
        TypeError,
    ),
    Call(
        "a wrong option of reading sets",
        lambda _: mc.io.read_sets(HOLED, grops="a"),
        "read_sets() has no argument `grops`; name columns by their roles, with columns={'groups': 'a'}.",
        TypeError,
    ),
    Call(
        "a metric misspelt in sets",
        lambda _: mc.compare_groups({"x": PREDS, "y": PREDS}, "acuracy"),
        MEANT,
    ),
    Call(
        "compare_groups: weights of some sets",
        lambda _: mc.compare_groups({"a": MANY, "b": MANY}, weights={"a": 1}),
        "`weights` must give each test set a weight, a, b, that are not all 0; got a.",
    ),
    Run(
        "groups: one file",
        "groups preds.csv",
        "the source has only one test set; compare its models with `compare`, or in subgroups with `modelcompare groups --by COLUMN`.",
        FILE,
    ),
]
