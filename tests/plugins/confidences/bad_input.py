"""Lists of answers, and bins of confidences, that make no sense."""

import modelcompare as mc
from tests.bad_input.case import Call

# fmt: off
CASES: list[Call] = [
    Call("bins without a value", lambda _: mc.io.from_bins([0, 1], {"a": [0, 1]}, {"a": ["H", "L"]}, {"H": 0.9}), "`values` lacks the bins 'L' of model 'a'."),
    Call("a bin's value above one", lambda _: mc.io.from_bins([0, 1], {"a": [0, 1]}, {"a": ["H", "H"]}, {"H": 9}), "`values` must be in [0, 1], got 9."),
    Call("a bin's value in a text", lambda _: mc.io.from_bins([0, 1], {"a": [0, 1]}, {"a": ["H", "H"]}, {"H": "9"}), "`values` must be a number, got '9'.", TypeError),
    Call("a list that is no list", lambda _: mc.io.from_nbest(["u", "v"], {"a": ["u", "v"]}), "`lists` of model 'a' has 'u'; a list has pairs of an answer and its probability.", TypeError),
    Call("a list without probabilities", lambda _: mc.io.from_nbest(["u", "v"], {"a": [[("u",)], [("v",)]]}), "`lists` of model 'a' has [('u',)]; a list has pairs of an answer and its probability.", TypeError),
    Call("lists without a model", lambda _: mc.io.from_nbest(["u", "v"], {}), "`lists` is empty; give at least one."),
    Call(
        "lists that hold no pairs",
        lambda _: mc.io.from_nbest([0, 1], {"a": [["x", "y"], ["x"]]}),
        "`lists` of model 'a' has ['x', 'y']; a list has pairs of an answer and its probability.",
        TypeError,
    ),
    Call(
        "lists without names",
        lambda _: mc.io.from_nbest([0, 1], [[(0, 1.0)], [(1, 1.0)]]),
        "`lists` must map names to lists, e.g. {'nlu': [[('city', 0.9)]]}, got [[(0, 1.0)], [(1, "
        "1.0)]].",
        TypeError,
    ),
    Call(
        "bins without names",
        lambda _: mc.io.from_bins([0, 1], {"a": [0, 1]}, ["H", "L"], {"H": 0.9, "L": 0.8}),
        "`bins` must map names to bins, e.g. {'nlu': ['HIGH', 'LOW']}, got ['H', 'L'].",
        TypeError,
    ),
    Call(
        "values of bins that are no numbers",
        lambda _: mc.io.from_bins([0, 1], {"a": [0, 1]}, {"a": ["H", "L"]}, "fitt"),
        "`values` must map bins to confidences, or be 'fit', got 'fitt'.",
        TypeError,
    ),
]
