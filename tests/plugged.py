"""Rows that plugins' tests add to tables of the other tests, as plugins add rows to the core's.

``tests/plugins/NAME/rows.py`` has a table under the name that it has here, and ``bad_input.py`` has cases.
"""

from importlib import import_module
from pathlib import Path

import pytest

from modelcompare.plugs import owners, plugins


def all_plugins():
    """Whether no plugin is absent, so that counts of what there is are exact."""
    return {*owners().values()} <= {*plugins()}


def modules(name):
    """The module of this name of each plugin's tests."""
    folders = Path(__file__).with_name("plugins")
    having = [plugin for plugin in plugins() if (folders / plugin / f"{name}.py").exists()]
    return [import_module(f"tests.plugins.{plugin}.{name}") for plugin in having]


def plugged(table):
    """Rows of a table by name; a table may be a function, where it takes long to make."""
    tables = [getattr(module, table, {}) for module in modules("rows")]
    return {
        name: row for each in tables for name, row in (each() if callable(each) else each).items()
    }


def needed(*names):
    """Skip the tests of a file where a plugin is absent."""
    if absent := {*names} - {*plugins()}:
        pytest.skip(f"needs the plugin {', '.join(absent)}", allow_module_level=True)


def of_plugins(rows, **owners):
    """Names of rows to parametrize a test by; those of a plugin are skipped where it is absent."""
    found = {row: needs(plugin) for plugin, own in owners.items() for row in own}
    return [pytest.param(row, marks=found[row]) if row in found else row for row in rows]


def needs(*names):
    """Mark a test that is skipped where a plugin is absent."""
    reason = f"needs the plugin {' and '.join(names)}"
    return pytest.mark.skipif(not {*names} <= {*plugins()}, reason=reason)
