"""Public names of the package: those of `modelcompare` itself, and those of its rooms."""

import inspect

import modelcompare as mc

MODULES = {name: getattr(mc, name) for name in mc.__all__ if inspect.ismodule(getattr(mc, name))}
# What `metrics` has is listed there, and `testing` has a separate list.
ROOMS = {name: module for name, module in MODULES.items() if name not in ("metrics", "testing")}


def public():
    """Every public thing by its dotted name, without metrics and `testing`."""
    found = {name: getattr(mc, name) for name in mc.__all__ if name not in MODULES}
    for room, module in ROOMS.items():
        names = [name for name in dir(module) if not name.startswith("_")]
        things = {f"{room}.{name}": getattr(module, name) for name in names}
        found |= {name: thing for name, thing in things.items() if not inspect.ismodule(thing)}
    return found


def functions():
    """Every public function by its last name."""
    return {
        name.rpartition(".")[2]: thing
        for name, thing in public().items()
        if inspect.isfunction(thing)
    }
