"""Output types (labels, probabilities, values, scores, texts), as declared or detected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from modelcompare import spelling
from modelcompare.arrays import AnyArray, BoolArray, FloatArray, IntArray
from modelcompare.data import checks
from modelcompare.data.label_sets import SETS
from modelcompare.data.scores import scored
from modelcompare.data.survival import SURVIVAL
from modelcompare.words import Kind, KindOrAuto

# Texts into which numpy and pandas turn missing values.
_MADE_OF_MISSING = ("nan", "<NA>", "NaT")
# Samples from which on a misspelt label counts as systematic.
FEW = 3
# Largest share of numbers beyond [0, 1] that are errors among probabilities.
_SLIPS = 0.1
# More distinct whole numbers may be true values.
_MOST_CODES = 50


Answers: TypeAlias = tuple[IntArray, IntArray, IntArray]
"""True classes, predicted classes, and numbers of samples; of many classes pairs may repeat."""
# The true label that each label looks like, and how they differ.
Twins: TypeAlias = Mapping[Any, tuple[Any, str]]


@dataclass(frozen=True, slots=True)
class Output:
    """Output of one model for each sample, read-only.

    Labels are codes of shape (n_samples,), probabilities have shape (n_samples, n_classes), values
    and per-example scores are floats, texts str objects, text lists tuples of (text, probability).
    `order`, of shape (n_samples,), are raw scores of the second of two classes: they may
    distinguish samples with equal probabilities. `beside`, of shape (n_samples, n_scores), are
    scores of each sample that have another source, such as a latency.
    """

    kind: Kind
    array: AnyArray
    order: AnyArray | None = None
    missing: BoolArray | None = None
    beside: FloatArray | None = None

    def rows(self, rows: IntArray | slice) -> Output:
        """Return the model's output for some samples."""
        parts = (self.array, self.order, self.missing, self.beside)
        return Output(self.kind, *(checks.picked(part, rows) for part in parts))

    @property
    def scores(self) -> FloatArray:
        """Scores of each sample, of shape (n_samples, n_scores): the output, or those beside it."""
        array = self.array if self.beside is None else self.beside
        return array.astype(np.float64, copy=False).reshape(len(array), -1)

    def then(self, other: Output) -> Output:
        """Return the output for these samples and then for those of another."""
        beside = [each.beside for each in (self, other) if each.beside is not None]
        return Output(
            self.kind, np.concatenate([self.array, other.array]),
            beside=np.concatenate(beside) if beside else None,
        )  # fmt: skip

    def ordered_by(self, logits: FloatArray) -> Output:
        """Return the output with the log-odds of the second of two classes.

        If the classes were exchanged, logits of both have the former order, and a single one is of
        the second class.
        """
        single = logits.ndim == 1
        odds = logits if single else logits[:, 1] - logits[:, 0]
        exchanged = odds @ (self.array[:, 1] - self.array[:, 0]) < 0
        array = self.array[:, ::-1] if exchanged and single else self.array
        odds = -odds if exchanged and not single else odds
        return replace(self, array=checks.frozen(array), order=checks.frozen(odds))


def checked_output(
    where: str, array: AnyArray, kind: Kind, labels: AnyArray | None, *,
    score_names: tuple[str, ...] = (), normalize: bool = False, missing_mass: bool = False,
) -> AnyArray:  # fmt: skip
    """Check a model's output of one of the kinds, and convert it to its form."""
    if kind == "scores" and score_names:
        array = scored(where, array, score_names)
    elif kind in ("values", "scores", "risks"):
        array = checks.real_values(array, where)
    elif kind in SETS | SURVIVAL:
        pass  # Checked beside the truth.
    elif kind in ("texts", "text_lists"):
        array = real_texts(array, where) if kind == "texts" else _text_lists(array, where)
    elif labels is None:
        raise ValueError(f"{where} gave {kind}, but there are no classes.")
    elif kind == "labels":
        array = checks.coded(where, pd.factorize(array), labels)
    else:
        if array.ndim == 1:
            array = inferred(array)
            array = np.stack([1 - array.astype(np.float64), array], axis=1)
        array = checks.probabilities(where, array, labels, normalize, missing_mass)
    return array


def real_texts(array: AnyArray, where: str) -> AnyArray:
    """Return texts of shape (n_samples,)."""
    bad = np.array([not isinstance(x, str) for x in array], dtype=bool)
    checks.refuse_rows(bad, f"{where} must contain texts, but does not")
    return array


def _text_lists(array: AnyArray, where: str) -> AnyArray:
    """Return tuples of (text, probability), of shape (n_samples,); each sums to 1 or less."""
    bad = np.array([not _is_text_list(found) for found in array], dtype=bool)
    wanted = "lists of (text, probability) whose probabilities sum to at most 1"
    checks.refuse_rows(bad, f"{where} must contain {wanted}, but does not")
    lists = (tuple((text, float(p)) for text, p in found) for found in array)
    return np.fromiter(lists, dtype=object, count=len(array))


