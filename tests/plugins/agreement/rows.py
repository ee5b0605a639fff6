"""Rows of the tables of other tests."""

import modelcompare as mc
from tests.made_up import sliced
from tests.senseless import FEW, PLAIN, Door

MODELS = ("--model", "mlp", "--model", "bow_pair")
MADE = {"Disagreements": lambda: mc.diagnostics.disagreements(sliced(), "m0", "m1")}
REPEATED = {
    "disagreements": lambda p: mc.diagnostics.disagreements(p, "a", "b").table.drop(columns="id"),
    "agreement of models": lambda p: mc.diagnostics.model_agreement(p, n_resamples=99),
}
ASKED = {"disagreements": (("snli.npz", *MODELS), "disagreements")}
UNDIRECTED = {
    "disagreements": lambda scores: mc.diagnostics.disagreements(
        mc.Predictions.from_scores(scores), "A", "B"
    ),
}
PROPOSED = {"disagreements": ("--format", "csv")}
DOORS = {
    "annotator_agreement": Door(
        mc.diagnostics.annotator_agreement, {"ratings": [["a", "b"], ["a", "a"], ["b", "b"]] * 4, **FEW},
        ("ratings", "groups"),
    ),
    "model_agreement": Door(mc.diagnostics.model_agreement, {"predictions": PLAIN, **FEW}),
    "disagreements": Door(
        mc.diagnostics.disagreements, {"predictions": PLAIN, "model_a": "a", "model_b": "b"}
    ),
}  # fmt: skip
