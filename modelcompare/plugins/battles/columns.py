"""Columns of battles: two models in each row, the winner, and users or items beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from modelcompare.arrays import AnyArray, FloatArray, IntArray
from modelcompare.data.checks import check_columns_distinct, refuse_rows, warn_of_data
from modelcompare.data.columns import checked_weights
from modelcompare.plugins.battles.strengths import FIRST, SECOND, TIE, Battles
from modelcompare.readers import names
from modelcompare.readers.cell_types import Column, as_numbers, holds_objects
from modelcompare.readers.messages import counted, listed
from modelcompare.readers.options import Columns, column_of, refuse_column, with_named
from modelcompare.readers.profile import Profile
from modelcompare.readers.roles import Candidate, Role, Roles, solve
from modelcompare.readers.tables import column_at

# Usual names of the columns of two models that met.
_SIDES = {"model_a": "model_b", "model_1": "model_2", "model1": "model2"}
_OPPOSITE = {**_SIDES, **{second: first for first, second in _SIDES.items()}}


def _has_opposite(at: Candidate) -> bool:
    """Return whether the column of the other model is there too."""
    return bool(names.named(at.seen.headings, (_OPPOSITE[names.plain(at.heading)],)))


_BATTLE = (
    Role(name="model_a", usual=(*_SIDES,), fits=_has_opposite, shares=True),
    Role(name="model_b", usual=(*_SIDES.values(),), fits=_has_opposite, shares=True),
    Role(name="winner", usual=("winner",), shares=True),
)


def _varies(at: Candidate) -> bool:
    seen, heading = at.seen, at.heading
    return not seen.holds_objects(heading) and seen.frame[heading].nunique() > 1


# The person or judge who decided, and the question.
_USER = Role(name="user", usual=names.USER, fits=_varies)
_ITEM = Role(
    name="item",
    usual=(
        "question_id", "item", "item_id", "prompt_id", "example_id", "query_id", "instance_id",
        "prompt", "question", "instruction",
    ),
    fits=lambda at: not at.seen.holds_objects(at.heading),
)  # fmt: skip
_OUTCOMES = {
    **dict.fromkeys(("model_a", "model_1", "a", "1"), FIRST),
    **dict.fromkeys(("model_b", "model_2", "b", "0"), SECOND),
    **dict.fromkeys(("tie", "tie (bothbad)", "both_bad", "bothbad", "0.5"), TIE),
}  # fmt: skip
_KNOWN = "model_a, model_b, tie, both_bad, a model's name, or 1 (model a), 0.5 and 0"
# Columns that may name the models of battles, where no usual name does, have this share of values
# in common; so many columns are inspected.
_SHARED, _MOST_COLUMNS = 0.5, 20
# Least number of clusters of two kinds, for each model.
_TIMES = 2
# Winners of the two games of a battle, between which the models change places.
_GAMES = ("g1_winner", "g2_winner")
_FAILED = "error"


@dataclass(frozen=True)
class Found:
    """Battles of a table, with the columns of items and of users."""

    where: str
    battles: Battles
    item: Column | None
    user: Column | None
    clusters: tuple[IntArray, ...]
    beside: Mapping[str, AnyArray]  # strata and weights, as arguments of Predictions
    parts: Mapping[str, str | None]


def are_battles(frame: pd.DataFrame, columns: Columns, where: str) -> bool:
    """Return whether columns are named like battles; refuse those that only look like them."""
    seen = Profile(frame, columns, where)
    roles, headings = solve(seen, _BATTLE), seen.headings
    one, other, found = roles["model_a"], roles["model_b"], roles.of("winner")
    sides = None if one is None or other is None else (one, other)
    if sides is not None and (found or {*_GAMES} <= {*headings}):
        return True
    others = [name for name in columns.named if name not in ("id", "groups")]
    truth = names.named(headings, names.TRUE)
    if others or truth or columns.models:
        return False
    check_columns_distinct(frame, where)
    if sides is None and not found:
        sides = next(_of_winners(frame, headings), None)
        found = [] if sides is None else [sides[0]]
    elif sides is None:
        free = [h for h in headings if h not in found and _is_text(frame[h])][:_MOST_COLUMNS]
        pairs = (pair for pair in combinations(free, 2) if _share_models(frame, pair))
        sides = next((p for p in pairs if _decides(frame, p, found[0])), None)
    elif _is_text(frame[sides[0]]) and _share_models(frame, sides):
        free = [h for h in headings if h not in sides][:_MOST_COLUMNS]
        found = [h for h in free if _decides(frame, sides, h)]
    if sides is None or not found:
        return False
    all_three = [*sides, found[0]]
    raise ValueError(
        f"{where}: columns {all_three[0]!r}, {all_three[1]!r} and {all_three[2]!r} look like "
        "battles of two models and their winner; if they are pass columns={'battles': "
        f"{tuple(all_three)}}} (--read battles={','.join(all_three)})."
    )


def refuse_battles(frame: pd.DataFrame, columns: Columns, where: str) -> None:
    """Refuse battles where rows are read block by block, or file by file."""
    if are_battles(frame, columns, where):
        raise ValueError(
            f"{where} has battles, whose strengths need all rows: put all battles into one file "
            "that fits into memory, and name it alone."
        )


def with_winner(frame: pd.DataFrame, where: str) -> pd.DataFrame:
    """Add the winner of battles in two games, as MT-Bench's judges play them.

    A battle is won in both games, or a tie; it is left out if the judge failed in one
    (lm-sys/FastChat 0e6d3e4, llm_judge/show_result.py, display_result_pairwise).
    """
    known = solve(Profile(frame, Columns(), where), _BATTLE)["winner"]
    if known is not None or not {*_GAMES} <= {*frame.columns}:
        return frame
    one, other = (frame[heading] for heading in _GAMES)
    failed = (one == _FAILED) | (other == _FAILED)
    if failed.any():
        what = f"left out {failed.sum():,} of {len(frame):,} battles"
        warn_of_data(f"{where}: {what}, in which the judge failed.")
    return frame.assign(winner=one.where(one == other, "tie"))[~failed]


def _of_winners(frame: pd.DataFrame, headings: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield columns of names of the model that won and of the one that lost."""
    plain = {names.words(heading): heading for heading in headings}
    for name, winner in plain.items():
        loser = plain.get(name.replace("winner", "loser"), winner)
        if loser != winner and _is_text(frame[winner]) and _share_models(frame, (winner, loser)):
            yield winner, loser


