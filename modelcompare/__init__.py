"""Statistical comparison of models from their predictions on a test set.

The public names stand in ``__init__.pyi`` and are loaded when they are first used (SPEC 1), so
that ``import modelcompare`` stays cheap.
"""

import lazy_loader

__version__ = "0.1.0"
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
