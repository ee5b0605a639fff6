"""Choices of options and their checks, warnings, optional packages, signatures; quick to load."""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import partial
from importlib import import_module
from numbers import Integral, Real
from os import PathLike, fspath
from typing import Any, Literal, ParamSpec, TypeVar, get_args

from modelcompare.escape import terminal
from modelcompare.near_choices import choices_meant
from modelcompare.version import __version__

# The word before a message of the command line that is a warning.
WARNING = "warning: "
P = ParamSpec("P")
T = TypeVar("T")

# Output types that the command line lists; plugins add theirs (`plugs.choices`).
BasicKind = Literal["labels", "probabilities", "values", "scores"]
# Columns that a sample may have next to its outputs.
SampleColumn = Literal["ids", "groups", "strata", "runs", "sample_weight"]
Design = Literal["groups", "strata", "runs", "items"]
# Access to the samples that a function needs: all rows, blocks of them, numbers of units, or sums.
Need = Literal["rows", "blocks", "units", "sums"]
Average = Literal["macro", "micro", "weighted"]
ZeroDivision = float | Literal["paper"]
Undefined = Literal["count", "stratify", "redraw", "raise"]
# What an answer holds for: these runs and sets, or new ones; "auto" by what is declared.
GeneralizeTo = Literal["auto", "items", "items+runs"]
GeneralizeToOfSets = Literal[GeneralizeTo, "sets", "sets+runs"]
WeightsOfSets = Literal["equal", "samples"]

Scheme = Literal["multinomial", "poisson", "bayesian"]
IntervalMethod = Literal[
    "auto", "BCa", "percentile", "basic", "normal", "studentized", "logit", "wilson",
    "clopper-pearson", "delong",
]  # fmt: skip
DecisionMethod = Literal[IntervalMethod, "any-time"]
# When to choose which, for help, docstrings and messages; the rows of `intervals.METHODS`.
INTERVALS: Mapping[str, str] = {
    "auto": "takes what holds for each value: closed forms for counts, however rare the class, and "
    "what clusters, curves, losses and texts allow",
    "BCa": "corrects bias and skewness of the replicates",
    "percentile": "quantiles of the replicates, the plainest",
    "basic": "quantiles reflected at the estimate; leaves the bounds of bounded metrics",
    "normal": "estimate and standard error, no resamples; trusts symmetry",
    "studentized": "bootstrap-t; best for macro averages with a rare class",
    "logit": "stays within a metric's bounds; best for the ROC AUC with a rare class",
    "wilson": "proportions: accuracy, and precision, recall or specificity of a class",
    "clopper-pearson": "proportions, never below the nominal coverage",
    "delong": "the ROC AUC and its paired differences, without resamples, as pROC gives them",
}
Alternative = Literal["two-sided", "greater", "less"]
# Tests of all pairs of models at once; a paired test of two models may be any of `PairedTest`.
PairsTest = Literal["studentized-permutation", "sign-flip", "permutation", "bootstrap", "wald"]
CompareTest = Literal[PairsTest, "run-permutation"]
PairedTest = Literal[
    CompareTest, "berg-kirkpatrick", "mcnemar-exact", "mcnemar-midp", "mcnemar-chi2",
    "mcnemar-chi2-corrected", "delong", "t", "wilcoxon", "sign",
]  # fmt: skip
# When to choose which; the rows of `significance.TESTS`. The last two are for reproduction only.
PAIRED_TESTS: Mapping[str, str] = {
    "studentized-permutation": "swaps of the models' outputs, studentized; right at any size where "
    "models are exchangeable, in the limit where only their values are equal",
    "sign-flip": "null: the two values are equal, nothing more; for means of per-sample scores, "
    "wrong where classes are rare or clusters unequal",
    "permutation": "null: the models are exchangeable, which is more than equal values (one may "
    "trade recall for precision); exact where it holds",
    "bootstrap": "the resampled difference shifted to the null",
    "wald": "difference over its influence-function standard error, with Student's t; no resamples",
    "berg-kirkpatrick": "share of resamples with at least twice the difference; one-sided, and "
    "taking the direction from the data doubles its error",
    "run-permutation": "whole runs exchanged; null: their runs are exchangeable on these items",
    "mcnemar-exact": "samples that one model alone got right, binomial",
    "mcnemar-midp": "the same with mid-p, less conservative",
    "mcnemar-chi2": "the same by chi-square, for many such samples",
    "mcnemar-chi2-corrected": "the same with Edwards' correction",
    "delong": "the covariance of two ROC AUCs; no resamples",
    "t": "paired t-test on per-sample numbers",
    "wilcoxon": "signed ranks of per-sample differences, for heavy tails",
    "sign": "signs of per-sample differences alone",
    "replicate-t": "Welch's t on bootstrap replicates, as papers run it: for reproduction",
    "replicate-paired-t": "the paired t on bootstrap replicates: for reproduction",
}
MEANINGS: Mapping[str, str] = {**INTERVALS, **PAIRED_TESTS}
PosthocTest = Literal["nemenyi", "wilcoxon-holm"]
Correction = Literal[
    "holm", "hochberg", "hommel", "bonferroni", "sidak", "fdr_bh", "fdr_by", "max-t", "min-p",
    "none",
]  # fmt: skip
Family = Literal["metric", "all"]
Simultaneous = Literal["differences", "scores"]
Decision = Literal["non-inferior", "superior", "equivalent"]
Answer = Literal["shown", "shown otherwise", "not enough data"]
CurveKind = Literal["roc", "precision-recall"]
Strategy = Literal["width", "mass"]
Normalize = Literal["true", "pred", "all"]
Level = Literal["nominal", "ordinal", "interval", "ratio"]

