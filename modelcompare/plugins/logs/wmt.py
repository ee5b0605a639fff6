"""Scores of machine translation as WMT keeps them: ``SYSTEM SCORE`` lines, a block a system.

google-research/mt-metrics-eval 68a481a: README.md (File organization) gives the names
``SRC-TGT.NAME.LEVEL.score`` of human scores and ``SRC-TGT/NAME-REF.LEVEL.score`` of metrics, with
None for missing scores; data.py (ReadScoreFile, ParseHumanScoreFilename) reads them.

## logs

- [WMT metrics](https://github.com/google-research/mt-metrics-eval) | `.seg.score`, `.doc.score` |
  lines of a system and a score, in a file so named | the system | language pair in the name or
  folder | line number within the system | the metric in the file's name; `None` is missing |
  `modelcompare compare formats/wmt/human-scores`
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import pandas as pd

from modelcompare.data.checks import warn_of_data
from modelcompare.readers.content import File
from modelcompare.readers.formats.base import Format
from modelcompare.readers.records import SCORE, Records

_N_LOOKED_AT = 50
_NAME = re.compile(r"(?P<name>.+)\.(?P<level>sys|doc|seg)\.score(?:\.gz)?")
_PAIR = re.compile(r"[a-z]{2,3}(_[A-Za-z]+)?-[a-z]{2,3}(_[A-Za-z]+)?")


def read_scores(files: Sequence[File]) -> Records:
    """Read rows by system and segment number; a score for each file of one pair.

    Segments without a score of any system are left out with a warning.
    """
    names = [_pair_and_name(file) for file in files]
    pairs = _language_pairs(files, [pair for pair, _ in names])
    scores: dict[str | None, dict[str, pd.Series[float]]] = {}
    for file, pair, (_, name) in zip(files, pairs, names, strict=True):
        of_pair = scores.setdefault(pair, {})
        if SCORE + name in of_pair:
            raise ValueError(
                f"{file.name}: several files give {name} of {pair or 'one test set'}; name one "
                "test set at a time."
            )
        of_pair[SCORE + name] = _blocks(file)
    frames = {pair: _rated_segments(_join_scores(found), pair) for pair, found in scores.items()}
    frame = frames[None] if [*frames] == [None] else pd.concat(frames, names=["set"])
    return Records(frame=frame.reset_index(), kind="scores")


def _score(line: str) -> tuple[str, float] | None:
    """Return the system and the score of a line; None if it is no such line."""
    try:
        system, score = line.split()
        return system, math.nan if score == "None" else float(score)
    except ValueError:
        return None


def _language_pairs(files: Sequence[File], named: list[str | None]) -> list[str | None]:
    """Return each file's language pair; a single known pair is that of all files."""
    known = {pair for pair in named if pair is not None}
    if len(known) < 2:
        return [next(iter(known), None)] * len(files)
    if None in named:
        name = files[named.index(None)].name
        raise ValueError(
            f"{name} does not name its language pair ({', '.join(sorted(known))}); keep it in a "
            f"folder of that name."
        )
    return named


def _pair_and_name(file: File) -> tuple[str | None, str]:
    """Return the language pair, from file name or folder, and the score's name."""
    found, folder = _NAME.fullmatch(file.name), file.path.parent.name
    stem = found["name"] if found else file.name
    first, dot, rest = stem.partition(".")
    if dot and _PAIR.fullmatch(first):
        return first, rest
    return folder if _PAIR.fullmatch(folder) else None, stem


def _blocks(file: File) -> pd.Series[float]:
    """Return scores by system and segment number."""
    rows = [_score(line) for line in file.payload]
    if None in rows:
        raise ValueError(
            f"{file.name}: line {rows.index(None) + 1} is not a system and its score, or None for "
            "a missing one."
        )
    found = pd.DataFrame(rows, columns=["model", "score"])
    sizes = found.groupby("model", sort=False).size()
    for system in sizes.index[sizes != sizes.iloc[0]][:1]:
        raise ValueError(
            f"{file.name}: {sizes.index[0]} has {sizes.iloc[0]:,} scores and {system} has "
            f"{sizes[system]:,}; write None for those that are missing."
        )
    if sizes.iloc[0] == 1:
        raise ValueError(
            f"{file.name}: every system has a single score; name the file of the segments' scores "
            "(.seg.score)."
        )
    numbers = found.groupby("model").cumcount() + 1
    return found.assign(id=numbers).set_index(["model", "id"])["score"]


def _join_scores(scores: dict[str, pd.Series[float]]) -> pd.DataFrame:
    """Join columns of scores over all systems and segments."""
    sizes = {name.removeprefix(SCORE): found.index.levels[1].size for name, found in scores.items()}
    (first, size), *others = sizes.items()
    for name, other in others:
        if other != size:
            raise ValueError(
                f"{first} scores {size:,} segments and {name} {other:,}; name files of one test "
                "set."
            )
    return pd.concat(scores, axis="columns", sort=False)


def _rated_segments(frame: pd.DataFrame, pair: str | None) -> pd.DataFrame:
    """Return the segments for which some system has each score."""
    has_all = frame.notna().groupby(level="id").any()
    unrated = has_all.index[~has_all.all(axis="columns")]
    if len(unrated) == len(has_all):
        raise ValueError(
            f"no segment of {pair or 'the test set'} has all scores; name one file of scores."
        )
    if len(unrated):
        lacked = [str(name).removeprefix(SCORE) for name in has_all.columns[~has_all.all()]]
        warn_of_data(
            f"left out {len(unrated):,} of {len(has_all):,} segments of {pair or 'the test set'}: "
            f"no system has {' and '.join(lacked)} for them.",
        )
    return frame[~frame.index.isin(unrated, level="id")]


def _are_scores(file: File) -> bool:
    """Return whether a file is named a score and starts with lines of a name and a number."""
    head = file.payload[:_N_LOOKED_AT]
    return bool(_NAME.fullmatch(file.name) and head and all(map(_score, head)))


FORMAT = Format("WMT scores", frozenset({"text"}), read_scores, looks_like=_are_scores)
