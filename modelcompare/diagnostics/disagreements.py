"""Samples on which two models disagree, largest disagreement first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import compress
from typing import ClassVar

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.arrays import AnyArray, FloatArray
from modelcompare.data.checks import check_models
from modelcompare.data.test_set import TestSet
from modelcompare.metrics.outcomes import Outcomes
from modelcompare.metrics.texts import EXACT, likeliest
from modelcompare.report.document import Document
from modelcompare.report.result import Result
from modelcompare.report.tables import Table, column
from modelcompare.words import signature

_CLASSES = {"labels", "probabilities"}
_SETS = {"label_sets", "label_probabilities"}
_TEXTS = {"texts", "text_lists"}


@dataclass(frozen=True)
class Disagreements(Result):
    """Samples on which two models disagree.

    Attributes
    ----------
    model_a, model_b : str
        The models.
    n_samples : int
        Size of the test set.
    table : DataFrame
        A row for each sample: id (or the row's number, from 0), y_true (except for scores),
        predicted_a and predicted_b (the output of each model, or its most probable one), p_a and
        p_b (for models with probabilities, that of the predicted label), right (the model that is
        correct, nearer to the truth, or has the better score; missing if neither is, or if both
        give one of several references), distance (for labels the total variation distance of the
        distributions, for texts the share of words that are not in both, else the absolute
        difference).
    """

    model_a: str
    model_b: str
    n_samples: int
    table: pd.DataFrame = field(repr=False)

    _stem: ClassVar[str] = "disagreements"
    _page_title: ClassVar[str] = "Disagreements"
    _members: ClassVar[str] = """
        model_a model_b n_samples signature
        disagreements=table: id y_true predicted_a predicted_b p_a? p_b? right distance
    """

    @property
    def signature(self) -> str:
        return signature("disagreements", n=self.n_samples, disagree=len(self.table))

    def document(self) -> Document:
        a, b = self.model_a, self.model_b
        columns = [
            column("id"), column("truth", "y_true"),
            column(a, "predicted_a"), column(b, "predicted_b"),
            column(f"p {a}", "p_a", kind="estimate"), column(f"p {b}", "p_b", kind="estimate"),
            column("right"), column("distance"),
        ]  # fmt: skip
        columns = [each for each in columns if each.sources[0] in self.table]
        counts = self.table["right"].value_counts()
        n_a, n_b = (int(counts.get(model, 0)) for model in (self.model_a, self.model_b))
        rest = len(self.table) - n_a - n_b
        several = any(isinstance(true, tuple) for true in self.table.get("y_true", ()))
        finding = (
            f"{a} and {b} disagree on {len(self.table):,} of {self.n_samples:,} samples: "
            f"{a} is right or nearer on {n_a:,}, {b} on {n_b:,}, "
            f"{'neither or both' if several else 'neither'} on {rest:,}."
        )
        table = Table("Disagreements", columns, self.table, decimals=3)
        return self._document({self._stem: table}, findings=[finding])


@checked()
def disagreements(predictions: TestSet, model_a: str, model_b: str) -> Disagreements:
    """List the samples on which two models disagree, largest disagreement first.

    Parameters
    ----------
    predictions : Predictions
        A test set with both models.
    model_a, model_b : str
        The models.

    Returns
    -------
    Disagreements
        The samples are in its `table`.

    Raises
    ------
    ValueError
        If a model is unknown, or the outputs of the two cannot be compared.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.Predictions(["no", "yes", "yes"], {"a": ["no", "yes", "no"], "b": ["yes"] * 3})
    >>> found = mc.diagnostics.disagreements(preds, "a", "b")
    >>> found.table[["id", "y_true", "predicted_a", "predicted_b", "right"]]
       id y_true predicted_a predicted_b right
    0   0     no     no    yes     a
    1   2    yes     no    yes     b
    """
    check_models(predictions.models, model_a=model_a, model_b=model_b)
    outputs = [predictions.output(model) for model in (model_a, model_b)]
    kinds = {output.kind for output in outputs}
    if len(kinds) > 1 and not any(kinds <= alike for alike in (_CLASSES, _SETS, _TEXTS)):
        raise ValueError(
            f"{model_a!r} gave {outputs[0].kind} and {model_b!r} {outputs[1].kind}; name two "
            "models that gave the same."
        )
    if kinds & {"label_counts", "label_detections"}:
        raise ValueError(
            "the models' outputs are counts of objects, which do not show which object differs; "
            "compare the items by their counts."
        )
    if predictions.of_survival:
        frame = _of_survival(predictions, model_a, model_b)
    elif kinds <= _SETS:
        frame = _of_sets(predictions, model_a, model_b)
    elif kinds <= _CLASSES:
        frame = _of_classes(predictions, model_a, model_b)
    elif kinds <= _TEXTS:
        frame = _of_texts(predictions, model_a, model_b)
    else:
        frame = _of_numbers(predictions, model_a, model_b)
    ids = np.arange(len(predictions)) if predictions.ids is None else predictions.ids
    frame.insert(0, "id", ids)
    names = np.array([None, model_a, model_b], dtype=object)
    frame["right"] = pd.Series(names[frame["right"].to_numpy()], dtype=object)
    differ = frame[frame["predicted_a"] != frame["predicted_b"]]
    table = differ.sort_values("distance", ascending=False, kind="stable", ignore_index=True)
    return Disagreements(model_a, model_b, len(predictions), table)


def _of_sets(predictions: TestSet, model_a: str, model_b: str) -> pd.DataFrame:
    """Return sets of labels as texts, and the share of labels on which the models differ."""
    found = [Outcomes.of(predictions, model) for model in (model_a, model_b)]
    truth, (a, b) = found[0].truth, (each.predicted_indicator for each in found)
    names = [str(label) for label in predictions.labels] if predictions.labels is not None else []

    def written(rows: FloatArray) -> list[str]:
        return [", ".join(compress(names, row)) for row in rows]

    right = [(rows == truth).all(axis=1).astype(int) for rows in (a, b)]
    return pd.DataFrame({
        "y_true": written(truth), "predicted_a": written(a), "predicted_b": written(b),
        "right": right[0] - right[1], "distance": np.abs(a - b).mean(axis=1),
    })  # fmt: skip


def _of_survival(predictions: TestSet, model_a: str, model_b: str) -> pd.DataFrame:
    """Return times, with a plus of censored samples, and ranks of the risks as shares.

    Of survival probabilities, the risk is that of an event by each time, on average.
    """
    found = [Outcomes.of(predictions, model) for model in (model_a, model_b)]
    time, event = found[0].true_values.T
    curves = predictions.labels is not None
    risks = [1 - each.values.mean(axis=1) if curves else each.values for each in found]
    a, b = (pd.Series(risk).rank(pct=True).to_numpy() for risk in risks)
    written = [f"{at:g}{'' if seen else '+'}" for at, seen in zip(time, event, strict=True)]
    return pd.DataFrame({
        "y_true": written, "predicted_a": a, "predicted_b": b, "right": 0,
        "distance": np.abs(a - b),
    })  # fmt: skip


def _of_classes(predictions: TestSet, model_a: str, model_b: str) -> pd.DataFrame:
    """Return labels, their probabilities if there are any, and the total variation distance."""
    labels, truth = predictions.labels, predictions.codes
    if labels is None or truth is None:
        raise ValueError("the predictions hold no true labels; give them as y_true.")
    models = {"a": model_a, "b": model_b}
    predicted = {side: predictions.predicted(model) for side, model in models.items()}
    frame = pd.DataFrame({"y_true": labels[truth]})
    for side, codes in predicted.items():
        frame[f"predicted_{side}"] = labels[codes]
    soft = {}
    for side, model in models.items():
        hard = predictions.kinds[model] == "labels"
        soft[side] = (
            np.eye(len(labels))[predicted[side]] if hard else predictions.probabilities(model)
        )
        if not hard:
            frame[f"p_{side}"] = soft[side][np.arange(len(truth)), predicted[side]]
    frame["right"] = (predicted["a"] == truth).astype(int) - (predicted["b"] == truth).astype(int)
    return frame.assign(distance=np.abs(soft["a"] - soft["b"]).sum(axis=1) / 2)


def _of_numbers(predictions: TestSet, model_a: str, model_b: str) -> pd.DataFrame:
    """Return real values, of which the nearer to the truth is right, or scores, the better one."""
    a, b = (_one_of(predictions, model) for model in (model_a, model_b))
    truth, up = predictions.y_true, predictions.greater_is_better
    frame = pd.DataFrame({"predicted_a": a, "predicted_b": b})
    if truth is None:
        is_up = up[predictions.score_names[0]] if isinstance(up, Mapping) else up
        better = a - b if is_up else b - a
    else:
        frame.insert(0, "y_true", truth)
        better = np.abs(b - truth) - np.abs(a - truth)
    return frame.assign(right=np.sign(better).astype(int), distance=np.abs(a - b))


def _one_of(predictions: TestSet, model: str) -> AnyArray:
    """Return the only number that a model has for each sample; raise if it has several."""
    names, array = predictions.score_names, predictions.output(model).array
    if len(names) > 1:
        raise ValueError(
            f"the models have {len(names)} scores for each sample ({', '.join(names)}); read one, "
            f"such as score={names[0]!r}."
        )
    return array[:, 0] if names else array


def _of_texts(predictions: TestSet, model_a: str, model_b: str) -> pd.DataFrame:
    """Return texts, of a list the most probable, and the share of words that are not in both."""
    models, truth = (model_a, model_b), predictions.y_true
    a, b = (likeliest(predictions.output(model)) for model in models)
    right = np.zeros(len(predictions))
    if truth is not None:
        exact = [EXACT.compute(Outcomes.of(predictions, model))[:, 0] for model in models]
        right = exact[0] - exact[1]
    frame = pd.DataFrame({"y_true": truth, "predicted_a": a, "predicted_b": b})
    return frame.assign(right=right.astype(int), distance=_unshared(a, b))


def _unshared(a: list[str], b: list[str]) -> FloatArray:
    """Return the share of the words of two texts that are not in both."""
    words = [(Counter(x.split()), Counter(y.split())) for x, y in zip(a, b, strict=True)]
    shares = [1 - 2 * (x & y).total() / max((x + y).total(), 1) for x, y in words]
    return np.array(shares, dtype=np.float64)
