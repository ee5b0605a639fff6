"""``modelcompare metrics --schema``: the members of documents in JSON."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

from modelcompare.plugins.catalogue.schema import schema
from modelcompare.report.fields import Field, columns
from modelcompare.report.result import Result

OF_METRICS = "metrics/1"
COLUMNS = columns(
    "name", "summary", "variant", "text", Field("bounds", json="ends"),
    Field("greater_is_better", json="flag or none"), "needs", Field("per_class", "flag"), "method",
    "cost", Field("references", json="texts"),
)  # fmt: skip
# Where results are.
_ROOMS = "comparison", "plugins", "questions"


def whole_schema() -> dict[str, Any]:
    """The JSON schema of all results, as they declare them, and of the list of metrics."""
    return schema(result_types(), {"metrics": COLUMNS})


def result_types() -> list[type[Result]]:
    """Import all results of the package; return their classes by the names of their documents."""
    for room in _ROOMS:
        package = import_module(f"modelcompare.{room}")
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    own = (kind for kind in _below(Result) if kind.__module__.startswith("modelcompare."))
    return sorted(own, key=lambda kind: kind._stem)


def _below(kind: Any) -> Iterator[type[Result]]:
    """Yield the results below a class, without classes that several have in common."""
    for each in kind.__subclasses__():
        if "_stem" in vars(each):
            yield each
        yield from _below(each)
