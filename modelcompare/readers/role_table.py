"""The roles of columns in tables of predictions, and the structure that each needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

import numpy as np
import pandas as pd

from modelcompare.arrays import IntArray
from modelcompare.directions import direction_of
from modelcompare.plugs import rows
from modelcompare.readers import names
from modelcompare.readers.messages import DoubtError, as_options, listed
from modelcompare.readers.profile import FEW_ROWS, SHARED, Profile
from modelcompare.readers.records import PROBABILITY
from modelcompare.readers.roles import Candidate, Rivals, Role, Roles, candidates, solve

# Rows that refute most keys.
_FIRST_ROWS = 1_000
# Names of outputs, which are distinct in small tables.
_OUTPUTS = (*names.PRED, *names.TRUE)
_TIMES = (*names.DATE, "year")


def _has_values_of_others(at: Candidate) -> bool:
    """Return whether any other column has values of this one, or scores of its classes."""
    seen = at.seen
    if seen.columns.output_kind.single_text:
        # Texts need not have any values in common.
        return True
    maybe = seen.usual(names.MAYBE_TRUE, at.known.skip)
    others = (h for h in seen.headings if h not in {*seen.named, *maybe})
    return any(seen.could_be_of(other, at.heading) for other in others)


def _agreeing(first: Candidate, rivals: Rivals) -> bool:
    """Choose the first column named like the truth, and refuse others with other cells."""
    seen = first.seen
    for other in rivals:
        cells = seen.frame[first.heading].astype(str)
        if not cells.equals(seen.frame[other.heading].astype(str).rename(cells.name)):
            raise ValueError(
                f"{seen.where}: columns {first.heading!r} and {other.heading!r} are both named "
                f"like the truth, and differ; name the right one with "
                f"{as_options(true=first.heading)}, or name the models with models= (--model)."
            )
    return True


def _agreeing_or_first(first: Candidate, rivals: Rivals) -> bool:
    """Choose the first column; of names that are always the truth's, all must agree."""
    return _agreeing(first, (each for each in rivals if names.plain(each.heading) in names.TRUE))


def _naming_models(first: Candidate, _: Rivals) -> bool:
    """Choose a column that names the model of each row, whose names repeat."""
    seen, model = first.seen, first.heading
    has_classes = any(h.partition(":")[0] == model for h in seen.headings if ":" in h)
    if has_classes or seen.holds_objects(model):
        return False
    truth = truth_of(seen)
    if truth is not None and truth != model and seen.overlap(model, truth) >= SHARED:
        return False
    # A column of numbers would be a model's scores.
    return seen.frame[model].nunique() < len(seen.frame) and not seen.is_numeric(model)


def _shares_samples(at: Candidate) -> bool:
    """Return whether a column names models: each has a number for every one of some samples."""
    seen, model = at.seen, at.heading
    if seen.holds_objects(model) or not seen.repeats(model):
        return False
    known = solve(seen, IN_ROWS, Roles().adding("model", model, "structure"))
    key = seen.joined(*known.of("id"))
    if not key or not _crosses(seen, known, key):
        return False
    free = {*seen.headings}.difference(known.columns, seen.named, key)
    return len([*filter(seen.is_numeric, free)]) == 1


def _crosses(seen: Profile, known: Roles, key: Sequence[str]) -> bool:
    """Return whether columns name each row beside others, and their cells repeat in all models."""
    together = [*known.of("model", "set", "run", "filter"), *key]
    if seen.frame.head(_FIRST_ROWS).duplicated(together).any() or not seen.unique(*together):
        return False
    model, of_set = known.found["model"].heading, known.of("set")
    frame = seen.frame[seen.frame[model].notna()]
    own = frame.groupby([*of_set, *key])[model].transform("nunique")
    whole = frame.groupby(of_set)[model].transform("nunique") if of_set else frame[model].nunique()
    return bool((own == whole).all() and own.min() > 1)


def _may_name(at: Candidate) -> bool:
    """Return whether a column may name samples: texts or whole numbers that are no results."""
    seen, heading, given = at.seen, at.heading, at.seen.columns
    if heading in {*given.score, given.pred, given.true, given.weight}:
        return False
    if seen.holds_objects(heading) or heading.startswith(PROBABILITY) or seen.is_real(heading):
        return False
    name = names.plain(heading)
    measures = names.measures(heading) and name.rpartition("_")[2] not in _TIMES
    if name in _OUTPUTS or names.is_metric(heading) or measures:
        return False
    return len(seen.present(heading)) == len(seen.frame) and not seen.has_marks(heading)


