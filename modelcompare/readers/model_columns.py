"""The role of columns without another one: outputs of models, unless they describe the samples."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Literal

import numpy as np

from modelcompare.data.checks import warn_of_data
from modelcompare.readers import cell_types, names
from modelcompare.readers.messages import DoubtError, as_options, listed
from modelcompare.readers.options import Outputs
from modelcompare.readers.profile import FEW_ROWS, SHARED, Profile
from modelcompare.readers.roles import Role, Roles
from modelcompare.readers.shapes import (
    refuse_costs,
    refuse_data_as_headings,
    refuse_marks,
    refuse_no_truth,
    refuse_published,
    refuse_rows_of_programs,
    refuse_truth_beside,
)
from modelcompare.readers.unused import errors_of, is_apart, is_misspelt, other_uses
from modelcompare.spelling import chosen

# Up to this many distinct integers may be codes of classes as well as scores.
_MANY_CODES = 50
# A number with a unit, a decimal comma or thousands separators.
_ODD_NUMBER = r"[-+]?[0-9]+(?:[.,'][0-9]+)* ?%?"


def _with_models(seen: Profile, known: Roles, candidates: Sequence[str]) -> Roles:
    """Assign columns without another role to models; others describe the samples."""
    true = known["truth"]
    models = dict.fromkeys(_columns_of_models(seen, candidates, true))
    left_out = tuple(h for h in candidates if h not in models)
    return replace(known, outputs=_by_model(seen, [*models], true), left_out=left_out)


def _columns_of_models(seen: Profile, candidates: Sequence[str], true: str | None) -> list[str]:
    """Return the columns that models name; or by their content, where no option does."""
    if seen.columns.models is not None:
        wanted = [h for h in candidates if any(fnmatchcase(h, m) for m in seen.columns.models)]
        texts = [h for h in wanted if not seen.share_of_numbers(h)]
        if true is None and texts and not seen.columns.output_kind.scored:
            refuse_no_truth(seen, texts)
        beside = set() if true is None else _beside(seen, candidates, wanted, true)
        return [h for h in candidates if h not in beside]
    if seen.columns.output_kind.single_text:
        if true is None and not any(map(seen.is_numeric, candidates)):
            refuse_no_truth(seen, candidates)
        return [h for h in candidates if not names.describes(h)]
    companions = names.companions(candidates)
    candidates = [h for h in candidates if h not in companions]
    models = _scores(seen, candidates) if true is None else _outputs(seen, candidates, true)
    _warn_of_empty(seen, candidates, {*models})
    return models


MODELS = Role(name="models", others=None, assigns=_with_models)


def _by_model(seen: Profile, headings: Sequence[str], true: str | None) -> Mapping[str, Outputs]:
    """Return each wanted model's columns by class; None is the key of labels and scores."""
    truth = [] if true is None else seen.frame[true]
    if true is not None and not seen.holds_objects(true):
        truth = seen.frame[true].unique()
    classes = {*map(str, truth)}
    models: dict[str, dict[str | None, str]] = {}
    for heading in headings:
        model, label = (heading, None) if true is None else _split(heading, classes)
        models.setdefault(model, {})[label] = heading
    if not models:
        raise ValueError(
            f"{seen.where} has no model columns; it needs y_true (or --true COLUMN) and a column "
            "for each model, or numeric columns of scores per example."
        )
    return {model: models[model] for model in chosen([*models], seen.columns.models, seen.where)}


def _split(heading: str, classes: Collection[str]) -> tuple[str, str | None]:
    """Split a heading into model and class; true classes decide between several colons."""
    places = [place for place, sign in enumerate(heading) if sign == ":"]
    if not places:
        return heading, None
    place = next((p for p in places if heading[p + 1 :] in classes), places[-1])
    return heading[:place], heading[place + 1 :]


def _warn_of_empty(seen: Profile, candidates: Sequence[str], models: Collection[str]) -> None:
    """Warn of columns without any cell, which may be models whose results were never written."""
    others = (h for h in candidates if h not in models and not h.startswith("Unnamed"))
    empty = [h for h in others if not (names.describes(h) or len(seen.present(h)))]
    if empty:
        warn_of_data(
            f"{seen.where}: column {listed(empty)} is empty in every row and was left out; if it "
            "is a model, write its results (formulas of a spreadsheet as values).",
        )


