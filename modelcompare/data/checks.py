"""Checks of input, and the wording of their errors."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from modelcompare import spelling
from modelcompare.arrays import AnyArray, FloatArray, IntArray
from modelcompare.data.inputs import aligned as aligned
from modelcompare.data.inputs import as_array as as_array
from modelcompare.data.inputs import holds_texts as holds_texts
from modelcompare.data.inputs import is_structured as is_structured
from modelcompare.words import check_mapping, shown, warn_caller


class DataWarning(UserWarning):
    """Samples were left out, or ambiguous input was read in one of several ways."""


def warn_of_data(text: str) -> None:
    """Warn of data at the calling line outside of this package."""
    warn_caller(text, DataWarning)


class UnknownModelError(KeyError, ValueError):
    """A model name is unknown; the message suggests the nearest."""

    def __str__(self) -> str:
        return str(self.args[0])


# Half-precision probabilities sum to 1 within 5e-4.
SUM_TOLERANCE = 1e-3
# Eighth powers of numbers up to this size, and of their inverses, are finite floats.
LARGEST = 1e18
_N_EXAMPLES = 3
# Number of the first checked row in the whole test set.
_FIRST_ROW = ContextVar("first_row", default=0)


@contextmanager
def rows_from(first: int) -> Iterator[None]:
    """Number rows in messages from the first row of a block in the whole test set."""
    token = _FIRST_ROW.set(first)
    try:
        yield
    finally:
        _FIRST_ROW.reset(token)


def row_numbers(bad: Any) -> IntArray:
    """Return the numbers of bad rows, counted in the whole test set."""
    rows: IntArray = np.flatnonzero(bad) + _FIRST_ROW.get()
    return rows


def frozen(array: AnyArray) -> AnyArray:
    """Return a read-only array: a copy if other code could still write to it."""
    writable = array.flags.writeable or array.base is not None
    return read_only(array.copy()) if writable else array


def read_only(array: AnyArray) -> AnyArray:
    """Make a new array read-only and return it."""
    array.setflags(write=False)
    return array


def picked(array: Any, rows: Any) -> Any:
    """Return some rows of an array, read-only; None where there is no array."""
    return None if array is None else read_only(array[rows])


def rows_text(bad: Any) -> str:
    """Write the number of rows, and the first of them: '5 rows (first: 0, 3, 8)'."""
    rows = row_numbers(bad)
    examples = ", ".join(map(str, rows[:_N_EXAMPLES]))
    if len(rows) == 1:
        return f"1 row (row {examples})"
    return f"{len(rows):,} rows (first: {examples})"


def refuse_rows(bad: Any, what: str, remedy: str = "") -> None:
    """Raise an error if any row is bad: the problem, the rows, and the remedy."""
    if bad.any():
        raise ValueError(f"{what} in {rows_text(bad)}{remedy and f'; {remedy}'}.")


def by_model(outputs: Mapping[str, ArrayLike], y_true: Any = None) -> dict[str, ArrayLike]:
    """Return the models' outputs by name; names must be distinct, non-empty strings."""
    check_mapping("outputs", outputs, "outputs, e.g. {'cnn': y_pred}")
    check_model_names(outputs)
    in_order = aligned(y_true=y_true, outputs=outputs)["outputs"]
    return {name.strip(): given for name, given in in_order.items()}


def model_arrays(outputs: Mapping[str, ArrayLike], y_true: Any = None) -> dict[str, AnyArray]:
    """Return the models' outputs as arrays."""
    given = by_model(outputs, y_true)
    return {name: as_array(each, f"model {name!r}") for name, each in given.items()}


def check_model_names(names: Iterable[str]) -> None:
    """Refuse names of models that are empty, broken, or the same without blanks around them."""
    for name in names:
        if not name.strip():
            raise ValueError(f"model names must not be empty, got {name!r}.")
        if not _is_whole(name):
            raise ValueError(
                f"model name {name!r} contains half a character (a lone surrogate); rename the "
                "model."
            )
    counts = Counter(name.strip() for name in names)
    repeated = [name for name, count in counts.items() if count > 1]
    if repeated:
        raise ValueError(f"model name {repeated[0]!r} occurs twice; names must be distinct.")