def _of_same_samples(first: Candidate, rivals: Rivals) -> bool:
    """Choose the fewest columns that name the samples, and refuse as many that name others."""
    seen, samples = first.seen, _numbered(first)
    for other in takewhile(lambda other: len(other.columns) == len(first.columns), rivals):
        if not np.array_equal(samples, _numbered(other)):
            raise DoubtError(
                f"{seen.where}: {first.heading!r} and {other.heading!r} may both name the samples "
                f"(columns: {listed(seen.headings, 8)}).",
                id=first.heading,
            )
    return True


def _numbered(at: Candidate) -> IntArray:
    """Number the samples that columns name, in the order of their first rows."""
    numbers = at.seen.frame.groupby(at.columns, sort=False, dropna=False).ngroup()
    found: IntArray = pd.factorize(numbers)[0]
    return found


def _repeating(first: Candidate, _: Rivals) -> bool:
    """Choose a column of runs in which the same ids repeat, unless an option names runs."""
    seen, of_set = first.seen, first.known.of("set")
    if seen.columns.runs is not None:
        return False
    ids = [seen.columns.id] if seen.columns.id else seen.usual(names.ID, first.known.skip)
    if ids:
        return any(_together(seen, first.heading, item, of_set) for item in ids)
    known = first.known.adding("run", first.heading, "name")
    return next(candidates(seen, REPEATED, known), None) is not None


def _together(seen: Profile, run: str, item: str, of_set: Sequence[str]) -> bool:
    """Return whether run and item name each row together, and neither alone."""
    alone = any(seen.frame[heading].nunique() == len(seen.frame) for heading in (run, item))
    return not alone and seen.unique(*of_set, run, item)


def _repeats_in_all(at: Candidate) -> bool:
    """Return whether a column has a row for each of its items in each run, with one truth."""
    seen, item, true, of_set = at.seen, at.heading, at.known["truth"], at.known.of("set")
    if seen.holds_objects(item) or seen.is_real(item) or seen.has_marks(item):
        return False
    run = at.known.found["run"].heading
    if not _together(seen, run, item, of_set):
        return False
    items = seen.frame.groupby([*of_set, item])
    whole = len(seen.frame) == items.ngroups * seen.frame[run].nunique()
    return whole and (true is None or bool((items[true].nunique() <= 1).all()))


def _names_samples(at: Candidate) -> bool:
    """Return whether a column names each sample of a test set, or of a run there."""
    run, of_set = at.known["run"], at.known.of("set")
    if run is not None:
        return _together(at.seen, run, at.heading, of_set)
    return at.seen.all_differ(at.heading, within=of_set)


def _shows_samples(at: Candidate) -> bool:
    """Return whether a column has samples that repeat in runs, or that no model would give.

    These are distinct texts, or numbers of the rows.
    """
    seen, true = at.seen, at.known["truth"]
    if at.known["run"] is not None:
        return _repeats_in_all(at)
    distinct = len(seen.frame) >= FEW_ROWS and seen.identifies_rows(at.heading)
    numbered = seen.counts_up(at.heading) and names.plain(at.heading) not in names.DATE
    if not (distinct or numbered):
        return False
    if true is not None and seen.columns.output_kind.single_text:
        return not seen.shares_words(at.heading, true)
    return true is None or seen.overlap(at.heading, true) == 0


def _names_sets(at: Candidate) -> bool:
    """Return whether a column named like a test set is one: no item of which each run has a mark.

    Marks are 0 and 1; other scores of a data set in a run sum up its samples.
    """
    seen, heading = at.seen, at.heading
    runs = [seen.columns.runs] if seen.columns.runs else seen.usual(names.RUN, at.known.skip)
    keys = at.known.of("model")
    each = [run for run in runs if seen.unique(*keys, heading, run)]
    if seen.columns.set is not None or not each or seen.unique(*keys, heading):
        return True
    true = names.named(seen.headings, (*names.TRUE, *names.MAYBE_TRUE))
    others = [h for h in seen.headings if h not in {heading, *runs, *keys} and seen.is_numeric(h)]
    marks = bool(others) and all(map(seen.has_marks, others))
    return not marks or not all(seen.constant_within(h, [heading]) for h in true)


def _completes_key(at: Candidate) -> bool:
    """Return whether a column identifies each row together with model, set, run and filter."""
    seen, heading = at.seen, at.heading
    if seen.is_real(heading) or seen.holds_objects(heading):
        return False
    return seen.unique(*at.known.of("model", "set", "run", "filter"), heading)


def _has_values_of_truth(at: Candidate) -> bool:
    """Return whether a column has values of the truth, and may be a model's."""
    seen, heading, true = at.seen, at.heading, at.known["truth"]
    scored = seen.columns.output_kind.scored or seen.columns.score
    if true is None or scored or heading in seen.named or names.describes(heading):
        return False
    if heading.startswith(PROBABILITY) or names.plain(heading) in names.SCORE:
        return False
    return seen.overlap(heading, true) >= SHARED


