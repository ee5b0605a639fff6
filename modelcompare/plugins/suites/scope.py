"""Test sets that an answer is about: these, or new ones like them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar

from modelcompare.engine.scope import Part, Scope


@dataclass(frozen=True, kw_only=True)
class Suite(Part):
    """Test sets that an answer is for.

    Parameters
    ----------
    n_sets : int
        Number of test sets.
    """

    name: ClassVar[str] = "sets"
    more: ClassVar[str] = "test sets"
    n_sets: int

    @property
    def marks(self) -> dict[str, object]:
        return {"sets": self.n_sets} if self.n_sets > 1 else {}

    @property
    def notes(self) -> tuple[str, ...]:
        """Note on a mean for new test sets.

        Where a model loses 0.5 on a tenth of all sets, intervals of 5 and 15 sets cover 0.60 and
        0.80 (`experiments.validity.suites`); the share is that of the rule of three.
        """
        if not self.new:
            return ()
        return (
            f"For test sets like these {self.n_sets}: new ones are allowed for, but sets of a kind "
            f"rarer than {min(3, self.n_sets)} in {self.n_sets} would not have been seen.",
        )


def scope_of_sets(scopes: Iterable[Scope], *, new_sets: bool) -> Scope:
    """Return the scope of answers about a mean over test sets."""
    every = [*scopes]
    found = Scope.together(every)
    return replace(found, parts=(Suite(n_sets=len(every), new=new_sets), *found.parts))


def are_new(scope: Scope) -> bool:
    """Return whether an answer is for new test sets."""
    suite = scope.part(Suite)
    return suite is not None and suite.new


def notes_on_sets(scope: Scope) -> tuple[str, ...]:
    """Return the note on a mean for new test sets."""
    suite = scope.part(Suite)
    return () if suite is None else suite.notes
