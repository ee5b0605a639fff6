"""Statistical comparison of models from their predictions on a test set.

The functions that most users need are here; the rest are in rooms, `modelcompare.diagnostics` for
instance. Names are loaded when they are first used (SPEC 1), so that ``import modelcompare`` stays
cheap. `python -m tests.test_public_api` writes the stubs, where plugins' names stand too.
"""

import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import lazy_loader

from modelcompare.version import __version__ as __version__

_load, _dir, _names = lazy_loader.attach(
    __name__,
    submodules=["diagnostics", "inference", "io", "metrics", "results", "testing"],
    submod_attrs={
        "arguments": ["config_context"],
        "comparison.bootstrap": ["bootstrap"],
        "comparison.compare": ["compare"],
        "comparison.compare_groups": ["compare_groups"],
        "data.predictions": ["Predictions"],
        "examples": ["load_example"],
        "metrics.base": ["Metric", "SparseDataWarning", "UndefinedMetricWarning"],
        "metrics.listing": ["list_metrics"],
        "metrics.registry": ["get_metric"],
        "questions.decide": ["decide"],
        "questions.gate": ["gate"],
        "questions.paired": ["paired_test"],
        "questions.sample_size": ["sample_size"],
        "readers": ["read_predictions"],
    },
)


def __getattr__(name: str) -> Any:
    """Load a public name (PEP 562), or name the ones that may be meant."""
    if name in _names:
        return _load(name)
    if name == "__all__":
        return __dir__()
    plugs = _plugs()
    # Programs probe for names with underscores, and Python for a module before it imports it.
    if name.startswith("_") or name in plugs.public(__name__) or find_spec(f"{__name__}.{name}"):
        return plugs.attribute(__name__, name)
    if absent := plugs.needed(name):
        raise AttributeError(absent)
    # Loaded only now: rooms take long, and some of them import from here.
    things = {each: getattr(sys.modules[__name__], each) for each in __dir__()}
    rooms = {
        room: plugs.names(it.__name__) for room, it in things.items() if isinstance(it, ModuleType)
    }
    meant = plugs.load("modelcompare.arguments:attribute_meant")
    raise AttributeError(meant(__name__, name, things, rooms))


def __dir__() -> list[str]:
    return sorted({*_names, *_plugs().public(__name__)})


def _plugs() -> ModuleType:
    """Import what finds plugins, which `import modelcompare` alone does not need."""
    return import_module(f"{__name__}.plugs")
