"""The solver gives columns to roles by options, names and structure, and keeps the reasons."""

import pandas as pd
import pytest

from modelcompare.readers.column_roles import find_roles, profile_of
from modelcompare.readers.options import Columns
from modelcompare.readers.profile import Profile
from modelcompare.readers.role_table import MODEL, PRED, TRUTH
from modelcompare.readers.roles import Candidate, Found, Role, Roles, solve

WIDE = pd.DataFrame(
    {
        "gold": ["no", "yes"] * 6,
        "sentence": [f"s{number}" for number in range(12)],
        "cnn": ["no", "yes", "yes"] * 4,
        "bow": ["no"] * 11 + ["yes"],
    }
)


def roles_of(frame: pd.DataFrame, **options: str) -> Roles:
    return find_roles(profile_of(frame, Columns(**options), "the table"), alone=True)


def test_each_column_of_a_role_has_its_reason():
    assert roles_of(WIDE).found == {
        "truth": Found("gold", "name"),
        "id": Found("sentence", "structure"),
    }
    assert roles_of(WIDE, true="cnn").found["truth"] == Found("cnn", "option")


def test_a_name_that_is_not_always_the_truths_needs_the_structure_of_it():
    frame = WIDE.rename(columns={"gold": "answer"})
    seen = Profile(frame, Columns(), "the table")
    assert solve(seen, [TRUTH]).found["truth"] == Found("answer", "structure")
    seen = Profile(frame[["answer", "sentence"]], Columns(), "the table")
    assert solve(seen, [TRUTH])["truth"] is None


def test_no_column_has_two_roles():
    first, second = (Role(name=name, usual=("item",)) for name in ("first", "second"))
    seen = Profile(pd.DataFrame({"item": [1, 2]}), Columns(), "the table")
    assert solve(seen, [first, second]).found == {"first": Found("item", "name")}


def test_columns_that_options_name_are_left_to_them_unless_a_role_shares_them():
    role = Role(name="id", usual=("item",))
    seen = Profile(pd.DataFrame({"item": [1, 2]}), Columns(groups="item"), "the table")
    assert solve(seen, [role])["id"] is None
    assert solve(seen, [Role(name="id", usual=("item",), shares=True)])["id"] == "item"


def test_the_most_usual_name_that_fits_comes_before_any_structure():
    def is_long(at: Candidate) -> float:
        return at.seen.present(at.heading).str.len().min() > 1

    role = Role(name="text", usual=("a", "b"), fits=is_long, others=None, shows=is_long)
    frame = pd.DataFrame({"c": ["long", "longer"], "a": ["x", "y"], "b": ["one", "two"]})
    for columns, found in (
        (["c", "a", "b"], Found("b", "name")),
        (["c", "a"], Found("c", "structure")),
    ):
        assert solve(Profile(frame[columns], Columns(), "t"), [role]).found == {"text": found}


def test_rivals_of_a_role_are_refused_by_name():
    seen = Profile(WIDE.assign(label=WIDE["cnn"]), Columns(), "the table")
    with pytest.raises(ValueError, match="columns 'gold' and 'label' are both named like the tru"):
        solve(seen, [TRUTH])
    known = solve(Profile(WIDE, Columns(), "the table"), [MODEL, TRUTH])
    with pytest.raises(ValueError, match="columns 'cnn' and 'bow' both have values of 'gold'"):
        solve(Profile(WIDE, Columns(), "the table"), [PRED], known)


def test_a_property_of_a_column_is_computed_once(monkeypatch):
    seen = Profile(WIDE, Columns(), "the table")
    calls = []
    duplicated = pd.DataFrame.duplicated
    monkeypatch.setattr(
        pd.DataFrame, "duplicated", lambda *given: calls.append(given[1:]) or duplicated(*given)
    )
    assert seen.all_differ("sentence")
    assert seen.unique("sentence")
    assert len(calls) == 1
