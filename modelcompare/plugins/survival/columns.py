"""Columns of times and events -> one column of pairs, the truth of survival."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd

from modelcompare.data.kinds import UNDECLARED
from modelcompare.plugins import COLUMNS
from modelcompare.plugins.survival.kinds import KINDS
from modelcompare.readers import cell_types, names
from modelcompare.readers.messages import as_options, listed
from modelcompare.readers.profile import Profile
from modelcompare.readers.role_table import NAMED_TRUTH
from modelcompare.readers.roles import Role, solve

_TIMES, _EVENTS = COLUMNS["survival"]
TIME = Role(name="time", option="true", shares=True, usual=_TIMES)
_NAMED_TIME = replace(TIME, option="")
EVENT = Role(name="event", option="event", shares=True, usual=_EVENTS)
_AT_A_TIME = re.compile(r".+:\s*[0-9.]+(?:e[+-]?[0-9]+)?", re.IGNORECASE)


def with_survival_pairs(seen: Profile) -> Profile:
    """Replace the columns of times and events by one of pairs, where a table has both.

    Models then give risks, or columns ``cnn:12`` of the probability to survive time 12.
    """
    columns = seen.columns
    other = columns.output_kind not in (UNDECLARED, *KINDS)
    if columns.score or other:
        if columns.event is not None:
            raise ValueError(
                "event (--read event) is for times until an event; leave kind (--kind) and score "
                "(--read score) out."
            )
        return seen
    wanted = columns.event is not None or columns.output_kind in KINDS
    roles = solve(seen, [TIME, EVENT])
    time, event = roles["time"], roles["event"]
    true = solve(seen, [NAMED_TRUTH])["truth"]
    if not wanted and true not in (None, solve(seen, [_NAMED_TIME])["time"]):
        return seen
    if time is None or event is None:
        if not wanted:
            return seen
        lacking, option = (
            ("times", as_options(true="COLUMN")) if time is None
            else ("events (1, or 0 if censored)", as_options(event="COLUMN"))
        )  # fmt: skip
        raise ValueError(
            f"{seen.where} has no column of {lacking}; there are {listed(seen.headings, 8)}. Name "
            f"it with {option}."
        )
    times, events = (cell_types.as_numbers(seen.frame[heading]) for heading in (time, event))
    known = ~(np.isnan(times) | np.isnan(events))
    _refuse_codes(seen, time, event, wanted=wanted)
    if not wanted and not np.isin(events[known], (0, 1)).all():
        return seen
    rows = zip(times, events, known, strict=True)
    pairs = [(at, seen_then) if here else None for at, seen_then, here in rows]
    truth = pd.Series(pairs, index=seen.frame.index, dtype=object)
    heading = f"{time} and {event}"
    frame = seen.frame.drop(columns=[h for h in (time, event) if h not in columns.slices])
    frame, soft = _in_time(frame)
    kind = "survival_probabilities" if soft else "risks"
    changed = replace(columns, true=heading, event=None, kind=kind)
    return seen.holding(frame.assign(**{heading: truth}), changed)


def _refuse_codes(seen: Profile, time: str, event: str, *, wanted: bool) -> None:
    """Refuse events that are not 1 and 0, such as yes and no, or R's 2 and 1.

    Without an option that names times or events, two other values beside numbers look like events
    only if nothing else may be the truth.
    """
    held = seen.present(event)
    doubtful = not seen.is_numeric(time) or bool(seen.usual(names.MAYBE_TRUE))
    if cell_types.holds_objects(held) or (doubtful and not wanted):
        return
    codes = held.unique()
    numbers = cell_types.as_numbers(codes)
    if np.isin(numbers, (0, 1)).all() or not (wanted or len(codes) == 2):
        return
    shown = listed(sorted(map(str, codes)))
    r = ", here 2 and 1 as R writes them" if {*numbers} == {1.0, 2.0} else ""
    raise ValueError(
        f"{seen.where}: column {event!r} has {shown}, and an event is 1, a censored sample 0{r}; "
        "write them so, or if the table has no times until an event pass "
        f"kind='scores' (--kind scores) or name the truth with {as_options(true='COLUMN')}."
    )


def _in_time(frame: pd.DataFrame) -> tuple[pd.DataFrame, bool]:
    """Sort columns such as ``cnn:12`` by time, each model's own, and return whether there are any.

    Models stay in their order.
    """
    soft = [heading for heading in frame.columns if _AT_A_TIME.fullmatch(heading)]
    split = {heading: heading.rpartition(":")[::2] for heading in soft}
    models = [*dict.fromkeys(model for model, _ in split.values())]
    soft.sort(key=lambda h: (models.index(split[h][0]), float(split[h][1])))
    return frame[[h for h in frame.columns if h not in split] + soft], bool(soft)


TABLES = (with_survival_pairs,)
