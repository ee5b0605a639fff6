"""pytest plugin: the fixture `model_gate`, and what plugins add to it.

pytest imports this module in every session, so the package behind it is loaded by the first gate.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import modelcompare as mc
from modelcompare import plugs


def pytest_addoption(pluginmanager: pytest.PytestPluginManager) -> None:
    """Register the hooks of plugins, which add options."""
    for hooks in plugs.rows("pytest"):
        pluginmanager.register(hooks)


@pytest.fixture
def model_gate(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Return a function that fails the test unless a candidate may replace a baseline.

    It is called as ``model_gate(predictions, baseline, candidate, rules, **options)`` and asks
    `modelcompare.gate`, or what a plugin asks with its options: with a ledger
    `modelcompare.keep`.

    `predictions` may be a path or several; ``on_inconclusive="skip"`` skips the test, and "pass"
    passes it, if there are not enough data. The function returns the answer.
    """

    def ask(
        predictions: Any, baseline: str, candidate: str, rules: Any, **options: Any
    ) -> mc.results.GateResult:
        __tracebackhide__ = True
        own = (hooks.assertion(request, options) for hooks in plugs.rows("pytest"))
        asserted: Callable[..., Any] = next(filter(None, own), mc.testing.assert_not_worse)
        return asserted(predictions, baseline, candidate, rules=rules, **options)

    return ask
