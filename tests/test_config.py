"""Defaults that a user sets hold for the functions that are called, and for nothing within them."""

from concurrent.futures import ThreadPoolExecutor

import pytest

import modelcompare as mc
from modelcompare.arguments import checked
from tests.report.written import as_json


@checked()
def inner(*, alpha=0.05, rng=None):
    return alpha, rng


@checked()
def outer(*, confidence_level=0.95, rng=0):
    return confidence_level, rng, inner()


@checked(inner)
def forwarding(power=0.8, **options):
    return power, inner(**options)


def test_what_is_not_given_comes_from_the_context():
    with mc.config_context(alpha=0.01, rng=3):
        assert inner() == (0.01, 3)
        assert inner(alpha=0.2) == (0.2, 3)
        assert inner(rng=None) == (0.01, None)
    assert inner() == (0.05, None)


def test_a_function_hands_on_what_it_was_given_alone():
    with mc.config_context(alpha=0.01, confidence_level=0.9, rng=3):
        assert outer() == (0.9, 3, (0.05, None))


def test_options_that_are_forwarded_come_from_it_too():
    with mc.config_context(alpha=0.01, confidence_level=0.9):
        assert forwarding() == (0.8, (0.01, None))


def test_contexts_nest_and_end_with_an_error():
    with mc.config_context(alpha=0.01, rng=1):
        with mc.config_context(alpha=0.02):
            assert inner() == (0.02, 1)
        with pytest.raises(ZeroDivisionError), mc.config_context(alpha=0.02):
            1 / 0  # noqa: B018
        assert inner() == (0.01, 1)


def test_another_thread_has_its_own():
    with mc.config_context(alpha=0.01), ThreadPoolExecutor(1) as pool:
        assert pool.submit(inner).result() == (0.05, None)


def test_results_are_those_of_the_arguments_spelled_out():
    preds = mc.load_example("snli")
    asked = {"confidence_level": 0.9, "alpha": 0.1, "rng": 5, "n_jobs": 2, "progress": False}
    with mc.config_context(**asked):
        found = mc.compare(preds, "f1_macro", n_resamples=99)
    assert as_json(found) == as_json(mc.compare(preds, "f1_macro", n_resamples=99, **asked))


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"alpha": 5}, ValueError, r"`alpha` must be in \(0, 1\), got 5; for 5 % pass 0\.05\."),
        ({"n_jobs": 0}, ValueError, "`n_jobs` must be a number of jobs"),
        (
            {"seed": 1},
            TypeError,
            r"config_context\(\) has no argument `seed`; did you mean `rng`\?",
        ),
        ({"metrics": "f1"}, TypeError, r"config_context\(\) has no argument `metrics`"),
    ],
)
def test_what_makes_no_sense_is_refused_at_once(wrong, error, message):
    with pytest.raises(error, match=message):
        mc.config_context(**wrong)
