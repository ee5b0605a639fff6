"""Blocks of a sixteenth of the usual rows: as much to join, in a fraction of the time."""

from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import pytest

import modelcompare

ROW_BLOCK = 4_096


@contextmanager
def cutting():
    """Cut rows into small blocks wherever they are cut."""
    # All before the first is patched: none may read another's small number when it is imported.
    holders = [import_module(name) for name in _holders(Path(modelcompare.__file__).parent)]
    with pytest.MonkeyPatch.context() as patched:
        for module in holders:
            patched.setattr(module, "ROW_BLOCK", ROW_BLOCK)
        yield


def _holders(package):
    for path in package.rglob("*.py"):
        if "ROW_BLOCK" in path.read_text("utf-8"):
            yield ".".join(path.relative_to(package.parent).with_suffix("").parts)
