"""The truth of a test set: labels, a distribution over classes, values, texts, or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from modelcompare.arrays import AnyArray, FloatArray, IntArray
from modelcompare.data import checks
from modelcompare.data.checks import frozen, read_only
from modelcompare.data.kinds import are_codes, inferred, real_texts, same_type, two_classes
from modelcompare.words import Kind, KindOrAuto


def as_truth(data: Any, kind: KindOrAuto) -> AnyArray:
    """The truth as an array: beside texts references, one text a sample or a tuple of several."""
    if kind not in ("texts", "text_lists"):
        return checks.as_array(data, "`y_true`")
    several = isinstance(data, list | tuple | np.ndarray | pd.Series) and any(
        isinstance(found, list | tuple | np.ndarray) for found in data
    )
    if not several:
        array = checks.as_array(data, "`y_true`")
        return real_texts(array, "`y_true`") if array.ndim == 1 else array
    lists = [(found,) if isinstance(found, str) else found for found in data]
    bad = np.array([not _are_texts(found) for found in lists], dtype=bool)
    checks.refuse_rows(bad, "`y_true` must hold texts, or lists of texts, but does not")
    single = all(len(found) == 1 for found in lists)
    made = (found[0] if single else tuple(found) for found in lists)
    return np.fromiter(made, dtype=object, count=len(lists))


def _are_texts(found: Any) -> bool:
    listed = isinstance(found, list | tuple | np.ndarray) and len(found) > 0
    return listed and all(isinstance(text, str) for text in found)


@dataclass(frozen=True, slots=True)
class Truth:
    """True labels, values or texts of the samples, read-only.

    Parameters
    ----------
    y_true : ndarray of shape (n_samples,), optional
        As given: labels, values or texts; the likeliest of soft labels.
    labels : ndarray of shape (n_classes,), optional
        The classes.
    codes : ndarray of int of shape (n_samples,), optional
        True class of each sample as an index into them.
    distribution : ndarray of shape (n_samples, n_classes), optional
        Soft labels.
    """

    y_true: AnyArray | None = None
    labels: AnyArray | None = None
    codes: IntArray | None = None
    distribution: FloatArray | None = None

    @classmethod
    def of(
        cls, truth: AnyArray | None, labels: ArrayLike | None, arrays: Mapping[str, AnyArray],
        kinds: Mapping[str, Kind], *, normalize: bool,
    ) -> Truth:  # fmt: skip
        """The truth beside outputs of these kinds."""
        found = {*kinds.values()}
        if found & {"labels", "probabilities"}:
            said = {f"model {m!r}": a for m, a in arrays.items() if kinds[m] == "labels"}
            widths = [array.shape[1] for array in arrays.values() if array.ndim == 2]
            return of_classes(truth, labels, said, widths, normalize=normalize)
        if "values" in found:
            return _values(truth, labels)
        if truth is None:
            return cls()
        return cls(frozen(truth))

    def rows(self, rows: IntArray) -> Truth:
        """The truth of some samples."""
        parts = {
            name: None if array is None else read_only(array[rows])
            for name, array in (
                ("y_true", self.y_true), ("codes", self.codes), ("distribution", self.distribution)
            )
        }  # fmt: skip
        return replace(self, **parts)


def of_classes(
    truth: AnyArray | None, given: ArrayLike | None, said: Mapping[str, AnyArray],
    widths: Sequence[int], *, normalize: bool = False, at_least: int = 2,
) -> Truth:  # fmt: skip
    """True labels, or soft ones, over the classes given or found.

    The classes are those of the truth and what models `said`, by the models' names in messages; of
    whole numbers they may be the columns of probabilities, of these `widths`.
    """
    if truth is None:
        raise ValueError("`y_true` is missing; labels and probabilities need it.")
    if truth.ndim == 1:
        checks.check_defined(truth, "`y_true`")
    for where, array in said.items():
        if array.ndim != 1:
            raise ValueError(
                f"{where} must give one label for each sample, got shape {array.shape}; of "
                "probabilities take the likeliest class, or ask a metric of probabilities."
            )
        checks.check_defined(array, where)
    if truth.ndim == 2:
        labels = checks.classes(given, np.arange(truth.shape[1]), at_least=at_least)
        distribution = checks.probabilities("`y_true`", truth, labels, normalize)
        codes = frozen(distribution.argmax(axis=1))
        return Truth(
            read_only(labels[codes]), labels, codes, frozen(distribution.astype(np.float64))
        )
    found = checks.distinct(truth, "`y_true`")
    if given is None and widths and widths[0] > len(found) and are_codes(found, widths[0]):
        found = np.arange(widths[0])
    if given is None and said:
        alike = (pd.unique(array) for array in said.values() if same_type(array, truth))
        if found.dtype.kind != "O":
            alike = (inferred(each) for each in alike)
        said_by_any = np.concatenate([found, *alike])
        found = checks.distinct(said_by_any, "`y_true` or a model")
    labels = checks.classes(given, found, at_least=at_least)
    return Truth(frozen(truth), labels, frozen(checks.codes("`y_true`", truth, labels)))


def _values(truth: AnyArray | None, given: ArrayLike | None) -> Truth:
    """True values, and classes where there are two: raw scores are of the second."""
    found = None if truth is None else two_classes(truth, given)
    named = truth is not None and found is not None and checks.holds_texts(truth)
    values = truth if named else checks.real_values(truth, "`y_true`")
    if truth is None or found is None or values is None:
        return Truth(values)
    labels = checks.classes(found, found)
    return Truth(frozen(values), labels, frozen(checks.codes("`y_true`", truth, labels)))
