"""Names and labels that differ from known ones only in spelling, and suggestions for them."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Callable, Hashable, Iterable, Sequence
from decimal import Decimal, InvalidOperation
from fnmatch import fnmatchcase
from typing import Any

# Cyrillic letters, Greek letters, dashes and quotes that look like ASCII characters.
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
# Characters without a width that are not format characters in Unicode.
_UNSEEN = frozenset("\u034f\u115f\u1160\u3164\uffa0" + "".join(map(chr, range(0xFE00, 0xFE10))))
# Up to so many names are all listed.
_FEW_NAMES = 10


def _without_blanks(label: Any) -> str:
    return " ".join(str(label).split())


def look(label: Any) -> str:
    r"""Return the appearance of a label: the same text for characters that look the same.

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


def in_one_case(label: Any) -> str:
    """Return the appearance of a label in lower case."""
    return look(label).casefold()


def _as_number(label: Any) -> Hashable:
    try:
        return Decimal(in_one_case(label)).normalize()
    except InvalidOperation:
        return in_one_case(label)


def _as_truth_value(label: Any) -> Hashable:
    return {"true": Decimal(1), "false": Decimal(0)}.get(in_one_case(label), _as_number(label))


_LOOK_ALIKE = "they look alike"
# Differences between labels of the same meaning; each row ignores more than the one before.
_WAYS: tuple[tuple[str, Callable[[Any], Hashable]], ...] = (
    ("one is a text, the other is not", str),
    ("they differ in blanks", _without_blanks),
    (_LOOK_ALIKE, look),
    ("they differ in case", in_one_case),
    ("they differ in how a number is written", _as_number),
    ("they differ in how a truth value is written", _as_truth_value),
)


def nearest(text: str, known: Sequence[str], *, cutoff: float, most: int = 3) -> list[str]:
    """Return names close to a text: that begin with it, contain it, or are spelled similarly.

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


def did_you_mean(names: Sequence[str], *, otherwise: str = "") -> str:
    """Return a question with the names that may be meant, or another hint if there is none.

    Examples
    --------
    >>> did_you_mean(["compare", "groups", "ranks"])
    'did you mean compare, groups or ranks?'
    """
    if not names:
        return otherwise
    *others, last = names
    return f"did you mean {', '.join(others)}{' or ' if others else ''}{last}?"


def _place_in(part: str, name: str) -> int:
    """Return 0 if a part begins a name, 1 if it begins a word in it, else 2."""
    if name.startswith(part):
        return 0
    return 1 if re.search(rf"[\W_]{re.escape(part)}", name) else 2


def twins(unknown: Iterable[Any], known: Iterable[Any]) -> dict[Any, tuple[Any, str]]:
    """Return the known label, and the difference, of each label that is spelled differently.

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
    """Return a label as code; of labels that look the same, with escaped characters."""
    return ascii(label) if how == _LOOK_ALIKE else repr(label)


def lookalikes(labels: Iterable[Any]) -> list[tuple[str, str]]:
    """Return pairs of different texts that look the same, each as code.

    Examples
    --------
    >>> lookalikes(["cat", "cat ", "Cat", "dog"])
    [("'cat'", "'cat '")]
    """
    first: dict[str, str] = {}
    texts = [label for label in labels if isinstance(label, str)]
    known = [(first.setdefault(look(text), text), text) for text in texts]
    return [(ascii(one), ascii(other)) for one, other in known if one != other]


def shift(unknown: Iterable[Any], known: Iterable[Any]) -> int:
    """Return the offset of whole numbers from the known ones, +1 or -1; 0 if it is neither.

    Examples
    --------
    >>> shift([1, 2, 3], [0, 1, 2])
    1
    """
    labels, places = {*unknown}, {*known}
    if not all(isinstance(label, int) and not isinstance(label, bool) for label in labels | places):
        return 0
    if labels <= places or len(labels) < 2:
        return 0
    return next((by for by in (1, -1) if {label - by for label in labels} <= places), 0)


def remedy(unknown: Iterable[Any], known: Iterable[Any]) -> str:
    """Suggest a remedy for labels that are known ones spelled differently; else an empty text."""
    unknown, known = list(unknown), list(known)
    for label, (other, how) in twins(unknown, known).items():
        pair = f"{written(label, how)} looks like {written(other, how)}"
        return f"{pair} ({how}); write them the same way"
    if shift(unknown, known):
        return "they are off by one; count both from 0, or both from 1"
    return ""


def chosen(
    available: Sequence[str], wanted: Sequence[str] | None, where: str, what: str = "model"
) -> list[str]:
    """Return the wanted models, or scores, by name or by a pattern with ``*``; all if None.

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
            known = meant(name, available) or "none"
            raise ValueError(f"{where}: there is no {what} {name!r}; there are {known}.")
        found |= dict.fromkeys(fitting)
    return [*found]


def meant(name: str, available: Sequence[str]) -> str:
    """Return the names that may be meant, as text: all of a few, the nearest of many.

    Examples
    --------
    >>> meant("densenet", ["lenet5", "densenet_bc_100", "densenet_bc_40"])
    'lenet5, densenet_bc_100, densenet_bc_40'
    """
    if len(available) <= _FEW_NAMES:
        return ", ".join(available)
    near = nearest(name, available, cutoff=0.4, most=_FEW_NAMES) or available[:_FEW_NAMES]
    return f"{', '.join(near)}, ... ({len(available):,} in all)"