FileKind = Literal["csv", "tsv", "parquet", "jsonl", "npz", "json", "eval", "xlsx", "text"]
SameIds = Literal["same", "intersect"]
# Treatments of missing results. Each word means the same wherever it is taken: in reading, of test
# sets that lack models, of rows of tables that lack scores, and in a comparison.
Missing = Literal["refuse", "drop", "worst", "bounds"]
MissingRead = Literal["refuse", "drop", "worst"]
MissingSets = Literal["refuse", "drop", "bounds"]
MissingScores = Literal["refuse", "drop"]
MissingCompared = Literal["worst", "bounds"]
Annotators = Literal["each", "majority", "soft"]
BasicFormat = Literal["table", "csv", "json", "markdown"]
GateFormat = Literal["text", "json"]
OnInconclusive = Literal["fail", "pass", "skip"]

# No p-value and no interval needs more, and a typing error does not fill the memory.
MOST_RESAMPLES = 10_000_000
MOST_BINS = 1000
# Smallest alpha for which 1 - alpha is not rounded to 1.
_SMALLEST_FRACTION = 1e-12
# More threads than any machine has processors would only take memory.
MOST_JOBS = 1024
_MOST_SHOWN = 59
_LACKING = "for test sets that lack models (compare_groups, decide, gate)"
# Where a choice is right that a function does not take.
_ELSEWHERE: Mapping[tuple[str, object], str] = {
    **dict.fromkeys(
        (("missing", "refuse"), ("missing", "drop")),
        f"for reading results (read_predictions, --missing), and {_LACKING}",
    ),
    ("missing", "worst"): "for reading results (read_predictions, --missing)",
    ("missing", "bounds"): f"for compare, of results that were read with 'worst', and {_LACKING}",
}


def listed(choices: Any) -> str:
    """Return the choices of a Literal as text.

    Examples
    --------
    >>> listed(Undefined)
    'count, stratify, redraw or raise'
    """
    *others, last = get_args(choices)
    return f"{', '.join(others)} or {last}" if others else str(last)


