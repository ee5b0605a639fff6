"""Logs of inspect_ai, as archives (.eval) and as JSON.

Fields as in inspect_ai 0.3.285: ``EvalSpec``, ``EvalSample`` and ``EvalSampleSummary`` in
log/_log.py, members of the archive in log/_recorders/eval.py, letters as `value_to_float` in
scorer/_metric.py (github.com/UKGovernmentBEIS/inspect_ai).

## logs

- [inspect_ai](https://inspect.aisi.org.uk) | `.eval`, `.json` | an archive with `header.json`;
  `eval` and `samples` | `eval.model` | `eval.task` | sample id; epoch is a run, the runs of a
  sample its cluster; a sample and epoch may occur only once | every scorer (C, I, P, N are 1, 0,
  0.5, 0; keys of dicts are `SCORER/KEY`); failed samples are missing | `modelcompare compare
  formats/inspect/*.eval --missing drop`
"""

from __future__ import annotations

import json
import math
import re
import struct
import zipfile
import zlib
from collections import Counter
from typing import Any

import pandas as pd

from modelcompare.data.checks import warn_of_data
from modelcompare.readers.content import File, check_inflation, whole
from modelcompare.readers.formats.base import Format, UnscoredError, cells_of, check_named, keys_of
from modelcompare.readers.formats.rows import of_rows
from modelcompare.readers.messages import listed
from modelcompare.readers.records import SCORE
from modelcompare.readers.tables import lookup
from modelcompare.words import optional

_SIGNATURE = b"PK\x03\x04"
_LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
# Members of a complete archive, and of one whose evaluation has not ended.
_HEADER, _START = "header.json", "_journal/start.json"
_SUMMARIES, _JOURNAL = "summaries.json", re.compile(r"_journal/summaries/(\d+)\.json")
# Fields of a sample, and fields of the specification that all samples share.
_TOLD = ("metadata", "error", "limit", "total_time", "working_time")
# Ends of runs by their status, of which some have no sample or not all.
_ENDED = {"error": "ended in an error", "cancelled": "was cancelled"}
_MOST_OF_ERROR = 100
_OF_ALL = {"model": "model", "set": "task", "solver": "solver", "date": "created"}
# Largest number of planned runs of samples: each of them is a row.
_MOST_PLANNED = 5_000_000
# Length of a member's header, which ends with the lengths of its name and extra field.
_N_MEMBER_HEADER = 30


def _is_log(file: File) -> bool:
    if file.kind == "eval":
        signature = file.payload.read(len(_SIGNATURE))
        file.payload.seek(0)
        return bool(signature == _SIGNATURE)
    spec = lookup(file.payload, ["eval"])
    return _is_specification(spec) and {"status", "plan"} <= {*file.payload}


def _samples(file: File) -> pd.DataFrame:
    log, samples = _of_archive(file) if file.kind == "eval" else _of_document(file)
    spec = log["eval"]
    if not isinstance(samples, list) or not samples:
        raise UnscoredError(f"{file.name}: the log has no samples; evaluate with log_samples.")
    check_named({name: cells_of(samples, name) for name in ("id", "epoch")}, file.name)
    samples = _with_those_not_run(spec, samples, file.name)
    given = cells_of(samples, "scores")
    scores = {SCORE + name: cells_of(given, name, "value") for name in keys_of(given)}
    if ended := _ENDED.get(str(log.get("status"))):
        _report_end(f"{file.name}: this run {ended}", given, lookup(log, ["error", "message"]))
    targets = [
        target if isinstance(target, str) or target is None else json.dumps(target)
        for target in cells_of(samples, "target")
    ]
    told = {name: pd.Series(cells_of(samples, name), dtype=object) for name in _TOLD}
    of_all = {name: [spec.get(key)] * len(samples) for name, key in _OF_ALL.items()}
    keys = {"run": cells_of(samples, "epoch"), "id": cells_of(samples, "id")}
    return pd.DataFrame({**keys, **scores, "target": targets, **told, **of_all})


def _report_end(what: str, given: list[Any], why: Any) -> None:
    """Warn of a run that did not reach its end, or refuse it if it has no scores."""
    n_scored = sum(map(bool, given))
    because = f" ({str(why)[:_MOST_OF_ERROR]})" if why else ""
    what = f"{what} after {n_scored:,} of {len(given):,} samples{because}"
    if not n_scored:
        raise UnscoredError(f"{what}; run it again.")
    warn_of_data(f"{what}; the others are missing results.")


