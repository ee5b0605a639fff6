"""Rows of the tables of other tests."""

import numpy as np

import modelcompare as mc

FEW = {"n_resamples": 99}


def of_texts():
    drawn = {"a": ["a b c d f"] * 20, "b": ["a b c d e"] * 10 + ["x y z u v"] * 10}
    return mc.Predictions(["a b c d e"] * 20, drawn, kind="texts")


def of_logarithms():
    """Logarithms of the probabilities of texts, whose numbers of tokens are true values."""
    rng = np.random.default_rng(4)
    logarithms = {name: -rng.lognormal(size=40) for name in "abc"}
    return mc.Predictions(np.arange(1.0, 41.0), logarithms, kind="values")


def of_lists():
    drawn = {}
    for name, other in (("a", "a c"), ("b", "b")):
        drawn[name] = np.empty(20, dtype=object)
        drawn[name][:] = [(("a b", 0.75), (other, 0.25)), (("a b", 0.5), (other, 0.5))] * 10
    return mc.Predictions(["a b"] * 20, drawn, kind="text_lists")


DATA = {
    "texts": of_texts, "text_lists": of_lists,
    **dict.fromkeys(("perplexity", "perplexity_of_texts"), of_logarithms),
}  # fmt: skip
PICKLED = {
    "compare texts": lambda _: mc.compare(
        of_texts(), ["wer", "bleu", "chrf", "exact_match"], **FEW
    ),
    "compare lists": lambda _: mc.compare(of_lists(), ["cspan_f1", "wer"], **FEW),
}
TERMS = {
    "wer": ["word error rate", "WER"], "word_accuracy": ["word accuracy rate"],
    "bleu": ["BLEU", "BLEU score"], "slot_error_rate": ["slot error rate"],
}  # fmt: skip