def _is_text(column: Column) -> bool:
    return not holds_objects(column) and bool(np.isnan(as_numbers(column.unique())).all())


def _share_models(frame: pd.DataFrame, pair: tuple[str, str]) -> bool:
    """Return whether two columns have names in common, and never the same one in a row."""
    one, other = (frame[heading] for heading in pair)
    few = len({*one} & {*other}) >= _SHARED * min(one.nunique(), other.nunique()) > 0
    return few and one.nunique() < len(one) and not (one == other).any()


def _decides(frame: pd.DataFrame, pair: tuple[str, str], heading: str) -> bool:
    """Return whether a column could have the winner of each battle."""
    if holds_objects(frame[heading]):
        return False
    one, other, winner = (_as_texts(frame[h]) for h in (*pair, heading))
    return bool((_outcomes(one, other, winner) >= 0).all())


def sides_in(frame: pd.DataFrame, given: Sequence[str | None], where: str) -> list[str]:
    """Return the columns of the two models and of the winner: those given, or with usual names."""
    if len(given) != 3:
        raise ValueError(
            "`battles` (--read battles) must be three columns, as model_a,model_b,winner; got "
            f"{','.join(map(str, given))}."
        )
    check_columns_distinct(frame, where)
    seen = Profile(frame, Columns(), where)
    known = Roles.given(**dict(zip(("model_a", "model_b", "winner"), given, strict=True)))
    roles = solve(seen, _BATTLE, known)
    sides = roles.of("model_a", "model_b", "winner")
    if len(sides) < 3 or sides[0] == sides[1]:
        raise ValueError(
            f"{where}: battles need three columns, of the two models and of the winner, usually "
            f"model_a, model_b and winner; there are {listed(seen.headings, 8)}. Name them with "
            "columns={'model_a': ..., 'model_b': ..., 'winner': ...} (--read "
            "battles=MODEL_A,MODEL_B,WINNER)."
        )
    return sides


def with_weight(frame: pd.DataFrame, columns: Columns, where: str) -> pd.DataFrame:
    """Return battles that count: those of weight 0 are left out."""
    weight = checked_weights(_beside(frame, columns, where).get("sample_weight"), len(frame))
    if weight is None or weight.all():
        return frame
    n_left = np.count_nonzero(weight == 0)
    warn_of_data(f"{where}: left out {n_left:,} of {len(frame):,} battles, whose weight is 0.")
    return frame[weight > 0].reset_index(drop=True)


def _beside(frame: pd.DataFrame, columns: Columns, where: str) -> dict[str, AnyArray]:
    """Return strata, weights, and columns that are no subgroups."""
    drawn = Columns(strata=columns.strata, weight=columns.weight, slices=columns.described)
    frame = with_named(frame, drawn, where)
    if drawn.weight is not None:
        numbers = as_numbers(frame[drawn.weight])
        _check_numbers(numbers, f"{where}: weight {drawn.weight!r}")
        frame = frame.assign(**{drawn.weight: numbers})
    found = drawn.beside(frame)
    return {name: column for name, column in found.items() if column is not None}


