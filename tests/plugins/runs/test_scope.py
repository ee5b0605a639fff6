"""What an answer about several test sets with runs is about."""

import pytest

from modelcompare.engine.scope import Scope
from modelcompare.plugins.runs.design import Runs


def scope(*n_runs, new=True):
    return Scope(10, (Runs(n_runs=n_runs, new=new),))


@pytest.mark.parametrize(
    ("runs", "note"),
    [(((2,), (5,)), "seen in 2 to 5 runs each"), (((), (2,)), "seen in runs each"),
     (((2,), ()), "seen in runs each")],
)  # fmt: skip
def test_numbers_of_runs_are_unknown_if_those_of_one_set_are(runs, note):
    found = Scope.together(scope(*each) for each in runs)
    (text,) = found.notes
    assert note in text
    assert found.generalize_to == "items+runs"


def test_a_set_without_named_runs_has_one():
    found = Scope.together([Scope(10), scope(3, new=False)])
    assert found.notes == ("For these 1 to 3 runs: others of the same models would vary more.",)
    assert found.settings["for these runs"]
    assert not scope(3).at_hand["for these runs"]
