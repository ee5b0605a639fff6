"""Checks of the arguments of public functions: names, values and defaults."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import partial, wraps
from inspect import Parameter, signature, unwrap
from types import MappingProxyType
from typing import Any, Literal, ParamSpec, TypeVar, get_origin

from modelcompare import words
from modelcompare.execution import SETTINGS, Execution, execution, set_within
from modelcompare.options import OPTIONS, Check
from modelcompare.spelling import did_you_mean, nearest

P = ParamSpec("P")
T = TypeVar("T")

_NOTHING: Mapping[str, Any] = MappingProxyType({})
# Defaults set by the user, the last one last; None inside a public function, which passes its
# arguments on.
_config: ContextVar[Mapping[str, Any] | None] = ContextVar("config", default=_NOTHING)
_CONFIGURABLE = ("confidence_level", "alpha", "rng", *SETTINGS)
_NAMED = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
# Two arguments that are one number: of two-sided tests and intervals, each is 1 less the other.
LEVELS = ("alpha", "confidence_level")
# Former arguments: one that the functions have which had it, and what to write instead.
_FORMER = {
    "label": ("metric", "name the class with the metric, as in metric='f1[{}]'."),
    "any_time": ("candidate", "write method='any-time'."),
    "weights": ("candidate", "ask gate(), which has it, by a rule as 'mean(f1_macro):-0.01'."),
    "missing": ("candidate", "ask gate(), which has it, by a rule as 'mean(f1_macro):-0.01'."),
}


@dataclass(frozen=True)
class ColumnRoles:
    """Check of an argument `columns`, which maps known roles to columns, some to `several`.

    Examples
    --------
    >>> ColumnRoles(("true", "id"))("columns", {"truth": "label"})
    Traceback (most recent call last):
        ...
    ValueError: `columns` has no role 'truth'; did you mean `true`?
    """

    known: tuple[str, ...]
    several: tuple[str, ...] = ()

    def __call__(self, argument: str, value: object) -> None:
        """Refuse what is no mapping, an unknown role, and what names no column."""
        if not isinstance(value, Mapping):
            example = {self.known[0]: "label"}
            raise TypeError(
                f"`{argument}` must map roles to columns, as {example}, got {words.shown(value)}."
            )
        for role, column in value.items():
            if role not in self.known:
                meant = argument_meant(str(role), self.known)
                raise ValueError(f"`{argument}` has no role {role!r}; {meant}")
            if role not in self.several:
                words.check_text(f"{argument}[{role!r}]", column, optional=True)

    def refuse_arguments(
        self, function: str, arguments: Collection[str], given: Mapping[str, object]
    ) -> None:  # fmt: skip
        """Refuse roles that are given as arguments, and write the call that names them."""
        unknown = [name for name in given if name not in arguments]
        near = {n: next(iter(_alike(n, [*self.known, *arguments])), "") for n in unknown}
        roles = {near[name]: given[name] for name in unknown if near[name] in self.known}
        for name in (name for name in unknown if near[name] in roles):
            raise TypeError(
                f"{function}() has no argument `{name}`; name columns by their roles, with "
                f"columns={words.shown(roles)}."
            )


def checked(
    *forwarded: Callable[..., Any], **checks: Check | None
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Check the arguments of a public function: their names, and the values of named options.

    An argument is checked by `checks`, by its annotation if that is bool or the name of a Literal,
    or by its record in `options`. The error about an unknown name suggests a known one. Omitted
    arguments have the defaults of `config_context`, then those of the function; of `alpha` and
    `confidence_level` one follows from the other (`one_level`).

    Parameters
    ----------
    *forwarded : callable
        Functions whose arguments its ``**options`` may contain, checked by their annotations.
    **checks : callable or None
        Checks of arguments whose values differ from those of the named option; None for no check.

    Examples
    --------
    >>> @checked()
    ... def draw(n_resamples=99, rng=0):
    ...     return n_resamples
    >>> draw(seed=1)
    Traceback (most recent call last):
        ...
    TypeError: draw() has no argument `seed`; did you mean `rng`?
    >>> draw(1)
    Traceback (most recent call last):
        ...
    ValueError: `n_resamples` must be at least 2, got 1.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        parameters = signature(function).parameters
        known = {
            name: (parameter, getattr(unwrap(each), "__globals__", _NOTHING))
            for each in (*forwarded[::-1], function)
            for name, parameter in signature(each).parameters.items()
            if parameter.kind in _NAMED and name not in ("self", "cls")
        }
        nothing_set, two_sided = partial(set_within, _config, None), known.keys() >= {*LEVELS}
        check_of = {name: _check_of(*each) for name, each in known.items()} | checks
        check_of |= {name: OPTIONS[name].check for name in LEVELS if two_sided}
        optional = {n for n, (each, _) in known.items() if str(each.annotation).endswith("| None")}

        def check(args: Iterable[object], kwargs: Mapping[str, object]) -> None:
            if isinstance(roles := check_of.get("columns"), ColumnRoles):
                roles.refuse_arguments(function.__name__, known, kwargs)
            check_arguments(function.__qualname__.removesuffix(".__init__"), known, kwargs)
            for name, value in (*zip(parameters, args, strict=False), *kwargs.items()):
                refuse = check_of.get(name)
                if refuse and not (value is None and name in optional):
                    refuse(name, value)

        def completed(n_given: int, kwargs: Mapping[str, Any]) -> dict[str, Any]:
            free, found = known.keys() - [*parameters][:n_given], _config.get() or {}
            configured = {name: value for name, value in found.items() if name in free}
            return one_level(kwargs, configured) if two_sided else configured | {**kwargs}

        def called(*args: P.args, **kwargs: P.kwargs) -> T:
            check(args, kwargs)
            given: Any = completed(len(args), kwargs)
            with nothing_set():
                return function(*args, **given)

        return wraps(function)(called)

    return decorate


def config_context(**defaults: Any) -> AbstractContextManager[None]:
    """Set defaults of the functions that are called within a ``with`` block.

    They apply to the thread, or the asynchronous task, that sets them. Blocks may nest. What a call
    gives overrides them, and of `alpha` and `confidence_level` the one that was set last counts
    where a function has both, as one is 1 minus the other.

    Parameters
    ----------
    **defaults
        Any of `confidence_level`, `alpha` and `rng`, used by functions that have such an argument
        and are called without it; and `n_jobs` and `progress`, which no function has as arguments,
        as they change no result. `n_jobs` is joblib's number of workers: -1 for one on every core;
        None, the default, for the number set by ``joblib.parallel_config``, or else that of the
        threads of BLAS. `progress` is True for a bar on stderr, if that is a terminal, after two
        seconds. What a result computes later, such as replicates for a figure, is computed with
        the settings of that time.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.load_example("snli")
    >>> with mc.config_context(confidence_level=0.9, rng=1):
    ...     result = mc.compare(preds, "accuracy")
    >>> result.evidence.confidence_level, mc.compare(preds, "accuracy").evidence.confidence_level
    (0.9, 0.95)
    >>> with mc.config_context(n_jobs=2, progress=True):
    ...     result = mc.compare(preds, "accuracy")
    """
    check_arguments("config_context", _CONFIGURABLE, defaults)
    for name, value in defaults.items():
        if check := OPTIONS[name].check:
            check(name, value)
    one_level(defaults)
    earlier = _config.get() or {}
    kept = {name: value for name, value in earlier.items() if name not in defaults}
    changes = {name: defaults.pop(name) for name in SETTINGS if name in defaults}
    return _configured(kept | defaults, replace(execution.get(), **changes))


def one_level(given: Mapping[str, Any], configured: Mapping[str, Any] = _NOTHING) -> dict[str, Any]:
    """Add to arguments the `alpha` that a `confidence_level` means, or the reverse.

    Two-sided tests and intervals have one level. What is given counts before what is configured,
    and what is configured last before the other; both given are refused unless they agree.

    Examples
    --------
    >>> one_level({"alpha": 0.1}), one_level({}, {"alpha": 0.1, "confidence_level": 0.99})
    ({'alpha': 0.1, 'confidence_level': 0.9}, {'alpha': 0.01, 'confidence_level': 0.99})
    """
    found, names = {**configured, **given}, [name for name in LEVELS if name in given]
    if len(names) == 2:
        alpha, level = (found[name] for name in LEVELS)
        # What a public function passes on to another one was not written by the user.
        if _config.get() is not None and not math.isclose(alpha + level, 1, abs_tol=1e-9):
            raise ValueError(
                f"`alpha` (--alpha) {alpha:g} and `confidence_level` (--confidence-level) "
                f"{level:g} contradict each other, as one is 1 minus the other: beside `alpha` "
                f"{alpha:g}, `confidence_level` is {_complement(alpha):g}. Leave one of them out."
            )
        return found
    for name in names or [name for name in configured if name in LEVELS][-1:]:
        (other,) = {*LEVELS} - {name}
        found[other] = _complement(found[name])
    return found


def _complement(level: float) -> float:
    """Return 1 minus a level, without the error of rounding in 1 - 0.95."""
    return round(1 - level, 12)


@contextmanager
def _configured(defaults: Mapping[str, Any], how: Execution) -> Iterator[None]:
    with set_within(_config, defaults), set_within(execution, how):
        yield


def _check_of(parameter: Parameter, names: Mapping[str, Any]) -> Check | None:
    """Return the check of a parameter, by a name of its module or by its record in `options`."""
    annotation = str(parameter.annotation).removesuffix(" | None")
    if annotation == "bool":
        return words.check_flag
    choices = names.get(annotation)
    if get_origin(choices) is Literal:
        return partial(words.check_choice, choices=choices)
    option = OPTIONS.get(parameter.name)
    return None if option is None else option.check


def check_arguments(function: str, known: Iterable[str], given: Mapping[str, object]) -> None:
    """Refuse an unknown argument, and suggest the one that was meant."""
    for name, value in given.items():
        if name not in known:
            hint = _former(name, value, known) or argument_meant(name, known)
            raise TypeError(f"{function}() has no argument `{name}`; {hint}")


def _former(name: str, value: object, known: Iterable[str]) -> str:
    """Return the call that a former argument stands for, as the end of a message; else no text."""
    beside, hint = _FORMER.get(name, ("", ""))
    if beside in known:
        return hint.format(value)
    meant = (each for each in SETTINGS if name in (each, *OPTIONS[each].elsewhere.split()))
    if (setting := next(meant, None)) is None:
        return ""
    context = f"with mc.config_context({setting}={words.shown(value)}):"
    return f"it changes no result, and is set around calls: {context} ..."


def _alike(name: str, known: Sequence[str]) -> list[str]:
    """Return arguments of the same name or meaning as another, or else of a similar name."""
    meanings = {each: OPTIONS[each].elsewhere.split() for each in known if each in OPTIONS}
    same = [each for each in known if name == each or name in meanings.get(each, ())]
    return same or nearest(name, known, cutoff=0.6)


def argument_meant(name: str, known: Iterable[str]) -> str:
    """Suggest arguments for an unknown name, as the end of a message.

    Examples
    --------
    >>> argument_meant("random_state", ["n_resamples", "rng"])
    'did you mean `rng`?'
    """
    known = list(known)
    found = _alike(name, known)
    otherwise = f"it has {', '.join(known)}." if known else "it has none."
    return did_you_mean([f"`{each}`" for each in found[:2]], otherwise=otherwise)


def attribute_meant(
    module: str, name: str, known: Iterable[str], rooms: Mapping[str, Iterable[str]] | None = None
) -> str:
    """Return the message about an unknown attribute of a module, with similar names.

    Parameters
    ----------
    module, name : str
        The module, and the attribute that it lacks.
    known : iterable of str
        The attributes that it has.
    rooms : mapping of str to iterable of str, optional
        Names in each of its submodules.

    Examples
    --------
    >>> attribute_meant("modelcompare", "compair", ["bootstrap", "compare", "decide"])
    "module 'modelcompare' has no attribute 'compair'; did you mean compare?"
    >>> attribute_meant("modelcompare", "curve", ["compare"], {"diagnostics": ["curve"]})
    "module 'modelcompare' has no attribute 'curve'; did you mean diagnostics.curve?"
    """
    # Programs ask for names with underscores, and for no advice.
    if name.startswith("_"):
        return f"module {module!r} has no attribute {name!r}"
    known, rooms = {*known}, rooms or {}
    within = {n: f"{room}.{n}" for room, names in rooms.items() for n in names if n not in known}
    found = [name] if name in within else nearest(name, sorted({*known, *within}), cutoff=0.6)
    hint = did_you_mean([within.get(each, each) for each in found])
    return f"module {module!r} has no attribute {name!r}{hint and '; ' + hint}"


# Methods that users of other libraries look for, and the attributes that answer.
_OTHER_NAMES = {
    "summary": ("verdict()",), "conclusion": ("verdict()",), "conf_int": ("scores",),
    **dict.fromkeys(
        ("to_frame", "to_dataframe", "to_df", "to_pandas", "frame", "df", "table"),
        ("scores", "differences"),
    ),
    **dict.fromkeys(("to_csv", "to_json", "to_excel", "to_parquet", "write", "dump"),
                    ("save(path)",)),
    "pvalues": ("differences",), "p_values": ("differences",), "pvalue": ("differences",),
}  # fmt: skip


def missing_attribute(thing: object, name: str) -> Any:
    """Raise the error about an attribute that an object lacks, with those that may be meant.

    It is used as ``__getattr__``. Attributes of an object's own parts count too: ``alpha`` may be
    ``evidence.alpha``.
    """
    kind = type(thing)
    if hasattr(kind, name):
        # A property that raised an AttributeError: that one is raised again.
        return object.__getattribute__(thing, name)
    found: list[str] = []
    if not name.startswith("_"):
        own = [each for each in dir(thing) if not each.startswith("_")]
        within = {
            inner: f"{part}.{inner}"
            for part, value in vars(thing).items()
            if type(value).__module__.startswith("modelcompare.")
            for inner in dir(value)
            if not inner.startswith("_") and inner not in own
        }
        inner = [name] if name in within else nearest(name, sorted(within), cutoff=0.6)
        meant = [each for each in _OTHER_NAMES.get(name, ()) if each.partition("(")[0] in own]
        near = nearest(name, own, cutoff=0.75)[:1] or [within[each] for each in inner[:1]]
        found = meant or near
    hint = did_you_mean([*map(repr, found)])
    raise AttributeError(f"{kind.__name__!r} has no attribute {name!r}{hint and '; ' + hint}")


def written_out(**texts: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Fill in ``{name}`` in a docstring, so that a list is written once.

    Examples
    --------
    >>> @written_out(animals="cat, dog")
    ... def speak():
    ...     "One of {animals}."
    >>> speak.__doc__
    'One of cat, dog.'
    """

    def fill(function: Callable[P, T]) -> Callable[P, T]:
        for name, text in texts.items():
            function.__doc__ = (function.__doc__ or "").replace(f"{{{name}}}", text)
        return function

    return fill
