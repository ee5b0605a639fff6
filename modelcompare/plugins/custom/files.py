"""Metrics from files of the user: Python, and errors in it, or a table of costs."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import TypeGuard

from modelcompare.arguments import checked
from modelcompare.metrics.base import BaseMetric
from modelcompare.metrics.registry import MetricLike
from modelcompare.plugins.custom.costs import cost

_MODULE = "metric_from_"


@checked()
def load_metric(place: str) -> MetricLike:
    """Load a metric, or a function ``metric(y_true, y_pred)``, from a Python file.

    Parameters
    ----------
    place : str
        ``FILE.py:NAME``; or ``FILE.csv:NAME``, a table of costs of true (rows) by predicted classes
        (see `cost`), and the name that their mean will have.

    Raises
    ------
    ValueError
        If the file cannot be run or does not define the metric.
    """
    path, _, name = place.rpartition(":")
    if not path or not name:
        raise ValueError(
            "a metric from a file is FILE.py:NAME, or FILE.csv:NAME with a table of costs and the "
            f"name of their mean; got {place!r}."
        )
    if not Path(path).is_file():
        raise ValueError(f"{path}: there is no such file to load the metric {name!r} from.")
    if path.endswith(".csv"):
        return cost(path, name=name)
    module = _run(path)
    found = {key: value for key, value in vars(module).items() if _is_metric(value)}
    if name not in found:
        own = [key for key, value in found.items()
               if isinstance(value, BaseMetric)
               or getattr(value, "__module__", "") == module.__name__]  # fmt: skip
        known = ", ".join(own) or "none"
        raise ValueError(f"{path} holds no metric or function {name!r}; it has: {known}.")
    return found[name]


def _run(path: str) -> ModuleType:
    """Run a Python file as a module."""
    spec = importlib.util.spec_from_file_location(f"{_MODULE}{Path(path).stem}", path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path} is not a Python file (.py).")
    # Dataclasses look the module up by its name while it runs.
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        _, line = _own_place(error)
        raise ValueError(f"{path} does not run: {_raised(error)}{line}") from error
    return module


def failure_in_file(error: BaseException) -> str | None:
    """Return the message of an error raised in a file of metrics, with its line; else None."""
    path, line = _own_place(error)
    return f"{path}: {_raised(error)}{line}" if path else None


def _own_place(error: BaseException) -> tuple[str, str]:
    """Return the file of metrics, and the line in it, where an error was raised; empty if none."""
    places = traceback.walk_tb(error.__traceback__)
    own = [(f, line) for f, line in places if f.f_globals.get("__name__", "").startswith(_MODULE)]
    if not own:
        return "", ""
    code, line = own[-1][0].f_code, own[-1][1]
    within = "" if code.co_name == "<module>" else f" in {code.co_name}"
    return code.co_filename, f" (line {line}{within})"


def _raised(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return "it ends the program"
    return f"{type(error).__name__}: {error}".removesuffix(": ")


def _is_metric(value: object) -> TypeGuard[MetricLike]:
    return isinstance(value, BaseMetric) or (callable(value) and not isinstance(value, type))


FAILURES = (failure_in_file,)
