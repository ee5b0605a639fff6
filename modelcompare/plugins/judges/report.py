"""A report on a judge: its agreement with people, its bias for models, the worth of its verdicts.

All but the worth is of the samples that people labelled, weighted as they were drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pandas as pd

from modelcompare.arguments import checked
from modelcompare.data.predictions import Predictions
from modelcompare.directions import words_of
from modelcompare.engine.axis import score_frame
from modelcompare.engine.design import design_of
from modelcompare.engine.evaluation import Evaluation
from modelcompare.escape import terminal
from modelcompare.metrics.classes import without_classes
from modelcompare.metrics.registry import MetricLike, resolve_metrics
from modelcompare.plugins.judges.few_labels import warn_if_not_drawn, worth_in_words
from modelcompare.plugins.judges.judged import Judged
from modelcompare.plugins.judges.labelled import (
    BIAS,
    CONFUSION,
    EFFECTS,
    FAVOURS,
    Labelled,
    adjusted_frame,
)
from modelcompare.plugins.judges.verdicts import check_enough, check_one_run, judge_of
from modelcompare.report.document import Document
from modelcompare.report.fields import HIDDEN, Field, frame, member
from modelcompare.report.figures.interval_rows import Row, draw_intervals, height_of, wrapped_name
from modelcompare.report.figures.layout import Caption, draw_panels
from modelcompare.report.figures.matrices import draw_shares, most_confused
from modelcompare.report.figures.plots import Plots
from modelcompare.report.figures.selection import first_models
from modelcompare.report.figures.types import Axes, Figure
from modelcompare.report.numbers import (
    format_share,
    interval_clause,
    interval_title,
    p_clause,
)
from modelcompare.report.result import Result
from modelcompare.resampling.seeds import RngLike, rng_label
from modelcompare.words import giving, is_missing, signature

# Models in the figure, and sentences on models and on pairs.
_MOST_BARS, _MOST_SENTENCES = 20, 4
# A judge that saves a smaller share of the labels saves few.
_FEW_SAVED = 0.15
# Titles of the tables.
_TITLES = {
    "agreement": "Agreement of the judge with people",
    "confusion": "Labels by people (truth) and by the judge",
    "bias": "Models by people and by the judge",
    "favours": "Differences a - b by people and by the judge",
    "effects": "Lower and upper half of a column",
    "worth": "Labels that are as certain without the judge",
}
_AGREEMENT = {
    "accuracy": "The judge agrees with people on {1:.3f} of the labels",
    "cohen_kappa": "Cohen's kappa of the judge and people is {1:.3f}",
    "pearson": "Scores of {0} by the judge and by people have a correlation of {1:.3f}",
}


def plot_judge(result: JudgeReport, ax: Axes | None = None) -> Figure:
    """Draw the confusion of people and the judge, next to its bias for each model.

    Of scores there is the bias alone. If `ax` is given, the first of the two is drawn into it.
    """
    models, of_models = first_models(result.bias["model"].tolist(), _MOST_BARS)
    rows = [
        Row(wrapped_name(row.model), (row.difference, row.ci_low, row.ci_high),
            row.p_adjusted < result.alpha, f"{row.model}: {result._in_words(row)}")
        for row in result.bias.head(len(models)).itertuples()
    ]  # fmt: skip
    order = list(dict.fromkeys(result.confusion["y_true"]))
    shares = result.confusion.pivot(index="y_true", columns="verdict", values="share")
    places, of_classes = most_confused(shares.loc[order, order])
    drawn = [order[place] for place in places]
    squares = partial(draw_shares, shares.loc[drawn, drawn], "confusion", "label by the judge")
    label = "value by the judge - by people"
    bias = partial(draw_intervals, rows, "bias", label, signed=True)
    level = interval_title(result.confidence_level)
    title = f"The judge on {result.n_labels:,} samples that people labelled, {level}"
    note = "shares of the samples with each label by people\n" if drawn else ""
    note += f"diamond: p < {result.alpha:g}, adjusted for all models"
    shown = "; ".join(filter(None, [of_classes, of_models]))
    y_label = "label by people" if drawn else ""
    caption = Caption(title, result.signature, shown, note, y_label=y_label)
    panels = [[squares] * bool(drawn) + [bias] * bool(rows)]
    size = 3.2, max(height_of(rows), 0.34 * len(drawn) + 1.4)
    return draw_panels(caption, panels, size, ax=ax, least_width=4.4)


@dataclass(frozen=True, kw_only=True)
class JudgeReport(Result, stem="judge", title="The judge"):
    """A judge compared with people, on the samples that people labelled.

    Attributes
    ----------
    n_samples, n_labels, n_resamples : int
        Size of the test set, and numbers of samples with a label by people and of resamples.
    seed_label : str
        Seed of the resamples.
    confidence_level, alpha : float
        Level of the intervals, and of the tests in the verdict.
    greater_is_better : bool or None
        Direction of the values of models; None for scores whose direction is not known.
    agreement : DataFrame
        Of labels the judge's accuracy, Cohen's kappa and recall of each class, with people's labels
        as the truth; of scores Pearson's and Spearman's correlation with people's, for each model:
        model, metric, label, estimate, standard_error, ci_low, ci_high, method.
    confusion : DataFrame
        A row for each pair of labels: y_true (by people), verdict, n, share (of the samples with
        this label by people, weighted as they were drawn). Empty for scores.
    bias : DataFrame
        A row for each model: its accuracy, or mean score, by `people` and by the `judge` on the
        same samples, difference (judge - people), standard_error, ci_low, ci_high, p_value,
        p_adjusted (Holm, over all models).
    favours : DataFrame
        A row for each pair: model_a, model_b, a - b by `people` and by the `judge`, difference
        (judge - people) with its interval and p-values (Holm, over all pairs), reversed (True where
        people and judge rank the two differently).
    effects : DataFrame
        A row for each column that was given, and model for scores: column, model, split (highest
        value of the lower half), lower and upper (accuracy of the judge in each half; of scores the
        mean of the judge's minus people's), difference (upper - lower), ci_low, ci_high (by MOVER
        from the intervals of the halves), p_value, p_adjusted (Holm, over all rows).
    worth : DataFrame
        A row for each model, metric and class: worth (number of labels that are as certain without
        the judge), saved (share of them that the judge saves; negative where it costs some).
    notes : tuple of str
        Condition under which the numbers hold for all samples, and labels that people never gave.
    """

    n_samples: int
    n_labels: int
    n_resamples: int
    seed_label: str
    confidence_level: float
    alpha: float
    greater_is_better: bool | None
    agreement: pd.DataFrame = field(repr=False, metadata=frame(
        "model", "metric", "label", "estimate", Field("standard_error", shown=False), "ci_low",
        "ci_high", Field("method", shown=False),
    ))  # fmt: skip
    confusion: pd.DataFrame = field(repr=False, metadata=frame(*CONFUSION))
    bias: pd.DataFrame = field(repr=False, metadata=frame(*BIAS))
    favours: pd.DataFrame = field(repr=False, metadata=frame(*FAVOURS))
    effects: pd.DataFrame = field(repr=False, metadata=frame(*EFFECTS))
    worth: pd.DataFrame = field(repr=False, metadata=frame(
        "model", "metric", "label", Field("worth", "size"), Field("saved", "share"),
    ))  # fmt: skip
    notes: tuple[str, ...] = field(repr=False, metadata=HIDDEN)

    plot = Plots(judge=plot_judge)

    @property
    def signature(self) -> str:
        return signature(
            "judge_report", n=self.n_samples, labels=self.n_labels, B=self.n_resamples,
            level=self.confidence_level, adjust="holm", rng=self.seed_label,
        )  # fmt: skip

    @property
    @member()
    def verdict(self) -> list[str]:
        """Sentences on agreement, bias, effects and worth."""
        parts = self._on_agreement(), self._on_bias(), self._on_effects(), self._on_worth()
        return [terminal(sentence) for part in parts for sentence in part]

    def _in_words(self, row: Any) -> str:
        """Write a difference with its interval and p-value."""
        ends = interval_clause(row.ci_low, row.ci_high, 3, self.confidence_level)
        return f"{row.difference:+.3f}, {ends}, {p_clause(row.p_adjusted)}"

    def document(self) -> Document:
        tables = {
            name: self._whole_table(name, title, self.confidence_level, decimals=3)
            for name, title in _TITLES.items() if len(getattr(self, name))
        }  # fmt: skip
        return self._document(tables, findings=self.verdict, notes=self.notes)

    def _on_agreement(self) -> Iterator[str]:
        for row in self.agreement.itertuples():
            if row.metric in _AGREEMENT:
                ends = interval_clause(row.ci_low, row.ci_high, 3, self.confidence_level)
                yield f"{_AGREEMENT[row.metric].format(row.model, row.estimate)} ({ends})."

    def _on_bias(self) -> Iterator[str]:
        sure, words = self.bias["p_adjusted"] < self.alpha, words_of(self.greater_is_better)
        for row in self.bias[sure].head(_MOST_SENTENCES).itertuples():
            first = (row.difference > 0) == (self.greater_is_better is not False)
            side = words.better if first else words.worse
            yield f"{row.model} looks {side} to the judge than to people ({self._in_words(row)})."
        if len(sure) and not sure.any():
            yield (
                f"No model looks significantly {words.better} or {words.worse} to the judge than "
                "to people."
            )
        sure = self.favours["p_adjusted"] < self.alpha
        pairs = self.favours[sure | self.favours["reversed"]].sort_values("p_value", kind="stable")
        for row in pairs.head(_MOST_SENTENCES).itertuples():
            first = (row.difference > 0) == (self.greater_is_better is not False)
            favoured, other = (row.model_a, row.model_b)[:: 1 if first else -1]
            sentence = f"The judge favours {favoured} over {other}"
            if row.reversed and row.p_adjusted < self.alpha:
                sentence += " and ranks it above, people below"
            elif row.reversed:
                sentence = (
                    f"The judge ranks {favoured} above {other}, people below, maybe by chance"
                )
            yield f"{sentence} ({self._in_words(row)})."

    def _on_effects(self) -> Iterator[str]:
        sure = self.effects["p_adjusted"] < self.alpha
        for row in self.effects[sure].itertuples():
            what = "agreement" if len(self.confusion) else f"judge - people of {row.model}"
            yield (
                f"By {row.column}, {what} is {row.lower:.3f} up to {row.split} and "
                f"{row.upper:.3f} above ({self._in_words(row)})."
            )
        if len(sure) and not sure.any():
            columns = " or ".join(dict.fromkeys(self.effects["column"]))
            yield f"No effect of {columns} is significant."

    def _on_worth(self) -> Iterator[str]:
        whole = self.worth[[is_missing(label) for label in self.worth["label"]]]
        for metric, rows in whole.groupby("metric", sort=False):
            worth = dict(zip(rows["model"], rows["worth"], strict=True))
            yield f"{metric}: {worth_in_words(self.n_labels, worth)}"
        if (most := self.worth["saved"].max()) < _FEW_SAVED:
            yield f"The judge saves few labels, at most {format_share(max(most, 0.0))}."


@checked(predictions=giving("rows", by_design=True))
def judge_report(
    predictions: Predictions, metrics: MetricLike | Sequence[MetricLike] | None = None, *,
    order: Any = None, length: Any = None, position: Any = None, alpha: float = 0.05,
    confidence_level: float = 0.95, n_resamples: int = 9999, rng: RngLike = 0,
) -> JudgeReport:  # fmt: skip
    """Compare a judge with people, on the samples that people labelled.

    Parameters
    ----------
    predictions : Predictions
        A test set with a judge of the truth, or of each model's answers (`from_scores`).
    metrics : str, metric, callable, or sequence of these, optional
        Metrics of the worth of the judge; by default those of `compare`, and of all classes where
        they are per class. Bias is that of accuracy, or of the mean score.
    order, length, position : array-like of shape (n_samples,), or mapping of str to array-like
        Numbers of all samples: when they were judged, the length of the text or answer, its
        position in the prompt. Of scores a mapping gives them for each model. The judge is compared
        between the samples up to the median and those above.
    alpha : float
        Significance level of the sentences, 1 - `confidence_level`; give one of the two.
    confidence_level, n_resamples, rng
        Options of intervals and tests, as in `compare`.

    Returns
    -------
    JudgeReport

    Raises
    ------
    ValueError
        If there is no judge, or a column does not vary.

    Warns
    -----
    DataWarning
        If the labelled samples differ from the others by the judge's verdicts.

    Notes
    -----
    Bias and agreement are of samples with labels alone; `compare` uses the verdicts on all samples,
    and its answers do not depend on the judge being right. An effect of length may be one of
    difficulty: long samples may be harder for people too.

    Examples
    --------
    >>> import numpy as np, modelcompare as mc
    >>> truth, i = np.tile([0, 1, 1, 0, 1], 40), np.arange(200)
    >>> people, cnn, judge = np.where(i % 3, np.nan, truth), i % 7 > 2, np.where(i % 8, truth, 1)
    >>> preds = mc.Predictions(people, {"cnn": cnn.astype(int)}, judge=judge)
    >>> report = mc.diagnostics.judge_report(preds, order=i)
    >>> for sentence in report.verdict:
    ...     print(sentence)
    The judge agrees with people on 0.940 of the labels (95 % CI 0.856 to 0.977).
    Cohen's kappa of the judge and people is 0.875 (95 % CI 0.697 to 0.951).
    No model looks significantly better or worse to the judge than to people.
    No effect of order is significant.
    accuracy: With the judge, 67 labels are worth 129.
    f1_macro: With the judge, 67 labels are worth 123.
    """
    access, judge = predictions.access, judge_of(predictions)
    if judge is None:
        raise ValueError(
            "`predictions` have no judge; give its verdicts on all samples as `judge` (--judge), "
            "and leave labels missing where people gave none."
        )
    chosen = resolve_metrics(without_classes(metrics, predictions)[0], predictions)
    check_one_run(predictions)
    check_enough(judge.labelled)
    judged = Judged(Evaluation(predictions, chosen))
    labelled = Labelled.of(
        predictions, judge,
        confidence_level=confidence_level, n_resamples=n_resamples, rng=rng,
    )  # fmt: skip
    given = {"order": order, "length": length, "position": position}
    effects = [
        labelled.effect(name, model, column)
        for name, column in given.items()
        for model in labelled.truth
        if column is not None
    ]
    warn_if_not_drawn(predictions)
    bias = labelled.bias()
    return JudgeReport(
        n_samples=len(predictions), n_labels=judge.n_labels, n_resamples=n_resamples,
        seed_label=rng_label(rng), confidence_level=confidence_level, alpha=alpha,
        greater_is_better=access.scores.direction()[0] if predictions.kind.scored else True,
        agreement=labelled.agreement(), confusion=labelled.confusion(), bias=bias,
        favours=labelled.favours(bias), effects=adjusted_frame(effects, EFFECTS),
        worth=score_frame(judged.models, judged.keys, worth=judged.worth, saved=judged.saved),
        notes=(*design_of(predictions).scope.notes, *labelled.notes()),
    )  # fmt: skip
