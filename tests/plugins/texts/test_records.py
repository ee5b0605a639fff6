"""Soft twins of metrics of texts."""

import inspect

import pytest
from numpydoc.docscrape import FunctionDoc

import modelcompare as mc
from modelcompare.metrics.counts import soft_twin


def test_the_soft_twin_of_span_f1_is_an_attribute():
    twin = mc.get_metric("span_f1").soft
    assert twin == mc.get_metric("cspan_f1")
    assert twin.soft is None


def test_its_docstring_names_every_parameter():
    found = FunctionDoc(mc.metrics.cspan_f1)
    parameters = inspect.signature(mc.metrics.cspan_f1).parameters
    assert [each.name for each in found["Parameters"]] == [*parameters]


def test_bleu_has_no_soft_twin():
    with pytest.raises(TypeError, match="bleu has no soft twin: its statistics have none"):
        soft_twin(mc.get_metric("bleu"))
