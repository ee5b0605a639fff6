"""Named options: one record for each argument that means the same in every function.

A record contains the check of the argument, its names in other packages, and its flag and help on
the command line. Public functions use the first two (`arguments.checked`), commands the rest.
Imports nothing slow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Any

from modelcompare.words import (
    MOST_BINS,
    MOST_JOBS,
    CompareTest,
    Correction,
    Family,
    GeneralizeTo,
    IntervalMethod,
    check_count,
    check_flag,
    check_fraction,
    check_jobs,
    check_numbers,
    giving,
    shown,
)

Check = Callable[[str, Any], object]
# Default of an option that must be given.
REQUIRED: Any = ...


@dataclass(frozen=True, kw_only=True)
class Option:
    """A named option of the library, and its flag on the command line.

    Parameters
    ----------
    name : str
        Name of the argument.
    check : callable, optional
        ``check(name, value)`` raises an error for an invalid value. Options annotated with a
        Literal of `words`, or with bool, need none: the annotation determines the check.
    elsewhere : str
        Names of the argument in other packages, separated by blanks.
    flags : str
        Its names on the command line, separated by blanks; ``--`` and the argument by default.
    type : type
        Type of the value, as in a signature.
    default : optional
        Value if it is not given; None if the function that is called has one, REQUIRED if it must
        be given.
    metavar, help, panel : str
        Name of the value, meaning and group in the help of a command. ``{choices}`` in the meaning
        stands for the values of a Literal.
    parse : callable, optional
        Converts the typed text to the value of the argument.
    advanced : bool
        Whether only ``--help-all`` shows it.
    hidden : bool
        Whether no help shows it, as the command refuses it.
    at_least : int, optional
        Smallest value on the command line.
    complete : callable, optional
        Returns the values that begin as what is typed, for the completion of a shell.
    """

    name: str
    check: Check | None = None
    elsewhere: str = ""
    flags: str = ""
    type: Any = str | None
    default: Any = None
    metavar: str | None = None
    help: str = ""
    panel: str | None = None
    parse: Callable[[Any], Any] | None = None
    advanced: bool = False
    hidden: bool = False
    at_least: int | None = None
    complete: Callable[[str], list[str]] | None = None

    @property
    def flag(self) -> str:
        """The first name on the command line."""
        return self.flags.split()[0] if self.flags else f"--{self.name.replace('_', '-')}"


def check_metrics(argument: str, value: object) -> None:
    """Refuse None where a metric is required; names are checked with the predictions."""
    if value is None:
        raise TypeError(
            f"`{argument}` holds None; give a metric's name, a Metric, or a function "
            "metric(y_true, y_output)."
        )


def check_positive(argument: str, value: object) -> None:
    """Refuse what is not a finite number above 0."""
    check_numbers(argument, (value,), positive=True)


def check_zero_division(argument: str, value: object) -> None:
    """Refuse a value for 0 / 0 that is not 0, 1, NaN, or the convention of the paper."""
    number = isinstance(value, Real) and not isinstance(value, bool)
    if value != "paper" and not (number and (value in (0, 1) or value != value)):
        raise ValueError(f"`{argument}` must be 0, 1, NaN or 'paper', got {shown(value)}.")


def _jobs(number: int) -> int:
    if number != -1 and not 1 <= number <= MOST_JOBS:
        raise ValueError(f"--jobs must be -1 or from 1 to {MOST_JOBS}, got {number}.")
    return number


def _value_of_nothing(text: str) -> float | str:
    value = text if text.lower() not in ("0", "1", "nan") else float(text)
    check_zero_division("--zero-division", value)
    return value


_positive = partial(check_count, at_least=1)
_statistics = partial(Option, panel="Statistics", metavar="NAME")
_fraction = partial(
    Option, type=float, check=check_fraction, panel="Statistics", metavar="FRACTION"
)
_cost = partial(
    Option, type=float | None, check=check_positive, panel="Statistics", metavar="NUMBER"
)
_resampling = partial(Option, panel="Statistics", metavar="N", type=int)

OPTIONS: Mapping[str, Option] = {
    option.name: option
    for option in (
        Option(name="predictions", check=giving("rows")),
        Option(name="predictions_a", check=giving("rows")),
        Option(name="predictions_b", check=giving("rows")),
        _statistics(
            name="metrics", flags="--metric -m", type=list[str] | None, check=check_metrics,
            elsewhere="scoring score scores", help="Metric (repeatable).",
        ),
        _statistics(name="metric", flags="--metric -m", elsewhere="scoring score"),
        _statistics(
            name="label", metavar="CLASS", help="The class, for a metric per class.",
        ),
        _statistics(
            name="baseline", metavar="MODEL", elsewhere="reference control",
            help="Test the differences from this model only.",
        ),
        Option(
            name="margin", type=float | None, metavar="NUMBER", elsewhere="delta tolerance epsilon",
            help="Smallest difference that matters, in units of the metric; needed unless "
            "--superior.",
        ),
        _statistics(
            name="method", type=IntervalMethod, help="Interval: {choices}",
        ),
        _statistics(
            name="test", type=CompareTest, help="Paired test: {choices}",
        ),
        _statistics(
            name="correction", type=Correction,
            elsewhere="adjust adjustment p_adjust multiple_testing",
            help="Correction: {choices}",
        ),
        _statistics(
            name="family", type=Family,
            help="Corrected together: all pairs of a metric, or of all metrics.",
        ),
        _statistics(
            name="generalize_to", type=GeneralizeTo, elsewhere="random",
            help="Answer for these runs (items), or for new ones too (items+runs); auto: for new "
            "runs where several are declared.",
        ),
        _fraction(
            name="confidence_level", help="Of every interval.",
            elsewhere="confidence conf_level level ci_level coverage",
        ),
        _fraction(
            name="alpha",
            help="A difference counts where its adjusted p-value is below; 1 minus the confidence "
            "level.",
        ),
        _fraction(name="power", help="Wanted power."),
        _cost(name="cost_item", help="Cost of a labelled item; marks the cheapest numbers."),
        _cost(name="cost_run", help="Cost of a training run of one model; both models pay it."),
        _statistics(
            name="zero_division", check=check_zero_division, parse=_value_of_nothing,
            advanced=True, metavar="VALUE",
            help="Value of 0 / 0: 0, 1, nan (by default; 0 in averages) or paper.",
        ),
        Option(name="alternative", elsewhere="tail tails side"),
        _statistics(
            name="min_size", type=int, check=_positive, metavar="N", at_least=1,
            help="Leave smaller subgroups out, and list them.",
        ),
        _statistics(
            name="n_subsamples", flags="--subsamples", type=int, check=_positive,
            metavar="N", at_least=1, help="Down-samplings at each ratio.",
        ),
        _statistics(
            name="stratify", type=bool, default=False,
            help="Keep the classes' proportions when down-sampling.",
        ),
        Option(name="n_trials", check=_positive),
        Option(name="n_bins", check=partial(check_count, at_least=1, at_most=MOST_BINS)),
        _resampling(
            name="n_resamples", flags="--resamples", check=check_count,
            at_least=2, help="Number of resamples.",
            elsewhere="n_boot n_boots n_bootstrap n_bootstraps n_permutations n_iter n_iterations "
            "nboot num_resamples resamples n_samples B bootstrap iterations iters reps replicates",
        ),
        _resampling(
            name="rng", flags="--seed", at_least=0, help="Seed of the random numbers.",
            elsewhere="seed random_state random_seed generator",
        ),
        _resampling(
            name="n_jobs", flags="--jobs", type=int | None, check=check_jobs, parse=_jobs,
            help="Threads; -1 for all. It changes no result.",
            elsewhere="n_workers workers jobs n_threads threads",
        ),
        Option(name="progress", check=check_flag, elsewhere="verbose"),
        Option(name="y_true", elsewhere="true truth target gold"),
        Option(name="kind", elsewhere="scores"),
        Option(name="true", elsewhere="y_true truth target gold labels label_column"),
        Option(name="id", elsewhere="ids uid key"),
        Option(name="ids", elsewhere="id uids keys"),
        Option(name="groups", elsewhere="group cluster clusters"),
        Option(name="unlisted", elsewhere="missing"),
        Option(name="sample_weight", elsewhere="weights weight w"),
        Option(
            name="greater_is_better",
            elsewhere="higher_is_better lower_is_better maximize minimize lower_better",
        ),
    )
}  # fmt: skip
