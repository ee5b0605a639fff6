"""Wrong arguments and names suggest the right ones, and the check is seen nowhere else."""

import doctest
import inspect
import pickle
import sys
import warnings

import numpy as np
import pytest

import modelcompare as mc
from modelcompare.arguments import argument_meant
from modelcompare.metrics import METRICS
from tests.public import functions

FUNCTIONS = functions()
# Its options depend on the metric, which refuses them.
CHECKED = {name: function for name, function in FUNCTIONS.items() if name != "get_metric"}


@pytest.mark.parametrize("name", CHECKED)
def test_every_public_function_refuses_an_argument_that_it_has_not(name):
    with pytest.raises(TypeError, match=rf"^{name}\(\) has no argument `of_nobody`; (it has|did)"):
        CHECKED[name](of_nobody=1)


@pytest.mark.parametrize("name", CHECKED)
def test_every_argument_misspelt_suggests_itself(name):
    parameters = inspect.signature(CHECKED[name]).parameters.values()
    named = [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    for argument in named:
        if len(argument) < 4:
            continue
        wrong = argument[:2] + argument[3:]
        if wrong in named:
            continue
        with pytest.raises(TypeError) as caught:
            CHECKED[name](**{wrong: 1})
        assert f"`{argument}`" in str(caught.value), str(caught.value)


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("random_state", ["n_resamples", "rng"], "did you mean `rng`?"),
        ("nboot", ["n_resamples", "n_jobs"], "did you mean `n_resamples`?"),
        ("n_samples", ["n_resamples", "n_samples_"], "did you mean `n_resamples`?"),
        ("zzz", ["a", "b"], "it has a, b."),
        ("zzz", [], "it has none."),
    ],
)
def test_names_of_other_packages_come_before_those_that_look_alike(name, known, meant):
    assert argument_meant(name, known) == meant


@pytest.mark.parametrize("name", CHECKED)
def test_a_checked_function_stays_what_it_was(name):
    function = CHECKED[name]
    assert pickle.loads(pickle.dumps(function)) is function
    assert function.__doc__ == inspect.unwrap(function).__doc__
    # As text, since its NaN equals no other.
    assert str(inspect.signature(function)) == str(inspect.signature(inspect.unwrap(function)))
    module = sys.modules[function.__module__]
    found = [
        test
        for test in doctest.DocTestFinder().find(module)
        if test.name == f"{module.__name__}.{name}"
    ]
    assert [bool(test.examples) for test in found] == [">>>" in function.__doc__]


def test_a_warning_points_at_the_line_of_the_caller():
    truth = np.array([0, 1] * 6 + [2])
    predictions = mc.Predictions(truth, {"a": truth, "b": np.roll(truth, 1)})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        line = inspect.currentframe().f_lineno + 1
        mc.compare(predictions, "f1", n_resamples=99)
        mc.Predictions([0, 1] * 4, {"a": np.linspace(-3, 3, 8)})
    assert [each.filename for each in caught] == [__file__] * len(caught)
    assert {each.lineno for each in caught} == {line, line + 1}


def test_names_that_programs_ask_for_get_no_advice():
    for module in (mc, mc.metrics):
        with pytest.raises(AttributeError, match=r"has no attribute '__wrapped__'$"):
            module.__wrapped__  # noqa: B018
    assert not hasattr(mc, "_ipython_display_")
    assert mc.metrics.f1_macro is mc.metrics.f1_macro
    assert "f1_macro" in METRICS
