"""Refuse tables whose shape is misleading, and name the options that read them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from itertools import chain, combinations, islice, permutations
from typing import Any, NoReturn

import numpy as np

from modelcompare.directions import direction_of
from modelcompare.readers import cell_types, names
from modelcompare.readers.messages import DoubtError, as_options, flags, listed
from modelcompare.readers.options import AND
from modelcompare.readers.profile import FEW_ROWS, SHARED, Profile
from modelcompare.readers.role_table import CROSSED
from modelcompare.readers.roles import Roles, candidates
from modelcompare.readers.unused import LEAST_SLICE

_DECIMAL = re.compile(r"[-+]?[0-9]*\.[0-9]+(e[-+]?[0-9]+)?", re.IGNORECASE)
# Smallest fraction of the pairs of two columns' values that is no coincidence.
_CROSSED = 0.5
# Smallest correlation of each prediction with the truth for a column to be taken for it.
_FOLLOWS = 0.5
# Smallest correlation of a series with each of its forecasts.
_RISE = 0.9
# Words of a truth, none of which names one of several labels.
_WHOLE = frozenset({*names.TRUE, *names.MEASURED, *names.MAYBE_TRUE})
# Number of models of a table that names the model of each row under an unusual name.
_MOST_MODELS = 20
# Number of text columns that are inspected in pairs: columns that name rows come first.
_MOST_TEXTS = 8
# Columns of texts of which the likeliest truth is searched.
_MOST_COLUMNS = 8


def refuse_repeated_ids(
    seen: Profile, skip: Collection[str | None], of_set: Sequence[str]
) -> None:  # fmt: skip
    """Refuse repeated values in the column that is named like an id, as of rows of one model.

    Rows of one sample are not independent. Only an option, or a column of runs, declares them; ids
    of several test sets may be the same. Columns to `skip` have another role.
    """
    columns = seen.columns
    if columns.id is not None or columns.groups is not None or columns.runs is not None:
        return
    usual = (h for h in seen.usual(names.ID, skip) if not seen.counts_rows(h))
    item = next(usual, None)
    if item is None or seen.all_differ(item, of_set) or seen.holds_objects(item):
        return
    held = seen.present(item)
    again = seen.frame.loc[held.index, [*of_set, item]].duplicated()
    if again.any():
        refuse_ids(seen.where, item, held[again].unique())


def refuse_ids(where: str, heading: str, repeated: Collection[Any]) -> NoReturn:
    """Refuse a column of ids with one id for several rows, and list the ways to read it."""
    raise ValueError(
        f"{where}: column {heading!r} is named like the samples' ids, and repeats "
        f"{len(repeated):,} of them ({listed(repeated)}). If rows of one id belong together pass "
        f"{as_options(groups=heading)}, if they are runs of a sample name the column of runs with "
        f"{as_options(runs='COLUMN')}; if {heading!r} names no sample leave it out, or name the "
        f"ids with {as_options(id='COLUMN')}."
    )


def refuse_several_truths(seen: Profile, *, alone: bool) -> None:
    """Refuse a table with a truth for each of several labels: ``true_0, true_1, cnn_0, cnn_1``."""
    columns = seen.columns
    if columns.models is not None or (columns.true is not None and columns.pred is not None):
        return
    for prefix in (True, False):
        truths: dict[str, str] = {}
        for heading in seen.headings:
            _, rest = names.usual_and_rest(heading, names.TRUE, prefix=prefix)
            if rest and ":" not in heading and heading not in columns.by_pattern:
                truths.setdefault(rest, heading)
        others = _of_same_classes(seen, truths, prefix=prefix) if len(truths) > 1 else []
        classes = {rest for by_class in others for rest in by_class}
        asked = [rest for rest, heading in truths.items() if heading == columns.true]
        # One truth beside the labels of models: expected_label, cnn_label, cnn_score.
        is_one = columns.true is not None and not classes.intersection(asked)
        if not others or is_one or not _WHOLE.isdisjoint(truths):
            continue
        first, second = sorted(truths, key=lambda rest: (rest not in classes, rest not in asked))[
            :2
        ]
        models = [by_class[first] for by_class in others if first in by_class][:3]
        which = as_options(
            true=truths[first], **({"models": models} if alone else {"pred": models[0]})
        )
        raise ValueError(
            f"{seen.where}: columns {truths[first]!r}, {truths[second]!r}, ... are true labels of "
            "several kinds for each sample, which are not read as one; compare them one by one, as "
            f"with {which}."
        )


def _of_same_classes(
    seen: Profile, truths: Mapping[str, str], *, prefix: bool
) -> list[dict[str, str]]:  # fmt: skip
    """Return columns of two or more of the classes, for each word that they share."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    true = {*truths.values()}
    for heading in seen.headings:
        word = names.words(heading)
        for place in (at for at, sign in enumerate(word) if sign == "_"):
            parts = word[:place], word[place + 1 :]
            stem, rest = parts if prefix else parts[::-1]
            if rest in truths and heading not in true:
                found[stem][rest] = heading
    return [by_class for by_class in found.values() if len(by_class) > 1]


