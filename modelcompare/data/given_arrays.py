"""Arguments of functions of predictions: arrays in their place, and several test sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from os import PathLike
from typing import Any, ParamSpec, TypeVar

from modelcompare import plugs
from modelcompare.data.predictions import Predictions
from modelcompare.data.test_set import TestSet
from modelcompare.words import Need, check_test_set

P = ParamSpec("P")
T = TypeVar("T")
_NO_TRUTH = (TestSet, Mapping, str, bytes, PathLike)


def takes_arrays(function: Callable[P, T]) -> Callable[P, T]:
    """Let a function whose first argument is predictions take the truth and outputs instead.

    Examples
    --------
    >>> @takes_arrays
    ... def models(predictions):
    ...     return predictions.models
    >>> models([0, 1, 1], {"cnn": [0, 1, 0], "bert": [0, 1, 1]})
    ('cnn', 'bert')
    """
    call: Callable[..., T] = function

    @wraps(function)
    def taking(*args: P.args, **kwargs: P.kwargs) -> T:
        given: tuple[Any, ...] = args
        if len(given) > 1 and isinstance(given[1], Mapping) and not isinstance(given[0], _NO_TRUTH):
            given = (Predictions(given[0], given[1]), *given[2:])
        return call(*given, **kwargs)

    return taking


def check_asked(argument: str, value: Any, need: Need = "sums") -> None:
    """Refuse what is no test set; several by name are checked by the plugin that knows them."""
    several = isinstance(value, Mapping) and any(isinstance(x, TestSet) for x in value.values())
    check = plugs.several("check") if several else check_test_set
    check(argument, value, need, by_design=True)
