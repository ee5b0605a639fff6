"""Columns of times and events -> one column of pairs, the truth of survival."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd

from modelcompare.data.survival import SURVIVAL
from modelcompare.readers import cell_types, names
from modelcompare.readers.messages import listed
from modelcompare.readers.profile import Profile
from modelcompare.words import Kind

_AT_A_TIME = re.compile(r".+:\s*[0-9.]+(?:e[+-]?[0-9]+)?", re.IGNORECASE)


def with_pairs(seen: Profile) -> Profile:
    """Replace the columns of times and events by one of pairs, where a table has both.

    Models then give risks, or columns ``cnn:12`` of the probability to survive time 12.
    """
    columns = seen.columns
    if columns.scores or columns.score or columns.kind not in ("auto", *SURVIVAL):
        if columns.event is not None:
            raise ValueError(
                "event= (--read event=COLUMN) is for times until an event; leave kind (--kind) and "
                "scores (--read scores) out."
            )
        return seen
    wanted = columns.event is not None or columns.kind in SURVIVAL
    usual_time = names.first(seen.headings, names.TIME)
    true = columns.true or names.first(seen.headings, names.TRUE)
    time = columns.true or usual_time
    event = columns.event or names.first(seen.headings, names.EVENT)
    if not wanted and true is not None and true != usual_time:
        return seen
    if time is None or event is None:
        if not wanted:
            return seen
        lacking, option = (
            ("times", "true= (--true COLUMN)") if time is None
            else ("events (1, or 0 if censored)", "event= (--read event=COLUMN)")
        )  # fmt: skip
        raise ValueError(
            f"{seen.where} has no column of {lacking}; there are {listed(seen.headings, 8)}. Name "
            f"it with {option}."
        )
    times, events = (cell_types.as_numbers(seen.frame[heading]) for heading in (time, event))
    known = ~(np.isnan(times) | np.isnan(events))
    if not wanted and not np.isin(events[known], (0, 1)).all():
        return seen
    rows = zip(times, events, known, strict=True)
    pairs = [(at, seen_then) if here else None for at, seen_then, here in rows]
    truth = pd.Series(pairs, index=seen.frame.index, dtype=object)
    heading = f"{time} and {event}"
    frame = seen.frame.drop(columns=[h for h in (time, event) if h not in columns.slices])
    soft = any(map(_AT_A_TIME.fullmatch, seen.headings))
    kind: Kind = "survival_probabilities" if soft else "risks"
    changed = replace(columns, true=heading, event=None, kind=kind)
    return seen.holding(frame.assign(**{heading: truth}), changed)
