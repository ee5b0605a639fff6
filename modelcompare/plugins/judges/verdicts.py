"""A judge of a test set that people labelled in part: its verdicts, and the rows with labels."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NoReturn, cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from modelcompare.arrays import AnyArray, BoolArray, FloatArray, Found, IntArray, once
from modelcompare.data.attachments import Attachment
from modelcompare.data.checks import frozen, listed, read_only, real_values, refuse_rows
from modelcompare.data.columns import checked_column, one_each
from modelcompare.data.inputs import as_array
from modelcompare.data.kind_inference import inferred
from modelcompare.data.predictions import Predictions
from modelcompare.data.test_set import TestSet
from modelcompare.data.variants import as_labelled, without_attachments
from modelcompare.engine.partition import partition_of
from modelcompare.metrics.quotient import divide

# Fewer labels than this are refused: their number is no basis for an interval.
LEAST_LABELS = 5
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Judge(Attachment):
    """Verdicts on all samples, and which samples people labelled.

    Parameters
    ----------
    verdicts : mapping of str to ndarray of shape (n_samples,)
        For each model, the judge's labels or scores; of the truth, all models share one array.
    labelled : ndarray of bool of shape (n_samples,)
        Samples with a label by people.
    weight : ndarray of shape (n_samples,), optional
        Inverse of the known probability with which each sample was labelled; read where there is a
        label.
    """

    name: ClassVar[str] = "judge"

    verdicts: Mapping[str, AnyArray]
    labelled: BoolArray
    weight: FloatArray | None = None
    _kept: dict[Hashable, Any] = field(default_factory=dict, repr=False, compare=False)

    def kept(self, key: Hashable, find: Callable[[], Found]) -> Found:
        """Return `find()`, called only once for this judge and those of some of its models."""
        return once(self._kept, key, find)

    def renewed(self) -> Judge:
        return replace(self, _kept={})

    def of_models(self, models: Sequence[str]) -> Judge:
        return replace(self, verdicts={model: self.verdicts[model] for model in models})

    def of_variants(self, model: str, names: Sequence[str]) -> Judge:
        return replace(self, verdicts=dict.fromkeys(names, self.verdicts[model]), _kept={})

    def rows(self, index: Any) -> Judge:
        weight = None if self.weight is None else self.weight[index]
        verdicts = _each_once(lambda array: array[index], self.verdicts)
        return Judge(verdicts, self.labelled[index], weight)

    def columns(self, model: str | None = None) -> dict[str, AnyArray | None]:
        first, *_ = self.verdicts.values()
        shared = all(each is first for each in self.verdicts.values())
        if model is not None:
            return {} if shared else {"verdicts (--judge)": self.verdicts[model]}
        return {
            "samples with labels by people": self.labelled,
            "weights of labels (--label-weight)": self.weight,
            "verdicts (--judge)": first if shared else None,
        }

    def given(self, truth: AnyArray) -> AnyArray:
        """Return labels where people gave them, None elsewhere."""

        def find() -> AnyArray:
            out = truth.astype(object)
            out[~self.labelled] = None
            return read_only(out)

        return self.kept("y_true", find)

    def complete_samples(self, test_set: Predictions) -> Predictions:
        """Return the samples that people labelled, with the weights of samples and labels."""
        part, weight = test_set.subset(self.labelled), None
        if self.weight is not None or part.access.weighted:
            weight = frozen(self.label_weights * part.access.weights)
        return without_attachments(part, weight)

    def completed(self, test_set: Predictions) -> Predictions:
        """Return all samples with verdicts where people gave no label."""
        models, codes = test_set.models, test_set.access.codes
        # A verdict is a class where it can be one already.
        truth: AnyArray = np.array([
            np.where(self.labelled, test_set.output(model).array, self.verdicts[model])
            for model in models
        ]) if codes is None else codes[None]  # fmt: skip
        return as_labelled(test_set, models, np.arange(len(test_set)), None, truth)

    @property
    def described(self) -> str:
        return f"{self.n_labels:,} labels by people, a judge"

    @property
    def n_labels(self) -> int:
        """Number of samples that people labelled."""
        return int(np.count_nonzero(self.labelled))

    def check_truth(self, truth: AnyArray | None, classes: AnyArray | None) -> None:
        """Refuse true values and texts."""
        if truth is not None and classes is None:
            raise ValueError(
                "`judge` (--judge) is for labels, and for scores per example; score each answer, "
                "with Predictions.from_scores."
            )

    def check_beside(self, metric: str) -> NoReturn:
        raise ValueError(
            f"metric {metric!r} is of scores of every sample, which need no judge; compare them in "
            "predictions without one."
        )

    def check_known(self, argument: str) -> NoReturn:
        n_samples = len(next(iter(self.verdicts.values())))
        raise ValueError(
            f"`{argument}` has a judge, and labels by people on {self.n_labels:,} of "
            f"{n_samples:,} samples. With a judge there are compare, compare_groups, paired_test, "
            "decide and gate (asked once: without a ledger), keep, sample_size, "
            "diagnostics.judge_report and the studies of variance, agreement, undefined values "
            "and sensitivity (mc.studies); for the samples with labels alone take "
            f"{argument}.access.labelled, on the command line leave --judge out and add --missing "
            "drop (with --read weight=COLUMN in place of --label-weight)."
        )

    @property
    def label_weights(self) -> FloatArray:
        """Weight of each label; 1 where they have none."""
        return np.ones(self.n_labels) if self.weight is None else self.weight[self.labelled]

    def weights_with(self, samples: FloatArray | None) -> FloatArray:
        """Return the weight of each label times that of its sample, if samples have weights."""
        return self.label_weights * (1.0 if samples is None else samples[self.labelled])

    def stand_for(self, cell: IntArray, sizes: FloatArray, weight: FloatArray) -> FloatArray:
        """Return the samples for which each label stands: its share of those of its cell.

        Cells are given by the `cell` of each label, (..., n_labels), and the `sizes` of all: the
        weights of their samples. `weight` is that of each label.
        """
        w = np.broadcast_to(weight, cell.shape)
        totals = np.bincount(cell.ravel(), w.ravel(), len(sizes)).astype(np.float64)
        return np.asarray(divide(w, totals[cell], 0.0) * sizes[cell])


def judge_of(predictions: TestSet) -> Judge | None:
    """Return the judge of a test set, or None."""
    return cast("Judge | None", predictions.access.attachments.get(Judge.name))


def check_one_run(predictions: TestSet) -> None:
    """Refuse several runs together."""
    if (parts := partition_of(predictions)) is not None:
        raise ValueError(
            f"a judge and people label each of several `{parts.called}s` by itself; take one, such "
            "as p.subset(p.runs == p.runs[0]), or with `compare` declare items (`ids` that repeat, "
            "or `groups`) that are in all runs."
        )


def with_verdicts(
    y_true: ArrayLike | None, outputs: Any, _columns: Mapping[str, Any], options: Mapping[str, Any]
) -> tuple[Any, Any, Judge]:
    """Separate labels from missing ones; fill these in by the judge, so that all rows are complete.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,), or None for scores
        Labels, missing (None, NaN) where people gave none.
    outputs : mapping of str to array-like
        The models' outputs; of scores, those by people, missing where they gave none.
    options : mapping of str to object
        The `judge`, verdicts on the truth (n_samples,) or on each model's answers, and optionally
        `label_weight` (n_samples,), the inverse of the probability of a label.

    Returns
    -------
    y_true, outputs
        The same, complete; what is filled in is read by nothing but checks of types.
    judge : Judge
        The verdicts.
    """
    judge, label_weight = options["judge"], options["label_weight"]
    if judge is None:
        raise ValueError(
            "`label_weight` (--label-weight) is for labels beside a `judge`; without one weigh the "
            "samples, with `sample_weight` (--read weight=COLUMN)."
        )
    if y_true is None:
        return _of_scores(outputs, judge, label_weight)
    if isinstance(judge, Mapping):
        raise ValueError(
            "`judge` has verdicts on each model, but there is a truth, `y_true`; give its labels "
            "as one column (--judge COLUMN), or scores by people with Predictions.from_scores."
        )
    truth = as_array(y_true, "`y_true`")
    if truth.ndim != 1:
        raise ValueError("a judge needs one label for each sample; soft labels have several.")
    labelled = ~pd.isna(truth)
    check_labels(labelled)
    verdicts = checked_column("judge", judge, len(truth))
    known = inferred(truth[labelled])
    if known.dtype.kind == "f" and (known == np.round(known)).all():
        known = known.astype(np.int64)
    classes = pd.unique(known)
    code = matched(verdicts, classes)[0]
    inside = code < len(classes)
    _check_verdicts(verdicts, classes, inside)
    filled = classes[np.where(inside, code, 0)]
    filled[labelled] = known
    return filled, outputs, _judge(dict.fromkeys(outputs, verdicts), labelled, label_weight)


def matched(verdicts: AnyArray, labels: AnyArray) -> tuple[IntArray, AnyArray]:
    """Return the class of each verdict, found by its text, and the names of all classes.

    Verdicts that are no label are further classes, in their order; names are then texts.
    """
    place, given = pd.factorize(verdicts)
    code_of = {str(label): code for code, label in enumerate(labels.tolist())}
    codes = np.array([code_of.setdefault(str(x), len(code_of)) for x in given.tolist()])
    return codes[place], labels if len(code_of) == len(labels) else np.array([*code_of])


def _check_verdicts(verdicts: AnyArray, classes: AnyArray, inside: BoolArray) -> None:
    """Refuse verdicts that are not labels, or never a label that people gave."""
    if verdicts.dtype.kind == "f" and not (verdicts == np.round(verdicts)).all():
        raise ValueError(
            f"`judge` gives numbers ({len(pd.unique(verdicts)):,} distinct), and `y_true` labels; "
            "give the judge's labels."
        )
    if not inside.any():
        raise ValueError(
            f"`judge` never gives a label of `y_true`: it gives {listed(pd.unique(verdicts))}, "
            f"people gave {listed(classes)}; write them the same way."
        )


def _of_scores(
    outputs: Any, judge: Any, label_weight: ArrayLike | None
) -> tuple[None, dict[str, AnyArray], Judge]:
    """Fill in the mean of each model's scores by people, which nothing reads."""
    if not isinstance(judge, Mapping) or {*judge} != {*outputs}:
        raise ValueError(
            "`judge` must have verdicts on each model's answers, as a mapping of the models "
            f"{', '.join(map(str, outputs))} (--judge '{{model}}.judge')."
        )
    arrays = {model: as_array(array, f"model {model!r}") for model, array in outputs.items()}
    if any(array.ndim != 1 for array in arrays.values()):
        raise ValueError("with a judge, each sample has one score; choose it (--score NAME).")
    missing = np.array([pd.isna(array) for array in arrays.values()])
    uneven = missing.any(axis=0) & ~missing.all(axis=0)
    refuse_rows(
        uneven, "people scored some of the models only",
        "score all models on a sample, or leave its scores empty",
    )  # fmt: skip
    labelled, filled = ~missing[0], {}
    check_labels(labelled)
    for model, array in arrays.items():
        known = real_values(array[labelled], f"model {model!r}")
        filled[model] = np.full(len(array), known.mean())
        filled[model][labelled] = known
    n_samples = len(labelled)
    verdicts = {
        m: real_values(checked_column(f"judge[{m!r}]", judge[m], n_samples), f"judge of {m!r}")
        for m in outputs
    }
    return None, filled, _judge(verdicts, labelled, label_weight)


