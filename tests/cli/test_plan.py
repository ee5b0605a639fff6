"""The option --plan of compare."""


def test_a_plan_names_intervals_and_tests_and_compares_nothing(run):
    done = run("compare", "snli.npz", "--plan", "-m", "accuracy", "-m", "f1_macro")
    assert done.code == 0
    for word in ("half-count", "shrunk-influence", "all swaps", "Test: studentized-permutation"):
        assert word in done.out
    assert "leads" not in done.out
