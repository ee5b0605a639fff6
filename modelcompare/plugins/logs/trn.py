"""Transcripts of NIST's sclite: ``words of the utterance (utterance_id)`` a line.

usnistgov/SCTK 9688a26, doc/infmts.htm (trn): ``;;`` starts a comment, braces give alternatives and
parentheses optional words; doc/options.htm (-i spu_id): an id is a speaker's code, a hyphen or
underscore, and a number; -s: by default all input is mapped to one case, and so it is here.

## logs

- [sclite](https://github.com/usnistgov/SCTK) | text (`.trn`) | every line ends with
  `(utterance_id)` | the file | folder | utterance; `--groups speaker` where ids begin with it |
  text beside that of the reference file | `modelcompare compare formats/trn/*.trn -m wer`
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from modelcompare.plugins.logs.named_texts import texts_by_name
from modelcompare.readers.content import File
from modelcompare.readers.formats.base import Format
from modelcompare.readers.records import Records

_RECORD = re.compile(r"(?P<text>.*)\((?P<id>[^\s()]+)\)\s*")
_ALTERNATIVES = re.compile(r"\{.*/.*\}|(?<!\S)\(\S+\)(?!\S)")
_SPEAKER = r"(.+)[-_][^-_]+"


def _are_records(file: File) -> bool:
    """Return whether all lines end with an id in parentheses."""
    lines = _lines(file)
    return bool(lines) and all(_RECORD.fullmatch(line) for line in lines.values())


def read_transcripts(files: Sequence[File], *, true: str | None = None) -> Records:
    """Read rows by utterance; names, or `true`, show which file is the reference."""
    records = texts_by_name(files, [*map(_texts, files)], true=true)
    speakers = records.frame["id"].str.extract(_SPEAKER, expand=False)
    beside = pd.DataFrame({"speaker": speakers}) if speakers.notna().all() else None
    return replace(records, beside=beside)


def _lines(file: File) -> dict[int, str]:
    """Return the lines that are records, by number."""
    numbered = enumerate(file.payload, start=1)
    return {n: line for n, line in numbered if line.strip() and not line.startswith(";;")}


def _texts(file: File) -> pd.Series[str]:
    texts: dict[str, str] = {}
    for number, line in _lines(file).items():
        found = _RECORD.fullmatch(line)
        if found is None:
            raise ValueError(f"{file.name}: line {number} does not end with an (utterance_id).")
        text, name = found["text"].strip().lower(), found["id"].lower()
        if _ALTERNATIVES.search(text):
            raise ValueError(
                f"{file.name}: line {number} has alternative or optional words, which are scored "
                "by sclite only; keep one wording."
            )
        if name in texts:
            raise ValueError(f"{file.name}: line {number} repeats the utterance {name}.")
        texts[name] = text
    return pd.Series(texts, dtype=object)


FORMAT = Format(
    "sclite transcripts", frozenset({"text"}), read_transcripts, looks_like=_are_records,
    truth_is_a_file=True,
)  # fmt: skip