def check_labels(labelled: BoolArray) -> None:
    """Refuse too few labels, and labels of all samples."""
    check_enough(labelled)
    if labelled.all():
        raise ValueError("every sample has a label by people; leave `judge` (--judge) out.")


def check_enough(labelled: BoolArray) -> None:
    """Refuse too few labels; a subgroup may have a label on every sample."""
    n_labels = int(np.count_nonzero(labelled))
    if n_labels < LEAST_LABELS:
        raise ValueError(
            f"a `judge` alone does not show its error, and people labelled {n_labels:,} of "
            f"{len(labelled):,} samples. Label at least {LEAST_LABELS}, drawn at random."
        )


def _judge(
    verdicts: Mapping[str, AnyArray], labelled: BoolArray, label_weight: ArrayLike | None
) -> Judge:
    """Check the weights of the labels."""
    weight = None
    if label_weight is not None:
        given = one_each("label_weight", label_weight, len(labelled)).astype(np.float64)
        bad = labelled & ~(np.isfinite(given) & (given > 0))
        refuse_rows(bad, "`label_weight` is missing or not positive where there is a label")
        refuse_rows(
            labelled & (given < 1 - _ROUNDING),
            "`label_weight` is 1 over the probability of a label, and below 1 in labelled rows",
            "if it has probabilities give 1 / probability, if it has shares multiply them by a "
            "number that makes all at least 1",
        )  # fmt: skip
        weight = frozen(np.where(labelled, given, 0.0))
    return Judge(_each_once(frozen, verdicts), frozen(labelled), weight)


def _each_once(
    change: Callable[[AnyArray], AnyArray], verdicts: Mapping[str, AnyArray]
) -> dict[str, AnyArray]:
    """Change arrays of models, of which several may have the same one."""
    made = {id(array): change(array) for array in verdicts.values()}
    return {model: made[id(array)] for model, array in verdicts.items()}
