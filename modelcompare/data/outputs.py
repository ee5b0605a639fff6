"""Outputs of models: their checks, by kind, and what they can be read as."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray, BoolArray, FloatArray, IntArray
from modelcompare.data import checks
from modelcompare.data.kind_inference import inferred
from modelcompare.data.kinds import Kind
from modelcompare.plugs import load


class Computed(ABC):
    """Numbers of each sample that follow from fewer, and are computed when they are read."""

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of samples."""

    @abstractmethod
    def __getitem__(self, rows: IntArray | slice) -> AnyArray:
        """Compute the numbers of some samples."""


@dataclass(frozen=True, slots=True)
class Output:
    """Output of one model for each sample, read-only.

    Labels are codes of shape (n_samples,), probabilities have shape (n_samples, n_classes), values
    and per-example scores are floats; plugins add kinds. What was `given` may be `Computed`.
    `order`, of shape (n_samples,), are raw scores of the second of two classes: they may
    distinguish samples with equal probabilities. `decided` are classes that were decided on, where
    they are not the likeliest. `beside`, of shape (n_samples, n_scores), are
    scores of each sample that have another source, such as a latency.
    """

    kind: Kind
    given: AnyArray | Computed
    order: AnyArray | None = None
    missing: BoolArray | None = None
    beside: FloatArray | None = None
    decided: IntArray | None = None

    @property
    def array(self) -> AnyArray:
        """The output of all samples."""
        return self.given if isinstance(self.given, np.ndarray) else self.given[:]

    def rows(self, rows: IntArray | slice) -> Output:
        """Return the model's output for some samples."""
        parts = (self.given, self.order, self.missing, self.beside, self.decided)
        return Output(self.kind, *(checks.picked(part, rows) for part in parts))

    @property
    def scores(self) -> FloatArray:
        """Scores of each sample, of shape (n_samples, n_scores): the output, or those beside it."""
        array = self.array if self.beside is None else self.beside
        return array.astype(np.float64, copy=False).reshape(len(array), -1)

    def read_as(self, name: str) -> AnyArray:
        """Return the output as one of another kind, such as the labels of probabilities."""
        view = self.kind.views.get(name)
        if view and self.decided is not None:
            return self.decided
        return load(view)(self.array) if view else self.array

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
        return replace(self, given=checks.frozen(array), order=checks.frozen(odds))


@dataclass(frozen=True, slots=True)
class Form:
    """Classes and options that outputs are checked against, as for `Predictions`."""

    labels: AnyArray | None = None
    score_names: tuple[str, ...] = ()
    normalize: bool = False
    missing_mass: bool = False


def checked_output(where: str, array: AnyArray, kind: Kind, form: Form) -> AnyArray:
    """Check a model's output of one of the kinds, and convert it to its form."""
    if kind.has_classes and form.labels is None:
        raise ValueError(f"{where} gave {kind}, but there are no classes.")
    checked: AnyArray = load(kind.check)(where, array, form) if kind.check else array
    return checked


def class_codes(where: str, array: AnyArray, form: Form) -> AnyArray:
    """Return labels as indices into the classes."""
    return checks.coded(where, pd.factorize(array), np.asarray(form.labels))


def class_probabilities(where: str, array: AnyArray, form: Form) -> AnyArray:
    """Return probabilities of all classes, given as such or as those of the second one."""
    if array.ndim == 1:
        array = inferred(array)
        array = np.stack([1 - array.astype(np.float64), array], axis=1)
    labels = np.asarray(form.labels)
    return checks.probabilities(where, array, labels, form.normalize, form.missing_mass)


def real_numbers(where: str, array: AnyArray, form: Form) -> AnyArray:  # noqa: ARG001
    """Return a real number for each sample."""
    return checks.real_values(array, where)


def example_scores(where: str, array: AnyArray, form: Form) -> AnyArray:
    """Return one score for each sample, or one for each name."""
    return array if form.score_names else checks.real_values(array, where)


def likeliest_classes(array: AnyArray) -> AnyArray:
    """Return the likeliest class of each sample, the first of ties."""
    return array.argmax(axis=1)
