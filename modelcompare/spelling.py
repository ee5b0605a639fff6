"""Names and labels that differ from the known ones in their writing alone: what may be meant."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Callable, Hashable, Iterable, Sequence
from decimal import Decimal, InvalidOperation
from fnmatch import fnmatchcase
from typing import Any

# Cyrillic letters, Greek letters, dashes and quotes that look like signs of ASCII.
_CYRILLIC = (
    "\u0430\u0435\u043e\u0440\u0441\u0445\u0443\u0456\u0458\u0455\u0501\u04bb\u051b\u051d\u04cf"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0423\u0406\u0408\u0405"
)
_GREEK = (
    "\u03bf\u03b1\u03bd\u03c1\u03b9\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f"
    "\u03a1\u03a4\u03a5\u03a7"
)
_SIGNS = "\u2010\u2011\u2012\u2013\u2014\u2212\u2018\u2019\u02bc\u201c\u201d"
_ALIKE = str.maketrans(
    _CYRILLIC + _GREEK + _SIGNS,
    "aeopcxyijsdhqwlABEKMHOPCTXYIJSoavpiABEZHIKMNOPTYX" + "-" * 6 + "'" * 3 + '"' * 2,
)
# Signs without a width that are no format characters to Unicode.
_UNSEEN = frozenset("\u034f\u115f\u1160\u3164\uffa0" + "".join(map(chr, range(0xFE00, 0xFE10))))
# So many names are listed whole.
_FEW_NAMES = 10


def _without_blanks(label: Any) -> str:
    return " ".join(str(label).split())


def look(label: Any) -> str:
    r"""Return the look of a label, whatever characters it is made of.

    Examples
    --------
    >>> look("caf\u00e9") == look("cafe\u0301 "), look("c\u0430t\u200b"), look("Cat")
    (True, 'cat', 'Cat')
    """
    text = str(label)
    if text.isascii():
        return _without_blanks(text)
    plain = unicodedata.normalize("NFKC", text).translate(_ALIKE)
    seen = (sign for sign in plain if unicodedata.category(sign) != "Cf" and sign not in _UNSEEN)
    return _without_blanks("".join(seen))


def _in_one_case(label: Any) -> str:
    return look(label).casefold()


def _as_number(label: Any) -> Hashable:
    try:
        return Decimal(_in_one_case(label)).normalize()
    except InvalidOperation:
        return _in_one_case(label)


def _as_truth_value(label: Any) -> Hashable:
    return {"true": Decimal(1), "false": Decimal(0)}.get(_in_one_case(label), _as_number(label))


_LOOK_ALIKE = "they look alike"
# How labels may differ and mean the same, each row forgiving more than the one before.
_WAYS: tuple[tuple[str, Callable[[Any], Hashable]], ...] = (
    ("one is a text, the other is not", str),
    ("they differ in blanks", _without_blanks),
    (_LOOK_ALIKE, look),
    ("they differ in case", _in_one_case),
    ("they differ in how a number is written", _as_number),
    ("they differ in how a truth value is written", _as_truth_value),
)


def nearest(text: str, known: Sequence[str], *, cutoff: float, most: int = 3) -> list[str]:
    """Names that a text may stand for: it begins them, or a word in them, or is in them, or alike.

    Examples
    --------
    >>> nearest("acc", ["mcc", "jaccard", "balanced_accuracy", "accuracy"], cutoff=0.5)
    ['accuracy', 'balanced_accuracy', 'jaccard']
    """
    sought = text.casefold()
    inside = [name for name in known if sought and sought in name.casefold()]
    inside.sort(key=lambda name: (_place_in(sought, name.casefold()), len(name)))
    alike = difflib.get_close_matches(text, known, n=3, cutoff=cutoff)
    return list(dict.fromkeys([*inside, *alike]))[:most]


def _place_in(part: str, name: str) -> int:
    """0 at the beginning of a name, 1 at that of a word in it, 2 elsewhere."""
    if name.startswith(part):
        return 0
    return 1 if re.search(rf"[\W_]{re.escape(part)}", name) else 2


def twins(unknown: Iterable[Any], known: Iterable[Any]) -> dict[Any, tuple[Any, str]]:
    """For each label that is a known one written otherwise: that one, and how they differ.

    Examples
    --------
    >>> twins(["yes", "01", "other"], ["Yes", "1"])
    {'yes': ('Yes', 'they differ in case'), '01': ('1', 'they differ in how a number is written')}
    """
    found: dict[Any, tuple[Any, str]] = {}
    known = list(known)
    unknown = [label for label in unknown if label not in {*known}]
    for how, written in _WAYS:
        places = {written(label): label for label in reversed(known)}
        for label in unknown:
            if label not in found and written(label) in places:
                found[label] = places[written(label)], how
    return {label: found[label] for label in unknown if label in found}


def written(label: Any, how: str) -> str:
    """A label as code, in which what looks like another is told apart by its characters."""
    return ascii(label) if how == _LOOK_ALIKE else repr(label)


def alike(labels: Iterable[Any]) -> list[tuple[str, str]]:
    """Pairs of texts that differ and look alike, each as code.

    Examples
    --------
    >>> alike(["cat", "cat ", "Cat", "dog"])
    [("'cat'", "'cat '")]
    """
    first: dict[str, str] = {}
    texts = [label for label in labels if isinstance(label, str)]
    known = [(first.setdefault(look(text), text), text) for text in texts]
    return [(ascii(one), ascii(other)) for one, other in known if one != other]


def shift(unknown: Iterable[Any], known: Iterable[Any]) -> int:
    """By how much whole numbers lie off the known ones, +1 or -1; 0 where that explains nothing.

    Examples
    --------
    >>> shift([1, 2, 3], [0, 1, 2])
    1
    """
    said, places = {*unknown}, {*known}
    if not all(isinstance(label, int) and not isinstance(label, bool) for label in said | places):
        return 0
    if said <= places or len(said) < 2:
        return 0
    return next((by for by in (1, -1) if {label - by for label in said} <= places), 0)


def remedy(unknown: Iterable[Any], known: Iterable[Any]) -> str:
    """Suggest what to do where labels are known ones written otherwise, else nothing."""
    unknown, known = list(unknown), list(known)
    for label, (other, how) in twins(unknown, known).items():
        return f"{written(label, how)} looks like {written(other, how)} ({how}); write them alike"
    if shift(unknown, known):
        return "they are off by one; count both from 0, or both from 1"
    return ""


def chosen(available: Sequence[str], wanted: Sequence[str] | None, where: str) -> list[str]:
    """The models that were asked for, by name or by a pattern with ``*``; all if none were.

    Examples
    --------
    >>> chosen(["bert_0", "bert_1", "cnn"], ["bert_*"], "t.csv")
    ['bert_0', 'bert_1']
    """
    if wanted is None:
        return list(available)
    found: dict[str, None] = {}
    for name in wanted:
        fitting = [each for each in available if each == name] or [
            each for each in available if fnmatchcase(each, name)
        ]
        if not fitting:
            raise ValueError(
                f"{where}: there is no model {name!r}; there are {meant(name, available)}."
            )
        found |= dict.fromkeys(fitting)
    return [*found]


def meant(name: str, available: Sequence[str]) -> str:
    """The names that could be meant: all of a few, of many those that are nearest.

    Examples
    --------
    >>> meant("densenet", ["lenet5", "densenet_bc_100", "densenet_bc_40"])
    'lenet5, densenet_bc_100, densenet_bc_40'
    """
    if len(available) <= _FEW_NAMES:
        return ", ".join(available)
    near = nearest(name, available, cutoff=0.4, most=_FEW_NAMES) or available[:_FEW_NAMES]
    return f"{', '.join(near)}, ... ({len(available):,} in all)"
