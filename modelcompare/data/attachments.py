"""Attachments: what plugins know of the samples of a test set, kept with them and never opened."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from modelcompare.arrays import AnyArray
from modelcompare.plugs import behind


class Attachment(ABC):
    """An attachment of a plugin to the samples of a test set; immutable.

    The test set takes it along to other samples and other models. Its plugin finds it by its name,
    in `access.attachments`.
    """

    __slots__ = ()

    name: ClassVar[str]

    @abstractmethod
    def rows(self, index: Any) -> Attachment:
        """Return the attachment of some samples."""

    @abstractmethod
    def of_models(self, models: Sequence[str]) -> Attachment:
        """Return the attachment of some models."""

    def of_variants(self, model: str, names: Sequence[str]) -> Attachment:  # noqa: ARG002
        """Return the attachment of variants of a model, which have other outputs."""
        return self.of_models(())

    def renewed(self) -> Attachment:
        """Return the attachment of other outputs or columns, for which nothing is kept."""
        return self

    def columns(self, model: str | None = None) -> Mapping[str, AnyArray | None]:  # noqa: ARG002
        """Return what identifies samples, or results of a model, by names for a message."""
        return {}

    @property
    def described(self) -> str:
        """Words in the description of the test set."""
        return ""

    def given(self, truth: AnyArray) -> AnyArray:
        """Return the truth as it was given, of one that was completed."""
        return truth

    def complete_samples(self, test_set: Any) -> Any:
        """Return the samples of which all results are known without the attachment."""
        return test_set

    def completed(self, test_set: Any) -> Any:
        """Return all samples, with results that are likely where they are unknown."""
        return test_set

    @abstractmethod
    def check_known(self, argument: str) -> None:
        """Refuse a test set, given as `argument`, to functions that ask no design of it."""

    def check_truth(  # noqa: B027  of others
        self, truth: AnyArray | None, classes: AnyArray | None
    ) -> None:
        """Refuse a truth beside which it has no meaning."""

    def check_beside(self, metric: str) -> None:  # noqa: B027  of others
        """Refuse a metric of scores that all samples have beside the outputs."""


def attach(
    y_true: Any, outputs: Any, columns: Mapping[str, Any], options: Mapping[str, Any]
) -> tuple[Any, Any, dict[str, Attachment]]:
    """Return the truth and the outputs, completed, and what plugins attach to the samples.

    Parameters
    ----------
    y_true, outputs
        As `Predictions` takes them.
    columns : mapping of str to array-like or None
        Columns that describe the samples.
    options : mapping of str to object
        Arguments of plugins, of which None are not given.

    Raises
    ------
    ValueError
        If a plugin is absent, or what is given does not fit.
    """
    given = [name for name, value in options.items() if value is not None]
    attached: dict[str, Attachment] = {}
    # Several arguments may be of one attachment.
    for make in dict.fromkeys(map(behind, given)):
        y_true, outputs, made = make(y_true, outputs, columns, options)
        attached[made.name] = made
    return y_true, outputs, attached


def completed(test_set: Any) -> Any:
    """Return a test set with likely results where they are unknown; no answer may rest on them."""
    for each in test_set.access.attachments.values():
        test_set = each.completed(test_set)
    return test_set
