"""Fingerprints of test sets and outputs, by which a ledger knows what it was asked about."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from modelcompare.arrays import AnyArray
from modelcompare.data.sizes import n_seen
from modelcompare.data.test_set import TestSet
from modelcompare.data.variants import times_of_blocks
from modelcompare.plugins.ledgers.history import HEX, History
from modelcompare.plugs import answering, by_name
from modelcompare.words import SampleColumn

# The models of a question.
ROLES = ("baseline", "candidate")
_COLUMNS: tuple[SampleColumn, ...] = ("groups", "strata", "runs", "sample_weight")
# Parts of a fingerprint that are not of single samples.
_OF_ALL = ("labels", "scores")
_Columns = list[tuple[str, AnyArray | None]]
# One test set, or several by name.
Asked = TestSet | Mapping[str, TestSet]
# Parts of the fingerprint of a test set as errors name them.
_NAMES = {
    "ids": "ids", "y_true": "true labels or values", "true_distribution": "true labels or values",
    "labels": "classes", "times": "times (--time)", "groups": "clusters (--groups)",
    "strata": "strata (--read strata)", "runs": "runs (--read run)",
    "sample_weight": "weights (--read weight)",
    "scores": "direction or range of scores (--lower-is-better, --read range)",
}  # fmt: skip
_ALL_NAMES = "samples, " + ", ".join(dict.fromkeys(_NAMES.values()))


def check_kept_in_memory(sets: Mapping[str, TestSet], *, by_design: bool = False) -> None:
    """Refuse test sets whose samples a ledger cannot know."""
    for each in sets.values():
        each.access.require("rows", "predictions", by_design=by_design)


def check_stays(predictions: Asked) -> None:
    """Refuse test sets in which samples that are added change those before."""
    sets = by_name(predictions)
    check_kept_in_memory(sets)
    for each in sets.values():
        if times_of_blocks(each) is not None:
            raise ValueError(
                "blocks in time (--time, modelcompare.io.in_time_blocks) are found in all samples, "
                "so those of a look before change as samples are added. Give clusters that stay, "
                "such as weeks, as `groups` (--groups COLUMN), or ask once, without a "
                "ledger (--looks, --ledger)."
            )
        if each.access.source.pseudo:
            (name,), called = each.access.scores.names, each.access.source.called
            raise ValueError(
                f"{name}s are fitted to all {called}, so the scores of a look before change as "
                f"{called} are added. Ask once, when all {called} are there, without a ledger "
                "(--looks, --ledger); `sample_size` (sample-size) computes how many are needed."
            )


def question_of(
    predictions: Asked, models: Sequence[str], sizes: Mapping[str, int] | None = None, *,
    like: Mapping[str, Any] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Return what a question is about: hashes of the test sets and of both models' outputs.

    Blocks in time follow from the outputs, so their times are hashed instead: the samples are the
    same, and levels of candidates sum with any clusters of each.

    Parameters
    ----------
    predictions : TestSet, or mapping of str to TestSet
        Of whole sets the classes are hashed too, and samples with ids in the order of their ids.
    models : sequence of str
        Baseline and candidate.
    sizes : mapping of str to int, optional
        Number of first samples to hash instead, in their order; all of a set that is not in it.
    like : mapping, optional
        A question before, which gives the order of the sets. One without `parts` was recorded
        when blocks in time were hashed.
    """
    sets = by_name(in_order(predictions, like))
    rows: dict[str, Any] = {
        name: _by_id(preds) if sizes is None else slice(sizes.get(name))
        for name, preds in sets.items()
    }
    # Rows are hashed, and results are counted: rows may repeat those of separate runs.
    seen = {name: n_seen(preds) for name, preds in sets.items()}
    n_rows = {name: len(preds) for name, preds in sets.items()}
    by_blocks = like is not None and "parts" not in like
    test_set, parts = _digest(sets, rows, partial(_truth, whole=sizes is None, by_blocks=by_blocks))
    return {
        "test_set": test_set,
        "parts": parts,
        "sizes": n_rows,
        **({"seen": seen} if seen != n_rows else {}),
        **{
            role: {"name": model, "outputs": _digest(sets, rows, partial(_outputs, model=model))[0]}
            for role, model in zip(ROLES, models, strict=True)
        },
    }  # fmt: skip


def in_order(predictions: Asked, like: Mapping[str, Any] | None) -> Asked:
    """Return test sets in the order of a question before, if there is one."""
    ordered = answering(predictions, "in_order", lambda alone, _: alone)
    found: Asked = ordered(predictions, () if like is None else like["sizes"])
    return found


