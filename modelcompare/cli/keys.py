"""Keys of ``--read KEY=VALUE``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, get_origin

from modelcompare.cli.options import Texts, key_of
from modelcompare.options import Option
from modelcompare.spelling import did_you_mean, nearest
from modelcompare.words import check_choice


def key_and_value(key: Option) -> str:
    """Return a key with its value as ``--read`` takes it."""
    return key_of(key) if key.type is bool else f"{key_of(key)}={key.metavar}"


def keyed(keys: Sequence[Option], texts: Sequence[str], beside: Sequence[str]) -> dict[str, Any]:
    """Return the values of ``--read KEY=VALUE``, defaults where nothing is given.

    The name of an option `beside` is answered by that option.
    """
    known = {key_of(key): key for key in keys}
    flags = {key.name.replace("_", "-"): flag for flag, key in known.items()}
    found: dict[str, list[str]] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        typed = name.strip().replace("_", "-")
        name = flags.get(typed, typed)  # the library's name of an option, as in model=agent
        if name not in known:
            if f"--{name}" in beside:
                raise ValueError(f"--read has no key {name!r}; write --{name} {value}.")
            near = nearest(name, [*known], cutoff=0.5, most=2)
            hint = did_you_mean(near, otherwise=f"it has {', '.join(known)}.")
            raise ValueError(f"--read has no key {name!r}; {hint}")
        if bool(equals) == (known[name].type is bool):
            raise ValueError(f"--read {text}: write --read {key_and_value(known[name])}.")
        found.setdefault(name, []).append(value)
    return {key.name: _value(key, found.get(key_of(key), [])) for key in keys}


def _value(key: Option, texts: list[str]) -> Any:
    """Return the value of a key from its texts."""
    if not texts:
        return key.default
    if key.type == Texts:
        return texts
    name = f"--read {key_of(key)}"
    if len(texts) > 1:
        raise ValueError(f"{name} is given {len(texts)} times; give it once.")
    if key.type is bool:
        return True
    if get_origin(key.type) is Literal:
        check_choice(name, texts[0], choices=key.type)
    return Path(texts[0]) if key.type == Path | None else texts[0]
