"""What an answer about several test sets with a judge is about."""

from modelcompare.engine.scope import Scope
from modelcompare.plugins.judges.design import Labels


def test_samples_and_labels_of_sets_add_up_and_the_least_sure_draw_counts():
    parts = [
        Scope(n, (Labels(n_labels=labels, n_samples=n, p=p),))
        for n, labels, p in ((10, 3, 0.4), (20, 5, 0.1))
    ]
    found = Scope.together(parts)
    assert (found.n_samples, found.counts) == (30, {"labels": 8})
    (note,) = found.notes
    assert "8 of 30 samples" in note
    assert "p = 0.10" in note
    assert found.marks == {"judge": True}
    assert Scope.together(parts[:1]) == parts[0]
