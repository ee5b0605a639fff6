"""Statistical comparison of models from their predictions on a test set.

The public names stand in ``__init__.pyi`` and are loaded when they are first used (SPEC 1), so
that ``import modelcompare`` stays cheap.
"""

from importlib import import_module
from typing import Any

import lazy_loader

__version__ = "0.1.0"
_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    """Load a public name (PEP 562), or name the ones that may be meant."""
    if name in __all__:
        return _load(name)
    # Loaded when it is needed, as public names are: rooms that ask for the version need none.
    arguments = import_module("modelcompare.arguments")
    raise AttributeError(arguments.attribute_meant(__name__, name, __all__))
