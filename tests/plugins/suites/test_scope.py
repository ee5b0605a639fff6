"""What an answer about a mean over test sets is about."""

from modelcompare.engine.scope import Scope
from modelcompare.plugins.suites.scope import are_new, notes_on_sets, scope_of_sets


def test_sets_are_a_part_of_the_scope_and_new_ones_have_a_note():
    parts = Scope(10), Scope(20)
    found = scope_of_sets(parts, new_sets=True)
    assert (found.n_samples, found.marks, found.generalize_to) == (30, {"sets": 2}, "items+sets")
    assert "like these 2" in notes_on_sets(found)[0]
    assert (are_new(found), found.more) == (True, "test sets")
    these = scope_of_sets(parts, new_sets=False)
    assert (are_new(these), notes_on_sets(these), these.more) == (False, (), "")
    assert not are_new(parts[0])
    assert not scope_of_sets(parts[:1], new_sets=False).marks
