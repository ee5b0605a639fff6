"""What an answer about several test sets is about."""

import pytest

from modelcompare.engine.scope import Scope


@pytest.mark.parametrize(
    ("runs", "said"),
    [(((2,), (5,)), "seen in 2 to 5 runs each"), (((), (2,)), "seen in runs each"),
     (((2,), ()), "seen in runs each")],
)  # fmt: skip
def test_numbers_of_runs_are_unknown_if_those_of_one_set_are(runs, said):
    found = Scope.of_sets(Scope(10, n_runs=each, new_runs=True) for each in runs)
    (note,) = found.notes
    assert said in note


def test_samples_and_labels_of_sets_add_up_and_the_least_sure_draw_counts():
    parts = Scope(10, n_labels=3, p_labels=0.4), Scope(20, n_labels=5, p_labels=0.1)
    found = Scope.of_sets(parts)
    assert (found.n_samples, found.n_labels, found.p_labels, found.n_sets) == (30, 8, 0.1, 2)
    assert Scope.of_sets(parts[:1]) == parts[0]