def _is_text_list(found: Any) -> bool:
    try:
        pairs = [(text, float(p)) for text, p in found]
    except (TypeError, ValueError):
        return False
    mass = [p for _, p in pairs]
    return (
        bool(pairs)
        and all(isinstance(text, str) for text, _ in pairs)
        and min(mass) >= 0
        and sum(mass) <= 1 + checks.SUM_TOLERANCE
    )


def decide_kinds(
    kind: KindOrAuto,
    arrays: Mapping[str, AnyArray],
    truth: AnyArray | None,
    labels: ArrayLike | None,
) -> tuple[Kind, ...]:
    """Return the output type of each model, as given or by shape and content."""
    if kind == "auto" and labels is None and are_values(truth, arrays.values()):
        kind = "values"
    if kind != "auto":
        single = [model for model, array in arrays.items() if array.ndim == 1]
        if kind == "probabilities" and single and len(_known(truth, labels)) != 2:
            raise ValueError(
                f"model {single[0]!r} gave one probability per sample, which is for two classes "
                "only; give probabilities of shape (n_samples, n_classes)."
            )
        return (kind,) * len(arrays)
    return tuple(_kind_of(model, array, truth, labels) for model, array in arrays.items())


def are_values(truth: AnyArray | None, outputs: Iterable[AnyArray]) -> bool:
    """Return whether many distinct whole numbers are true values, as a model gives fractions."""
    if truth is None or truth.ndim > 1 or truth.dtype.kind not in "iuf":
        return False
    fractions = any(is_real(inferred(each)) for each in outputs)
    return fractions and len(np.unique(truth)) > _MOST_CODES


def _kind_of(model: str, array: AnyArray, truth: AnyArray | None, labels: ArrayLike | None) -> Kind:
    if truth is None:
        return "scores"
    if array.ndim == 2:
        return "probabilities"
    if is_real(truth):
        return "values"
    if truth.dtype.kind != "O":
        # Numeric labels are never fractions, also in an array of objects.
        array = inferred(array)
    if not is_real(array):
        return "labels"
    known = _known(truth, labels)
    if len(known) == 2 and np.nanmin(array) >= 0 and np.nanmax(array) <= 1:
        return "probabilities"
    if len(known) == 2 and truth.ndim == 1:
        _refuse_slips(model, array)
        return "values"
    raise ValueError(
        f"model {model!r} gave real numbers for {len(known)} classes; pass kind='values' "
        "(--kind values) for regression, or probabilities of shape (n_samples, n_classes)."
    )


def _refuse_slips(model: str, array: AnyArray) -> None:
    """Refuse numbers of which a few alone lie beyond [0, 1]: probabilities with errors in them."""
    beyond = (array < 0) | (array > 1)
    if beyond.mean() <= _SLIPS:
        remedy = "correct these probabilities, or for raw scores pass kind='values' (--kind values)"
        what = f"model {model!r} gave numbers between 0 and 1, except"
        checks.refuse_rows(beyond, what, remedy)


def two_classes(truth: AnyArray, labels: ArrayLike | None) -> AnyArray | None:
    """Return the negative and the positive class where raw scores can be compared with the truth.

    None unless there are two, and for real numbers, which are true values.
    """
    if truth.ndim == 2 or is_real(truth):
        return None
    known = _known(truth, labels)
    return known if len(known) == 2 else None


def _known(truth: AnyArray | None, labels: ArrayLike | None) -> AnyArray:
    """Return the classes, as given or as they occur in the truth."""
    if labels is not None:
        return checks.as_array(labels)
    if truth is None:
        return np.empty(0)
    if truth.ndim == 2:
        return np.arange(truth.shape[1])
    checks.check_defined(truth, "`y_true`")
    return checks.distinct(truth, "`y_true`")


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


def is_real(array: AnyArray) -> bool:
    """Return whether a column has fractions; missing numbers are reported elsewhere."""
    if array.ndim != 1 or array.dtype.kind != "f":
        return False
    finite = array[np.isfinite(array)]
    return not (finite == np.round(finite)).all()


def inferred(array: AnyArray) -> AnyArray:
    """Convert a column of objects that are all numbers to numbers; return others unchanged."""
    if array.dtype.kind != "O":
        return array
    found: AnyArray = pd.Series(array).infer_objects().to_numpy()
    return found if found.dtype.kind in "iufb" else array


def are_codes(found: AnyArray, n_classes: int) -> bool:
    """Return whether the true labels are whole numbers that index columns of probabilities."""
    return found.dtype.kind in "iufb" and bool(np.isin(found, np.arange(n_classes)).all())


def same_type(array: AnyArray, truth: AnyArray) -> bool:
    """Return whether both have texts, or both numbers."""
    return checks.holds_texts(array) == checks.holds_texts(truth)
