"""The table of docs/large.md: what scans and sketches refuse, by the abilities of each."""

import inspect
import re
from collections.abc import Iterator
from typing import get_args

from modelcompare.data.kinds import all_kinds
from modelcompare.data.test_set import Access, TestSet
from modelcompare.intervals import METHODS
from modelcompare.metrics import METRICS
from modelcompare.metrics.base import Metric
from modelcompare.plugins.large import planning
from modelcompare.plugins.large.scanned import BlockAccess
from modelcompare.plugins.large.sketches import SumAccess
from modelcompare.plugins.large.words import KINDS, ROLES
from modelcompare.significance import TESTS
from modelcompare.words import PairedTest
from tests.public import functions

SOURCES = {"a scan": BlockAccess, "a sketch": SumAccess}
YES, NO = "yes", "no"
WHOLE = "read whole where it fits, else refused"
# Interval methods of scans that others replace, by name.
INSTEAD = {"auto": planning._INSTEAD[0]}
FUNCTIONS, METRIC = "functions", "metrics"
_PLACE = re.compile(r"(?<=<!-- abilities -->\n).*?(?=<!-- end -->)", re.DOTALL)


class _NeedError(Exception):
    """Carries what a function needs."""


class _ProbeAccess(Access):
    """Reports the ability that is required of it."""

    def require(self, need, argument, *, by_design=False):  # noqa: ARG002
        raise _NeedError(need)


class _Probe(TestSet):
    """A test set of which nothing is known."""

    __slots__ = ()
    __len__ = _of_models = None
    access = property(_ProbeAccess)


def needs():
    """The ability that each public function of predictions needs, by its name."""
    found = {}
    for name, function in functions().items():
        first = next(iter(inspect.signature(function).parameters), None)
        try:
            function(**{first: object.__new__(_Probe)})
        except _NeedError as need:
            found[name] = str(need)
        except Exception:
            continue
    return found


def answer(source, row):
    """What a source answers to an interval method or a test."""
    if source == "a sketch":
        # Its units are clusters of unknown order.
        suits = "independent" not in row.needs and "roc_auc" not in row.needs
        return YES if suits and row.reads in SOURCES[source].abilities else NO
    if row.name in INSTEAD:
        return f"of labels; else read whole, or {INSTEAD[row.name]} instead"
    if row.reads in SOURCES[source].abilities:
        return YES
    return f"of labels; else {WHOLE}" if row.reads == "units" else WHOLE


def asked():
    """Interval methods and tests that may be asked for, as rows of their tables."""
    # Runs are read with all rows, for any test.
    names = {*get_args(PairedTest)} - {"run-permutation"}
    tests = [row for name, row in TESTS.items() if name in names]
    return {"method": [*METHODS.values()], "test": tests}


def _rows() -> Iterator[tuple[str, ...]]:
    """Requests that a source refuses or answers in another way, and the answer of each source."""
    answers = {}
    for name, need in needs().items():
        # A function asks for the source itself.
        cells = tuple(YES if need in cls.abilities else NO for cls in SOURCES.values())
        answers.setdefault((FUNCTIONS, *cells), []).append(name)
    for what, rows in asked().items():
        for row in rows:
            cells = tuple(answer(source, row) for source in SOURCES)
            answers.setdefault((f"`{what}=`", *cells), []).append(row.name)
    others = [name for name, m in METRICS.items() if not (isinstance(m, Metric) and m.is_additive)]
    others.remove("roc_auc")
    answers[METRIC, "read whole where it fits, else from bins", NO] = ["roc_auc"]
    answers[METRIC, WHOLE, NO] = [*others, "functions"]
    beside = {"groups": (YES, YES), "slices": (NO, NO), "strata": (YES, YES)}
    for column, cells in beside.items():
        assert (cells[0] != NO) == (column in ROLES)
        answers.setdefault(("data with", *cells), []).append(column)
    rest = [name for name in all_kinds() if name not in KINDS]
    answers["data with", NO, f"{YES}, if it is read whole"] = rest
    for (what, *cells), names in answers.items():
        if {*cells} != {YES}:
            yield f"{what} {', '.join(names)}", *cells


def table():
    """The lines of the table."""
    rows = [("request", *SOURCES), ("---",) * 3, *_rows()]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def shown(text):
    """The table that a page shows."""
    return _PLACE.search(text)[0]


def updated(text):
    """The text of a page with the table of today."""
    return _PLACE.sub(lambda _: table(), text)
