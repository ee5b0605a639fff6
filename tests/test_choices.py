"""Docstrings list the choices that an argument has, or say which function lists them."""

import inspect
import re
from typing import Literal, get_args, get_origin

import pytest
from numpydoc.docscrape import FunctionDoc

from modelcompare.words import Missing, check_choice
from tests.plugged import needs
from tests.public import functions

FUNCTIONS = functions()


def _arguments():
    """Function, argument and choices, of each argument that is a Literal."""
    for name, function in FUNCTIONS.items():
        for argument, parameter in inspect.signature(function).parameters.items():
            choices = inspect.unwrap(function).__globals__.get(
                str(parameter.annotation).partition(" | ")[0]
            )
            if get_origin(choices) is Literal:
                found = {*get_args(choices)}
                marks = needs("runs") if "run-permutation" in found else ()
                yield pytest.param(name, argument, found, marks=marks)


@pytest.mark.parametrize(("name", "argument", "choices"), [*_arguments()])
def test_choices_are_those_of_the_docstring(name, argument, choices):
    described = {
        each: parameter
        for parameter in FunctionDoc(FUNCTIONS[name])["Parameters"]
        for each in parameter.name.split(", ")
    }[argument]
    listed = {*re.findall(r'"([^"]+)"', described.type)}
    if listed:
        # Of corrections, two need replicates.
        assert choices - listed <= {"max-t", "min-p"}
        assert listed <= choices
        return
    text = " ".join(described.desc)
    elsewhere = re.search(r"\b[Aa]s (in|for|of) `", text)
    assert elsewhere or all(choice in text for choice in choices), text


@pytest.mark.parametrize(
    "choices", [each.values[2] for each in _arguments() if each.values[1] == "missing"]
)
def test_a_treatment_of_missing_results_is_refused_with_the_functions_that_have_it(choices):
    assert choices < {*get_args(Missing)}
    for other in {*get_args(Missing)} - choices:
        with pytest.raises(ValueError, match=rf"got '{other}', which is for .*(read|compare)"):
            check_choice("missing", other, Literal[tuple(sorted(choices))])
