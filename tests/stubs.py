"""Stubs of the public modules: their own names, and those that plugins add.

``python -m tests.test_public_api`` writes them; `modelcompare.plugs` loads the same names when they are used.
"""

import ast
from functools import cache

from modelcompare import plugs
from tests.pages import ROOT

PACKAGE = ROOT / "modelcompare"
# Modules to which plugins add names, and their stubs.
ROOMS = {
    "diagnostics": "diagnostics.pyi", "io": "io.pyi", "results": "results.pyi",
    "inference": "inference.pyi", "testing": "testing.pyi",
}  # fmt: skip


@cache
def stubs():
    """The text of every stub by its path."""
    return {PACKAGE / "__init__.pyi": written(of_package(), "__version__: str\n")} | {
        PACKAGE / path: written([*of_room(room), *of_plugins(room)]) for room, path in ROOMS.items()
    }


def of_package():
    """Modules and names of the package itself."""
    tree = ast.parse((PACKAGE / "__init__.py").read_text("utf-8"))
    (call,) = (
        node for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "lazy_loader.attach"
    )  # fmt: skip
    given = {each.arg: ast.literal_eval(each.value) for each in call.keywords}
    modules = [("modelcompare", name) for name in given["submodules"]]
    things = [(f"modelcompare.{m}", n) for m, names in given["submod_attrs"].items() for n in names]
    return [*modules, *things, *of_plugins("")]


def of_room(room):
    """Names that a module imports in order to pass them on: ``import X as X``."""
    path = PACKAGE / ROOMS[room].removesuffix("i")
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            yield from ((node.module, each.name) for each in node.names if each.asname)


def of_plugins(room):
    """Names that plugins add to a module."""
    for name, (plugin, place) in plugs.public(f"modelcompare.{room}".rstrip(".")).items():
        module, _, attribute = place.partition(":")
        if attribute:
            yield f"{plugin.package}.{module}", name
        else:
            yield plugin.package, name


def written(names, *more):
    """Text of a stub, sorted as ruff sorts imports."""
    lines = [_line(module, name) for module, name in sorted(names, key=_order)]
    return "\n".join([*lines, *("\n" + each for each in more)]) + ("" if more else "\n")


def _order(name):
    module, thing = name
    kind = 0 if thing.isupper() else 1 if thing[0].isupper() else 2
    return module, kind, thing


def _line(module, name):
    line = f"from {module} import {name} as {name}"
    return line if len(line) <= 100 else f"from {module} import (\n    {name} as {name},\n)"
