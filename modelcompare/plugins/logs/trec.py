"""Runs and relevance judgements (qrels) of TREC -> scores of each query, by ir-measures.

usnistgov/trec_eval f425365: a run has ``qid iter docno rank sim run_id``, judgements have
``qid iter docno rel`` (get_trec_results.c, get_qrels.c); lines that start with # are comments,
fields after the run's are ignored, and so is the rank, since documents are ranked by sim.

## logs

- TREC runs and qrels | text of any name | six, and four, columns | the run's tag, or the file | one
  | query | nDCG@10, AP, RR, P@10, R@100 by [ir-measures](https://ir-measur.es); a query that a run
  lacks is 0 | `modelcompare compare formats/trec/*.run formats/trec/test.qrels`
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from modelcompare.data.checks import warn_of_data
from modelcompare.escape import shell
from modelcompare.readers.content import File
from modelcompare.readers.formats.base import Format
from modelcompare.readers.messages import listed
from modelcompare.readers.records import SCORE, Records
from modelcompare.words import optional

_N_LOOKED_AT = 50
# A comma that separates no thousands.
_COMMA = re.compile(r"^(-?0|-?[0-9]+(?=,[0-9]{1,2}$|,[0-9]{4})),([0-9]+)$")
_ByQuery = dict[str, dict[str, Any]]


def read_runs(files: Sequence[File]) -> Records:
    """Read rows by run and judged query; a missing query scores 0, as with trec_eval -c.

    A run is named after its tag, unless several have the same tag.
    """
    of_judgements = [file for file in files if _is_all(file, _judgement)]
    if not of_judgements:
        raise ValueError(
            f"{files[0].name} is a TREC run, which is scored by relevance judgements; name the "
            "qrels file too."
        )
    judged, *others = of_judgements
    if others:
        given = " and ".join(file.name for file in of_judgements)
        raise ValueError(f"{given} have relevance judgements; name one of them.")
    runs = {n: file for n, file in enumerate(files) if file is not judged}
    if not runs:
        raise ValueError(f"{judged.name} has relevance judgements; name the files of runs too.")
    relevance = _by_query(judged, _judgement)
    frames = []
    for position, file in runs.items():
        scores = _by_query(file, _run_score)
        _check_queries(file, scores, judged, relevance)
        frames.append(measures(relevance, scores).assign(file=position))
    frame = pd.concat(frames, ignore_index=True)
    tags = _tags(runs)
    name = frame.pop("file") if tags is None else frame.pop("file").map(tags).rename("model")
    return Records(frame=pd.concat([name, frame], axis=1), kind="scores")


def _check_queries(file: File, scores: _ByQuery, judged: File, relevance: _ByQuery) -> None:
    """Refuse a run without judged queries, and warn about those that it lacks."""
    lacked = [query for query in relevance if query not in scores]
    if len(lacked) == len(relevance):
        raise ValueError(
            f"{file.name} and {judged.name} have no query in common ({listed(scores)} and "
            f"{listed(relevance)}); name the qrels file of this run."
        )
    if lacked:
        warn_of_data(
            f"{file.name} lacks {len(lacked):,} of {len(relevance):,} judged queries "
            f"({listed(lacked)}), which score 0.",
        )


def _tags(runs: dict[int, File]) -> dict[int, str] | None:
    """Return the tag of each run if the tags are distinct."""
    found = {n: {fields[5] for _, fields in _rows(file)} for n, file in runs.items()}
    tags = {n: tag for n, (tag, *others) in found.items() if not others}
    return tags if len({*tags.values()}) == len(runs) else None


def measures(
    relevance: Mapping[str, Mapping[str, int]], scores: Mapping[str, Mapping[str, float]]
) -> pd.DataFrame:
    """Compute the usual measures, a row for each judged query."""
    ir = optional("ir_measures", "scoring TREC runs needs ir-measures", "ir")
    asked = [ir.nDCG @ 10, ir.AP, ir.RR, ir.P @ 10, ir.R @ 100]
    values = {
        (metric.query_id, str(metric.measure)): metric.value
        for metric in ir.iter_calc(asked, relevance, scores)
    }
    columns = {
        SCORE + str(measure): [float(values[query, str(measure)]) for query in relevance]
        for measure in asked
    }
    return pd.DataFrame({"id": [*relevance], **columns})


def _by_query(file: File, read: Callable[[list[str]], Any]) -> _ByQuery:
    """Return the value of each document of each query."""
    found: _ByQuery = {}
    for number, fields in _rows(file):
        value = read(fields)
        if value is None:
            raise ValueError(
                f"{file.name}: line {number:,} is not like those before it; a run has the fields "
                "query, Q0, document, rank, score, tag, and judgements query, 0, document, "
                "relevance."
            )
        query, document = fields[0], fields[2]
        documents = found.setdefault(query, {})
        if document in documents:
            raise ValueError(
                f"{file.name}: line {number:,} names document {document} of query {query} again; "
                f"keep one.{_by_topic(file, read)}"
            )
        documents[document] = value
    return found


def _by_topic(file: File, read: Callable[[list[str]], Any]) -> str:
    """Return the command that keeps the highest relevance, if documents are judged by subtopic."""
    if read is not _judgement or len({fields[1] for _, fields in _rows(file)}) < 2:
        return ""
    path = shell(str(file.path))
    return (
        " The judgements are by subtopic (the second field); `sort -k1,1 -k3,3 -k4,4nr "
        f"{path} | sort -su -k1,1 -k3,3 > highest.qrels` keeps the highest of each document."
    )


def _rows(file: File) -> Iterator[tuple[int, list[str]]]:
    """Yield line numbers and fields of the lines that are not comments."""
    for number, line in enumerate(file.payload, start=1):
        if line.strip() and not line.startswith("#"):
            yield number, line.split()


def _is_all(file: File, read: Callable[[list[str]], Any]) -> bool:
    head = [fields for _, (_, fields) in zip(range(_N_LOOKED_AT), _rows(file), strict=False)]
    return bool(head) and all(read(fields) is not None for fields in head)


def _run_score(fields: list[str]) -> float | None:
    """Return the score in a line of a run; None if it is no such line."""
    if len(fields) < 6 or fields[1] not in ("Q0", "q0", "0") or _number(fields[3]) is None:
        return None
    return _number(fields[4])


def _judgement(fields: list[str]) -> int | None:
    """Return the relevance in a line of judgements; None if it is no such line."""
    if len(fields) != 4 or (fields[1] not in ("Q0", "q0") and _number(fields[1]) is None):
        return None
    relevance = _number(fields[3])
    # trec_eval keeps grades in 32 bits.
    if relevance is None or not relevance.is_integer() or abs(relevance) >= 2**31:
        return None
    return int(relevance)


def _number(text: str) -> float | None:
    """Return a number, which may have a decimal comma: 0,033416, but not 1,234."""
    try:
        value = float(_COMMA.sub(r"\1.\2", text))
    except ValueError:
        return None
    return None if math.isnan(value) else value


FORMAT = Format(
    "TREC run", frozenset({"text"}), read_runs,
    looks_like=lambda file: _is_all(file, _run_score) or _is_all(file, _judgement), any_name=True,
)  # fmt: skip