def optional(module: str, need: str, extra: str) -> Any:
    """Import an optional module; the error names what needs it, and how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(f'{need}: pip install "modelcompare-stats[{extra}]"') from error


def warn_caller(text: str, category: type[Warning]) -> None:
    """Warn at the calling line outside of this package."""
    frame = sys._getframe()
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__", "")):
        frame = frame.f_back
    module = frame.f_globals.get("__name__", "<unknown>")
    registry = frame.f_globals.setdefault("__warningregistry__", {})
    warnings.warn_explicit(
        terminal(text), category, frame.f_code.co_filename, frame.f_lineno, module, registry
    )


def _is_ours(module: str) -> bool:
    # Decorators that are context managers are called from the standard library.
    return module.partition(".")[0] in ("modelcompare", "contextlib")


def shown(value: object) -> str:
    """Return a given value as one line, for a message.

    Examples
    --------
    >>> shown("0.95"), shown([0.5] * 100)
    ("'0.95'", '[0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0...')
    """
    text = " ".join(repr(value).split())
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."


def check_choice(argument: str, value: object, choices: Any) -> None:
    """Refuse a value that is not a choice of a Literal, and list the choices."""
    known = get_args(choices)
    if not isinstance(value, Hashable) or value not in known:
        where = _ELSEWHERE.get((argument, value)) if isinstance(value, str) else None
        hint = f", which is {where}" if where else choices_meant(value, known, MEANINGS)
        given = f"{shown(value)}{hint}"
        end = "" if given.endswith("?") else "."
        raise ValueError(f"`{argument}` must be one of {', '.join(known)}, got {given}{end}")


def check_count(
    argument: str, value: object, *, at_least: int = 2, at_most: int = MOST_RESAMPLES
) -> None:
    """Refuse a value that is not a whole number within limits."""
    number = _whole(argument, value)
    if number < at_least:
        raise ValueError(f"`{argument}` must be at least {at_least}, got {number}.")
    if number > at_most:
        raise ValueError(f"`{argument}` must be at most {at_most:,}, got {number:,}.")


def check_fraction(argument: str, value: object, *, below: float = 1.0) -> None:
    """Refuse a value that is not between 0 and `below`, and explain percentages."""
    number = _real(argument, value)
    if not 0 < number < below:
        hint = f"; for {number:g} % pass {number / 100:g}" if 1 < number < 100 * below else ""
        raise ValueError(f"`{argument}` must be in (0, {below:g}), got {number:g}{hint}.")
    if number < _SMALLEST_FRACTION:
        raise ValueError(f"`{argument}` must be at least {_SMALLEST_FRACTION:g}, got {number:g}.")


def check_one_sided(argument: str, value: object) -> None:
    """Refuse a value that is not a one-sided level, between 0 and 1/2."""
    check_fraction(argument, value, below=0.5)


def check_number(
    argument: str, value: object, *, at_least: float = 0.0, at_most: float = math.inf
) -> float:
    """Return a finite number within limits as a float; refuse any other value."""
    number = _real(argument, value)
    if not (math.isfinite(number) and at_least <= number <= at_most):
        limits = "finite"
        if math.isfinite(at_least):
            limits += f" and at least {at_least:g}"
        if math.isfinite(at_most):
            limits = f"in [{at_least:g}, {at_most:g}]"
        raise ValueError(f"`{argument}` must be {limits}, got {number:g}.")
    return number


def check_sequence(argument: str, value: object, of: str) -> tuple[Any, ...]:
    """Return the entries of a sequence; refuse any other value, a text too."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise TypeError(f"`{argument}` must be a sequence of {of}, got {shown(value)}.")
    return tuple(value)


def check_text(argument: str, value: object, *, optional: bool = False) -> None:
    """Refuse a value that is not a text."""
    if not (optional and value is None) and not isinstance(value, str):
        raise TypeError(f"`{argument}` must be a text, got {shown(value)}.")


def check_names(argument: str, values: object) -> tuple[str, ...]:
    """Return the names in a sequence of names; refuse any other value."""
    names = check_sequence(argument, values, "names")
    if not all(isinstance(name, str) for name in names):
        raise TypeError(f"`{argument}` must be a sequence of names, got {shown(values)}.")
    return names


def check_numbers(argument: str, values: object, *, positive: bool = False) -> tuple[float, ...]:
    """Return a sequence of finite numbers as floats; refuse any other value."""
    numbers = tuple(
        check_number(argument, value, at_least=-math.inf)
        for value in check_sequence(argument, values, "numbers")
    )
    if positive and not all(number > 0 for number in numbers):
        raise ValueError(f"`{argument}` must be above 0, got {min(numbers):g}.")
    return numbers


def check_mapping(argument: str, value: object, of: str, *, kind: type = object) -> None:
    """Refuse a value that is not a mapping of names to entries of a type, or is empty."""
    if not isinstance(value, Mapping) or not all(
        isinstance(name, str) and isinstance(entry, kind) for name, entry in value.items()
    ):
        raise TypeError(f"`{argument}` must map names to {of}, got {shown(value)}.")
    if not value:
        raise ValueError(f"`{argument}` is empty; give at least one.")