def _scores(seen: Profile, candidates: Sequence[str]) -> list[str]:
    """Return columns of numbers, which are models' scores; columns of texts are descriptions."""
    refuse_data_as_headings(seen, candidates)
    for heading in candidates:
        if SHARED <= seen.share_of_numbers(heading) < 1:
            _refuse_spoilt(seen, heading)
        elif not seen.is_numeric(heading):
            _refuse_odd_numbers(seen, heading)
    numeric = [*filter(seen.is_numeric, candidates)]
    texts = [h for h in candidates if not seen.is_numeric(h)]
    if not numeric and len(texts) > 1:
        refuse_no_truth(seen, texts)
    refuse_published(seen, numeric, texts)
    _refuse_parts(seen, numeric)
    metrics = names.of_scores(numeric)
    if metrics:
        refuse_rows_of_programs(seen, metrics)
        raise DoubtError(
            f"{seen.where}: columns {listed([*map(repr, metrics)])} are named like scores, not "
            f"like models (columns: {listed(seen.headings, 8)}); if they are of one model name "
            f"them with {as_options(score='COLUMN')}, else name the models with models= (--model).",
            score=metrics,
        )  # fmt: skip
    undeclared = not seen.columns.output_kind.scored
    if undeclared:
        refuse_marks(seen, numeric)
    beyond = [h for h in numeric if seen.range(h) > 1]
    doubts = {h: _why_no_score(seen, h, numeric, alone=beyond == [h]) for h in numeric}
    several = seen.differ_in_sign([h for h in numeric if not doubts[h]])
    _refuse_doubtful(seen, numeric, doubts, others="score" if several else "models")
    if undeclared:
        _refuse_codes(seen, numeric)
        refuse_costs(seen, numeric)
    return numeric


def _refuse_parts(seen: Profile, numeric: Sequence[str]) -> None:
    """Refuse columns of one class each without a column of the truth."""
    held = [h for h in numeric if ":" in h]
    if len(held) > len({h.partition(":")[0] for h in held}):
        raise ValueError(
            f"{seen.where}: columns such as {held[0]!r} have one class each, but none has the true "
            "labels; give these in one column, and name it with "
            f"{as_options(true='COLUMN')}."
        )
    refuse_truth_beside(seen, numeric)


def _refuse_classes(seen: Profile, candidates: Sequence[str], true: str) -> None:
    """Refuse probabilities whose headings are not ``model:class``."""
    known = seen.present(true)
    classes = [] if cell_types.holds_objects(known) else [*map(str, known.unique())]
    if not 1 < len(classes) <= _MANY_CODES:
        return
    for heading in candidates:
        for sign in "_-. ":
            model = heading.removesuffix(sign + classes[0])
            parts = [model + sign + each for each in classes]
            if model != heading and {*parts} <= {*candidates} and _sum_to_one(seen, parts):
                raise ValueError(
                    f"{seen.where}: columns {parts[0]!r}, {parts[1]!r}, ... have probabilities of "
                    f"the classes; head them model:class, as {model}:{classes[0]}."
                )


def _sum_to_one(seen: Profile, headings: Sequence[str]) -> bool:
    # Texts are NaN, and no sum.
    total = sum(cell_types.as_numbers(seen.frame[heading]) for heading in headings)
    return bool(np.allclose(total, 1, atol=0.01))


def _refuse_codes(seen: Profile, numeric: Sequence[str]) -> None:
    """Refuse scores of few distinct integers, which may be codes of classes."""
    some = (np.unique(cell_types.as_numbers(seen.present(h)))[: _MANY_CODES + 1] for h in numeric)
    held = {float(x) for found in some for x in found}
    few = 2 < len(held) <= _MANY_CODES and all(x % 1 == 0 for x in held)
    if len(numeric) > 1 and few and len(seen.frame) >= FEW_ROWS:
        raise ValueError(
            f"{seen.where}: the columns have whole numbers ({min(held):g} to {max(held):g}), "
            "which are scores or codes of classes; pass kind='scores' (--kind scores), or name the "
            f"column of the truth with {as_options(true='COLUMN')}."
        )


def _refuse_spoilt(seen: Profile, heading: str) -> None:
    column = seen.present(heading)
    odd = column[np.isnan(cell_types.as_numbers(column))]
    if cell_types.parse_printed(odd[:1], ())["value"].notna().any():
        raise ValueError(
            f"{seen.where}: column {heading!r} has {str(odd.iloc[0])!r}, as papers print scores; "
            "such scores are for `modelcompare ranks`, those of samples are numbers alone."
        )
    raise ValueError(
        f"{seen.where}: column {heading!r} has numbers, but {str(odd.iloc[0])!r} in "
        f"{len(odd):,} of {len(seen.frame):,} rows; if that marks a missing result pass "
        f"{as_options(na=[str(odd.iloc[0])])}, or name the models with models= "
        "(--model)."
    )