def changes(before: Mapping[str, Any], asked: Mapping[str, Any], *, grown: bool = False) -> str:
    """Name the parts of a test set that are not those of a question before.

    Samples may be added to sets that have `grown`.
    """
    then, now = before["sizes"], asked["sizes"]
    if {*then} != {*now}:
        return f"test sets ({', '.join(map(repr, then))} then, {', '.join(map(repr, now))} now)"
    for name, n in then.items():
        if now[name] < n or (now[name] > n and not grown):
            of_set = f" of {name!r}" if name else ""
            return f"number of samples{of_set} ({n:,} then, {now[name]:,} now)"
    if "parts" not in before:
        return f"any of {_ALL_NAMES}"
    parts, others = before["parts"], asked["parts"]
    every = dict.fromkeys([*_NAMES, *parts, *others])
    changed = [each for each in every if parts.get(each) != others.get(each)]
    # Without the ids of before rows cannot be matched, and all columns look changed.
    changed = ["ids"] if "ids" in changed else changed
    return ", ".join(dict.fromkeys(_NAMES.get(each, each) for each in changed)) or _ALL_NAMES


def check_grown(known: History, predictions: Asked, models: Sequence[str]) -> None:
    """Refuse test sets that are not those of the look before with samples added at their ends."""
    before, path = known.entries[-1], known.path
    then = question_of(predictions, models, before["sizes"], like=before)
    # Scores without truth or ids have nothing else that identifies samples.
    fewer = any(then["sizes"].get(name, 0) < n for name, n in before["sizes"].items())
    if then["test_set"] != before["test_set"] or fewer:
        raise ValueError(
            f"the samples of the look before (in {path}) have changed: "
            f"{changes(before, then, grown=True)}; looks are at samples that are added at the end, "
            "and at nothing else. Begin another ledger for another test set."
        )
    for role, model in zip(ROLES, models, strict=True):
        if then[role]["outputs"] != before[role]["outputs"]:
            raise ValueError(
                f"the outputs of the {role} {model!r} are not those of the look before (in "
                f"{path}); looks are at one candidate. Another one needs another ledger, or `keep`."
            )


def _truth(preds: TestSet, *, whole: bool, by_blocks: bool) -> _Columns:
    """Return what identifies samples: truth, columns, and the direction of scores."""
    access = preds.access
    times = None if by_blocks else times_of_blocks(preds)
    columns: dict[str, AnyArray | None] = {name: getattr(preds, name) for name in _COLUMNS}
    columns |= {} if times is None else {"groups": None, "times": times}
    return [
        ("y_true", preds.y_true), ("true_distribution", access.true_distribution),
        # Samples that are added may have other classes.
        ("labels", preds.labels if whole else None),
        ("scores", np.array([str(access.scores.declared), str(access.scores.bounds)])),
        # Files may hold ids as numbers or as texts.
        ("ids", None if preds.ids is None else preds.ids.astype(str)),
        *columns.items(), *_attached(preds),
    ]  # fmt: skip


def _outputs(preds: TestSet, *, model: str) -> _Columns:
    """Return a model's outputs, and scores beside them; labels by name, as codes change."""
    if model not in preds.models:
        return []
    output, labels = preds.output(model), preds.labels
    given = labels[output.array] if labels is not None and output.kind.coded else output.array
    beside: _Columns = [] if output.beside is None else [("beside", output.beside)]
    return [("output", given), *beside, *_attached(preds, model)]


def _attached(preds: TestSet, model: str | None = None) -> _Columns:
    """Return what plugins attached to the samples, or to the outputs of a model."""
    every = preds.access.attachments.values()
    return [column for each in every for column in each.columns(model).items()]


def _by_id(preds: TestSet) -> Any:
    """Return the rows in the order of their ids, if they have any."""
    return ... if preds.ids is None else np.argsort(preds.ids.astype(str), kind="stable")


def _digest(
    sets: Mapping[str, TestSet], rows: Mapping[str, Any], columns: Callable[[TestSet], _Columns]
) -> tuple[str, dict[str, str]]:
    """Return a hash of columns of all sets, and the start of one of each column by itself."""
    digest = hashlib.sha256()
    parts: dict[str, Any] = {}
    for name, preds in sets.items():
        for column, values in columns(preds):
            digest.update(f"{name}\0{column}\0".encode())
            if values is not None:
                found = _bytes(values if column in _OF_ALL else values[rows[name]])
                digest.update(found)
                parts.setdefault(column, hashlib.sha256()).update(f"{name}\0".encode() + found)
    return digest.hexdigest(), {name: each.hexdigest()[:HEX] for name, each in parts.items()}


def _bytes(values: AnyArray) -> bytes:
    if values.dtype.kind in "OUSM":
        return json.dumps(values.tolist(), default=str).encode()
    return f"{values.dtype.str}{values.shape}".encode() + np.ascontiguousarray(values).tobytes()
