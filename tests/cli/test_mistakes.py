"""Options of other tools are answered by the option that is meant."""

import pytest


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("--bootstrap 1000", "--resamples"), ("--n-boot 1000", "--resamples"),
        ("--iterations 1000", "--resamples"), ("--group user", "--groups"),
        ("--models a,b", "--model (repeatable)"), ("--random-state 3", "--seed"),
        ("--truth label", "--true"), ("--adjust holm", "--correction"),
        ("--confidence-levle 0.9", "--confidence-level"),
    ],
)  # fmt: skip
def test_an_option_of_another_name_is_answered(run, given, meant):
    found = run("compare", "t.csv", *given.split())
    assert found.code == 2
    assert f"there is no option {given.split()[0]}; did you mean {meant}?" in found.err


def test_an_option_like_no_other_leads_to_the_list(run):
    assert "--help-all lists all" in run("compare", "t.csv", "--xyzzy").err
