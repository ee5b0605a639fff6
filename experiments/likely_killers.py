"""Plugin of pytest for mutants.py: note what each test calls, and run some tests before others.

With ``MUTANTS_CALLS`` in the environment, the functions of the package that each test calls, and
the CPU seconds it takes, are written into that JSON file. With ``MUTANTS_FIRST``, the tests whose
names are the lines of that file run in that order, before all others.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType

import pytest

CALLS = os.environ.get("MUTANTS_CALLS", "")
FIRST = os.environ.get("MUTANTS_FIRST", "")
PACKAGE = Path.cwd() / "modelcompare"

called: dict[int, CodeType] = {}
tests: dict[str, tuple[float, set[int]]] = {}
functions: dict[str, int] = {}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the named tests first."""
    if FIRST:
        names = Path(FIRST).read_text("utf-8").splitlines()
        ranks = {name: rank for rank, name in enumerate(names)}
        items.sort(key=lambda item: ranks.get(item.nodeid, len(ranks)))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Note which functions a test and its fixtures call."""
    if not CALLS:
        yield
        return
    called.clear()
    began = time.process_time()
    threading.settrace(_note)
    sys.settrace(_note)
    yield
    sys.settrace(None)
    threading.settrace(None)  # type: ignore[arg-type]
    names = {name for code in list(called.values()) if (name := _name(code))}
    numbers = {functions.setdefault(name, len(functions)) for name in names}
    tests[item.nodeid] = (time.process_time() - began, numbers)


def pytest_sessionfinish() -> None:
    """Write what was noted."""
    if CALLS:
        noted = {name: [seconds, sorted(of)] for name, (seconds, of) in tests.items()}
        Path(CALLS).write_text(json.dumps({"functions": [*functions], "tests": noted}), "utf-8")


def _note(frame: FrameType, _event: str, _argument: object) -> None:
    """Note a call; lines are of no interest, so that this costs little."""
    called[id(frame.f_code)] = frame.f_code


def _name(code: CodeType) -> str:
    """Return path, first and last line of a function of the package, else nothing."""
    if not code.co_filename.startswith(str(PACKAGE)) or code.co_name == "<module>":
        return ""
    path = Path(code.co_filename).relative_to(PACKAGE.parent).as_posix()
    last = max(line for *_, line in code.co_lines() if line)
    return f"{path}:{code.co_firstlineno}:{last}"