def _refuse_odd_numbers(seen: Profile, heading: str) -> None:
    """Refuse numbers with separators or signs: 1,250 or 91.2 %."""
    column = seen.present(heading)
    if heading in seen.named or not re.fullmatch(_ODD_NUMBER, str(next(iter(column), ""))):
        return
    if column.astype(str).str.fullmatch(_ODD_NUMBER).all():
        raise ValueError(
            f"{seen.where}: column {heading!r} has {column.iloc[0]!r}, which may be a number; "
            "write numbers with a point (0.5) and no other sign, or name the models with models= "
            "(--model)."
        )


def _why_no_score(seen: Profile, heading: str, numeric: Sequence[str], *, alone: bool) -> str:
    """Return why numbers may be no model's scores: their name, or that they number the rows.

    A column is `alone` where no other has numbers beyond 1.
    """
    described = names.describes(heading) and not (len(numeric) == 1 and names.measures(heading))
    if described or names.plain(heading) in ("", *names.ID, *names.MAYBE_TRUE):
        return "is not named like a model"
    if len(numeric) > 1 and names.is_metric(heading):
        return "is named like a score, not like a model"
    if len(seen.frame) < FEW_ROWS:
        return ""
    if seen.numbers_rows(heading):
        return "has another whole number in each row"
    values = cell_types.as_numbers(seen.present(heading))
    whole = bool((np.isfinite(values) & (values == np.floor(values))).all())
    if whole and names.plain(heading).endswith("id"):
        return "is named like an id"
    if not whole or len(numeric) == 1:
        return ""
    if np.abs(values).max() > FEW_ROWS and alone:
        return "has whole numbers where the others are between 0 and 1"
    found = np.unique(values)
    in_order = len(found) > 2 and found[0] in (0, 1) and found[-1] - found[0] == len(found) - 1
    if in_order and not seen.columns.output_kind.scored and any(map(seen.is_real, numeric)):
        return f"has the numbers {found[0]:g} to {found[-1]:g}, as an index has"
    return ""


def _outputs(seen: Profile, candidates: Sequence[str], true: str) -> list[str]:
    """Return columns with values of the truth, which are models' outputs, and no descriptions."""
    decisions = _decisions(seen, candidates, true)
    no_outputs = [h for h in candidates if names.is_property(h) and seen.has_marks(h)]
    no_outputs += errors_of(seen, candidates, true)
    candidates = [h for h in candidates if h not in no_outputs]
    for heading in candidates:
        if names.usual_and_rest(heading, names.TRUE, prefix=True)[1].isdecimal():
            _refuse_doubtful(seen, candidates, {heading: "is named like the truth"})
    soft = {h for h in candidates if ":" in h and seen.is_numeric(h)}
    _refuse_classes(seen, candidates, true)
    kind = seen.columns.output_kind
    measured = seen.is_real(true) or kind.measured
    models = [h for h in candidates if h in soft or _fits(seen, h, true, measured=measured)]
    fitting = {*models}
    doubtful = [h for h in candidates if not (h in fitting or _describes(seen, h, true))]
    beside = _beside(seen, candidates, models, true)
    models, doubtful = ([h for h in found if h not in beside] for found in (models, doubtful))
    _refuse_answers(seen, [h for h in models or doubtful if h not in soft], true)
    if not models:
        # Nothing fits; the message about labels that do not match is more helpful.
        return doubtful
    doubtful = [h for h in doubtful if not is_apart(seen, h, models, true)]
    doubts = {
        heading: f"has other values than {true!r}" for heading in doubtful
        if names.describes(heading) or not is_misspelt(seen, heading, true)
    } | _why_no_outputs(seen, models, true, measured=measured)  # fmt: skip
    models = [h for h in candidates if h in {*models, *doubtful}]
    _refuse_doubtful(seen, models, doubts, decisions)
    return models


def _decisions(seen: Profile, candidates: Sequence[str], true: str) -> list[str]:
    """Find 0 and 1, or False and True, that go with a truth of two texts."""
    if seen.share_of_numbers(true) or seen.holds_objects(true) or seen.present(true).nunique() != 2:
        return []
    return [h for h in candidates if seen.has_marks(h) and seen.goes_with_marks(true, h)]


