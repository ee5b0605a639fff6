"""One test set with the outputs of any number of models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from modelcompare.arguments import checked
from modelcompare.arrays import ROW_BLOCK, AnyArray, IntArray
from modelcompare.data import checks
from modelcompare.data.alone import refuse_pseudo_values
from modelcompare.data.attachments import attach
from modelcompare.data.checks import frozen, picked
from modelcompare.data.columns import (
    Source,
    checked_column,
    checked_weights,
    nested,
    read_columns,
    row_positions,
    slice_frame,
    split_runs,
)
from modelcompare.data.described import check_classes, described, described_in_html
from modelcompare.data.inputs import columns_of
from modelcompare.data.kinds import Kind, check_kind, kind_declared
from modelcompare.data.outputs import Form, Output, checked_output
from modelcompare.data.positive import positive_for, with_decisions, with_positive
from modelcompare.data.scores import (
    Direction,
    Ranges,
    Scores,
    check_bounds,
    check_direction,
    named_scores,
)
from modelcompare.data.test_set import Access, TestSet
from modelcompare.data.truths import read_inputs, truth_of
from modelcompare.words import (
    Design,
    Need,
    SampleColumn,
    check_choice,
    check_mapping,
    check_text,
)


class Predictions(TestSet):
    """A test set and the outputs of any number of models on it; immutable.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes), or None
        True labels; a distribution over classes for each sample (soft labels); several labels a
        sample, as lists or rows of 0 and 1; real values; a time and 1 for an event or 0
        (n_samples, 2); reference texts, or lists of several; or None where the outputs are
        per-example scores.
    outputs : mapping of str to array-like
        For each model its labels (n_samples,), probabilities (n_samples, n_classes), the
        probability of the `positive` one of two classes, real values, texts, or per-example scores:
        one for each sample, or several by name (`from_scores`). Of several labels a sample lists
        of labels, rows of 0 and 1, or the probability of each. Of times until an event a risk, or
        the probability to survive each of some times, `labels`. Values for a truth of two classes
        are raw scores of the positive class. Series are matched by any index but 0, 1, ...
    kind : {"auto", "labels", "probabilities", "values", "scores", "texts", "text_lists", \
"label_sets", "label_probabilities", "label_counts", "risks", \
"survival_probabilities"}, or Kind
        Output type, by its name or its record (plugins add some). "auto" decides by shape and
        content; ambiguous outputs are refused.
    labels : array-like of shape (n_classes,), optional
        The classes, in the order of the probabilities' columns; the sorted labels by default.
        Without them, models whose labels do not match those of `y_true` are refused.
    positive : optional
        The positive one of two classes, for all metrics and thresholds, and the last of `labels`.
        By default 1, True and yes, beside 0 or -1, False and no; else what needs it is refused.
    ids : array-like of shape (n_samples,), optional
        Name of each sample, distinct; of several `runs`, of the item, distinct in each run.
    groups : array-like of shape (n_samples,), optional
        Cluster of each sample; clusters are resampled whole.
    strata : array-like of shape (n_samples,), optional
        Stratum of each sample; resamples keep the strata's sizes.
    runs : array-like of shape (n_samples,), or mapping of str to array-like, optional
        Run (seed) of the models that each row belongs to, in designs of items times runs. The rows
        of an item, by `groups` or else by `ids`, are then one cluster. Models share the runs of one
        column; a mapping gives separate runs to every model, and a model with fewer runs than
        another repeats them: each result counts once. Answers are for new runs, or for these, as a
        note states; see `generalize_to` of `compare`. Without groups and ids, comparisons are
        refused.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each sample in every metric; not negative.
    slices : DataFrame or mapping of str to array-like, optional
        Variables that define subgroups.
    normalize : bool
        Divide probability rows by their sums instead of refusing sums other than 1.
    missing_mass : bool
        Accept rows of a subset of the classes, whose sum is below 1; see `io.from_nbest`.
    greater_is_better : bool or mapping of str to bool, optional
        Direction of per-example scores; of several, by their names. By default the name of a score
        determines it (``wer``, ``val_loss`` and ``latency_ms`` are better when lower); of other
        names, such as ``score``, no model is better than another, and gates ask.
    bounds : (float, float) or mapping of str to (float, float), optional
        Lowest and highest possible per-example score; of several, also by their names. A gate
        needs it to guarantee its level; without it, scores within 0 and 1 are assumed to have that
        range, and the gate reports so.
    judge : array-like of shape (n_samples,), optional
        Labels by a judge (a language model, a rule, a cheap annotator) on every sample, where
        people labelled some: `y_true` is missing (None, NaN) on the others. See also `from_scores`.
        Answers are about the labels that people would give; a judge only makes them more certain.
        The labelled samples must be drawn at random, at least 5. Labels that tuned the judge, such
        as its prompt, agree with it more than others do: leave them missing.
    label_weight : array-like of shape (n_samples,), optional
        Inverse of the known probability with which a sample was labelled, 1 or more; `strata` are
        those of the draw. By default all samples, or all of a stratum, had the same chance.
    name : str, optional
        Heading in tables, such as a file's name.

    Raises
    ------
    ValueError
        If arguments do not fit together; the message names the argument, rows and the remedy.

    Warns
    -----
    DataWarning
        If input is ambiguous and was read in one of several ways.

    Examples
    --------
    >>> Predictions(["no", "yes", "yes"], {"cnn": ["no", "yes", "no"], "bow": ["yes"] * 3})
    Predictions: 3 samples, 2 classes (no, yes), 2 models
      cnn  labels
      bow  labels
    """

    __slots__ = ("_outputs", "_own_runs", "_predicted", "_slices")

    @checked(name=check_text, kind=check_kind)
    def __init__(
        self, y_true: ArrayLike | None, outputs: Mapping[str, ArrayLike], *,
        kind: str | Kind = "auto", labels: ArrayLike | None = None, positive: Any = None,
        ids: ArrayLike | None = None, groups: ArrayLike | None = None,
        strata: ArrayLike | None = None, runs: ArrayLike | Mapping[str, ArrayLike] | None = None,
        sample_weight: ArrayLike | None = None,
        slices: pd.DataFrame | Mapping[str, ArrayLike] | None = None, normalize: bool = False,
        missing_mass: bool = False, greater_is_better: Direction | None = None,
        bounds: Ranges | None = None, judge: Any = None, label_weight: ArrayLike | None = None,
        name: str | None = None,
    ) -> None:  # fmt: skip
        y_true, outputs, sample_weight, slices, judge, label_weight, *columns = checks.aligned(
            y_true=y_true, outputs=outputs, sample_weight=sample_weight, slices=slices, judge=judge,
            label_weight=label_weight, ids=ids, groups=groups, strata=strata, runs=runs,
        ).values()  # fmt: skip
        ids, groups, strata, runs = columns
        names, outputs = named_scores(outputs) if y_true is None else ((), outputs)
        described = {"groups": groups, "runs": runs, "sample_weight": sample_weight}
        added = {"judge": judge, "label_weight": label_weight}
        y_true, outputs, self._attachments = attach(y_true, outputs, described, added)
        truth, arrays, kinds, known = read_inputs(y_true, outputs, labels, kind_declared(kind))
        checks.check_size(len(next(iter(arrays.values()))))
        if known is None:
            arrays = with_decisions(positive, truth, arrays, kinds)
        self._name, self._kinds, self._source = name, kinds, Source()
        declared = check_direction(greater_is_better, names)
        self._missing_mass, self._predicted = bool(missing_mass), dict[str, IntArray]()
        classes, of_truth = truth_of(truth, known, arrays, kinds, normalize=normalize)
        self._positive, classes, of_truth, arrays = with_positive(
            positive, classes, of_truth, arrays, kinds, asked=kind, ordered=known is not None
        )
        self._labels, self._columns = classes, of_truth
        for each in self._attachments.values():
            each.check_truth(truth, classes)
        form = Form(classes, names, normalize, missing_mass)
        self._outputs = {
            m: Output(kinds[m], frozen(checked_output(f"model {m!r}", array, kinds[m], form)))
            for m, array in arrays.items()
        }
        given = {m: o.array for m, o in self._outputs.items() if o.kind.scored}
        self._scores = Scores(names, (), declared, check_bounds(bounds, names, given))
        if known is None and classes is not None and not all(k.real for k in kinds.values()):
            check_classes(self, classes)
        n_samples = len(self)
        runs, self._own_runs = split_runs(runs, [*arrays], n_samples)
        found = read_columns(n_samples, ids=ids, groups=groups, strata=strata, runs=runs)
        weight = checked_weights(sample_weight, n_samples)
        self._columns = {**of_truth, **found, "sample_weight": weight}
        self._slices = slice_frame(slices, n_samples)

    @classmethod
    def from_logits(
        cls, y_true: ArrayLike, logits: Mapping[str, ArrayLike], **options: Any
    ) -> Predictions:
        """Make predictions from each model's logits of shape (n_samples, n_classes), by softmax.

        For two classes, shape (n_samples,) gives the positive one's log-odds; roc_auc and
        average_precision use the order of the logits, as probabilities near 1 may tie where logits
        do not. The true labels and all options are as for Predictions.

        Examples
        --------
        >>> preds = Predictions.from_logits([0, 1], {"a": [[2.0, 0.0], [0.0, 0.0]]})
        >>> preds.probabilities("a").round(4).tolist()
        [[0.8808, 0.1192], [0.5, 0.5]]
        """
        check_mapping("logits", logits, "logits, e.g. {'cnn': logits}")
        arrays = checks.model_arrays(logits, y_true)
        arrays = {model: checks.logits(model, array) for model, array in arrays.items()}
        outputs = {model: checks.softmax(array) for model, array in arrays.items()}
        return cls(y_true, outputs, kind="probabilities", **options).access.ordered_by(arrays)

    @classmethod
    def from_scores(
        cls, scores: Mapping[str, Any] | pd.DataFrame, *,
        greater_is_better: Direction | None = None, bounds: Ranges | None = None, **options: Any
    ) -> Predictions:  # fmt: skip
        """Make predictions from per-example scores: 0/1 or real, one per sample and model.

        Each model's scores, of shape (n_samples,), are the samples' contributions to its mean
        score. A frame has a column for each model, and other names than 0, 1, ... of its rows are
        ids. Several scores per sample are mappings, or frames, of names to scores: each name is
        then a metric with its own direction, which the name determines unless it is given.
        All options are as for Predictions. With a judge, scores are people's, missing where they
        gave none, and `judge` maps each model to the judge's scores of its answers.

        Examples
        --------
        >>> Predictions.from_scores({"a": [1, 0, 1], "b": [1, 1, 1]})
        Predictions: 3 samples, 2 models
          a  scores
          b  scores
        >>> logged = {"a": {"acc": [1, 0], "loss": [0, 2]}, "b": {"acc": [0, 1], "loss": [1, 1]}}
        >>> preds = Predictions.from_scores(logged, bounds={"acc": (0, 1)})
        >>> preds.access.scores.greater_is_better
        {'acc': True, 'loss': False}
        """
        if isinstance(scores, pd.DataFrame):
            if not isinstance(scores.index, pd.RangeIndex):
                options.setdefault("ids", scores.index.to_numpy())
            scores = columns_of(scores) or {}
        check_mapping("scores", scores, "scores, e.g. {'cnn': scores}")
        return cls(
            None, scores, kind="scores", greater_is_better=greater_is_better, bounds=bounds,
            **options,
        )  # fmt: skip

    @property
    def access(self) -> RowAccess:
        return RowAccess(self)

    def __len__(self) -> int:
        return len(next(iter(self._outputs.values())).given)

    @property
    def slices(self) -> pd.DataFrame | None:
        return None if self._slices is None else self._slices.copy()

    def output(self, model: str) -> Output:
        checks.check_models(self.models, model=model)
        return self._outputs[model]

    def predicted(self, model: str) -> IntArray:
        output = self.output(model)
        if output.kind.coded:
            return output.array
        if model not in self._predicted:
            likeliest = self.probabilities(model).argmax(axis=1)
            self._predicted[model] = frozen(likeliest if output.decided is None else output.decided)
        return self._predicted[model]

    def _of_models(self, models: Sequence[str]) -> Predictions:
        attached = {name: each.of_models(models) for name, each in self._attachments.items()}
        outputs = {model: self._outputs[model] for model in models}
        return self._replaced(outputs, _attachments=attached)

    def with_scores(
        self, scores: Mapping[str, Any], *, greater_is_better: Direction | None = None,
        bounds: Ranges | None = None,
    ) -> Predictions:  # fmt: skip
        """Return the same predictions with scores of each sample beside them, such as latencies.

        Metrics are then also the scores' names, for their means, and percentiles such as
        ``latency_ms_p95``, as for `from_scores`; the name of a metric keeps its meaning. Options
        are those of `from_scores`.

        Parameters
        ----------
        scores : mapping of str to mapping or DataFrame
            For each model its scores by name, the same names for all.
        greater_is_better, bounds
            As for `from_scores`.

        Examples
        --------
        >>> import modelcompare as mc
        >>> preds = mc.Predictions([0, 1, 1, 0], {"a": [0, 1, 0, 0], "b": [0, 1, 1, 0]})
        >>> both = preds.with_scores({"a": {"cost": [1, 2, 1, 2]}, "b": {"cost": [3, 3, 3, 3]}})
        >>> mc.bootstrap(both, ["accuracy", "cost"], n_resamples=2).estimate.tolist()
        [0.75, 1.5, 1.0, 3.0]
        """
        given = Predictions.from_scores(scores, greater_is_better=greater_is_better, bounds=bounds)
        names = given.access.scores.names
        if {*given.models} != {*self.models} or len(given) != len(self) or not names:
            raise ValueError(
                f"`scores` must have named scores of all models, {len(self):,} each; "
                "e.g. {'cnn': {'latency_ms': latencies}, ...}."
            )
        if self.kind.scored:
            raise ValueError("the outputs are scores themselves; give all of them to from_scores.")
        outputs = {m: replace(o, beside=given.output(m).array) for m, o in self._outputs.items()}
        return self._replaced(outputs, _scores=replace(given.access.scores, names=(), beside=names))

    def with_columns(self, **columns: ArrayLike | None) -> Predictions:
        for name, column in columns.items():
            check_choice("columns", name, SampleColumn if column is None else Design)
        if "sample_weight" in columns:
            refuse_pseudo_values(self.access, "a mean without weights")
        given = {
            n: None if column is None else frozen(checked_column(n, column, len(self)))
            for n, column in columns.items()
        }
        found = {**self._columns, **given}
        own = {} if "runs" in columns else self._own_runs
        if any(column is not None for column in given.values()):
            found = nested(found)
        return self._replaced(_columns=found, _own_runs=own)

    def subset(self, rows: ArrayLike) -> Predictions:
        """Return some of the samples, by a mask of shape (n_samples,) or by indices.

        Examples
        --------
        >>> preds = Predictions([0, 1, 1, 0], {"a": [0, 1, 0, 0]})
        >>> len(preds.subset([True, True, False, True]))
        3
        """
        index = row_positions(rows, len(self))
        slices = None if self._slices is None else self._slices.iloc[index]
        return self._replaced(
            {model: output.rows(index) for model, output in self._outputs.items()},
            _predicted={m: frozen(codes[index]) for m, codes in self._predicted.items()},
            _columns={n: picked(column, index) for n, column in self._columns.items()},
            _own_runs={m: picked(runs, index) for m, runs in self._own_runs.items()},
            _attachments={name: each.rows(index) for name, each in self._attachments.items()},
            _slices=None if slices is None else slices.reset_index(drop=True),
        )  # fmt: skip

    def __repr__(self) -> str:
        return described(self)

    def _repr_html_(self) -> str:
        """Show the first line of `repr`, and a table of the models."""
        return described_in_html(self)

    def _replaced(self, outputs: dict[str, Output] | None = None, **changed: Any) -> Predictions:
        """Return the same predictions with other outputs, or other values of attributes."""
        outputs = self._outputs if outputs is None else outputs
        part = object.__new__(Predictions)
        part._share(self)
        part._kinds = {model: output.kind for model, output in outputs.items()}
        part._outputs, part._predicted, part._slices = outputs, {}, self._slices
        part._attachments = {name: each.renewed() for name, each in self._attachments.items()}
        part._own_runs = {m: runs for m, runs in self._own_runs.items() if m in outputs}
        for name, value in changed.items():
            setattr(part, name, value)
        return part


class RowAccess(Access[Predictions]):
    """Access to samples that are in memory."""

    __slots__ = ()

    abilities = frozenset[Need]({"rows", "blocks", "units", "sums"})

    def runs_of(self, model: str) -> AnyArray | None:
        checks.check_models(self.test_set.models, model=model)
        return self.test_set._own_runs.get(model, self.test_set.runs)

    def blocks(self, start: int = 0) -> Iterator[Predictions]:
        n = len(self.test_set)
        for first in range(start * ROW_BLOCK, n, ROW_BLOCK):
            rows = np.arange(first, min(first + ROW_BLOCK, n))
            yield self.test_set if n <= ROW_BLOCK else self.test_set.subset(rows)

    def ordered_by(self, logits: Mapping[str, AnyArray]) -> Predictions:
        """Return the predictions with the order of two classes given by these logits."""
        if self.n_classes != 2:
            return self.test_set
        if any(array.ndim == 1 for array in logits.values()):
            positive_for("a logit per sample is of one class", self.test_set)
        outputs = self.test_set._outputs
        ordered = {m: outputs[m].ordered_by(array) for m, array in logits.items()}
        return self.test_set._replaced(outputs | ordered)