def check_lengths(arrays: Mapping[str, AnyArray], truth: AnyArray | None, n_samples: int) -> None:
    """Check that all arrays have one row per sample."""
    if truth is not None and truth.ndim not in (1, 2):
        raise ValueError(
            f"`y_true` must have shape (n_samples,), or (n_samples, n_classes) for soft labels; "
            f"got {truth.shape}."
        )
    for model, array in arrays.items():
        if array.ndim not in (1, 2):
            raise ValueError(
                f"model {model!r} must have shape (n_samples,) or (n_samples, n_classes), got "
                f"{array.shape}."
            )
        if len(array) != n_samples:
            reference = "`y_true`" if truth is not None else f"model {next(iter(arrays))!r}"
            raise ValueError(
                f"model {model!r} has {len(array):,} rows, {reference} has {n_samples:,}; they "
                "must describe the same samples in the same order."
            )


def check_size(n_samples: int, *, at_least: int = 2) -> None:
    """Refuse a test set without samples, or with a single one, unless one is enough."""
    if n_samples < at_least:
        there = "is 1 sample" if n_samples else "are 0 samples"
        raise ValueError(
            f"there {there}; at least {at_least} {'are' if at_least > 1 else 'is'} needed."
        )


def check_defined(array: AnyArray, where: str) -> None:
    """Refuse missing labels, and labels that mix texts and numbers."""
    remedy = "drop these samples or fill them in"
    if array.dtype.kind == "f":
        flaw = "is NaN or infinite" if np.isinf(array).any() else "has missing values"
        refuse_rows(~np.isfinite(array), f"{where} {flaw}", remedy)
        return
    refuse_rows(np.asarray(pd.isna(array)), f"{where} has missing values", remedy)
    if array.dtype.kind != "O":
        return
    if holds_texts(array):
        check_characters(array, where)
        return
    text = np.array([isinstance(x, str) for x in array], dtype=bool)
    if text.any():
        mixed = f"{where} mixes texts and numbers: not a text"
        refuse_rows(~text, mixed, "make them all of one type")
    plain = np.array([isinstance(x, Hashable) for x in array], dtype=bool)
    remedy = "give one label, number or text for each sample"
    refuse_rows(~plain, f"{where} contains lists or objects", remedy)


def check_characters(texts: AnyArray, where: str) -> None:
    """Refuse texts with lone surrogates, which no file and no frame can store."""
    try:
        # A list is iterated in half the time of an array of objects; `isascii` is immediate.
        together = "".join(texts.tolist())
        if not together.isascii():
            together.encode()
    except UnicodeEncodeError:
        half = np.array([not _is_whole(text) for text in texts], dtype=bool)
        remedy = "read the texts again in their own encoding"
        refuse_rows(half, f"{where} contains half a character (a lone surrogate)", remedy)


