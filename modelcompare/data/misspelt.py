"""Labels of models that are the true ones in another spelling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np

from modelcompare import spelling
from modelcompare.arrays import AnyArray, IntArray
from modelcompare.data import checks

# Texts into which numpy and pandas turn missing values.
_MADE_OF_MISSING = ("nan", "<NA>", "NaT")
# Samples from which on a misspelt label counts as systematic.
FEW = 3

Answers: TypeAlias = tuple[IntArray, IntArray, IntArray]
"""True classes, predicted classes, and numbers of samples; of many classes pairs may repeat."""
# The true label that each label looks like, and how they differ.
Twins: TypeAlias = Mapping[Any, tuple[Any, str]]


def check_guess(labels: AnyArray, true: AnyArray, answers: Mapping[str, Answers]) -> None:
    """Warn about inferred classes that the models may use with another meaning.

    The `true` classes are those in the truth; `answers` are of models that gave labels.
    """
    for label in {*labels.tolist()}.intersection(_MADE_OF_MISSING):
        checks.warn_of_data(
            f"label {label!r}, the text of missing values, counts as a class; drop these "
            "samples, or if it is a class give all as `labels`.",
        )
    warn_of_lookalikes(true)
    check_matches(labels, answers)


def warn_of_lookalikes(true: AnyArray) -> None:
    """Warn of true labels that look the same; half of the samples would be wrong."""
    for one, other in spelling.lookalikes(true.tolist()):
        checks.warn_of_data(
            f"labels {one} and {other} look the same and count as two classes; if they are one, "
            "write them the same way, if not, give both as `labels`.",
        )


def counted(
    truth: IntArray, predicted: IntArray, n_classes: int, times: IntArray | None = None
) -> Answers:
    """Count pairs of a true and a predicted class, of samples or of rows of several samples."""
    n_pairs = n_classes**2
    if n_pairs > len(truth):
        return truth, predicted, np.ones(len(truth), dtype=np.intp) if times is None else times
    counts = np.bincount(n_classes * truth + predicted, times, n_pairs).astype(np.intp)
    return *np.divmod(np.arange(n_pairs), n_classes), counts


def check_matches(labels: AnyArray, answers: Mapping[str, Answers]) -> None:
    """Refuse labels that never match the true ones, and warn about single misspelt ones.

    A label that the truth lacks is no error in itself: the test set may lack the class. It is an
    error if no label of the model is a true one, or is used by a model that does match, and if the
    labels are true ones in another spelling or numbered from another start.
    """
    n = len(labels)
    truths = [np.bincount(truth, times, n) for truth, _, times in answers.values()]
    present = np.any([np.zeros(n), *truths], axis=0)
    counts = {
        model: np.bincount(predicted, times, n) for model, (_, predicted, times) in answers.items()
    }
    matching = [count > 0 for count in counts.values() if count[present].any()]
    spoken = np.any([present, *matching], axis=0)
    for model, count in counts.items():
        strange = (count > 0) & ~present
        if not strange.any():
            continue
        known, unknown = labels[present].tolist(), labels[strange].tolist()
        twins = spelling.twins(unknown, known)
        never = not count[present].any() and bool(((count > 0) & ~spoken).any())
        off_by_one = spelling.shift(labels[count > 0].tolist(), known)
        if never or _systematic(labels, answers[model], twins):
            refuse_mismatch(model, labels[count > 0], labels[present], unknown)
        if off_by_one and _shifted(labels, answers[model], off_by_one):
            refuse_mismatch(model, labels[count > 0], labels[present], labels[count > 0].tolist())
        warn_of_twins(model, twins, dict(zip(labels.tolist(), count, strict=True)))


def warn_of_twins(model: str, twins: Twins, count: Mapping[Any, Any]) -> None:
    """Warn of labels of a model that are true ones in another spelling."""
    for label, (other, how) in twins.items():
        checks.warn_of_data(
            f"model {model!r} gives {spelling.written(label, how)} for {int(count[label]):,} "
            f"samples; `y_true` never contains it, but {spelling.written(other, how)} ({how}), "
            "so it counts as wrong.",
        )


def _systematic(labels: AnyArray, of: Answers, twins: Twins) -> bool:
    """Return whether a model always misspells a true label, mostly where it is right."""
    truth, predicted, times = of
    place = {label: code for code, label in enumerate(labels.tolist())}
    for label, (other, _) in twins.items():
        here, meant = predicted == place[label], truth == place[other]
        n_here, always = times[here].sum(), times[predicted == place[other]].sum() == 0
        if always and n_here >= FEW and 2 * times[here & meant].sum() >= n_here:
            return True
    return False


def _shifted(labels: AnyArray, of: Answers, by: int) -> bool:
    """Return whether labels match the true ones clearly better when shifted by one."""
    truth, predicted, times = of
    values = labels.astype(np.int64)
    as_given = int(times[predicted == truth].sum())
    moved = int(times[values[predicted] - by == values[truth]].sum())
    beyond_chance = (moved - as_given) ** 2 >= 3 * (moved + as_given)
    return beyond_chance and 2 * moved >= times.sum() and moved >= 2 * as_given


def refuse_mismatch(model: str, predicted: AnyArray, true: AnyArray, unknown: list[Any]) -> None:
    """Refuse the labels of a model, with the remedy if they are true ones written otherwise."""
    meant = spelling.remedy(unknown, true.tolist())
    otherwise = (
        "if it is right, pass all classes as `labels`; for texts pass kind='texts', for numbers "
        "kind='values'"
    )
    raise ValueError(
        f"the labels of model {model!r} do not match those of `y_true`: it gives "
        f"{checks.listed(predicted)}, `y_true` contains {checks.listed(true)}; "
        f"{meant or otherwise}."
    )
