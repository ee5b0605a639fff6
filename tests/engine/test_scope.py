"""What an answer about several test sets is about."""

from modelcompare.engine.scope import Scope


def test_one_set_is_its_own_scope_and_samples_of_several_add_up():
    parts = Scope(10), Scope(20)
    assert Scope.of_sets(parts[:1]) == parts[0]
    found = Scope.of_sets(parts, new_sets=True)
    assert (found.n_samples, found.n_sets, found.generalize_to) == (30, 2, "items+sets")
    assert "like these 2" in found.notes_of_sets[0]
    assert not Scope.of_sets(parts).notes_of_sets
