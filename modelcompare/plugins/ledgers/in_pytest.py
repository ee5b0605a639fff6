"""Ledgers in pytest: one for all tests of a run, and a list of its answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import modelcompare as mc

# Property of a test's report that contains the answer of a ledger.
_PROPERTY = "modelcompare"


class Hooks:
    """Options of pytest, the assertion of `model_gate` with a ledger, and the list at the end."""

    def pytest_addoption(self, parser: Any) -> None:
        """Add the option and the setting that name a ledger."""
        what = "ledger of the candidates that model_gate asks about (JSON lines)"
        parser.getgroup("modelcompare").addoption("--model-ledger", metavar="FILE", help=what)
        parser.addini("model_ledger", f"{what}, relative to the root folder", default="")

    def assertion(self, request: Any, options: Mapping[str, Any]) -> Callable[..., Any] | None:
        """Return the function that asks with a ledger: that of the call, or of all tests.

        A ledger of looks is one of `gate`.
        """
        ledger = options.get("ledger", _of_all_tests(request.config))
        return None if ledger is None else partial(_asked, request, ledger)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """List the answers of ledgers with their heads, as messages of failed tests have them."""
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


HOOKS = (Hooks(),)


def _of_all_tests(config: Any) -> Any:
    """Return the ledger of the option, or of the setting, or None."""
    named, setting = config.getoption("model_ledger"), config.getini("model_ledger")
    if named:
        return config.invocation_params.dir / named
    return config.rootpath / setting if setting else None


def _asked(request: Any, of_test: Any, *arguments: Any, **options: Any) -> Any:
    """Ask with a ledger, and report its answer."""
    __tracebackhide__ = True
    looks = mc.Ledger.of(of_test).kind == "looks"
    asserted: Callable[..., Any] = mc.testing.assert_not_worse if looks else mc.testing.assert_kept
    found = asserted(*arguments, **{**options, "ledger": of_test})
    request.node.user_properties.append((_PROPERTY, found.ledger))
    return found
