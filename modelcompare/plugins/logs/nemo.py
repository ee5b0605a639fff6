"""Manifests of speech recognition: JSON lines with ``audio_filepath``, ``text``, ``pred_text``.

NVIDIA/NeMo f59d320, nemo/collections/asr/parts/utils/transcribe_utils.py (write_transcription:
``pred_text``, or ``pred_text_MODEL`` beside those of other models with append_pred);
huggingface/open_asr_leaderboard d1e99b2, normalizer/eval_utils.py (write_manifest: the same fields
in a file ``MODEL_<model>_DATASET_<set>_<split>.jsonl``).

## logs

- [NeMo](https://github.com/NVIDIA/NeMo) | JSON lines (`.json`, `.jsonl`) | fields `audio_filepath`
  and `pred_text` | the file, or `pred_text_MODEL` for each | | audio file's name, with `offset`
  where it repeats | `pred_text` beside `text` | `modelcompare compare formats/manifests -m wer`
- [Open ASR Leaderboard](https://github.com/huggingface/open_asr_leaderboard) |
  `MODEL_*_DATASET_*.jsonl` | the same | the file's name | the file's name | the same | the same |
  `modelcompare compare formats/manifests/*.jsonl -m wer`
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from itertools import count

import numpy as np
import pandas as pd

from modelcompare.data.checks import refuse_rows
from modelcompare.readers.content import File, file_stem
from modelcompare.readers.formats.base import Format, each
from modelcompare.readers.records import Records

_AUDIO, _TEXT, _PRED_TEXT = "audio_filepath", "text", "pred_text"
_LEADERBOARD = re.compile(r"MODEL_(?P<model>.+)_DATASET_(?P<set>.+)")


def read_manifests(files: Sequence[File]) -> Records:
    """Read rows by audio file, and by offset where an audio file has several rows.

    A model is named if its column or all files name it.
    """
    of_leaderboard = all(_LEADERBOARD.fullmatch(file_stem(file.path)) for file in files)
    several = any([*_transcripts(file.payload.columns)] != [_PRED_TEXT] for file in files)
    read_one = partial(_records, of_leaderboard=of_leaderboard, is_named=several)
    return each(read_one)(files)


def _transcripts(columns: Sequence[str]) -> dict[str, str]:
    """Return the columns of transcripts, and the models that they name."""
    return {
        name: name.removeprefix(_PRED_TEXT).removeprefix("_")
        for name in columns
        if name == _PRED_TEXT or name.startswith(f"{_PRED_TEXT}_")
    }


def _records(file: File, *, of_leaderboard: bool, is_named: bool) -> Records:
    frame, stem = file.payload, file_stem(file.path)
    unread = frame[_TEXT].isna() if _TEXT in frame.columns else np.ones(len(frame), dtype=bool)
    refuse_rows(
        np.asarray(unread), f"{file.name} lacks the field text, the reference",
        "NeMo keeps it where it transcribes a dataset_manifest",
    )  # fmt: skip
    found = _LEADERBOARD.fullmatch(stem) if of_leaderboard else None
    named_by_file = found.groupdict() if found else {"model": stem} if is_named else {}
    transcripts = _transcripts(frame.columns)
    beside = frame.drop(columns=[_AUDIO, _TEXT, *transcripts])
    same = pd.DataFrame({"id": _ids(file), "y_true": frame[_TEXT]}).assign(**named_by_file)
    parts = [
        same.assign(y_pred=frame[column], **({"model": named} if named else {}))
        for column, named in transcripts.items()
    ]
    return Records(
        frame=pd.concat(parts, ignore_index=True),
        beside=pd.concat([beside] * len(parts), ignore_index=True),
        kind="texts",
    )


def _ids(file: File) -> pd.Series[str]:
    """Return the shortest distinct ends of paths, with offsets for files of several rows."""
    frame = file.payload
    paths = frame[_AUDIO].astype(str).str.replace("\\", "/")
    parts = paths.str.split("/")
    ends = (parts.str[-depth:].str.join("/") for depth in count(1))
    audio = next(names for names in ends if names.nunique() == paths.nunique())
    if audio.is_unique:
        return audio
    return audio + "@" + frame["offset"].astype(str) if "offset" in frame.columns else audio


FORMAT = Format(
    "NeMo manifest", frozenset({"jsonl"}), read_manifests, fields=frozenset({_AUDIO}),
    looks_like=lambda file: bool(_transcripts(file.payload.columns)),
)  # fmt: skip
