"""Roles of columns: a record of each, and the solver that assigns columns to them.

A reader lists the roles that it solves together in a table, as `readers.role_table` does for
predictions. Plugins have separate tables.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Literal, TypeAlias

from modelcompare.readers import names
from modelcompare.readers.options import AND, Outputs
from modelcompare.readers.profile import Profile

# Number of columns that are tried, and that may have a role together.
_MOST_COLUMNS, _MOST_TOGETHER = 8, 3
# An option names the column; or its name, or its content.
Reason: TypeAlias = Literal["option", "name", "structure"]


@dataclass(frozen=True)
class Found:
    """The column of a role, and the reason."""

    heading: str
    reason: Reason

    @property
    def written(self) -> str:
        """The column, and the reason if neither an option nor its name is it."""
        return f"{self.heading} (by its values)" if self.reason == "structure" else self.heading


@dataclass(frozen=True)
class Roles:
    """Columns by role, with the reason for each, and the columns of outputs.

    Columns to `skip` have no role. `outputs` maps each model, or "" for the model that a row names,
    to its columns by content: None for labels, values or texts, a class for its probabilities, the
    name of a score.
    """

    found: Mapping[str, Found] = field(default_factory=dict)
    skip: Collection[str] = ()
    outputs: Mapping[str, Outputs] = field(default_factory=dict)
    scored: bool = False
    wide: bool = False  # each model has its own columns
    left_out: tuple[str, ...] = ()

    @classmethod
    def given(cls, **columns: str | None) -> Roles:
        """Return the columns that options name, by role; None leaves a role to be solved."""
        return cls({role: Found(h, "option") for role, h in columns.items() if h is not None})

    def __getitem__(self, role: str) -> str | None:
        """Return the column of a role, or None."""
        return self.found[role].heading if role in self.found else None

    def of(self, *roles: str) -> list[str]:
        """Return the columns of those roles that have one."""
        return [self.found[role].heading for role in roles if role in self.found]

    @property
    def columns(self) -> list[str]:
        """The columns that have a role."""
        return [each.heading for each in self.found.values()]

    @property
    def needed(self) -> list[str]:
        """The columns of the truth and of all outputs."""
        outputs = [column for columns in self.outputs.values() for column in columns.values()]
        return [*self.of("truth"), *outputs]

    def adding(self, role: str, heading: str, reason: Reason) -> Roles:
        """Return the assignment with the column of another role."""
        return replace(self, found={**self.found, role: Found(heading, reason)})

    def without(self, role: str) -> Roles:
        """Return the assignment in which a role has no column."""
        return replace(self, found={r: each for r, each in self.found.items() if r != role})


@dataclass(frozen=True)
class Candidate:
    """A column that may have a role, in its table, beside the roles that are known."""

    seen: Profile
    heading: str
    role: Role
    known: Roles
    reason: Reason = "name"

    @property
    def columns(self) -> list[str]:
        """The column, or those that the heading joins."""
        return self.seen.joined(self.heading)


Rivals: TypeAlias = Iterator[Candidate]


def only(refusal: Callable[[Candidate, Candidate], str]) -> Callable[[Candidate, Rivals], bool]:
    """Choose the only column; of several, refuse two in the words of a refusal."""

    def accepts(first: Candidate, rivals: Rivals) -> bool:
        for other in rivals:
            raise ValueError(refusal(first, other))
        return True

    return accepts


@dataclass(frozen=True, kw_only=True)
class Role:
    """The role of a column.

    Parameters
    ----------
    name : str
        Its name, as in the line that describes how a source was read.
    option : str
        The option of `Columns` that names the column.
    usual : tuple of str
        Usual names, the most usual first.
    fits : callable
        Whether the structure of a column with a usual name fits, given the roles assigned before.
    others : tuple of str, optional
        Names of columns that have the role if their structure shows it; None for any name.
    shows : callable
        Whether the structure of a column without a usual name shows the role.
    joins : callable, optional
        Whether a column may have the role together with others, as ``date+place``. Of several
        columns the fewest have the role that show it together.
    accepts : callable
        Whether the first candidate has the role, given its rivals, which may be refused.
    shares : bool
        Whether its column may be named by the option of another role, as ids for clusters.
    assigns : callable, optional
        Assignment of the role to any number of columns, ``f(seen, known, candidates)``, where not
        the first candidate alone has it.
    """

    name: str
    option: str = ""
    usual: tuple[str, ...] = ()
    fits: Callable[[Candidate], bool] = lambda _: True
    others: tuple[str, ...] | None = ()
    shows: Callable[[Candidate], bool] = lambda _: True
    joins: Callable[[Candidate], bool] | None = None
    accepts: Callable[[Candidate, Rivals], bool] = lambda *_: True
    shares: bool = False
    assigns: Callable[[Profile, Roles, Sequence[str]], Roles] | None = None


def candidates(seen: Profile, role: Role, known: Roles) -> Rivals:
    """Yield columns that may have a role: the most usual names that fit, or else by structure."""
    taken = {*known.skip, *known.columns} | (set() if role.shares else seen.named)
    usual = [h for h in names.named(seen.headings, role.usual) if h not in taken]
    fits = False
    for heading in usual:
        named = Candidate(seen, heading, role, known)
        if role.fits(named):
            fits = True
            yield named
    if fits or role.others == ():
        return
    taken.update(usual)
    free = seen.headings if role.others is None else names.named(seen.headings, role.others)
    others = (Candidate(seen, h, role, known, "structure") for h in free if h not in taken)
    yield from filter(role.shows, others if role.joins is None else _joined(role.joins, others))


def _joined(joins: Callable[[Candidate], bool], others: Iterable[Candidate]) -> Rivals:
    """Yield columns that may have a role together, the fewest first."""
    some = [*filter(joins, others)][:_MOST_COLUMNS]
    for size in range(1, _MOST_TOGETHER + 1):
        for several in combinations(some, size):
            yield replace(several[0], heading=AND.join(each.heading for each in several))


def solve(seen: Profile, roles: Iterable[Role], known: Roles | None = None) -> Roles:
    """Assign columns to roles: what options name, then what structure and names show.

    Roles are solved in their order, as the fit of one may depend on those before; no column has two
    of them, and those that are known stay.

    Examples
    --------
    >>> import pandas as pd
    >>> from modelcompare.readers.options import Columns
    >>> frame = pd.DataFrame({"seed": [1, 2], "item": ["a", "b"]})
    >>> seen = Profile(frame, Columns(id="item"), "the table")
    >>> found = solve(seen, [Role(name="id", option="id"), Role(name="run", usual=names.RUN)])
    >>> found.found["id"], found["run"]
    (Found(heading='item', reason='option'), 'seed')
    """
    known = known or Roles()
    for role in (each for each in roles if each.name not in known.found):
        given = getattr(seen.columns, role.option) if role.option else None
        several = candidates(seen, role, known)
        if given is not None:
            known = known.adding(role.name, given, "option")
        elif role.assigns is not None:
            known = role.assigns(seen, known, [each.heading for each in several])
        elif (first := next(several, None)) is not None and role.accepts(first, several):
            known = known.adding(role.name, first.heading, first.reason)
    return known
