"""Docstrings list the choices that an argument has, or say which function lists them."""

import inspect
import re
from typing import Literal, get_args, get_origin

import pytest
from numpydoc.docscrape import FunctionDoc

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
                yield name, argument, {*get_args(choices)}


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