def check_flag(argument: str, value: object, *, optional: bool = False) -> None:
    """Refuse a value that is neither True nor False."""
    if not (optional and value is None) and type(value).__name__ not in ("bool", "bool_"):
        raise TypeError(f"`{argument}` must be True or False, got {shown(value)}.")


def giving(need: Need, *, by_design: bool = False) -> Callable[[str, Any], None]:
    """Return a check that a test set gives the access to samples that a function needs."""
    return partial(check_test_set, need=need, by_design=by_design)


def check_test_set(argument: str, value: Any, need: Need, *, by_design: bool = False) -> None:
    """Refuse a value that is not a test set, or does not give the access that is needed.

    With `by_design`, the design of the test set gives values and errors: labels of some samples may
    be enough.
    """
    if _is_test_set(type(value)):
        value.access.require(need, argument, by_design=by_design)
        return
    what, remedy = shown(value), "read a file or a table with modelcompare.read_predictions"
    if isinstance(value, str | PathLike):
        what = f"the path {fspath(value)!r}"
        remedy = f"read it with modelcompare.read_predictions({fspath(value)!r})"
    elif hasattr(value, "columns"):
        what, remedy = "a table", "read it with modelcompare.read_predictions"
    elif isinstance(value, Mapping) and value and all(map(_is_test_set, map(type, value.values()))):
        what = "several test sets"
        remedy = "ask about each, or about their mean with modelcompare.compare_groups"
    elif isinstance(value, Mapping):
        what, remedy = "a mapping", "make them with modelcompare.Predictions(y_true, outputs)"
    raise TypeError(f"`{argument}` must be Predictions, got {what}; {remedy}.")


def _is_test_set(kind: type) -> bool:
    """Return whether a class is one of test sets, whose module is imported after this one."""
    return any(base.__name__ == "TestSet" for base in kind.__mro__)


def check_jobs(argument: str, value: object) -> None:
    """Refuse a value that is not a number of jobs for joblib."""
    if value is not None and not 1 <= abs(_whole(argument, value)) <= MOST_JOBS:
        raise ValueError(
            f"`{argument}` must be a number of jobs up to {MOST_JOBS:,}, -1 for one on every "
            f"core, or None for one, got {value}."
        )


def _whole(argument: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError(f"`{argument}` must be a whole number, got {shown(value)}.")
    return int(value)


def _real(argument: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"`{argument}` must be a number, got {shown(value)}.")
    return float(value)


def signature(kind: str = "", /, **parts: object) -> str:
    """Return a line that describes how numbers were computed, for papers and logs.

    Parameters
    ----------
    kind : str
        Name of the analysis, if it is not a comparison.
    **parts : object
        Settings, written as ``name:value``; True as the name alone, False and None not at all.

    Examples
    --------
    >>> signature("variance_study", n=9824, level=0.95, collapsed=False, stratified=True)
    'modelcompare:0.1.0|variance_study|n:9824|level:0.95|stratified'
    """
    entries = [f"modelcompare:{__version__}", *([kind] if kind else [])]
    for name, value in parts.items():
        if value is True:
            entries.append(name)
        elif value is not None and value is not False:
            entries.append(f"{name}:{value:g}" if isinstance(value, float) else f"{name}:{value}")
    return "|".join(entries)


def value_name(metric: str, label: object = None) -> str:
    """Return the name of a value: the metric, and its class if it has one.

    Examples
    --------
    >>> value_name("f1", "neutral"), value_name("f1", 3.0), value_name("f1_macro", math.nan)
    ('f1 of neutral', 'f1 of 3', 'f1_macro')
    """
    return metric if is_missing(label) else f"{metric} of {label_name(label)}"


def label_name(label: object) -> str:
    """Return a class as text: integers that pandas made floats as integers, a missing one empty."""
    if is_missing(label):
        return ""
    return f"{label:.0f}" if isinstance(label, float) and label.is_integer() else str(label)


def is_missing(label: object) -> bool:
    """Return whether a label is missing: None, or the NaN that pandas makes of it."""
    return label is None or label != label
