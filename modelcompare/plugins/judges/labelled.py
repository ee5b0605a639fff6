"""Samples that people labelled, each with a verdict of a judge: their agreement, and its bias.

Each sample has two scores of a model's answer, one by people and one by the judge (1 where the
answer is right), so that their difference is paired, as that of two models is.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray, BoolArray, FloatArray
from modelcompare.comparison.compare import compare
from modelcompare.comparison.result import Comparison
from modelcompare.data.checks import real_values
from modelcompare.data.columns import checked_column
from modelcompare.data.predictions import Predictions
from modelcompare.metrics import SparseDataWarning
from modelcompare.metrics.confusion import confusion_matrix
from modelcompare.plugins.judges.patterns import strata_of
from modelcompare.plugins.judges.verdicts import Judge, matched
from modelcompare.plugs import load
from modelcompare.questions.claims import bounds_of_difference
from modelcompare.report.fields import Field, columns, names_of
from modelcompare.report.numbers import some_of
from modelcompare.significance.corrections import adjust

_TESTED = columns("ci_low", "ci_high", "p_value", "p_adjusted")
_SIDES = columns(
    Field("people", "estimate"), Field("judge", "estimate"),
    Field("difference", title="judge - people"), Field("standard_error", shown=False), *_TESTED,
)  # fmt: skip
# Columns of frames of `JudgeReport`.
CONFUSION = columns("y_true", Field("verdict", json="label"), "n", "share")
BIAS = columns("model", *_SIDES)
FAVOURS = columns("model_a", "model_b", *_SIDES, Field("reversed", "flag", shown=False))
EFFECTS = columns(
    "column", "model", Field("split", "given"), Field("lower", "estimate"),
    Field("upper", "estimate"), Field("difference", title="upper - lower"), *_TESTED,
)  # fmt: skip


@dataclass(frozen=True)
class Labelled:
    """Samples that people labelled.

    Parameters
    ----------
    truth, verdicts : mapping of str to ndarray of shape (n_labels,)
        Labels by people and by the judge, under the name "judge"; or scores of each model.
    people, judge : mapping of str to ndarray of shape (n_labels,)
        Scores of each model's answers by people and by the judge; of labels 1 where they are right.
    classes : ndarray of shape (n_classes,), or None for scores
        Classes; those that the judge alone gave come last.
    bounds : tuple of float, optional
        Lowest and highest possible score.
    rows : ndarray of bool of shape (n_samples,)
        Samples with a label.
    design, options : mapping
        Strata and weights of the draw of labels, and options of `compare`.
    """

    truth: Mapping[str, AnyArray]
    verdicts: Mapping[str, AnyArray]
    people: Mapping[str, FloatArray]
    judge: Mapping[str, FloatArray]
    classes: AnyArray | None
    bounds: tuple[float, float] | None
    rows: BoolArray
    design: Mapping[str, Any]
    options: Mapping[str, Any]

    @classmethod
    def of(cls, predictions: Predictions, judge: Judge, **options: Any) -> Labelled:
        """Take the samples with labels, and score each model's answers by them and by verdicts."""
        part, rows = predictions.access.labelled, judge.labelled
        design = _design(predictions, judge)
        verdicts = {model: array[rows] for model, array in judge.verdicts.items()}
        if part.labels is None or part.access.codes is None:
            truth = {model: part.output(model).array for model in part.models}
            bounds = part.access.scores.bounds_of()
            return cls(truth, verdicts, truth, verdicts, None, bounds, rows, design, options)
        code, names = matched(next(iter(verdicts.values())), part.labels)
        classes = np.append(names[: part.access.n_classes], np.sort(names[part.access.n_classes :]))
        decided = [model for model, kind in part.access.kinds.items() if not kind.real]
        people, by_judge = (
            {m: (part.predicted(m) == labels).astype(np.float64) for m in decided}
            for labels in (part.access.codes, code)
        )
        truth, verdicts = {"judge": names[part.access.codes]}, {"judge": names[code]}
        return cls(truth, verdicts, people, by_judge, classes, (0.0, 1.0), rows, design, options)

    def notes(self) -> list[str]:
        """Return a note on labels that people never gave."""
        every = [] if self.classes is None else self.classes.tolist()
        never = [str(x) for x in every if x not in self.truth["judge"]]
        return [f"People never gave {some_of(never)}: errors there are unknown."] if never else []

    def agreement(self) -> pd.DataFrame:
        """Make the frame of `JudgeReport.agreement`."""
        kind = "values" if self.classes is None else "labels"
        metrics, frames = ["pearson", "spearman"], []
        if self.classes is not None:
            classes = np.unique(self.truth["judge"]).tolist()
            metrics = ["accuracy", "cohen_kappa", *(f"recall[{each}]" for each in classes)]
        for name, truth in self.truth.items():
            pair = Predictions(
                truth, {name: self.verdicts[name]}, kind=kind, labels=self.classes, **self.design
            )
            frames.append(compare(pair, metrics, **self.options).scores)
        unasked = ["n_undefined", "rank", "rank_low", "rank_high"]
        return pd.concat(frames, ignore_index=True).drop(columns=unasked)

    def confusion(self) -> pd.DataFrame:
        """Make the frame of `JudgeReport.confusion`."""
        if self.classes is None:
            return pd.DataFrame(columns=names_of(CONFUSION))
        count = partial(
            confusion_matrix, self.truth["judge"], self.verdicts["judge"], labels=self.classes
        )
        shares = count(sample_weight=self.design["sample_weight"], normalize="true")
        long = count().stack().rename_axis(["y_true", "verdict"]).reset_index(name="n")
        return long.astype({"n": int}).assign(share=shares.to_numpy().ravel())

    def bias(self) -> pd.DataFrame:
        """Make the frame of `JudgeReport.bias`."""
        rows = []
        for model, people in self.people.items():
            sides = {"judge": self.judge[model], "people": people}
            found = self._compared(self._scores(sides, self.bounds))
            values = dict(zip(sides, found.scores["estimate"], strict=True))
            tested = found.differences.iloc[0][names_of(_SIDES[2:])]
            rows.append({"model": model, **values, **tested})
        return adjusted_frame(rows, BIAS)

    def favours(self, bias: pd.DataFrame) -> pd.DataFrame:
        """Make the frame of `JudgeReport.favours`."""
        if len(bias) < 2:
            return pd.DataFrame(columns=names_of(FAVOURS))
        apart = {model: self.judge[model] - people for model, people in self.people.items()}
        found = self._compared(self._scores(apart, self._span)).differences
        values = bias.set_index("model")[["people", "judge"]]
        a, b = (values.loc[found[side]].to_numpy() for side in ("model_a", "model_b"))
        people, judge = (a - b).T
        found = found.assign(people=people, judge=judge, reversed=people * judge < 0)
        return found[names_of(FAVOURS)]

    def effect(self, name: str, model: str, given: Any) -> dict[str, Any]:
        """Return the row of `JudgeReport.effects` of a column."""
        by_model = isinstance(given, Mapping)
        of, column = (f"{name}[{model!r}]", given.get(model)) if by_model else (name, given)
        x = real_values(checked_column(of, column, len(self.rows)), f"`{of}`")[self.rows]
        values, counts = np.unique(x, return_counts=True)
        split = values[np.abs(np.cumsum(counts) - len(x) / 2).argmin()]
        split = min(split, values[-2:][0])
        upper = x > split
        if min(np.count_nonzero(upper), np.count_nonzero(~upper)) < 2:
            raise ValueError(f"`{of}` hardly varies where there are labels; leave it out.")
        verdicts, truth = self.verdicts[model], self.truth[model]
        labels = self.classes is not None
        y = (verdicts == truth).astype(np.float64) if labels else verdicts - truth
        every = self._scores({model: y}, self.bounds if labels else self._span)
        above, below = (every.subset(rows).with_columns(strata=None) for rows in (upper, ~upper))
        scores = pd.concat([self._compared(half).scores for half in (above, below)])
        a, b = scores[["estimate", "ci_low", "ci_high"]].to_numpy(np.float64).tolist()
        ends = bounds_of_difference(a, b)
        draws = {key: self.options[key] for key in ("n_resamples", "rng")}
        unpaired_test = load("modelcompare.inference:unpaired_test")
        test = unpaired_test(above, below, "mean_score", **draws)
        of_halves = split, b[0], a[0], test.difference, *ends, test.p_value
        return dict(zip(names_of(EFFECTS), (name, model, *of_halves), strict=False))

    @property
    def _span(self) -> tuple[float, float] | None:
        """Lowest and highest possible difference of two scores."""
        width = None if self.bounds is None else self.bounds[1] - self.bounds[0]
        return None if width is None else (-width, width)

    def _scores(
        self, scores: Mapping[str, FloatArray], bounds: tuple[float, float] | None
    ) -> Predictions:
        return Predictions.from_scores(scores, bounds=bounds, greater_is_better=True, **self.design)

    def _compared(self, scores: Predictions) -> Comparison:
        """Compare scores; the tables show the intervals and p-values that few samples give."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SparseDataWarning)
            return compare(scores, **self.options)


def _design(predictions: Predictions, judge: Judge) -> dict[str, AnyArray | None]:
    """Return columns of the samples with labels, each of which stands for those not labelled."""
    strata, codes = predictions.strata, strata_of(predictions, judge)
    sizes = np.bincount(codes, predictions.access.weights).astype(np.float64)
    own = judge.weights_with(predictions.access.weights)
    weight = judge.stand_for(codes[judge.labelled], sizes, own)
    even = np.ptp(weight) < 1e-9 * weight.max()
    return {
        "strata": None if strata is None else strata[judge.labelled],
        "groups": None if predictions.groups is None else predictions.groups[judge.labelled],
        "sample_weight": None if even else weight,
    }


def adjusted_frame(rows: Sequence[Mapping[str, Any]], columns: Sequence[Field]) -> pd.DataFrame:
    """Make a frame of tests, with p-values adjusted by Holm."""
    frame = pd.DataFrame(rows, columns=names_of(columns))
    return frame.assign(p_adjusted=adjust(frame["p_value"].to_numpy(np.float64), "holm"))