def battles_in(frame: pd.DataFrame, sides: Sequence[str], columns: Columns, where: str) -> Found:
    """Read the battles in three columns, and strata, weights and clusters beside them."""
    if not len(frame):
        raise ValueError(f"{where}: there are 0 battles; at least 2 are needed.")
    outcomes = [_column(frame, heading, where) for heading in sides]
    for column in outcomes:
        refuse_rows(
            column.isna().to_numpy(), f"{where}: column {column.name!r} is empty",
            "fill it in, or leave these battles out",
        )  # fmt: skip
    one, other, winner = map(_as_texts, outcomes)
    refuse_rows(one == other, f"{where}: a model meets itself", "leave these battles out")
    outcome = _outcomes(one, other, winner)
    bad = outcome < 0
    if bad.any():
        held = listed([*dict.fromkeys(winner[bad])])
        refuse_rows(
            bad, f"{where}: column {sides[2]!r} has {held}",
            f"the winner is {_KNOWN}; correct these rows, or leave them out",
        )  # fmt: skip
    place, models = pd.factorize(np.stack([one, other], axis=1).ravel())
    of_item, of_user, clusters = _clusters(frame, columns.id, columns.groups, len(models), where)
    beside = _beside(frame, columns, where)
    parts = {
        "battles": f"{sides[0]} against {sides[1]}", "winner": sides[2],
        "ties": f"{n:,}" if (n := np.count_nonzero(outcome == TIE)) else "",
        "clusters": " and ".join(str(column.name) for column in clusters),
        "strata": columns.strata, "weight": columns.weight,
        "models": counted([*models]),
    }  # fmt: skip
    codes = tuple(pd.factorize(column)[0] for column in clusters)
    battles = Battles(
        tuple(models), place[::2], place[1::2], outcome, cluster=next(iter(codes), None),
        weight=beside.get("sample_weight"),
    )  # fmt: skip
    return Found(where, battles, of_item, of_user, codes, beside, parts)


def _column(frame: pd.DataFrame, heading: str, where: str) -> Column:
    column = column_of(frame, heading, where)
    if holds_objects(column):
        raise ValueError(f"{where}: column {heading!r} contains lists or objects; name another.")
    return column.rename(heading)


def _as_texts(column: Column) -> AnyArray:
    """Return cells as texts without blanks around them; whole numbers have no point."""
    place, held = pd.factorize(column, use_na_sentinel=False)
    texts = [
        f"{cell:g}" if isinstance(cell, float | np.floating) else str(cell).strip() for cell in held
    ]
    return np.array(texts, dtype=object)[place]


def _outcomes(one: AnyArray, other: AnyArray, winner: AnyArray) -> IntArray:
    """Return the outcome of each battle; -1 if the winner is not known, or may be either."""
    place, held = pd.factorize(winner)
    known = [_OUTCOMES.get(text.casefold().removesuffix(".0"), -1) for text in held]
    by_word = np.array(known, dtype=np.intp)[place]
    by_name = np.select([winner == one, winner == other], [FIRST, SECOND], -1)
    unsure = (by_word >= 0) & (by_name >= 0) & (by_word != by_name)
    return np.asarray(np.where(unsure, -1, np.where(by_name >= 0, by_name, by_word)))


def _clusters(
    frame: pd.DataFrame, item: str | None, user: str | None, n_models: int, where: str
) -> tuple[Column | None, Column | None, tuple[Column, ...]]:
    """Return the columns of items and of users, and those that battles share, fewest values first.

    Fewer users, or items, than twice the models do not show all covariances; users alone are then
    the clusters.
    """
    searched = [_ITEM] if item or user else [_USER, _ITEM]
    roles = solve(Profile(frame, Columns(), where), searched, Roles.given(user=user, item=item))
    of_item, of_user = (
        None if heading is None else _column(frame, heading, where)
        for heading in (roles["item"], roles["user"])
    )
    repeated = [c for c in (of_user, of_item) if c is not None and c.nunique() < len(frame)]
    for column in repeated:
        refuse_rows(
            column.isna().to_numpy(), f"{where}: column {column.name!r} is empty", "fill it in"
        )
    few = min((column.nunique() for column in repeated), default=0) < _TIMES * n_models
    if len(repeated) > 1 and few:
        first, second = (column.name for column in repeated)
        warn_of_data(
            f"{where}: battles of one {first!r} are a cluster; those of one {second!r} may be "
            f"related as well, which errors do not contain, as there are fewer than {_TIMES} of "
            f"either for each model. For clusters of these name item {second!r} alone (--id "
            f"{second})."
        )
        del repeated[1:]
    return of_item, of_user, tuple(sorted(repeated, key=lambda column: column.nunique()))


def covariate(frame: pd.DataFrame, name: str, where: str) -> FloatArray:
    """Return a column of numbers, or the difference of two, in standard deviations."""
    headings = [name] if column_at(frame, name) is not None else [f"{name}_a", f"{name}_b"]
    if any(column_at(frame, heading) is None for heading in headings):
        refuse_column(name, [str(heading) for heading in frame.columns], where)
    numbers = [as_numbers(_column(frame, heading, where)) for heading in headings]
    values = numbers[0] if len(numbers) == 1 else numbers[0] - numbers[1]
    _check_numbers(values, f"{where}: covariate {name!r}")
    return np.asarray(values / (values.std() or 1.0))


def _check_numbers(values: FloatArray, what: str) -> None:
    refuse_rows(
        ~np.isfinite(values), f"{what} has cells that are no numbers",
        "fill them in, or leave these battles out",
    )  # fmt: skip


REFUSALS = (refuse_battles,)