def refuse_data_as_headings(seen: Profile, candidates: Sequence[str]) -> None:
    """Refuse a first line of data that was taken for headings: numbers with a fraction."""
    held = [h for h in candidates if _DECIMAL.fullmatch(h.strip()) and seen.is_real(h)]
    if held:
        flags = " ".join(f"--model {heading}" for heading in held[:3])
        raise ValueError(
            f"{seen.where}: the first line ({', '.join(seen.headings[:4])}) has numbers, as data "
            "do and headings do not; write a line of headings above it, such as "
            f"y_true,cnn:no,cnn:yes, or if these are models name them with models= ({flags})."
        )


def refuse_crossed(seen: Profile) -> None:
    """Refuse a row for each pair of two columns' texts, which may be a model's and a sample's."""
    free, n_rows = [h for h in seen.headings if h not in seen.named], len(seen.frame)
    known = seen.columns.true or seen.columns.models or seen.columns.output_kind.single_text
    if known or names.named(free, names.TRUE) or n_rows < FEW_ROWS:
        return
    texts = list(islice((h for h in free if _repeats_texts(seen, h)), _MOST_TEXTS))
    sizes = {heading: seen.frame[heading].nunique() for heading in texts}
    for model, item in permutations(texts, 2):
        pairs = sizes[model] * sizes[item]
        if not _CROSSED * pairs <= n_rows <= pairs or seen.frame.duplicated([model, item]).any():
            continue
        numbers = [h for h in free if h not in texts and seen.is_numeric(h)]
        numeric = [h for h in numbers if seen.frame[h].nunique() > 1]
        constant = [h for h in numeric if seen.constant_within(h, [item])]
        of_item = bool(constant) and not any(seen.constant_within(h, [model]) for h in constant)
        if of_item or (not constant and sizes[model] <= sizes[item]):
            truths = [h for h in texts if h not in (model, item) and _is_truth_of(seen, h, item)]
            others = [h for h in numeric if h not in constant]
            _refuse_long(seen, model, item, [*constant, *truths], others)
    for model in (h for h in texts if sizes[h] <= _MOST_MODELS and seen.is_balanced(h)):
        _refuse_shared(seen, model)


def _refuse_shared(seen: Profile, model: str) -> None:
    """Refuse numbers that name samples, that all models share, or that are the only ones."""
    known = Roles().adding("model", model, "structure")
    for item in islice(candidates(seen, CROSSED, known), 1):
        key = item.columns
        free = [h for h in seen.headings if h not in {model, *key} and seen.is_numeric(h)]
        varying = [h for h in free if seen.frame[h].nunique() > 1]
        shared = [h for h in varying if seen.constant_within(h, key)]
        of_item = bool(shared) and not seen.constant_within(shared[0], [model])
        alone = len(varying) == 1 and not names.named(key, (*names.RUN, *names.ID))
        few = seen.frame[model].nunique() ** 2 <= len(seen.frame)
        named = {h for h in key if names.describes(h) or names.plain(h) in names.ID}
        numbered = any(map(seen.is_numeric, {*key} - named))
        if of_item or numbered or (alone and few):
            others = [h for h in varying if h not in shared]
            labels = ([], []) if free else _labels_of(seen, {model, *key}, key)
            _refuse_long(seen, model, item.heading, *(labels if labels[1] else (shared, others)))


