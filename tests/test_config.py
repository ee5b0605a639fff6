"""Defaults that a user sets hold for the functions that are called, and for nothing within them."""

import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from inspect import Parameter, signature
from pathlib import Path

import pytest

import modelcompare as mc
from modelcompare.arguments import checked
from modelcompare.engine.parallel import map_blocks
from modelcompare.execution import SETTINGS, Execution, execution
from tests.plugged import all_plugins
from tests.public import functions
from tests.report.written import as_json
from tests.senseless import FLAG, JOBS

SNLI = mc.load_example("snli")


@checked()
def inner(*, alpha=0.05, rng=None):
    return alpha, rng


@checked()
def outer(*, confidence_level=0.95, rng=0):
    return confidence_level, rng, inner()


@checked()
def two_sided(*, alpha=0.05, confidence_level=0.95):
    return alpha, confidence_level


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
    with mc.config_context(alpha=0.1, confidence_level=0.9, rng=3):
        assert outer() == (0.9, 3, (0.05, None))


def test_options_that_are_forwarded_come_from_it_too():
    with mc.config_context(alpha=0.1, confidence_level=0.9):
        assert forwarding() == (0.8, (0.1, None))


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
    asked = {"confidence_level": 0.9, "alpha": 0.1, "rng": 5}
    with mc.config_context(**asked, n_jobs=2, progress=False):
        found = mc.compare(preds, "f1_macro", n_resamples=99)
    assert as_json(found) == as_json(mc.compare(preds, "f1_macro", n_resamples=99, **asked))


@checked()
def workers():
    return execution.get().n_jobs, inner()


def test_settings_of_the_execution_apply_to_all_that_is_called_and_are_no_arguments():
    with mc.config_context(n_jobs=2, alpha=0.01):
        assert workers() == (2, (0.05, None))
        with mc.config_context(progress=True):
            assert execution.get() == Execution(n_jobs=2, progress=True)
        assert map_blocks(lambda _: execution.get().n_jobs, [0]) == [2]
    assert execution.get() == Execution()
    for name, function in functions().items():
        assert not {*SETTINGS} & {*signature(function).parameters}, name


def test_blocks_are_worked_on_by_the_workers_of_the_context(monkeypatch):
    asked = []

    def parallel(n_jobs, **_):
        asked.append(n_jobs)
        return lambda jobs: [function(*args) for function, args, _ in jobs]

    monkeypatch.setattr("joblib.Parallel", parallel)
    with mc.config_context(n_jobs=3):
        mc.bootstrap(SNLI, "roc_auc_ovr", n_resamples=300)
        assert asked == [3]
        mc.decide(
            SNLI, "mlp", "bow_pair", "roc_auc_ovr", margin=0.01, n_resamples=300, method="BCa"
        )
    assert {*asked} == {3}


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


@pytest.mark.parametrize(
    ("name", "wrong"),
    [*(("n_jobs", each) for each in JOBS), *(("progress", each) for each in FLAG)],
)
def test_settings_of_the_execution_that_make_no_sense_are_refused_by_name(name, wrong):
    with pytest.raises((TypeError, ValueError), match=f"`{name}`"):
        mc.config_context(**{name: wrong})


def test_one_of_alpha_and_level_follows_from_the_other():
    assert two_sided() == (0.05, 0.95)
    assert two_sided(alpha=0.01) == (0.01, 0.99)
    assert two_sided(confidence_level=0.99) == (0.01, 0.99)
    assert two_sided(alpha=0.1, confidence_level=0.9) == (0.1, 0.9)


def test_a_call_overrides_the_context_and_a_later_context_an_earlier_one():
    with mc.config_context(confidence_level=0.8, rng=1):
        assert two_sided() == (0.2, 0.8)
        assert two_sided(alpha=0.01) == (0.01, 0.99)
        with mc.config_context(alpha=0.1):
            assert two_sided() == (0.1, 0.9)
            assert two_sided(confidence_level=0.99) == (0.01, 0.99)
            # A function that has one of them alone takes what was set for it.
            assert outer()[0] == 0.8
            with mc.config_context(confidence_level=0.8):
                assert two_sided() == (0.2, 0.8)


CONTRADICTION = (
    "`alpha` (--alpha) 0.01 and `confidence_level` (--confidence-level) 0.95 contradict each "
    "other, as one is 1 minus the other: beside `alpha` 0.01, `confidence_level` is 0.99. Leave "
    "one of them out."
)


@pytest.mark.parametrize(
    "function", [two_sided, mc.config_context, lambda **levels: mc.compare(SNLI, **levels)]
)
def test_both_in_one_call_must_agree(function):
    with pytest.raises(ValueError, match=f"^{re.escape(CONTRADICTION)}$"):
        function(alpha=0.01, confidence_level=0.95)


def both(function):
    """Return the parameters alpha and confidence level of a public function, if it has both."""
    with suppress(TypeError, ValueError):
        found = signature(function).parameters
        return [found[name] for name in ("alpha", "confidence_level") if name in found]
    return []


def test_wherever_there_are_both_they_are_keywords_with_defaults_that_agree():
    names = Path(__file__).with_name("public_api.txt").read_text().splitlines()
    functions = {name.partition("(")[0] for name in names if "(" in name}
    levels = {}
    for name in functions:
        module, *path = name.split(".")[1:] if name.startswith("modelcompare.") else [""]
        found = getattr(mc, module, None)
        for each in path:
            found = getattr(found, each, None)
        if len(own := both(found)) == 2:
            levels[name] = own
    assert len(levels) >= (8 if all_plugins() else 3), levels
    for name, (alpha, level) in levels.items():
        assert alpha.kind is level.kind is Parameter.KEYWORD_ONLY, name
        assert alpha.default + level.default == pytest.approx(1), name
