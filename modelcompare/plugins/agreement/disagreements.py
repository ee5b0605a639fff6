"""Samples on which two models disagree, largest disagreement first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.data.alone import refuse_pseudo_values
from modelcompare.data.checks import check_models
from modelcompare.data.kinds import Kind
from modelcompare.data.sizes import once
from modelcompare.data.test_set import TestSet
from modelcompare.directions import known_direction
from modelcompare.engine.design import design_of
from modelcompare.metrics.outcomes import Outcomes
from modelcompare.plugs import load
from modelcompare.report.document import Document
from modelcompare.report.fields import Field, frame
from modelcompare.report.result import Result
from modelcompare.report.tables import Table, column
from modelcompare.words import signature


@dataclass(frozen=True, kw_only=True)
class Disagreements(Result, stem="disagreements", title="Disagreements"):
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
    table: pd.DataFrame = field(repr=False, metadata=frame(
        Field("id", "given"), "y_true", Field("predicted_a", "given"),
        Field("predicted_b", "given"), Field("p_a", optional=True), Field("p_b", optional=True),
        Field("right", json="text or none"), Field("distance", "estimate"), name="disagreements",
    ))  # fmt: skip

    @property
    def signature(self) -> str:
        return signature("disagreements", n=self.n_samples, disagree=len(self.table))

    def document(self) -> Document:
        a, b = self.model_a, self.model_b
        columns = [
            column("id", kind="given"), column("truth", "y_true"),
            column(a, "predicted_a", kind="given"), column(b, "predicted_b", kind="given"),
            column(f"p {a}", "p_a", kind="estimate"), column(f"p {b}", "p_b", kind="estimate"),
            column("right"), column("distance", kind="estimate"),
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
        If a model is unknown, the outputs of the two cannot be compared, single ones show nothing
        (counts of objects, risks, scores of battles), or the models have separate runs, of which
        no two have a row in common.

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
    design_of(predictions[[*dict.fromkeys((model_a, model_b))]]).check_common_rows()
    predictions = once(predictions, model_a)
    a, b = (Outcomes.of(predictions, model) for model in (model_a, model_b))
    ask = _rows_of(a.output.kind)
    if ask != _rows_of(b.output.kind):
        raise ValueError(
            f"{model_a!r} gave {a.output.kind} and {model_b!r} {b.output.kind}; name two models "
            "that gave the same."
        )
    refuse_pseudo_values(predictions.access, "a list of disagreements")
    for reason in (kinds.alone for kinds in (a.output.kind, b.output.kind) if kinds.alone):
        raise ValueError(f"the models' outputs are {reason}")
    frame = ask(predictions, a, b)
    ids = np.arange(len(predictions)) if predictions.ids is None else predictions.ids
    frame.insert(0, "id", ids)
    names = np.array([None, model_a, model_b], dtype=object)
    frame["right"] = pd.Series(names[frame["right"].to_numpy()], dtype=object)
    differ = frame[frame["predicted_a"] != frame["predicted_b"]]
    table = differ.sort_values("distance", ascending=False, kind="stable", ignore_index=True)
    return Disagreements(model_a=model_a, model_b=model_b, n_samples=len(predictions), table=table)


def _rows_of(kind: Kind) -> Callable[..., pd.DataFrame]:
    """Return the function of an output type: its own, or that of the form of its truth."""
    if kind.disagreements:
        found: Callable[..., pd.DataFrame] = load(kind.disagreements)
        return found
    return _of_classes if kind.has_classes else _of_numbers


def _of_classes(predictions: TestSet, a: Outcomes, b: Outcomes) -> pd.DataFrame:
    """Return labels, their probabilities if there are any, and the total variation distance."""
    labels, truth = predictions.labels, predictions.access.codes
    if labels is None or truth is None:
        raise ValueError("the predictions hold no true labels; give them as y_true.")
    frame = pd.DataFrame({
        "y_true": labels[truth], "predicted_a": labels[a.predicted],
        "predicted_b": labels[b.predicted],
    })  # fmt: skip
    soft = []
    for side, each in (("a", a), ("b", b)):
        hard = each.output.kind.coded
        soft.append(each.predicted_indicator if hard else each.output.array)
        if not hard:
            frame[f"p_{side}"] = soft[-1][np.arange(len(truth)), each.predicted]
    right_a, right_b = ((each.predicted == truth).astype(int) for each in (a, b))
    return frame.assign(right=right_a - right_b, distance=np.abs(soft[0] - soft[1]).sum(axis=1) / 2)


def _of_numbers(predictions: TestSet, a: Outcomes, b: Outcomes) -> pd.DataFrame:
    """Return real values, of which the nearer to the truth is right, or scores, the better one."""
    names, truth = predictions.access.scores.names, predictions.y_true
    if len(names) > 1:
        raise ValueError(
            f"the models have {len(names)} scores for each sample ({', '.join(names)}); read one, "
            f"such as score={names[0]!r}."
        )
    first, second = (x.output.array[:, 0] if names else x.output.array for x in (a, b))
    frame = pd.DataFrame({"predicted_a": first, "predicted_b": second})
    if truth is None:
        up, _ = predictions.access.scores.direction(names[0] if names else None)
        better = first - second if known_direction("the scores", up) else second - first
    else:
        frame.insert(0, "y_true", truth)
        better = np.abs(second - truth) - np.abs(first - truth)
    return frame.assign(right=np.sign(better).astype(int), distance=np.abs(first - second))