def _labels_of(
    seen: Profile, skip: Collection[str], key: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Return texts that are the same for all models of a sample, and those with their values."""
    texts = [h for h in seen.headings if h not in skip and _repeats_texts(seen, h)]
    shared = [h for h in texts if seen.constant_within(h, key)]
    others = [h for h in texts if h not in shared]
    return shared, [h for h in others if any(seen.could_be_of(h, each) for each in shared[:1])]


def _refuse_long(
    seen: Profile, model: str, item: str, constant: Sequence[str], others: Sequence[str]
) -> None:  # fmt: skip
    options = {"model": model, "id": item}
    if constant and others and not names.is_score(others[0]):
        options |= {"true": constant[0], "pred": others[0]}
    elif others:
        options |= {"score": others[0]}
    raise DoubtError(
        f"{seen.where}: columns {model!r} and {item!r} name each row together, as models and "
        f"samples do; if they are pass {as_options(**options)}, if each row is another sample name "
        "the models with models= (--model).",
        **options,
    )


def _is_truth_of(seen: Profile, heading: str, item: str) -> bool:
    """Return whether texts are named like the truth, and are the same in all rows of an item."""
    named = names.usual_and_rest(heading, names.TRUE, prefix=True)[0]
    return bool(named) and seen.constant_within(heading, [item])


def refuse_rows_of_models(seen: Profile, true: str | None) -> None:
    """Refuse ids that repeat with one truth each, if other texts name the rows of an id.

    Outputs are then at most one column, as several are those of several models.
    """
    columns = seen.columns
    if true is None or columns.models or columns.groups or columns.id:
        return
    item = next((h for h in seen.usual(names.ID, [true]) if not seen.holds_objects(h)), None)
    if item is None or seen.all_differ(item) or not seen.constant_within(true, [item]):
        return
    free = [h for h in seen.headings if h not in {*seen.named, true, item}]
    if sum(seen.could_be_of(heading, true) for heading in free) > 1:
        return
    texts = [*islice((h for h in free if _repeats_texts(seen, h)), _MOST_TEXTS)]
    n_items = seen.frame[item].nunique()
    for key in chain.from_iterable(combinations(texts, size) for size in (1, 2)):
        n_models = len(seen.frame[[*key]].drop_duplicates())
        if seen.unique(item, *key) and len(seen.frame) == n_models * n_items:
            model = AND.join(key)
            raise DoubtError(
                f"{seen.where}: column {item!r} repeats, with one {true!r} each, and {model!r} "
                f"names the rows of an id; if it names models pass {as_options(model=model)}, if "
                "each row is another sample name the models with models= (--model).",
                model=model,
            )


def _repeats_texts(seen: Profile, heading: str) -> bool:
    column = seen.frame[heading]
    # The first cells of most numeric columns are enough.
    if cell_types.share_of_numbers(column.head(FEW_ROWS), seen.marks) > 0:
        return False
    if seen.holds_objects(heading) or seen.share_of_numbers(heading) > 0:
        return False
    return 1 < column.nunique() < len(column)


def refuse_rows_of_programs(seen: Profile, metrics: Sequence[str]) -> None:
    """Refuse few rows of many scores beside one text each, which may be a model's each."""
    texts = [h for h in seen.headings if not seen.is_numeric(h)]
    unnamed = len(texts) == 1 and not names.named(texts, (*names.ID, *names.BESIDE))
    high = [h for h in metrics if direction_of(h)]
    if not unnamed or not seen.identifies_rows(texts[0]) or len(high) < 2:
        return
    if len(seen.frame) > LEAST_SLICE:
        return
    ranked = " ".join(flags(model=texts[0], score=high))
    raise ValueError(
        f"{seen.where}: columns {listed([*map(repr, metrics)])} are named like scores, and "
        f"{texts[0]!r} names the rows; if these are models compare them with `modelcompare ranks "
        f"FILE {ranked} --higher-is-better`, if they are samples of one model name "
        f"its scores with {as_options(score=metrics)}."
    )


def refuse_published(seen: Profile, numeric: Sequence[str], texts: Sequence[str]) -> None:
    """Refuse a table whose rows are models or data sets."""
    benchmarks = [*filter(names.is_benchmark, numeric)]
    for what, usual in (("model", names.MODEL), ("data set", names.SET)):
        held = next((h for h in names.named(seen.headings, usual) if seen.identifies_rows(h)), None)
        if held is not None or len(benchmarks) > 1:
            by = f"column {held!r}" if held else f"columns {benchmarks[0]}, {benchmarks[1]}, ..."
            raise ValueError(
                f"{seen.where}: each row is a {what} ({by}), not a sample; such "
                "scores are for `modelcompare ranks`; if the rows are samples name the models with "
                "models= (--model)."
            )
    named = [h for h in numeric if names.plain(h) in names.SCORE or names.measures(h)]
    alone = len(named) == len(numeric) == 1
    repeated = [h for h in texts if names.plain(h) not in names.BESIDE and seen.repeats(h)]
    if alone and repeated:
        raise DoubtError(
            f"{seen.where}: column {numeric[0]!r} is named like a score, not like a model; if "
            f"{repeated[0]!r} names the model of each row pass "
            f"{as_options(model=repeated[0])}, else name the model with models= (--model "
            f"{numeric[0]}).",
            models=numeric, slices=repeated[:1],
        )  # fmt: skip


def refuse_truth_beside(seen: Profile, numeric: Sequence[str]) -> None:
    """Refuse a measured column among those of its predictions: ``logP (exp)``, ``logP (calc)``."""
    usual = (*names.TRUE, *names.MEASURED)
    for heading in numeric:
        others = [h for h in numeric if h != heading]
        if names.words(heading) in (*names.MEASURED, *names.MAYBE_TRUE) and others:
            _refuse_truth(seen, heading, others)
        if names.is_property(heading) and others and seen.has_marks(heading):
            _refuse_truth(seen, heading, others, "is a property of the samples, as the truth is")
        follow = names.describes(heading) and bool(others)
        if follow and all(seen.correlation(heading, each) > _FOLLOWS for each in others):
            _refuse_truth(seen, heading, others, "may be the truth, with which the others rise")
        for prefix in (True, False):
            named, rest = names.usual_and_rest(heading, usual, prefix=prefix)
            kin = [h for h in others if f"_{rest}_" in f"_{names.words(h)}_"] if rest else []
            if rest and (kin or (named in names.TRUE and prefix)):
                _refuse_truth(seen, heading, kin[:1])
    _refuse_series(seen, numeric)
    predicted = [*filter(names.predicts, numeric)]
    others = [h for h in numeric if h not in predicted]
    if predicted and others:
        heading = max(others, key=lambda each: seen.correlation(each, predicted[0]))
        _refuse_truth(seen, heading, predicted, f"beside {predicted[0]!r} may be the truth")


def _refuse_series(seen: Profile, numeric: Sequence[str]) -> None:
    """Refuse numbers that rise together, as a series and its forecasts; not declared scores."""
    real = [h for h in numeric if seen.is_real(h)]
    scored = seen.columns.output_kind.scored or seen.columns.direction() is not None
    if scored or len(real) < 3 or min(map(seen.range, real)) <= 1:
        return
    follows = {h: [seen.correlation(h, each) for each in real if each != h] for h in real}
    nearest = max(real, key=lambda heading: min(follows[heading]))
    if len(seen.frame) >= FEW_ROWS and min(follows[nearest]) > _RISE:
        others = [h for h in real if h != nearest]
        _refuse_truth(seen, nearest, others, "may be the truth, with which the others rise")


def _refuse_truth(
    seen: Profile, heading: str, models: Sequence[str], why: str = "is named like the truth"
) -> NoReturn:
    by_chance = seen.has_marks(heading) and all(seen.at_chance(h, heading) for h in models)
    raise DoubtError(
        f"{seen.where}: column {heading!r} {why} (columns: {listed(seen.headings, 8)}); if it is "
        f"name it with {as_options(true=heading)}, else name all models with models= (--model).",
        true="" if by_chance else heading, models=names.likely_outputs(models),
    )  # fmt: skip


def refuse_marks(seen: Profile, numeric: Sequence[str]) -> None:
    """Refuse a column of 0 and 1 that may be the truth: no other has them, or by its name."""
    marks = [h for h in numeric if seen.has_marks(h) and not names.describes(h)]
    judged = [h for h in marks if names.plain(h) in names.JUDGED]
    alone = len(marks) == 1 and len(seen.frame) >= FEW_ROWS
    if len(numeric) == 1 or not (alone or len(judged) == 1):
        return
    (mark,) = marks if alone else judged
    others = "where the others have other numbers" if alone else "and the name of a truth"
    raise DoubtError(
        f"{seen.where}: column {mark!r} has 0 and 1 {others}; if it is the truth pass "
        f"{as_options(true=mark)}, if it has scores as they do kind='scores' (--kind scores).",
        true=mark,
    )


def refuse_costs(seen: Profile, numeric: Sequence[str]) -> None:
    """Refuse a square of numbers with zeros in its diagonal, as costs of mistakes are."""
    if not 1 < len(seen.frame) == len(numeric):
        return
    costs = seen.frame[[*numeric]].apply(cell_types.as_numbers).to_numpy()
    if (costs >= 0).all() and not np.diagonal(costs).any():
        raise ValueError(
            f"{seen.where}: {len(costs)} rows of as many numbers look like costs of mistakes, for "
            "--metric-from FILE.csv:cost; if they are scores pass kind='scores' (--kind scores)."
        )


def refuse_no_truth(seen: Profile, headings: Sequence[str]) -> None:
    """Refuse labels without a truth, which is likeliest the column that equals all of them most."""
    least, some = {}, headings[:_MOST_COLUMNS]
    free = [h for h in seen.headings if h not in seen.named | seen.chosen]
    for heading in free[:_MOST_COLUMNS]:
        kin = [h for h in some if h != heading and seen.overlap(heading, h) >= SHARED]
        share = min((seen.share_of_equals(heading, each) for each in kin), default=0.0)
        if share >= SHARED:
            least[heading] = share
    raise DoubtError(
        f"{seen.where} has columns of texts ({listed(headings, 5)}) and none that is named like "
        "the truth (y_true, label, gold, target); name it with "
        f"{as_options(true='COLUMN')}.",
        true=max(least, key=least.__getitem__, default=""),
    )
