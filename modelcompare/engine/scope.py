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
    new: bool = False

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
    n_sets : int
        Number of test sets.
    new_sets : bool
        Whether the answer is for new test sets.
    any_time : bool
        Whether the answer holds for all numbers of samples together.
    """

    n_samples: int
    parts: tuple[Part, ...] = ()
    n_sets: int = 1
    new_sets: bool = False
    any_time: bool = False

    @classmethod
    def of_sets(
        cls, scopes: Iterable[Scope], *, new_sets: bool = False, any_time: bool = False
    ) -> Scope:
        """Return the scope of answers about several test sets together; that of one alone."""
        every = [*scopes]
        kinds = dict.fromkeys(type(part) for each in every for part in each.parts)
        return cls(
            sum(each.n_samples for each in every),
            tuple(_together([each.part(kind) for each in every]) for kind in kinds),
            len(every), new_sets, any_time,
        )  # fmt: skip

    def part(self, kind: type[Part]) -> Part | None:
        """Return the part of a class; None if the answer has none."""
        return next((part for part in self.parts if type(part) is kind), None)

    @property
    def generalize_to(self) -> str | None:
        """Names of what varies, as in `compare_groups`; None if only the items do."""
        names = (*(["sets"] if self.new_sets else []), *(p.name for p in self.parts if p.new))
        return "+".join(["items", *names]) if names else None

    @property
    def marks(self) -> dict[str, object]:
        """Marks of the parts in a signature without numbers."""
        return {part.mark: True for part in self.parts if part.mark}

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

    @property
    def notes_of_sets(self) -> tuple[str, ...]:
        """Note on a mean for new test sets.

        Where a model loses 0.5 on a tenth of all sets, intervals of 5 and 15 sets cover 0.60 and
        0.80 (`experiments.validity.suites`); the share is that of the rule of three.
        """
        if not self.new_sets:
            return ()
        return (
            f"For test sets like these {self.n_sets}: new ones are allowed for, but sets of a kind "
            f"rarer than {min(3, self.n_sets)} in {self.n_sets} would not have been seen.",
        )


def _together(parts: list[Part | None]) -> Part:
    """Return the part of several test sets together, of which some may have none."""
    first, *others = sorted(parts, key=lambda part: part is None)
    assert first is not None  # noqa: S101  of one that has it
    for other in others:
        first = first.beside(other)
    return first
