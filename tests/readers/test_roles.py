"""The solver gives columns to roles by options, names and structure, and keeps the reasons."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.readers import column_roles, reading, tabular
from modelcompare.readers.column_roles import find_roles, profile_of
from modelcompare.readers.options import Columns
from modelcompare.readers.profile import Profile
from modelcompare.readers.role_table import MODEL, PRED, TRUTH
from modelcompare.readers.roles import Candidate, Found, Role, Roles, solve
from tests.plugged import needs

WIDE = pd.DataFrame(
    {
        "gold": ["no", "yes"] * 6,
        "sentence": [f"s{number}" for number in range(12)],
        "cnn": ["no", "yes", "yes"] * 4,
        "bow": ["no"] * 11 + ["yes"],
    }
)


def roles_of(frame: pd.DataFrame, **options: Any) -> Roles:
    return find_roles(profile_of(frame, Columns(**options), "the table"), alone=True)


def test_each_column_of_a_role_has_its_reason():
    assert roles_of(WIDE).found == {
        "truth": Found("gold", "name"),
        "id": Found("sentence", "structure"),
    }
    assert roles_of(WIDE, true="cnn").found["truth"] == Found("cnn", "option")


@needs("folds")
def test_columns_that_describe_samples_have_roles_too_and_ids_may_be_dates():
    frame = WIDE.assign(fold=["x", "y", "z"] * 4, day=[f"2026-01-{n:02}" for n in range(1, 13)])
    found = roles_of(frame, models=("cnn", "bow"))
    assert (found["fold"], found["time"]) == ("fold", "day")
    found = roles_of(frame.drop(columns="sentence"), id="day", models=("cnn", "bow"))
    assert (found["id"], found["time"], found.found["time"].reason) == ("day", "day", "name")
    assert roles_of(frame, groups="fold", models=("cnn", "bow"))["fold"] == "fold"


def test_the_line_gives_a_role_of_a_new_row_and_each_reason_that_is_no_name(monkeypatch):
    site = Role(name="site", usual=("hospital",))
    monkeypatch.setattr(column_roles, "BESIDE_MODELS", (*column_roles.BESIDE_MODELS, site))
    numbers = WIDE.assign(hospital=["no", "yes"] * 6)
    parts = tabular.wide_predictions(
        seen := profile_of(numbers, Columns(), "t"), find_roles(seen, alone=True), name=None
    ).parts
    assert reading.in_one_line(parts) == (
        "truth: gold; id: sentence (by its values); site: hospital; models: 2 (cnn, bow)"
    )


def test_arrays_have_roles_by_the_same_names(tmp_path):
    labels = np.resize([0, 1], 6)
    np.savez(tmp_path / "a.npz", Truth=labels, cnn=labels, Item=np.arange(6) + 7, labels=["a", "b"])
    found = mc.read_predictions(tmp_path / "a.npz")
    assert (found.models, found.ids.tolist()) == (("cnn",), [7, 8, 9, 10, 11, 12])


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
    duplicated = pd.Series.duplicated
    monkeypatch.setattr(
        pd.Series, "duplicated", lambda column: calls.append(column.name) or duplicated(column)
    )
    assert seen.all_differ("sentence")
    assert seen.unique("sentence")
    assert calls == ["sentence"]
    calls.clear()
    mc.read_predictions(WIDE.assign(id=range(len(WIDE)), site="a"))
    assert calls.count("id") == 1
