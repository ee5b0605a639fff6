"""Parts, whose rows are the same samples in one order -> Predictions.

For every layout of tables, this module finds missing cells, refuses missing results, leaves them
out or counts them as the worst, and converts cells to their types.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray, BoolArray
from modelcompare.data import variants
from modelcompare.data.checks import refuse_rows, row_numbers, warn_of_data
from modelcompare.data.kind_inference import inferred
from modelcompare.data.kinds import UNDECLARED
from modelcompare.data.predictions import Predictions
from modelcompare.directions import known_direction
from modelcompare.plugs import behind
from modelcompare.readers import cell_types
from modelcompare.readers.alignment import check_same
from modelcompare.readers.beside import all_beside, substitutes
from modelcompare.readers.cell_types import Column, as_numbers, column_array, refuse_objects
from modelcompare.readers.messages import MissingCellsError, as_options, listed, option
from modelcompare.readers.options import ITEM, OWN_RUN, Columns, Outputs
from modelcompare.readers.records import SCORE

_REMEDIES = "fill them in", "drop these samples with missing='drop' (--missing drop)"
_WORST = "count them as the worst result with missing='worst' (--missing worst)"
# Beside the number of samples that were left out.
_DRAWN = (
    "; if true labels are missing because samples were drawn with unequal probabilities, weigh the "
    "others (--read weight=COLUMN)"
)


@dataclass(frozen=True)
class Part:
    """Outputs of one model, or of several side by side: a row for each sample.

    Parameters
    ----------
    where : str
        Name in messages.
    frame : DataFrame
        The cells, indexed by the samples' ids if the index has a name.
    true : str or None
        The column of the truth, if this part has it.
    outputs : mapping
        The columns of each model by content: None for labels, values or texts, a class for its
        probabilities, the name of a score.
    substitutes : sequence of str
        The columns that stand for results that are missing.
    """

    where: str
    frame: pd.DataFrame
    true: str | None
    outputs: Mapping[str, Outputs]
    substitutes: Sequence[str] = ()

    @property
    def columns(self) -> list[tuple[str, str | None, str]]:
        """The model, the content, and the heading of each column of outputs."""
        return [
            (model, what, column)
            for model, columns in self.outputs.items()
            for what, column in columns.items()
        ]

    @property
    def labelled(self) -> list[str]:
        """The headings of the truth, and of columns of labels."""
        outputs = [column for _, what, column in self.columns if what is None]
        return outputs if self.true is None else [self.true, *outputs]

    @property
    def used(self) -> list[str]:
        """The headings of the columns of outputs."""
        return [column for _, _, column in self.columns]

    @property
    def cells(self) -> pd.DataFrame:
        """The truth, the outputs, and what stands for those that are missing."""
        true = [] if self.true is None else [self.true]
        wanted = [*dict.fromkeys([*true, *self.used, *self.substitutes])]
        # A frame without other columns need not be copied.
        return self.frame if wanted == [*self.frame] else self.frame[wanted]

    @cached_property
    def gaps(self) -> pd.DataFrame:
        """A mask of these cells, True where one is missing."""
        return self.cells.isna()

    def holding(self, cells: Mapping[Any, Any]) -> Part:
        """Return the part with other cells in some columns."""
        frame = self.frame.copy(deep=False)
        for column in cells:
            frame[column] = cells[column]
        return replace(self, frame=frame)


def predictions_of(
    parts: Sequence[Part], options: Columns, *, written: bool, name: str | None,
    known: AnyArray | None = None, in_rows: bool = False, named_scores: bool = False,
) -> Predictions:  # fmt: skip
    """Make predictions of parts whose missing cells are marked.

    The classes are those `known` if the parts are one block of more rows; otherwise those of
    headings and cells. With `in_rows` each row was of one model.
    """
    complete = _resolve_missing(parts, options, in_rows=in_rows)
    if options.people and options.annotators != "majority":
        of_people = behind("annotators")
        frame, changed = of_people.every_label(complete[0].frame, options)
        part = replace(complete[0], frame=frame)
        every = predictions_of([part], changed, written=written, name=name)
        if options.annotators == "soft":
            shares: Predictions = of_people.as_shares(every, complete[0].frame, options)
            return shares
        return variants.with_source(every, "labels")
    settled = [replace(part, frame=_with_types(part, options, written)) for part in complete]
    frames = {next(iter(part.outputs)): part.frame for part in settled}
    true = next((part.true for part in settled if part.true is not None), None)
    # What stands for scores is of each model's answer.
    own = [each for each in substitutes() if true is None and each.option in options.named]
    alone = {OWN_RUN, *(options.named[each.option] for each in own)}
    check_same(frames, [name for name in options.beside_names if name not in alone])
    first = settled[0].frame
    described = {
        "ids": None if first.index.name is None else first.index.to_numpy(), "name": name,
        "bounds": options.bounds if options.output_kind.scored else None, **options.beside(first),
    }  # fmt: skip
    if options.runs == OWN_RUN:
        described["runs"] = {m: column_array(frame[OWN_RUN]) for m, frame in frames.items()}
    for each in own:
        heading = options.named[each.option]
        described[each.argument] = {m: column_array(frame[heading]) for m, frame in frames.items()}
    if true is None:
        predictions = _of_scores(settled, options, described, named=named_scores)
    else:
        check_same(frames, [true])
        truth = column_array(next(frame[true] for frame in frames.values() if true in frame))
        predictions = _of_truth(truth, settled, options, known, described)
    options.check_used(predictions, in_rows=in_rows)
    if ITEM in first:
        predictions = predictions.with_columns(items=column_array(first[ITEM]))
    return variants.with_missing(predictions, _missing_results(parts, options, predictions))


def _missing_results(
    parts: Sequence[Part], options: Columns, predictions: Predictions
) -> dict[str, BoolArray]:
    """Return masks of missing labels and scores if they count as the worst result."""
    if options.missing != "worst":
        return {}
    names = predictions.access.scores.names
    masks = [
        part.frame[[columns[name] for name in names or columns]].isna().to_numpy()
        for part in parts
        for columns in part.outputs.values()
    ]
    each = masks if names else (mask.any(axis=1) for mask in masks)
    return dict(zip(predictions.models, each, strict=True))


def _with_types(part: Part, options: Columns, written: bool) -> pd.DataFrame:
    """Convert the columns to the types that their roles need."""
    if written:
        labels, known = [each for each in part.labelled if each != part.true], all_beside()
        numbers = [n for o, n in options.named.items() if o in known and known[o].numbers]
        measures = [*part.used, *numbers, *(part.substitutes if part.true is None else ())]
        return cell_types.with_types(
            part.frame, options.output_kind, true=part.true, models=labels, measures=measures
        )
    frame = part.frame.infer_objects()
    if not options.output_kind.single_text:
        return frame
    return part.holding(
        {column: frame[column].map(cell_types.as_text) for column in part.labelled}
    ).frame


def _of_scores(
    parts: Sequence[Part], options: Columns, described: Mapping[str, Any], *, named: bool
) -> Predictions:
    """Make predictions of scores: a single score unless they are `named`."""
    given: dict[str, Any] = {
        model: {name: column_array(part.frame[column]) for name, column in columns.items()}
        for part in parts
        for model, columns in part.outputs.items()
    }
    model, score = next((m, name) for m, scores in given.items() for name in scores)
    if score is None and len(given) == 1:
        score = model  # the only column of scores has the name of both
    if not named:
        given = {model: next(iter(scores.values())) for model, scores in given.items()}
    better = options.direction(None if named else score)
    return Predictions.from_scores(given, greater_is_better=better, **described)


def _of_truth(
    truth: AnyArray, parts: Sequence[Part], options: Columns, known: AnyArray | None,
    described: Mapping[str, Any],
) -> Predictions:  # fmt: skip
    """Make predictions of labels, probabilities, values or texts."""
    given = [(m, p.frame, columns) for p in parts for m, columns in p.outputs.items()]
    plain = {m: column_array(frame[c[None]]) for m, frame, c in given if {*c} == {None}}
    beside = [each.argument for each in substitutes() if each.option in options.named]
    truth = cell_types.with_gaps(truth, inferred) if beside else truth
    others = [*plain.values(), *(described[name] for name in beside)]
    truth, *same = cell_types.same_types([truth, *others])
    described = {**described, **dict(zip(beside, same[len(plain) :], strict=True))}
    plain = dict(zip(plain, same[: len(plain)], strict=True))
    labels = known
    if known is None:
        found = _common_classes(parts)
        headed = cell_types.typed_labels(found, truth) if found else None
        labels = options.given_labels(headed, truth)
    classes = [] if labels is None else [*map(str, labels.tolist())]
    outputs = {
        model: plain[model] if model in plain else _probabilities(model, frame, columns, classes)
        for model, frame, columns in given
    }
    return Predictions(
        truth, outputs, kind=options.kind, labels=labels, positive=options.positive,
        normalize=options.normalize,
        greater_is_better=options.direction(), **described,
    )  # fmt: skip


def _common_classes(parts: Sequence[Part]) -> list[str]:
    """Return the classes of probabilities, of all models the same; empty for labels."""
    classes = {
        model: [label for label in columns if label is not None]
        for part in parts
        for model, columns in part.outputs.items()
        if {*columns} != {None}
    }
    first_model, first = next(iter(classes.items()), ("", []))
    for model, found in classes.items():
        if {*found} != {*first}:
            files = "models" if len(parts) == 1 else "the files of"
            shown = [", ".join(each[:5]) for each in (first, found)]
            raise ValueError(
                f"{files} {first_model!r} and {model!r} have probabilities of different classes "
                f"({shown[0]} and {shown[1]}); add the columns that are lacking, with 0 where a "
                "model gave a class no probability."
            )
    return first


def _probabilities(
    model: str, frame: pd.DataFrame, columns: Outputs, classes: Sequence[str]
) -> AnyArray:
    """Return probabilities in the order of the classes; labels beside them are the likeliest."""
    cells = frame[[columns[label] for label in classes]]
    try:
        array: AnyArray = cells.to_numpy(np.float64)
    except (TypeError, ValueError) as error:
        odd = next(name for name, column in cells.items() if np.isnan(as_numbers(column)).any())
        raise ValueError(f"column {odd!r} must contain probabilities; it has texts.") from error
    if None in columns:
        _check_likeliest(model, frame[columns[None]], array, classes)
    return array


def _check_likeliest(
    model: str, predicted: Column, probabilities: AnyArray, labels: Sequence[str]
) -> None:
    """Refuse labels next to probabilities that are not the likeliest class."""
    place = {label: code for code, label in enumerate(labels)}
    codes = np.array([place.get(str(label), -1) for label in predicted])
    chosen = probabilities[np.arange(len(codes)), codes]
    other = (codes < 0) | (chosen < probabilities.max(axis=1))
    what = f"model {model!r} has labels that are not its likeliest classes"
    refuse_rows(other, what, "keep the labels or the probabilities")


# -- missing results ---------------------------------------------------------------------------


def _resolve_missing(parts: Sequence[Part], options: Columns, *, in_rows: bool) -> Sequence[Part]:
    """Return parts without missing cells, by the treatment that `missing` names."""
    needed = parts
    for name in options.substitutes if options.missing == "worst" else ():
        raise ValueError(f"missing='worst' (--missing worst) does not go with a {option(name)}.")
    if options.substitutes:
        # Some of the labels, or of the scores, are missing.
        scored = all(part.true is None for part in parts)
        needed = [replace(p, outputs={}) if scored else replace(p, true=None) for p in parts]
    bad = np.any([part.gaps.any(axis=1) for part in needed], axis=0)
    if not bad.any():
        return parts
    if options.missing == "worst":
        return _with_worst(parts, options)
    if options.missing == "drop":
        left_out = f"left out {int(bad.sum()):,} of {len(bad):,}"
        what = f"{left_out} samples" if in_rows else f"{parts[0].where}: {left_out} rows"
        of_truth = any(part.true and part.frame[part.true].hasnans for part in needed)
        drawn = _DRAWN if of_truth and options.weight is None else ""
        warn_of_data(f"{what} with missing cells{drawn}.")
        return [replace(part, frame=part.frame.loc[~bad]) for part in parts]
    # A missing truth is reported first.
    for part in sorted(needed, key=lambda part: not (part.true and part.frame[part.true].hasnans)):
        _refuse_missing(part.cells, part)
    return parts


def _refuse_missing(cells: pd.DataFrame, part: Part) -> None:
    """Refuse missing cells and count them by column."""
    empty = cells.isna()
    counts = empty.sum()
    parts = [f"{str(c).removeprefix(SCORE)} {n:,}" for c, n in counts[counts > 0].items()]
    if parts:
        rows = ", ".join(map(str, row_numbers(empty.any(axis=1))[:3]))
        of_truth = part.true is not None and counts[part.true]
        *remedies, last = [*_REMEDIES, *(_stand_ins() if of_truth else [_WORST])]
        raise MissingCellsError(
            f"{part.where} has missing cells ({listed(parts, 5)}; first rows: {rows}); "
            f"{', '.join(remedies)}, or {last}."
        )


def _stand_ins() -> list[str]:
    """Return remedies for a truth that is missing where another column may stand for it."""
    return [
        f"name a column of a {each.option}'s labels with {as_options(**{each.option: 'COLUMN'})}"
        for each in substitutes()
    ]


def _with_worst(parts: Sequence[Part], options: Columns) -> list[Part]:
    """Replace missing results by the worst ones.

    For scores that is the end of their declared range, or of 0 to 1 if all lie within; for other
    scores the worst that any model has; for labels a wrong one (the most frequent class that is not
    the true one).
    """
    truths = [part for part in parts if part.true is not None]
    for part in truths:
        _refuse_missing(part.frame[[part.true]], part)
    truth = truths[0].frame[truths[0].true] if truths else None
    held: dict[str | None, list[Column]] = {}
    for part in parts:
        for _, heading, column in part.columns:
            held.setdefault(heading, []).append(part.frame[column])
    worst = {
        heading: _worst_score(cells, heading, options)
        if truth is None
        else _worst_label(cells, truth, options)
        for heading, cells in held.items()
        if any(each.hasnans for each in cells)
    }
    return [
        part.holding({
            column: part.frame[column].where(part.frame[column].notna(), worst[heading])
            for _, heading, column in part.columns
            if heading in worst
        })
        for part in parts
    ]  # fmt: skip


def _worst_score(cells: Sequence[Column], score: str | None, options: Columns) -> Any:
    """Return the worst score in the cells' own type: a number, or the text of one."""
    held = pd.concat(list(cells)).dropna()
    values = as_numbers(held)
    if np.isnan(values).any() or not len(values):
        raise ValueError("the scores are texts; name the models with models= (--model).")
    high = not known_direction(score or "the scores", options.direction(score))
    unit = bool(((values >= 0) & (values <= 1)).all())
    end = float(high) if unit else float(values.max() if high else values.min())
    end = end if options.bounds is None else float(options.bounds[high])
    return str(end) if held.dtype == object and isinstance(held.iloc[0], str) else end


def _worst_label(cells: Sequence[Column], truth: Column, options: Columns) -> Column:
    """Return the most frequent wrong class of each sample."""
    refuse_objects(truth)
    of_labels = options.output_kind is UNDECLARED or options.output_kind.coded
    for column in (each for each in cells if each.hasnans):
        values = pd.to_numeric(column.dropna(), errors="coerce")
        # Numbers with fractions are no labels.
        real = values.notna().all() and (values % 1 != 0).any() and not column.isin(truth).any()
        if real or not of_labels:
            raise ValueError(
                f"column {column.name!r} has missing results, and a worst result is "
                "defined for scores and labels only; use missing='drop' (--missing drop)."
            )
    classes = truth.value_counts().index.tolist()
    if len(classes) < 2:
        raise ValueError("with one class only no label is wrong; use missing='drop'.")
    return truth.map({each: classes[1] if each == classes[0] else classes[0] for each in classes})
