"""An item of the paper or the course: their word and number, and the call or command that gives ours."""

import contextlib
import doctest
import io
import re
import warnings
from dataclasses import dataclass
from functools import cache

import numpy as np

from modelcompare.cli import main
from tests.paper_and_course import own

# What the page shows first; calls are evaluated in its names.
INPUTS = """
>>> import numpy as np
>>> import pandas as pd
>>> import modelcompare as mc
>>> def table(*rows):  # a confusion matrix as true and predicted labels
...     preds = mc.io.from_counts(rows, "model")
...     return preds.y_true, preds.predicted("model")
>>> ex1 = table([15, 10, 100], [10, 15, 10], [10, 100, 1000])
>>> ex2 = table([0, 0, 125], [0, 0, 35], [0, 0, 1110])
>>> ex3 = table([1, 0, 124], [0, 1, 24], [0, 0, 1110])
>>> ex4 = table([15, 10, 100], [10, 15, 10], [10, 100, 100_000])
>>> fifty, five_hundred = table([15, 10], [100, 50]), table([15, 10], [100, 500])
>>> ten = ([*"AAAAABBBBB"], [*"AABAAABAAB"])  # the slides' exercises: true, predicted
>>> twenty = ([*"RBGGBBRGYYYRBGGBRGYG"], [*"RRBGBGRGYYYRRBGBRGYY"])
>>> rare = (["A"] * 95 + ["B"] * 5, ["A"] * 100)
>>> y = np.array([0, 1, 2, 1])
>>> p = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.3, 0.5], [0.5, 0.4, 0.1]])
>>> never = np.array([[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.4, 0.5, 0.1], [0.3, 0.6, 0.1]])
>>> sharp = p**4 / (p**4).sum(axis=1, keepdims=True)  # the same decisions
>>> binary, score = np.array([0, 0, 1, 1, 0, 1]), np.array([0.1, 0.4, 0.35, 0.8, 0.2, 0.9])
>>> pair = mc.Predictions(binary, {"model": score})
>>> true, found = np.array([1.0, 2.0, 4.0, 7.0]), np.array([1.5, 2.0, 3.0, 8.0])
>>> three = mc.load_example("snli_sepcnn")  # the paper's models 1, 2 and 3
>>> variance = mc.studies.variance_study(three)
>>> one = variance.distribution.query("ratio == 1 and model == 'model1_full' and metric == 'f1'")
>>> rng = np.random.default_rng(1)
>>> gold = rng.integers(0, 2, 200)
>>> a, b = (np.where(rng.random(200) < skill, gold, 1 - gold) for skill in (0.85, 0.75))
>>> two = mc.Predictions(gold, {"a": a, "b": b}, slices={"group": np.arange(200) % 2})
>>> from sklearn.neighbors import KNeighborsClassifier
>>> a_line = rng.random(30)
>>> def undefined(true, predicted, metric, label):  # % of resamples without a value
...     preds = mc.Predictions(true, {"model": predicted})
...     study = mc.studies.undefined_study(preds, [(metric, "jaccard")], ratios=[1.0], n_resamples=20_000)
...     return study.table.query("metric == @metric and label == @label")["pct_undefined"]
"""
_NUMBER = re.compile(r"-?\d[\d,]*\.?\d*|NaN|inf")


@dataclass(frozen=True, kw_only=True)
class Item:
    """An item, whose number is computed twice.

    `here` is a call, evaluated in the names of `INPUTS`, or a command. Its number, or text, is that of
    the text in `there`, to the digits that are printed, and that of `own`, plain numpy without the
    package, within a relative error. With both, `there` is a published number of other data.
    """

    section: str
    place: str
    term: str
    here: str
    there: str = ""
    own: str = ""
    within: float = 1e-9
    note: str = ""
    absent: bool = False

    @property
    def heavy(self):
        """Whether it is of the hundred models, which take seconds."""
        return any(word in self.here for word in ("agreement.", "hundred"))


def rows(section, *cells, **common):
    """Items of a section: place, term, call, their number, and further fields."""
    named = ("place", "term", "here", "there")
    for *texts, last in cells:
        more = last if isinstance(last, dict) else {}
        values = texts if isinstance(last, dict) else [*texts, last]
        yield Item(section=section, **dict(zip(named, values, strict=False)), **common, **more)


@cache
def names():
    """Names of the page's inputs, and modules of the replication."""
    from experiments.snli_sepcnn import figure7, plans, preprocess

    space = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for example in doctest.DocTestParser().get_examples(INPUTS):
            exec(example.source, space)
    return space | {"figure7": figure7, "plans": plans, "preprocess": preprocess}


@cache
def of_the_hundred():
    """The paper's hundred models, as trained here, and their agreement."""
    from experiments.snli_sepcnn.paper import load

    hundred = load(*(f"section62_{k}" for k in (1, 2, 3, 4)))
    return {"hundred": hundred, "agreement": names()["mc"].studies.agreement_study(hundred)}


@cache
def plain_names():
    """The arrays among the names, without the package, so that no number is checked against itself."""
    arrays = {
        name: value for name, value in names().items()
        if isinstance(value, np.ndarray | list | tuple)
    }  # fmt: skip
    return arrays | {"own": own, "np": np, "three": _arrays(names()["three"])}


@cache
def plain_hundred():
    """Labels and probabilities of the hundred models, and table 1 of these."""
    hundred = _arrays(of_the_hundred()["hundred"])
    return {"hundred": hundred, "table1": own.table1(*hundred)}


def _arrays(preds):
    labels = [*preds.labels]
    codes = np.array([labels.index(label) for label in preds.y_true])
    return codes, np.array([preds.probabilities(model) for model in preds.models])


def ours(item):
    """The number, or the text, of the package."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if not item.here.startswith("modelcompare "):
            return eval(item.here, names() | (of_the_hundred() if item.heavy else {}))
        text = io.StringIO()
        out = io.TextIOWrapper(io.BytesIO(), "utf-8")
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(text):
            main(item.here.split()[1:])
        out.seek(0)
        return " ".join((out.read() + text.getvalue()).split())


def plain(item):
    """The number by plain numpy."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return eval(item.own, plain_names() | (plain_hundred() if item.heavy else {}))


def numbers(value):
    """All numbers of a value, in one row."""
    if isinstance(value, dict):
        value = [*value.values()]
    return np.atleast_1d(np.asarray(value, dtype=float)).ravel()


def agrees(item):
    """Whether our number is that of the text, and that of plain numpy."""
    here = ours(item)
    if item.own:
        np.testing.assert_allclose(
            numbers(here), numbers(plain(item)), rtol=item.within, atol=1e-12, err_msg=item.term
        )
        return True
    if isinstance(here, str):
        return item.there in here
    printed = _NUMBER.findall(item.there)
    values = numbers(here)
    return len(printed) == len(values) and all(
        _rounded(value, text.replace(",", "")) for value, text in zip(values, printed, strict=True)
    )


def _rounded(value, text):
    """Whether a value is a printed number to its digits; the texts round a half either way."""
    if text == "NaN":
        return np.isnan(value)
    digits = len(text.partition(".")[2])
    return value == float(text) or abs(value - float(text)) <= 0.5 * 10.0**-digits + 1e-9


def shown(value):
    """A value as the page shows it."""
    if isinstance(value, str):
        return value
    return " ".join("NaN" if np.isnan(each) else f"{each:.4g}" for each in numbers(value))