def _with_those_not_run(
    spec: dict[str, Any], samples: list[dict[str, Any]], where: str
) -> list[dict[str, Any]]:
    """Add planned samples that were not run, as in an evaluation that was stopped.

    Ids are compared as texts, as inspect_ai does: 1 in the data set may be "1" in the log.
    """
    ids, epochs = lookup(spec, ["dataset", "sample_ids"]), lookup(spec, ["config", "epochs"])
    ids = ids if isinstance(ids, list) else []
    epochs = epochs if isinstance(epochs, int) else 1
    if epochs * len(ids) > _MOST_PLANNED:
        raise ValueError(
            f"{where}: the log plans {len(ids):,} samples in {epochs:,} epochs; "
            f"at most {_MOST_PLANNED:,} runs are read."
        )
    planned = {
        (str(each), epoch): {"id": each, "epoch": epoch, "error": "not run"}
        for epoch in (range(1, 1 + epochs) if ids else ())
        for each in ids
    }
    run = [(str(sample["id"]), sample["epoch"]) for sample in samples]
    # Nothing determines which of two results for one epoch counts.
    if repeated := [key for key, count in Counter(run).items() if count > 1]:
        held = listed([f"{name!r} in epoch {epoch}" for name, epoch in repeated])
        raise ValueError(
            f"{where}: {len(repeated):,} samples have several results for one epoch ({held});"
            " keep one result for each sample and epoch."
        )
    return [*(planned | dict(zip(run, samples, strict=True))).values()]


def _of_text(text: str) -> float | None:
    """Parse a value as the metrics of inspect_ai do; None where they would take 0."""
    known = _LETTERS.get(text, _WORDS.get(text.lower()))
    if known is not None:
        return known
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _of_document(file: File) -> tuple[dict[str, Any], Any]:
    """Return the header and the samples of a log that is one JSON document."""
    samples = file.payload.get("samples")
    if not isinstance(samples, list):
        return file.payload, samples
    errors = cells_of(samples, "error", "message")
    limits = cells_of(samples, "limit", "type")
    summaries = [
        {**sample, "error": error, "limit": limit} if isinstance(sample, dict) else sample
        for sample, error, limit in zip(samples, errors, limits, strict=True)
    ]
    return file.payload, summaries


def _of_archive(file: File) -> tuple[dict[str, Any], Any]:
    """Return the header and the sample summaries of an archive."""
    with whole(file.name), file.payload, zipfile.ZipFile(file.payload) as archive:
        return _header(file, archive), _summaries(file, archive)


def _header(file: File, archive: zipfile.ZipFile) -> dict[str, Any]:
    start = next((name for name in (_HEADER, _START) if name in archive.namelist()), None)
    header: dict[str, Any] = _member(file, archive, start) if start else {}
    if not _is_specification(lookup(header, ["eval"])):
        raise ValueError(
            f"{file.name}: the archive does not name the model and the task ({_HEADER}), "
            f"so it is no log of inspect_ai; export it again."
        )
    return header


def _is_specification(spec: Any) -> bool:
    return isinstance(spec, dict) and all(isinstance(spec.get(k), str) for k in ("task", "model"))


def _summaries(file: File, archive: zipfile.ZipFile) -> Any:
    """Return the sample summaries in an archive, all or those written so far."""
    names = {*archive.namelist()}
    if _SUMMARIES in names:
        return _member(file, archive, _SUMMARIES)
    parts = [found for found in map(_JOURNAL.fullmatch, names) if found]
    journal = [part[0] for part in sorted(parts, key=lambda part: int(part[1]))]
    return [each for name in journal for each in _member(file, archive, name)]


def _member(file: File, archive: zipfile.ZipFile, name: str) -> Any:
    """Return a parsed member of the archive."""
    info = archive.getinfo(name)
    check_inflation(file.name, info.compress_size, info.file_size)
    try:
        return json.loads(_unpack_member(file, archive, info))
    except (ValueError, OSError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(
            f"{file.name}: {name} in the archive is damaged ({error}); copy the log again."
        ) from error


def _unpack_member(file: File, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """Return a member's bytes; Python before 3.14 cannot unpack Zstandard itself."""
    try:
        return archive.read(info)
    except NotImplementedError:
        pass
    pa = optional("pyarrow", f"reading {file.name} needs pyarrow", "parquet")
    file.payload.seek(info.header_offset)
    lengths = struct.unpack("<HH", file.payload.read(_N_MEMBER_HEADER)[-4:])
    file.payload.seek(sum(lengths), 1)
    packed = file.payload.read(info.compress_size)
    data: bytes = pa.decompress(packed, info.file_size, codec="zstd", asbytes=True)
    if zlib.crc32(data) != info.CRC:
        raise ValueError("its checksum differs")
    return data


FORMAT = Format(
    "inspect_ai", kinds=frozenset({"eval", "json"}), looks_like=_is_log,
    read=of_rows(_samples, same=("target",), is_log=True, of_text=_of_text),
)  # fmt: skip
