"""Statistical comparison of models from their predictions on a test set.

The functions that most users need are here; the rest are in rooms, `modelcompare.studies` for
instance. The names are declared in ``__init__.pyi`` and loaded when they are first used (SPEC 1),
so that ``import modelcompare`` stays cheap.
"""

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import lazy_loader

__version__ = "0.1.0"
_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
_ROOMS = ("crossval", "diagnostics", "io", "metrics", "results", "studies", "tests")


def __getattr__(name: str) -> Any:
    """Load a public name (PEP 562), or name the ones that may be meant."""
    if name in __all__:
        return _load(name)
    if name.startswith("_") or find_spec(f"{__name__}.{name}"):
        # Programs probe for such names, and Python for a module before it imports it.
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Loaded only now: rooms take long, and some of them import from here.
    arguments = import_module("modelcompare.arguments")
    rooms = {room: _names_in(_load(room)) for room in _ROOMS}
    raise AttributeError(arguments.attribute_meant(__name__, name, __all__, rooms))


def _names_in(room: ModuleType) -> list[str]:
    """Return the names in a room, without those of modules."""
    return [name for name, thing in vars(room).items() if not isinstance(thing, ModuleType)]
