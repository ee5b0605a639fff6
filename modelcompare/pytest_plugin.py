"""pytest plugin: the fixture `model_gate`, and one ledger for all tests of a session.

pytest imports this module in every session, so the package behind it is loaded by the first gate.
"""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import Any

import pytest

import modelcompare as mc

# Property of a test's report that contains the answer of a ledger.
_PROPERTY = "modelcompare"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option and the setting that name a ledger."""
    what = "ledger of the candidates that model_gate asks about (JSON lines)"
    parser.getgroup("modelcompare").addoption("--model-ledger", metavar="FILE", help=what)
    parser.addini("model_ledger", f"{what}, relative to the root folder", default="")


@pytest.fixture
def model_gate(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """Return a function that fails the test unless a candidate may replace a baseline.

    It is called as ``model_gate(predictions, baseline, candidate, rules, **options)`` and asks
    `modelcompare.gate`. With a ledger it asks `modelcompare.keep`: that of ``--model-ledger FILE``,
    of the setting ``model_ledger``, or of its option ``ledger``, which may be None. A ledger of
    looks is one of `gate`: ``ledger=modelcompare.Ledger(path, looks=5)``.

    `predictions` may be a path or several; ``on_inconclusive="skip"`` skips the test, and "pass"
    passes it, if there are not enough data. The function returns the answer.
    """
    config = request.config
    named, setting = config.getoption("model_ledger"), config.getini("model_ledger")
    of_session = config.rootpath / setting if setting else None
    if named:
        of_session = config.invocation_params.dir / named

    def ask(
        predictions: Any, baseline: str, candidate: str, rules: Any, *,
        ledger: mc.Ledger | str | PathLike[str] | None = of_session, **options: Any,
    ) -> mc.results.GateResult | mc.results.KeepResult:  # fmt: skip
        __tracebackhide__ = True
        asserted: Callable[..., Any] = mc.testing.assert_kept
        if ledger is None or mc.Ledger.of(ledger).kind == "looks":
            asserted = mc.testing.assert_not_worse
        found = asserted(predictions, baseline, candidate, rules=rules, ledger=ledger, **options)
        if found.ledger:
            request.node.user_properties.append((_PROPERTY, found.ledger))
        return found

    return ask


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """List the answers of ledgers with their heads; a test that fails has them in its message."""
    lines = [
        f"{report.nodeid}: {text}"
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", None) == "call"
        for name, text in report.user_properties
        if name == _PROPERTY
    ]
    if lines:
        terminalreporter.section("modelcompare ledgers")
        for line in lines:
            terminalreporter.write_line(line)