def _predicts_truth(at: Candidate) -> bool:
    """Return whether numbers, not named like scores, may be a truth's probabilities or values."""
    seen, heading, true = at.seen, at.heading, at.known["truth"]
    if true is None or not seen.is_numeric(heading) or names.describes(heading):
        return False
    if names.is_metric(heading) or direction_of(heading) is not None:
        return False
    real = seen.is_real(heading) or seen.is_real(true)
    return real and (seen.could_be_of(heading, true) or seen.is_numeric(true))


def _only_one_like_truth(first: Candidate, rivals: Rivals) -> bool:
    """Choose the first named like predictions, or the only column with values of the truth."""
    for other in rivals if first.reason == "structure" else ():
        raise DoubtError(
            f"{first.seen.where}: columns {first.heading!r} and {other.heading!r} both have values "
            f"of {first.known['truth']!r}; name the model's column with "
            f"{as_options(pred='COLUMN')}.", pred=first.heading,
        )  # fmt: skip
    return True


MODEL = Role(
    name="model", option="model", usual=names.MODEL, others=names.MAYBE_MODEL,
    shows=_shares_samples, accepts=_naming_models,
)  # fmt: skip
# Where each model has its own columns.
TRUTH = Role(
    name="truth", option="true", usual=names.TRUE, others=names.MAYBE_TRUE,
    shows=_has_values_of_others, accepts=_agreeing,
)  # fmt: skip
# The id of samples that repeat in runs, under any name.
REPEATED = Role(name="id", others=None, shows=_repeats_in_all)
BESIDE_MODELS = (
    Role(
        name="set", usual=names.SET,
        fits=lambda at: at.seen.repeats(at.heading) and _names_sets(at),
    ),
    Role(name="run", usual=names.RUN, accepts=_repeating),
    Role(
        name="id", option="id", usual=names.ID, fits=_names_samples, others=None,
        shows=_shows_samples,
    ),
)  # fmt: skip
# Where each row is of one model, the name is enough for the truth.
TRUTH_OF_ROW = replace(
    TRUTH, usual=(*names.TRUE, *names.MAYBE_TRUE), others=(), accepts=_agreeing_or_first
)
_OF_ROWS = (
    Role(name="run", option="runs", usual=names.RUN),
    Role(name="set", usual=names.SET, fits=_names_sets),
    Role(
        name="id", option="id", usual=names.ID, shares=True,
        fits=lambda at: not at.seen.counts_rows(at.heading),
    ),
    Role(name="filter", usual=names.FILTER),
    TRUTH_OF_ROW,
)  # fmt: skip
# Columns that name the samples of several models, under any names.
CROSSED = Role(
    name="id", shares=True, others=None, shows=lambda at: _crosses(at.seen, at.known, at.columns),
    joins=_may_name, accepts=_of_same_samples,
)  # fmt: skip
IN_ROWS = (*_OF_ROWS, CROSSED)
# Rows of one model are of one test set, and of one run unless its name varies.
_SEVERAL_RUNS = replace(
    _OF_ROWS[0], accepts=lambda first, _: first.seen.frame[first.heading].nunique() > 1
)
OF_ONE_MODEL = (_SEVERAL_RUNS, *_OF_ROWS[2:])
PRED = Role(
    name="pred", option="pred", usual=names.PRED, shares=True, others=None,
    shows=_has_values_of_truth, accepts=_only_one_like_truth,
)  # fmt: skip
# Numbers beside a truth, where no column is named like predictions or scores.
NUMBERS = Role(
    name="pred", others=None, shows=_predicts_truth,
    accepts=lambda _, rivals: next(rivals, None) is None,
)  # fmt: skip
KEY = Role(
    name="id", usual=names.ID, shares=True, fits=_completes_key, others=None, shows=_completes_key
)
# Ids may be dates.
DATE = Role(
    name="time", usual=names.DATE, shares=True,
    fits=lambda at: (
        at.heading == at.seen.columns.id or at.heading not in at.seen.chosen | at.seen.named
    ),
)  # fmt: skip
# The truth of a table whose cells are still lists, or texts, of labels.
NAMED_TRUTH = Role(name="truth", option="true", usual=names.TRUE, shares=True)
NAMED_MODEL = Role(name="model", option="model", usual=names.MODEL)


def of_plugins() -> tuple[str, ...]:
    """Return the names of the roles that plugins add."""
    return tuple(role.name for role in rows("roles"))


def truth_of(seen: Profile) -> str | None:
    """Return the column of the truth of a table that has a column for each model."""
    return solve(seen, [TRUTH], Roles(skip=seen.chosen))["truth"]
