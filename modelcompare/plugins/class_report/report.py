"""Precision, recall, F1 and support of each class, with intervals."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.arrays import AnyArray
from modelcompare.comparison.compare import compare
from modelcompare.data.predictions import Predictions
from modelcompare.report.document import Document
from modelcompare.report.fields import HIDDEN, Field, frame
from modelcompare.report.numbers import interval_title
from modelcompare.report.result import Result
from modelcompare.report.tables import Table, column
from modelcompare.words import label_name

METRICS = ("precision", "recall", "f1")
_AVERAGES = ("macro", "weighted")
_COLUMNS = tuple(
    Field(f"{metric}{end}", "estimate") for metric in METRICS for end in ("", "_low", "_high")
)


@dataclass(frozen=True, kw_only=True)
class ClassReport(Result, stem="class_report"):
    """Precision, recall and F1 of each class and model, as scikit-learn's report has them.

    Attributes
    ----------
    n_samples : int
        Number of samples.
    confidence_level : float
        Level of the intervals, of each value by itself.
    classes : DataFrame
        A row for each model and class, and for each average: model, average (macro, weighted, or
        None for a class), label, precision, recall and f1, each with the ends of its interval
        (precision_low, precision_high), and support, the samples of the class or their weight.
    accuracy : DataFrame
        A row for each model: accuracy with its interval.
    """

    n_samples: int
    confidence_level: float
    classes: pd.DataFrame = field(repr=False, metadata=frame(
        "model", Field("average", json="text or none"), "label", *_COLUMNS,
        Field("support", "size", json="number"),
    ))  # fmt: skip
    accuracy: pd.DataFrame = field(
        repr=False, metadata=frame("model", "estimate", "ci_low", "ci_high")
    )
    compared: str = field(repr=False, metadata=HIDDEN)

    @property
    def signature(self) -> str:
        return self.compared

    def document(self) -> Document:
        level = interval_title(self.confidence_level)
        name = column("class", "row", kind="given")
        values = [column(metric, kind="estimate") for metric in METRICS]
        intervals = [
            column(metric, f"{metric}_low", f"{metric}_high", kind="interval") for metric in METRICS
        ]
        tables = {}
        for model, rows in self.classes.groupby("model", sort=False):
            rows = rows.assign(row=[
                f"{average} average" if average else label_name(label)
                for average, label in zip(rows["average"], rows["label"], strict=True)
            ])  # fmt: skip
            support = column("support", kind="setting")
            tables[f"{model}"] = Table.of(f"{model}", rows, name, *values, support)
            tables[f"{model}, intervals"] = Table.of(f"{model}, {level}", rows, name, *intervals)
        return self._document(tables, findings=self.sentences)

    @property
    def sentences(self) -> list[str]:
        """The accuracy of each model, which is the micro average of all three."""
        level = interval_title(self.confidence_level)
        return [
            f"{row.model}: accuracy {row.estimate:.4f} ({level} {row.ci_low:.4f} to "
            f"{row.ci_high:.4f})."
            for row in self.accuracy.itertuples(index=False)
        ]


@checked(compare)
def classification_report(predictions: Predictions, **options: Any) -> ClassReport:
    """Compute precision, recall, F1 and support of each class, with intervals.

    The values are those of scikit-learn's ``classification_report``; the intervals are those of
    `compare`, of each value by itself.

    Parameters
    ----------
    predictions : Predictions
        Models with labels or probabilities, one label a sample.
    **options
        As for `compare`, without metrics: ``confidence_level``, ``method``, ``zero_division``.

    Returns
    -------
    ClassReport

    Raises
    ------
    ValueError
        If the models have no classes, or a metric is given.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.Predictions([*"AABB"] * 20, {"cnn": [*"ABBB"] * 20})
    >>> report = mc.diagnostics.classification_report(preds)
    >>> report.classes[["average", "label", "precision", "recall", "f1", "support"]].round(3)
        average label  precision  recall     f1  support
    0      None     A      1.000    0.50  0.667       40
    1      None     B      0.667    1.00  0.800       40
    2     macro  None      0.833    0.75  0.733       80
    3  weighted  None      0.833    0.75  0.733       80
    """
    if "metrics" in options:
        raise ValueError("`metrics` are precision, recall and F1 here; for others use compare.")
    codes = predictions.access.codes
    if codes is None or predictions.labels is None:
        raise ValueError("a report of classes needs one label a sample; use compare.")
    averages = [f"{metric}_{average}" for metric in METRICS for average in _AVERAGES]
    result = compare(predictions, ["accuracy", *METRICS, *averages], **options)
    weights = predictions.sample_weight
    support = np.bincount(codes, weights=weights, minlength=predictions.access.n_classes)
    scores = result.scores
    rows = [
        rows
        for model in predictions.models
        for rows in _rows(scores[scores["model"] == model], model, support)
    ]
    accuracy = scores.loc[
        scores["metric"] == "accuracy", ["model", "estimate", "ci_low", "ci_high"]
    ]
    return ClassReport(
        n_samples=len(predictions), confidence_level=result.evidence.confidence_level,
        classes=pd.concat(rows, ignore_index=True), accuracy=accuracy.reset_index(drop=True),
        compared=result.signature,
    )  # fmt: skip


def _rows(scores: pd.DataFrame, model: str, support: AnyArray) -> list[pd.DataFrame]:
    """Return the classes of a model, and both averages."""
    found = []
    for average in (None, *_AVERAGES):
        names = {metric: f"{metric}_{average}" if average else metric for metric in METRICS}
        values = {name: scores[scores["metric"] == of] for name, of in names.items()}
        labels = values["f1"]["label"].tolist()
        columns: dict[str, Any] = {"model": model, "average": average, "label": labels}
        for name, each in values.items():
            for end, source in (("", "estimate"), ("_low", "ci_low"), ("_high", "ci_high")):
                columns[f"{name}{end}"] = each[source].to_numpy()
        columns["support"] = support.sum() if average else support
        made = pd.DataFrame(columns, index=range(len(labels)))
        found.append(made.astype({"average": object, "label": object}))
    return found
