"""Scope of an answer: what it is about, beside the samples, and whether it holds for new ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar, Self


@dataclass(frozen=True, kw_only=True)
class Part:
    """Part of a scope beside the samples, such as the runs of the models.

    Parameters
    ----------
    new : bool
        Whether the answer is for new ones of these too.
    """

    # Name in `generalize_to`; empty for what has no new ones.
    name: ClassVar[str] = ""
    # Mark in a signature without numbers.
    mark: ClassVar[str] = ""
    # More of what would decide, where new ones vary.
    more: ClassVar[str] = ""
    new: bool = False

    @property
    def marks(self) -> dict[str, object]:
        """Marks in a signature without numbers."""
        return {self.mark: True} if self.mark else {}

    @property
    def counts(self) -> dict[str, object]:
        """Numbers in a signature."""
        return {}

    @property
    def at_hand(self) -> dict[str, bool]:
        """Mark in a signature of an answer for those at hand, of which there are several."""
        return {}

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on what an answer holds for."""
        return ()

    def beside(self, other: Self | None) -> Self:
        """Return the part of two test sets together; the other may have none."""
        return self if other is None else replace(self, new=self.new or other.new)


@dataclass(frozen=True)
class Scope:
    """Samples, and what else an answer is about; notes and signatures follow from it.

    Attributes
    ----------
    n_samples : int
        Number of rows.
    parts : tuple of Part
        What a design adds to the samples, each class once.
    any_time : bool
        Whether the answer holds for all numbers of samples together.
    """

    n_samples: int
    parts: tuple[Part, ...] = ()
    any_time: bool = False

    @classmethod
    def together(cls, scopes: Iterable[Scope]) -> Scope:
        """Return the scope of answers about several test sets together; that of one alone."""
        every = [*scopes]
        kinds = dict.fromkeys(type(part) for each in every for part in each.parts)
        return cls(
            sum(each.n_samples for each in every),
            tuple(_together([each.part(kind) for each in every]) for kind in kinds),
        )

    def part(self, kind: type[Part]) -> Part | None:
        """Return the part of a class; None if the answer has none."""
        return next((part for part in self.parts if type(part) is kind), None)

    @property
    def generalize_to(self) -> str | None:
        """Names of what varies, as in `compare_groups`; None if only the items do."""
        names = [part.name for part in self.parts if part.new]
        return "+".join(["items", *names]) if names else None

    @property
    def more(self) -> str:
        """More of what would decide; empty if only the items vary."""
        return next((part.more for part in self.parts if part.new), "")

    @property
    def marks(self) -> dict[str, object]:
        """Marks of the parts in a signature without numbers."""
        return {name: mark for part in self.parts for name, mark in part.marks.items()}

    @property
    def counts(self) -> dict[str, object]:
        """Numbers in a signature."""
        return {name: n for part in self.parts for name, n in part.counts.items()}

    @property
    def at_hand(self) -> dict[str, bool]:
        """Marks in a signature of answers for what is at hand."""
        return {name: mark for part in self.parts for name, mark in part.at_hand.items()}

    @property
    def settings(self) -> dict[str, object]:
        """Settings in a signature."""
        return {**self.at_hand, **self.counts, "generalize_to": self.generalize_to}

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the runs, or the labels, for which an answer holds."""
        return tuple(note for part in self.parts for note in part.notes)


def _together(parts: list[Part | None]) -> Part:
    """Return the part of several test sets together, of which some may have none."""
    first, *others = sorted(parts, key=lambda part: part is None)
    assert first is not None  # noqa: S101  of one that has it
    for other in others:
        first = first.beside(other)
    return first
