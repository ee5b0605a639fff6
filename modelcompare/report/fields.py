"""Fields of results: declared once, for the class, its frames, tables, JSON and schema.

The values of a document are the dataclass fields of its result, unless they are `HIDDEN`, and what
is declared by `member`; a field of frames is declared with its columns. Names that many results
share have their meaning here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from operator import attrgetter
from typing import Any, Literal, TypeVar

# Format and alignment of the cells of a column.
Kind = Literal[
    "text",  # one name
    "label",  # a class, or what else the data hold
    "class",  # a class, which a terminal writes as a heading above its rows
    "leader",  # what rows are about, such as their leader, written in the heading too
    "model_a", "model_b",  # the sides of a difference a - b
    "value",  # a metric and a class
    "slice",  # a variable and its value, written as a heading too
    "estimate",  # a number with as many decimals as its row bears
    "difference",  # the same with its sign
    "interval",  # two ends
    "ranks",  # the lowest and the highest
    "p-value",
    "share",  # a fraction, written as a percentage
    "count",
    "size",  # a number by its three leading digits
    "setting",  # a number as it was given
    "given",  # a name, a text or a number that the data hold
    "flag",  # yes or no
]  # fmt: skip
HEADING: frozenset[Kind] = frozenset({"class", "leader", "slice"})
RIGHT: frozenset[Kind] = frozenset({"estimate", "difference", "share", "count", "size", "setting"})


@dataclass(frozen=True)
class Field:
    """A column of a frame, or a value.

    Attributes
    ----------
    name : str
        Its name in frames, CSV and JSON.
    kind : str, optional
        Meaning, which sets format, alignment and JSON type; by default that of a shared name.
    title : str
        Heading in tables; by default the name in words.
    json : str
        JSON type by its name in `schema`, if it does not follow from `kind`.
    optional : bool
        Whether documents may lack it.
    shown : bool
        Whether it is in the table of its whole frame.
    """

    name: str
    kind: Kind | None = None
    title: str = ""
    json: str = ""
    optional: bool = False
    shown: bool = True

    @property
    def meaning(self) -> Kind:
        """Kind, that of the shared name unless one is given."""
        return self.kind or FIELDS.get(self.name, self).kind or "text"

    @property
    def heading(self) -> str:
        """Title, that of the shared name unless one is given; or the name in words."""
        shared = self.title or FIELDS.get(self.name, self).title
        return shared or self.name.removeprefix("n_").replace("_", " ")

    @property
    def json_kind(self) -> str:
        """JSON type, by its name in `schema`."""
        return self.json or FIELDS.get(self.name, self).json or self.meaning


# Names that several results have. Others are declared where they are, or are texts.
FIELDS: Mapping[str, Field] = {
    each.name: each
    for each in (
        Field("label", "label", "class"), Field("model_a", "model_a"), Field("model_b", "model_b"),
        Field("y_true", "given", "truth"), Field("better", json="text or none"),
        Field("ci_low", "estimate"), Field("ci_high", "estimate"), Field("low", "estimate"),
        Field("high", "estimate"), Field("estimate", "estimate", "value"),
        Field("mean", "estimate"), Field("standard_error", "estimate"),
        Field("samples_ratio", "estimate"), Field("worst", "estimate"),
        Field("difference", "difference", "a - b"), Field("gain", "difference"),
        Field("lead", "difference"), Field("p_value", "p-value", "p"),
        Field("p_adjusted", "p-value"), Field("p_a", "share"), Field("p_b", "share"),
        Field("power", "share"), Field("share", "share"), Field("n", "count"),
        Field("n_bins", "count"), Field("n_pairs", "count"),
        Field("n_samples", "count", "n"), Field("n_undefined", "count"),
        Field("rank", "count", json="count or none"),
        Field("rank_low", "count", json="count or none"),
        Field("rank_high", "count", json="count or none"), Field("detectable", "size"),
        Field("statistic", "size"), Field("level", "setting"), Field("margin", "setting"),
        Field("ratio", "setting"), Field("agree", "flag"),
    )
}  # fmt: skip


@dataclass(frozen=True)
class Member:
    """A member of a JSON document: a value, or a frame with its columns.

    Attributes
    ----------
    name : str
        Its name; by default that of the attribute.
    columns : tuple of Field
        Columns of a frame; none for a value.
    kind : str, optional
        Meaning of a value, as in `Field`; by default that of a shared name, or of the type.
    optional : bool
        Whether documents may lack it.
    after, before : str
        Member beside which it is written; by default fields come first, and then properties.
    in_row : bool
        Whether it is in the frame of one row, if a result has one.
    source : str
        The attribute or method that gives it, such as ``evidence.n_samples``.
    json : str
        JSON type of a value, if it does not follow from the declared type.
    rows_of : type, optional
        Result whose values are the columns of a frame.
    """

    name: str = ""
    columns: tuple[Field, ...] = ()
    kind: Kind | None = None
    optional: bool = False
    after: str = ""
    before: str = ""
    in_row: bool = True
    source: str = ""
    json: str = ""
    rows_of: type | None = None

    @property
    def is_frame(self) -> bool:
        """True for frames, False for values."""
        return bool(self.columns) or self.rows_of is not None

    def of(self, result: object) -> Any:
        """Take it from a result: of a frame the columns that are declared."""
        found = attrgetter(self.source)(result)
        found = found() if callable(found) else found
        here = [each.name for each in self.columns if each.name in found or not each.optional]
        return found[here] if self.columns else found


Declared = TypeVar("Declared", bound=Callable[..., Any])
# Metadata of a dataclass field that is in no document.
HIDDEN: Mapping[str, Member | None] = {"member": None}


def columns(*names: str | Field) -> tuple[Field, ...]:
    """Return the columns of a frame; a name is enough for one that has a shared meaning."""
    return tuple(Field(each) if isinstance(each, str) else each for each in names)


def names_of(columns: Iterable[Field]) -> list[str]:
    """Return the names of columns, as those of a frame."""
    return [each.name for each in columns]


def frame(*names: str | Field, **options: Any) -> Mapping[str, Member]:
    """Return the metadata of a dataclass field that is a frame of these columns.

    >>> frame("model", Field("worst", "estimate"))["member"].columns[1].meaning
    'estimate'
    """
    return {"member": Member(columns=columns(*names), **options)}


def value(**options: Any) -> Mapping[str, Member]:
    """Return the metadata of a dataclass field that is a value, with options of `Member`."""
    return {"member": Member(**options)}


def members_from(owner: str, *names: str) -> tuple[Member, ...]:
    """Return values that an attribute of the result has."""
    return tuple(Member(each, source=f"{owner}.{each}") for each in names)


def member(*names: str | Field, **options: Any) -> Callable[[Declared], Declared]:
    """Mark a property or method as a member: a value, or a frame of these columns."""
    made = Member(columns=columns(*names), **options)

    def mark(function: Declared) -> Declared:
        vars(function)["member"] = made
        return function

    return mark


@cache
def members_of(kind: type) -> tuple[Member, ...]:
    """Return the members of a result's document, in their order: values, then frames.

    They are its fields, its `_members`, what it marks by `member`, and the signature.
    """
    found = {each.name: each.metadata.get("member", Member()) for each in fields(kind)}
    found |= {each.source: each for each in getattr(kind, "_members", ())}
    for base in reversed(kind.__mro__):
        for name, attribute in vars(base).items():
            function = getattr(attribute, "fget", getattr(attribute, "func", attribute))
            if isinstance(marked := getattr(function, "member", None), Member):
                found[name] = marked
    found["signature"] = Member(in_row=False)
    named = [
        replace(each, name=each.name or key, source=each.source or key)
        for key, each in found.items() if each is not None
    ]  # fmt: skip

    def with_neighbours(here: Member) -> Iterator[Member]:
        for each in named:
            if each.before == here.name:
                yield from with_neighbours(each)
        yield here
        for each in named:
            if each.after == here.name:
                yield from with_neighbours(each)

    placed = (each for each in named if not (each.after or each.before))
    order = (each for here in placed for each in with_neighbours(here))
    return tuple(sorted(order, key=lambda each: each.is_frame))
