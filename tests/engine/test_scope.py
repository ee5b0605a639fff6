"""What an answer about several test sets is about."""

from modelcompare.engine.scope import Scope


def test_one_set_is_its_own_scope_and_samples_of_several_add_up():
    parts = Scope(10), Scope(20)
    assert Scope.together(parts[:1]) == parts[0]
    found = Scope.together(parts)
    assert (found.n_samples, found.generalize_to, found.notes) == (30, None, ())
