"""Findings of a query, by which its result is refused as samples in memory would be.

They are no sums of a sketch: rows without a bucket are of samples without a name; rows of the
statistic `PAIRS` count samples by true and predicted class, over all buckets; rows of `FAULTS`
count invalid rows of probabilities.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from modelcompare.data import checks
from modelcompare.data.misspelt import Answers, check_matches
from modelcompare.data.sums import EVERY_MODEL
from modelcompare.readers.cell_types import MISSING_MARKS, as_numbers, names, names_or_numbers

PAIRS, FAULTS = "pairs", "faults"
Fault = Literal["missing", "odd", "negative", "per cent", "sum"]

_FILL = "fill them in, or leave these rows out in the query (WHERE)"
_MESSAGES: dict[Fault, str] = {
    "odd": "model {} has NaN or infinite probabilities in {:,} rows; " + _FILL,
    "negative": "model {} has negative probabilities in {:,} rows; give probabilities, no logits",
    "per cent": "model {} has probabilities that do not sum to 1 in {:,} rows, but to 100; divide "
    "them by 100",
    "sum": "model {} has probabilities that do not sum to 1 in {:,} rows; divide them by their sum",
}


def without_findings(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return the rows that are sums, after the checks that samples in memory pass.

    `label` and `predicted` are empty if they were missing.
    """
    rows = rows.assign(value=pd.to_numeric(rows["value"], errors="coerce").astype(np.float64))
    nameless = rows[rows["bucket"].isna()]
    n_nameless = nameless["value"][nameless["statistic"] == "samples"].sum()
    if n_nameless > 0:
        raise ValueError(
            f"`ids` has missing values in {n_nameless:,.0f} rows; drop these samples or fill them "
            "in."
        )
    beside = rows["statistic"].isin([PAIRS, FAULTS])
    pairs, faults = (rows[rows["statistic"] == each] for each in (PAIRS, FAULTS))
    if len(pairs) or len(faults):
        _refuse_missing(rows, pairs, faults, name)
    _refuse_faults(faults)
    if len(pairs):
        _check_pairs(pairs)
    return rows[~beside]


def _refuse_missing(
    rows: pd.DataFrame, pairs: pd.DataFrame, faults: pd.DataFrame, name: str
) -> None:
    """Refuse empty cells and marks of missing cells, and count them."""
    marks = {"", *MISSING_MARKS}
    support = rows[rows["statistic"] == "support"]
    parts = {
        "the truth": support[support["label"].isin(marks)],
        **dict(iter(pairs[pairs["predicted"].isin(marks)].groupby("model", sort=False))),
        **dict(iter(faults[faults["label"] == "missing"].groupby("model", sort=False))),
    }
    counts = {column: part["value"].sum() for column, part in parts.items()}
    counted = ", ".join(f"{column} {count:,.0f}" for column, count in counts.items() if count > 0)
    if counted:
        marks_found = {*support["label"], *pairs["predicted"]} & MISSING_MARKS
        marked = f"{min(marks_found)!r} counts as missing; " if marks_found else ""
        raise ValueError(f"{name} has missing cells ({counted}); {marked}{_FILL}.")


def _refuse_faults(faults: pd.DataFrame) -> None:
    for fault, message in _MESSAGES.items():
        of_fault = faults[(faults["label"] == fault) & (faults["value"] > 0)]
        if len(of_fault):
            model = of_fault["model"].iloc[0]
            count = int(of_fault["value"][of_fault["model"] == model].sum())
            raise ValueError(
                message.format(repr(model), count).replace("in 1 rows", "in 1 row") + "."
            )


def _check_pairs(pairs: pd.DataFrame) -> None:
    """Refuse labels that do not match those of the truth, as for samples in memory."""
    labels = np.array(classes({*pairs["label"], *pairs["predicted"]}))
    if names_or_numbers(_texts({*pairs["label"]})).dtype.kind == "f":
        raise ValueError(
            "the truth has numbers with fractions, which are values and no classes; a query "
            "counts labels, so read these predictions with scan_predictions or read_predictions."
        )
    if labels.dtype.kind != "i":
        numbers = as_numbers(_texts({*pairs["label"]}))
        if not np.isnan(numbers).any() and not np.isfinite(numbers).all():
            raise ValueError("`y_true` has missing values, infinite ones; " + _FILL + ".")
    place = {str(label): code for code, label in enumerate(labels.tolist())}
    codes = pairs.assign(**{side: pairs[side].map(place) for side in ("label", "predicted")})
    answers: dict[str, Answers] = {
        str(model): tuple(part[c].to_numpy(np.intp) for c in ("label", "predicted", "value"))
        for model, part in codes.groupby("model", sort=False)
    }
    check_matches(labels.astype(object), answers)


def _texts(labels: set[str]) -> Any:
    return np.array(sorted(labels), dtype=object)


def classes(texts: set[str]) -> tuple[Any, ...]:
    """Return the classes in rows, sorted: integers if all are integers, else texts."""
    return tuple(sorted(names(_texts(texts - {EVERY_MODEL})).tolist()))


def check_known(rows: pd.DataFrame, labels: Sequence[Any]) -> None:
    """Refuse true classes that are not among the named ones."""
    strange = rows[~rows["label"].isin([str(label) for label in labels])]
    if len(strange):
        unknown = np.unique(strange["label"].to_numpy(dtype=str)).astype(object)
        count, known = int(strange["value"].sum()), np.array([*labels], dtype=object)
        counted = f"{count:,} row{'s' * (count != 1)}"
        raise checks.unknown_labels(
            "`y_true`", unknown, counted, known, "Name all classes (--class)"
        )
