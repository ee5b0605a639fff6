"""Named options: one record for each argument that means the same in every function.

A record holds the check of the argument and the names that other packages give it. Public
functions take both from here (`arguments.checked`). Imports nothing slow.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from modelcompare.words import (
    MOST_BINS,
    check_count,
    check_flag,
    check_fraction,
    check_jobs,
    check_number,
    check_zero_division,
    giving,
)

Check = Callable[[str, Any], object]


@dataclass(frozen=True)
class Option:
    """An option by its name in the library.

    Parameters
    ----------
    name : str
        The argument.
    check : callable, optional
        ``check(name, value)`` refuses values without sense. Options whose annotation is a Literal
        of `words` need none: their choices are read from it.
    elsewhere : str
        Names that other packages give the argument, separated by blanks.
    """

    name: str
    check: Check | None = None
    elsewhere: str = ""


_positive = partial(check_count, at_least=1)
_bins = partial(check_count, at_least=1, at_most=MOST_BINS)

OPTIONS: Mapping[str, Option] = {
    option.name: option
    for option in (
        Option("predictions", giving("rows")),
        Option("predictions_a", giving("rows")),
        Option("predictions_b", giving("rows")),
        Option("metrics", elsewhere="scoring score scores"),
        Option("metric", elsewhere="scoring score"),
        Option("baseline", elsewhere="reference control"),
        Option("margin", elsewhere="delta tolerance epsilon"),
        Option("confidence_level", check_fraction,
               "confidence conf_level level ci_level coverage"),
        Option("alpha", check_fraction),
        Option("power", check_fraction),
        Option("rope", check_number),
        Option("zero_division", check_zero_division),
        Option("correction", elsewhere="adjust adjustment p_adjust multiple_testing"),
        Option("alternative", elsewhere="tail tails side"),
        Option("n_resamples", check_count,
               "n_boot n_boots n_bootstrap n_bootstraps n_permutations n_iter n_iterations nboot "
               "num_resamples resamples n_samples B"),
        Option("n_trials", _positive),
        Option("n_subsamples", _positive),
        Option("min_size", _positive),
        Option("n_bins", _bins),
        Option("stratify", check_flag),
        Option("paired", check_flag),
        Option("collapse", partial(check_flag, optional=True)),
        Option("rng", elsewhere="seed random_state random_seed generator"),
        Option("n_jobs", check_jobs, "n_workers workers jobs n_threads threads"),
        Option("progress", check_flag, "verbose"),
        Option("y_true", elsewhere="true truth target gold"),
        Option("true", elsewhere="y_true truth target gold labels label_column"),
        Option("id", elsewhere="ids uid key"),
        Option("ids", elsewhere="id uids keys"),
        Option("groups", elsewhere="group cluster clusters"),
        Option("sample_weight", elsewhere="weights weight w"),
        Option("greater_is_better",
               elsewhere="higher_is_better lower_is_better maximize minimize"),
        Option("lower_is_better",
               elsewhere="greater_is_better higher_is_better minimize lower_better"),
    )
}  # fmt: skip
