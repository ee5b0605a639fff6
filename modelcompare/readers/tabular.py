"""Tables whose columns have roles -> Predictions, or records by model."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from modelcompare.arrays import AnyArray
from modelcompare.data.checks import warn_of_data
from modelcompare.data.predictions import Predictions
from modelcompare.data.variants import with_source
from modelcompare.directions import direction_of
from modelcompare.plugs import needed
from modelcompare.readers import names
from modelcompare.readers.alignment import ids_of
from modelcompare.readers.assemble import Part, predictions_of
from modelcompare.readers.messages import as_options, counted
from modelcompare.readers.missing_marks import marked_missing
from modelcompare.readers.names import numbers_answers
from modelcompare.readers.options import ITEM, Columns
from modelcompare.readers.patterns import of_models, refuse_in_rows
from modelcompare.readers.profile import Profile, agree_by_chance
from modelcompare.readers.reading import Reading, with_scores_beside, write_directions
from modelcompare.readers.records import PROBABILITY, SCORE, Records, by_metric
from modelcompare.readers.role_table import of_plugins
from modelcompare.readers.roles import Roles
from modelcompare.readers.unused import write_unused

# Roles in the order of the line, those that it names apart, and those of records.
_FIRST, _APART = ("truth", "id", "model", "set", "run"), ("filter", "time")
_OF_RECORDS = ("model", "set", "run", "filter", "id", "truth")


def wide_predictions(
    seen: Profile, roles: Roles, *, name: str | None, known: AnyArray | None = None
) -> Reading:
    """Make predictions from a table in which each model has its own columns.

    The classes are those `known` if the table is one block of more rows; otherwise those of its
    headings and cells.
    """
    frame, columns, true = *_by_id(seen, roles), roles["truth"]
    if known is None:
        _warn_of_joined(seen, roles)
    beside = [heading for own in columns.substitutes.values() for heading in own]
    part = Part(seen.where, frame, true, roles.outputs, beside)
    (part,) = parts = marked_missing([part], columns)
    lacking = part.gaps.sum()
    predictions = predictions_of(parts, columns, written=seen.written, name=name, known=known)
    scores = names.of_each_model(roles.left_out, [*roles.outputs])
    if true is not None and known is None and not columns.people:
        cells = {
            name: {model: seen.frame[heading] for model, heading in own.items()}
            for name, own in scores.items()
        }
        predictions = with_scores_beside(predictions, parts, cells, columns)
    used = [h for name in predictions.access.scores.beside for h in scores[name].values()]
    unused = [each for each in roles.left_out if each not in used]
    unread = [*unused, *(name for name in scores if name not in predictions.access.scores.beside)]
    date = roles["time"]
    return Reading(
        with_source(predictions, "answers" if ITEM in frame else None, unread),
        {
            **_written_wide(roles, seen.columns),
            **{name: counted(own) for name, own in columns.substitutes.items()},
            "models": counted([*roles.outputs]),
            "missing": ", ".join(f"{n:,} in {column}" for column, n in lacking.items() if n),
            "scores beside": counted([*predictions.access.scores.beside]),
            "left out": write_unused(seen, [*unused, *_left_to_plugins(seen, roles)]),
            "no better than chance": counted(
                _at_chance(predictions) if known is None and columns.models is None else []
            ),
            "not used": f"the order in time ({date}{_see_time(date)})" if date else "",
            "direction": write_directions(
                [_named_score(roles)] * (true is None), columns.greater_is_better
            ),
        },
    )  # fmt: skip


def _see_time(date: str) -> str:
    return "" if needed("--time") else f"; see --time {date}"


def _named_score(roles: Roles) -> str | None:
    """Return the name of the only column of scores if it shows their direction."""
    names_of = [name for name in roles.outputs if direction_of(name) is not None]
    return names_of[0] if len(names_of) == len(roles.outputs) == 1 else None


def _written(roles: Roles) -> dict[str, str]:
    """Write the columns by role, with the reasons; some roles are written apart."""
    apart = {*_FIRST, *_APART, *of_plugins()}
    others = [role for role in roles.found if role not in apart]
    return {r: roles.found[r].written for r in (*_FIRST, *others) if r in roles.found}


def _written_wide(roles: Roles, columns: Columns) -> dict[str, str]:
    """Write the columns by role where each model has its own."""
    found = {"truth": "none (scores)", **_written(roles)}
    if columns.people:
        found["truth"] = f"labels by {counted(columns.people)}, {columns.annotators}"
    if numbers_answers(roles["run"], columns.runs):
        found["answer"] = found.pop("run")
    elif "run" in found and len(roles.outputs) == 1:
        found["run"] += f" (--read model={roles['run']} compares its runs)"
    return found


def _left_to_plugins(seen: Profile, roles: Roles) -> list[str]:
    """Return the columns of roles that plugins add, unless an option names them."""
    return [h for h in roles.of(*of_plugins()) if h not in seen.named]


def _at_chance(predictions: Predictions) -> list[str]:
    """Return models whose 0 and 1 equal the truth by chance only, beside others that do better."""
    labels = [] if predictions.labels is None else [*map(str, predictions.labels)]
    codes = predictions.access.codes
    if codes is None or labels != ["0", "1"]:
        return []
    models = [m for m in predictions.models if predictions.output(m).kind.coded]
    found = [m for m in models if agree_by_chance(predictions.predicted(m), codes)]
    return found if len(found) < len(models) else []


def _by_id(seen: Profile, roles: Roles) -> tuple[pd.DataFrame, Columns]:
    """Return the needed columns with ids, and the options that follow from the roles."""
    columns, run = seen.columns, roles["run"] or seen.columns.runs
    answers = numbers_answers(run, columns.runs)
    columns = replace(columns, runs=None if answers else run)
    columns = of_models(columns, [*roles.outputs], seen.where)
    frame = seen.frame[[*dict.fromkeys([*roles.needed, *columns.beside_names])]]
    if roles["id"] is not None:
        ids = ids_of(seen.frame[roles["id"]], seen.written)
        frame = frame.set_axis(ids)
        if answers:
            # Answers are distinct samples, and those to an item its cluster.
            each = ids.astype(str) + " answer " + seen.frame[run].astype(str)
            frame = frame.assign(**{ITEM: ids}).set_axis(pd.Index(each, name="id"))
            columns = replace(columns, groups=columns.groups or ITEM)
    return frame, columns if roles["truth"] is not None else replace(columns, kind="scores")


def table_records(seen: Profile, roles: Roles) -> Records:
    """Return the records of a table with known roles; rows without ids are numbered."""
    refuse_in_rows(seen.columns, seen.where)
    frame, outputs = seen.frame, roles.outputs[""]
    made = {role: frame[roles[role]] for role in _OF_RECORDS if roles[role] is not None}
    if "truth" in made:
        made["y_true"] = made.pop("truth")
    if "id" not in made:
        made["id"] = pd.Series([*map(str, range(len(frame)))], index=frame.index, dtype=object)
    prefix = SCORE if roles.scored else PROBABILITY
    for what, heading in outputs.items():
        made["y_pred" if what is None else prefix + what] = frame[heading]
    if not roles.scored:
        left = _left_to_plugins(seen, roles)
        made |= {SCORE + h: frame[h] for h in roles.left_out if h not in left}
    parts = _written(roles)
    parts["scores" if roles.scored else "predictions"] = ", ".join(outputs.values())
    _warn_of_joined(seen, roles)
    scores, others = _unread(seen, roles)
    unused = {"not used": f"{', '.join(scores)} (see --read score={scores[0]})"} if scores else {}
    unused["left out"] = write_unused(seen, others, roles.columns)
    return by_metric(Records(
        frame=pd.DataFrame(made), beside=frame, written=seen.written,
        kind="scores" if roles.scored else seen.columns.kind, format="table",
        classes=seen.columns.declared,
        answers=numbers_answers(roles["run"], seen.columns.runs), id_heading=roles["id"] or "id",
        parts={part: f"column {heading}" for part, heading in parts.items() if heading} | unused,
    ), roles["filter"], seen.columns)  # fmt: skip


def _warn_of_joined(seen: Profile, roles: Roles) -> None:
    """Warn of rows that several columns name together, and that no clusters keep together.

    Of these, clusters are likeliest the values of which there are most: cases rather than turns.
    """
    several = seen.joined(*roles.of("id"))
    if len(several) > 1 and seen.columns.groups is None:
        first, *others = sorted(several, key=lambda h: seen.frame[h].nunique(), reverse=True)
        warn_of_data(
            f"{seen.where}: {first} and {' and '.join(others)} name each sample together, and "
            f"those of one {first} count as independent; {as_options(groups=first)} keeps them "
            "together.",
        )


def _unread(seen: Profile, roles: Roles) -> tuple[list[str], list[str]]:
    """Return columns without a role: numbers that may be scores, and descriptions of samples."""
    key = seen.joined(*roles.of("set", "id"))
    scores = [
        h for h in roles.left_out if roles.scored
        and (names.is_score(h) or not (key and seen.constant_within(h, key)))
    ]  # fmt: skip
    used = {*roles.columns, *roles.needed, *seen.named, *scores, *key, *seen.usual(names.ID)}
    beside = [] if roles.scored else roles.left_out
    others = [h for h in seen.headings if h not in used.union(beside)]
    return scores, [*others, *_left_to_plugins(seen, roles)]
