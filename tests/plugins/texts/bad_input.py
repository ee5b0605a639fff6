"""Texts, and metrics of them, that make no sense."""

import modelcompare as mc
from tests.bad_input.case import Call, Run

TEXTS = {"texts.csv": "id,y_true,a,b\n1,a cat,a cat,the cat\n2,a dog,the dog,a dog\n"}
UNNAMED = "name the metrics to compare texts by, metrics=['wer', 'word_accuracy'] say; they have no default."
VALUES = mc.Predictions([0.5, 1.5], {"a": [0.25, 1.25], "b": [0.5, 1.0]})

# fmt: off
CASES: list[Call | Run] = [
    Call(
        "a rate of errors against several references",
        lambda _: mc.compare(
            mc.Predictions([["a b", "b"], ["c", "d"]], {"m": ["a", "b"]}, kind="texts"), "wer"
        ),
        "error rates take one reference text for each sample, but `y_true` has several; use "
        "bleu, chrf, ter or exact_match, or keep one.",
    ),
    Call(
        "a sample without references",
        lambda _: mc.Predictions([["a"], []], {"m": ["a", "b"]}, kind="texts"),
        "`y_true` must contain texts, or lists of texts, but does not in 1 row (row 1).",
    ),
    Call("a metric of texts on values", lambda _: mc.compare(VALUES, "wer"), "metric 'wer' needs texts, but model 'a' gave values."),
    Call("probabilities where their logarithms should be", lambda _: mc.metrics.perplexity([2, 3], [0.25, 0.5]), "perplexity needs natural logarithms of each text's probability: 0 or below, and not below -150 for a token; got 0.1667 for a token."),
    Call("a perplexity beyond all numbers", lambda _: mc.metrics.perplexity([2, 3], [-2000.0, -1.0]), "perplexity needs natural logarithms of each text's probability: 0 or below, and not below -150 for a token; got -1000 for a token."),
    Run(
        "gate: texts have no metric by default",
        "gate texts.csv --kind texts --baseline a --candidate b --margin 1",
        UNNAMED,
        TEXTS,
    ),
    Run(
        "sample-size: texts have no metric by default",
        "sample-size texts.csv --kind texts",
        UNNAMED,
        TEXTS,
    ),
]