def _is_whole(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def distinct(array: AnyArray, where: str) -> AnyArray:
    """Return the distinct labels, sorted."""
    found: AnyArray = np.asarray(pd.unique(array))
    try:
        return np.sort(found)
    except TypeError:
        remedy = "make them all texts, or all numbers"
        raise ValueError(f"{where} contains labels that cannot be ordered; {remedy}.") from None


def real_values(array: AnyArray, where: str) -> FloatArray:
    """Return finite numbers of shape (n_samples,)."""
    if array.ndim != 1:
        raise ValueError(f"{where} must have shape (n_samples,), got {array.shape}.")
    try:
        if array.dtype.kind in "mM":
            # Dates would become nanoseconds.
            raise TypeError("dates are no numbers")
        values = array.astype(np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{where} must contain numbers, got {_example(array)}.") from None
    remedy = "drop these samples or fix them"
    refuse_rows(~np.isfinite(values), f"{where} is NaN or infinite", remedy)
    size = np.abs(values)
    where = f"{where} contains numbers that cannot be squared and summed:"
    refuse_rows(size > LARGEST, f"{where} above {LARGEST:g}", "divide all by a unit")
    if 0 < size.max(initial=0.0) < 1 / LARGEST:
        raise ValueError(f"{where} all below {1 / LARGEST:g}; multiply all by a unit.")
    return values


def matrix(
    data: Any, where: str, what: str, n_columns: int | None = None, *, of: str = "numbers",
    at_most: float = math.inf,
) -> FloatArray:  # fmt: skip
    """Return rows of finite numbers of at least 0, of shape (n_samples, n_columns)."""
    array = as_array(data, where)
    if array.ndim != 2 or array.dtype.kind not in "biuf" or n_columns not in (None, array.shape[1]):
        wanted = "" if n_columns is None else f", not (n_samples, {n_columns})"
        raise ValueError(f"{where} must give {what}; got shape {array.shape}{wanted}.")
    numbers = array.astype(np.float64)
    inside = (numbers >= 0) & (numbers <= at_most) & np.isfinite(numbers)
    limits = "of at least 0" if math.isinf(at_most) else f"between 0 and {at_most:g}"
    refuse_rows(~inside.all(axis=1), f"{where} must have {of} {limits}, but does not")
    return numbers


def probabilities(
    where: str, array: AnyArray, labels: AnyArray, normalize: bool, missing_mass: bool = False
) -> AnyArray:
    """Return rows of probabilities over the labels, as float32 or float64."""
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{where} must contain probabilities, got {_example(array)}.")
    if array.shape[1] != len(labels):
        raise ValueError(
            f"{where} has {array.shape[1]} columns of probabilities, but there are {len(labels)} "
            f"labels ({listed(labels)}); pass `labels` in the order of the columns."
        )
    if array.dtype != np.float32:
        array = array.astype(np.float64)
    # Rows are searched only after a fast check has failed: that takes ten times as long.
    if not np.isfinite(array).all():
        rows = ~np.isfinite(array).all(axis=1)
        refuse_rows(rows, f"{where} has NaN or infinite probabilities")
    if array.min(initial=0.0) < 0:
        remedy = "for logits use Predictions.from_logits"
        refuse_rows((array < 0).any(axis=1), f"{where} has negative probabilities", remedy)
    with np.errstate(over="ignore"):
        sums = array.sum(axis=1, dtype=np.float64)
    bad = np.abs(sums - 1) > SUM_TOLERANCE
    if normalize:
        bad = (sums == 0) | np.isinf(sums)
    elif missing_mass:
        bad = sums > 1 + SUM_TOLERANCE
    if bad.any():
        first = float(sums[np.flatnonzero(bad)[0]])
        remedy = "pass normalize=True to divide by the sums"
        if normalize:
            remedy = "nothing to divide by" if first == 0 else "too large to divide by"
        raise ValueError(
            f"{where} has probabilities that do not sum to 1 in {rows_text(bad)}, e.g. to "
            f"{first:.6g}; {remedy}."
        )
    return array / sums[:, None] if normalize else array


def logits(model: str, array: AnyArray) -> FloatArray:
    """Return finite logits, in double precision; those of shape (n_samples,) are of one class."""
    if array.ndim not in (1, 2) or array.dtype.kind not in "fiu":
        raise ValueError(
            f"logits of model {model!r} must be numbers of shape (n_samples, n_classes), got shape "
            f"{array.shape}."
        )
    z = array.astype(np.float64)
    finite = np.isfinite(z.reshape(len(z), -1)).all(axis=1)
    refuse_rows(~finite, f"logits of model {model!r} are NaN or infinite")
    return z


def softmax(z: FloatArray) -> FloatArray:
    """Compute probabilities from logits; of one class, those of the others and of this one."""
    if z.ndim == 1:
        z = np.stack([np.zeros_like(z), z], axis=1)
    exponentials = np.exp(z - z.max(axis=1, keepdims=True))
    out: FloatArray = exponentials / exponentials.sum(axis=1, keepdims=True)
    return out


def classes(labels: ArrayLike | None, found: AnyArray, *, at_least: int = 2) -> AnyArray:
    """Return the classes: the given labels, or those that occur."""
    chosen = found if labels is None else as_array(labels, "`labels`")
    if chosen.ndim != 1:
        raise ValueError(
            f"`labels` must be one-dimensional, a name for each class, got shape {chosen.shape}."
        )
    if labels is not None and len(chosen) == 0:
        raise ValueError("`labels` is empty; name the classes, or leave it out.")
    if len({*chosen.tolist()}) != len(chosen):
        raise ValueError(f"`labels` must be distinct, got {listed(chosen)}.")
    if len(chosen) < at_least:
        raise ValueError(
            f"there is a single class ({listed(chosen)}); classification needs two. If the test "
            "set lacks the others, pass all of them as `labels`."
        )
    return frozen(chosen)


def factorized(array: AnyArray, where: str = "`y_true`") -> tuple[IntArray, AnyArray]:
    """Return the place of each label among the distinct ones, which are checked; and these."""
    try:
        places, found = pd.factorize(array)
    except TypeError:
        check_defined(array, where)
        raise
    # All cells are searched only if the distinct ones have a flaw.
    few = array.dtype.kind == "O" and places.min(initial=0) >= 0 and holds_texts(found)
    if not (few and _is_whole("".join(found.tolist()))):
        check_defined(array, where)
    return places, found


def coded(where: str, places: tuple[IntArray, AnyArray], labels: AnyArray) -> IntArray:
    """Return labels as indices into the classes, by the distinct labels and their places."""
    position = {label: code for code, label in enumerate(labels.tolist())}
    inverse, found = places
    table = np.array([position.get(label, -1) for label in found.tolist()], dtype=np.intp)
    out = table[inverse]
    bad = out < 0
    if bad.any():
        unknown = distinct(found[table < 0], where)
        raise unknown_labels(where, unknown, rows_text(bad), labels, "Pass all classes as `labels`")
    return out


def unknown_labels(
    where: str, unknown: AnyArray, rows: str, labels: AnyArray, otherwise: str
) -> ValueError:
    """Return an error for labels that are not classes, which suggests the class that was meant."""
    meant = spelling.remedy(unknown.tolist(), labels.tolist()) or otherwise
    return ValueError(
        f"{where} contains unknown labels ({listed(unknown)}) in {rows}; known are "
        f"{listed(labels)}. {meant[0].upper()}{meant[1:]}."
    )


def check_columns_distinct(frame: pd.DataFrame, where: str) -> None:
    """Refuse two columns of the same name."""
    repeated = frame.columns[frame.columns.duplicated()]
    if len(repeated):
        raise ValueError(f"{where}: column {repeated[0]!r} occurs twice.")


def check_models(models: tuple[str, ...], **named: object) -> None:
    """Refuse an argument that names no model."""
    for argument, model in named.items():
        if not isinstance(model, str):
            raise TypeError(
                f"`{argument}` must be the name of a model, got {shown(model)}; there are "
                f"{spelling.meant('', models)}."
            )
        if model not in models:
            meant = spelling.meant(model, models)
            raise UnknownModelError(f"unknown model {model!r}; there are {meant}.")


def listed(values: AnyArray) -> str:
    """Write the first values out."""
    shown = ", ".join(repr(value) for value in values.tolist()[:5])
    return shown + (", ..." if len(values) > 5 else "")


def _example(array: AnyArray) -> str:
    first = array.ravel()[0] if array.size else None
    return repr(first) if isinstance(first, str) else str(first)


def above_equal(n_classes: int) -> float:
    """Return the least probability of the likeliest class when the others share the rest."""
    return (1 + 1e-9) / n_classes
