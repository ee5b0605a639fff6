"""Commands that refusals print, as they can be run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

# A word for what the user must fill in, and an option without its value.
_OPEN = re.compile(r"(?:^|[=,:/ -])[A-Z]{3,}(?:$|[.,: -])|^[A-Z]$")
_VALUELESS = {"--lower-is-better", "--higher-is-better", "--superior", "--equivalent"}


def commands_in(refusal: str, asked: Sequence[str]) -> Iterator[list[str]]:
    """Yield the commands that a refusal of the command `asked` prints.

    These are ``Try: modelcompare ...`` at its end, options in parentheses, which go with what was
    asked, and other commands for the same files in backquotes.
    """
    sentence, _, whole = refusal.partition(" Try: modelcompare ")
    if whole:
        yield shlex.split(whole)
    for options in _in_parentheses(sentence):
        yield [*asked, *options]
    files = [each for each in asked[1:] if not each.startswith("-")][:1]
    # Before rows as an example the command is for another table.
    for command in re.findall(r"`modelcompare ([^`]*)`(?!,? (?:as|with rows) )", sentence):
        words = shlex.split(command)
        if not any(map(_OPEN.search, words)):
            yield [*words, *files]


def _in_parentheses(sentence: str) -> Iterator[list[str]]:
    """Yield options in parentheses that are complete, with quoted values that have parentheses."""
    for start in re.finditer(r"\((?=--)", sentence):
        for end in re.finditer(r"\)", sentence[start.end() :]):
            try:
                words = shlex.split(sentence[start.end() :][: end.start()])
            except ValueError:
                continue
            values = [*words[1:], "--"]
            lacks = [a.startswith("--") and b.startswith("--") and a not in _VALUELESS
                     for a, b in zip(words, values, strict=True)]  # fmt: skip
            if not any(lacks) and not any(map(_OPEN.search, words)):
                yield words
            break