def _why_no_outputs(
    seen: Profile, models: Sequence[str], true: str, *, measured: bool
) -> dict[str, str]:
    """Return why columns beside outputs of models may be none themselves."""
    maybe_true = [] if seen.columns.true is None else names.named(models, names.MAYBE_TRUE)
    like_true = {*maybe_true} if len(maybe_true) < len(models) else {}
    predicting = next(filter(names.predicts, models), None)
    exact = not measured and any(seen.overlap(each, true) == 1 for each in models)
    doubts = {}
    for heading in models:
        named = None if names.predicts(heading) else predicting
        if heading in like_true:
            doubts[heading] = f"is named like the truth, as {true!r} is"
        elif measured and named is not None:
            doubts[heading] = f"is not named like predictions, as {named!r} is"
        elif exact:
            doubts[heading] = _why_no_labels(seen, heading, true, named)
    return doubts


def _why_no_labels(seen: Profile, heading: str, true: str, named: str | None) -> str:
    """Return why a column beside labels of the truth may be no output."""
    share = seen.overlap(heading, true)
    if share == 1:
        return ""
    if share > 0:
        other = named is not None or seen.at_chance(heading, true)
        return f"has values that {true!r} lacks, as no other output has" if other else ""
    values = cell_types.as_numbers(seen.present(heading))
    raw = ":" not in heading and seen.columns.kind == "auto" and (np.abs(values - 0.5) > 0.5).any()
    return "has real numbers beyond [0, 1] where others have labels" if raw else ""


def _refuse_answers(seen: Profile, headings: Sequence[str], true: str) -> None:
    """Refuse many different texts beside a truth of few, which would all be classes."""
    if seen.columns.kind != "auto" or seen.share_of_numbers(true):
        return
    for heading in headings:
        numeric = seen.is_numeric(heading) or seen.holds_objects(heading)
        if numeric or seen.overlap(heading, true) == 1:
            continue
        held, known = ({*seen.present(each).astype(str)} for each in (heading, true))
        others = len(held - known)
        if others > max(FEW_ROWS, 2 * len(known)):
            raise ValueError(
                f"{seen.where}: column {heading!r} has {others:,} different texts that {true!r}, "
                f"of {len(known):,}, lacks; if they are texts, not classes, pass kind='texts' "
                "(--kind texts), else kind='labels' (--kind labels)."
            )


def _beside(seen: Profile, candidates: Sequence[str], models: Sequence[str], true: str) -> set[str]:
    """Find numbers of each model next to its labels, such as latencies; not its probabilities."""
    own = [heading for heading in models if seen.overlap(heading, true) > 0]
    numbers = [h for h in candidates if h not in own and seen.is_numeric(h)]
    found = {
        heading for name, columns in names.of_each_model(numbers, own).items()
        if names.describes(name) or max(map(seen.range, columns.values())) > 1
        for heading in columns.values()
    }  # fmt: skip
    return found if {*models} - found == {*own} else set()


def _fits(seen: Profile, heading: str, true: str, *, measured: bool) -> bool:
    if names.describes(heading) or names.plain(heading) in names.ID:
        return False
    if measured:
        return seen.is_numeric(heading) and not seen.numbers_rows(heading)
    few = len(seen.frame) < FEW_ROWS
    return seen.could_be_of(heading, true, 1e-9 if few else SHARED)


def _describes(seen: Profile, heading: str, true: str) -> bool:
    """Return whether a column has free text or names rather than outputs of a model."""
    column = seen.present(heading)
    if len(seen.frame) < FEW_ROWS or seen.overlap(heading, true) > 0:
        return False
    if len(column) == 0 or names.plain(heading) in names.PROSE or seen.holds_objects(heading):
        return True
    return column.nunique() > len(column) / 2 and not seen.is_real(heading)


def _refuse_doubtful(
    seen: Profile, headings: Sequence[str], doubts: Mapping[str, str],
    decisions: Sequence[str] = (), *, others: Literal["models", "score"] = "models",
) -> None:  # fmt: skip
    """Refuse the first column in doubt, with the options that take likely others for models.

    Columns of `decisions` come first, as True and False are of a model if labels are not. The
    `others` may be several scores of one model instead.
    """
    held = [heading for heading in headings if doubts.get(heading)]
    if not held:
        return
    groups, slices = other_uses(seen, held, headings)
    free = dict.fromkeys(h.rpartition(":")[0] or h for h in headings if h not in held)
    scores = f"; scores of one model with {as_options(score='COLUMN')}" if others == "score" else ""
    raise DoubtError(
        f"{seen.where}: column {held[0]!r} {doubts[held[0]]} (columns: "
        f"{listed(seen.headings, 8)}); name all models with models= (--model), and it among them "
        f"if it is one{scores}.",
        **{others: decisions or names.likely_outputs([*free])}, slices=slices, groups=groups,
    )  # fmt: skip
