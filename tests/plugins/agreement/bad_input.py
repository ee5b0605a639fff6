"""Agreement of one model, of unknown levels, and disagreements of other than two."""

import modelcompare as mc
from tests.bad_input.case import Call, Run
from tests.bad_input.functions import PREDS

# fmt: off
CASES: list[Call | Run] = [
    Call("agreement of a single model", lambda _: mc.diagnostics.model_agreement(PREDS["a"]), "agreement is of two or more models with labels or probabilities."),
    Call("categories out of order", lambda _: mc.diagnostics.annotator_agreement([["a", "b"]] * 3, order=["a"]), "`order` lacks 'b'."),
    Call("an unknown level of ratings", lambda _: mc.diagnostics.annotator_agreement([["a", "b"]] * 3, level="cardinal"), "`level` must be one of nominal, ordinal, interval, ratio, got 'cardinal'."),
    Call("disagreements: a model that there is not", lambda _: mc.diagnostics.disagreements(PREDS, "a", "lenet"), "unknown model 'lenet'; there are a, b.", KeyError),
    Run(
        "disagreements: three models",
        "disagreements preds.csv",
        "there are 3 models; name two with --model A --model B.",
        {"preds.csv": "y_true,a,b,c\nx,x,x,y\ny,y,x,y\n"},
    ),
]
