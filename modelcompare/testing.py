"""Assertions for the test suite of a model."""

from modelcompare import plugs
from modelcompare.questions.assertions import assert_not_worse as assert_not_worse

__getattr__, __dir__ = plugs.room(__name__)
