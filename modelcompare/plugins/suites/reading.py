"""Files of several test sets that a command reads."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from modelcompare.cli.reading import Reading, with_command
from modelcompare.cli.streams import say
from modelcompare.comparison.compare_groups import compare_groups
from modelcompare.comparison.groups import GroupComparison
from modelcompare.data.predictions import Predictions
from modelcompare.plugins.suites import readings
from modelcompare.readers import checked_columns
from modelcompare.readers.options import Columns


def read_asked(reading: Reading) -> tuple[dict[str, Predictions], dict[str, Any]]:
    """Read each test set of the files, by its name; and the option for sets that lack models."""
    missing = "refuse" if reading.missing == "worst" else reading.missing
    return _described(reading, _read(reading)), {"missing": missing}


def groups(reading: Reading, **options: Any) -> GroupComparison:
    """Compare on several test sets."""
    sets, more = read_asked(reading)
    return compare_groups(sets, **options, **more)


def read_several(reading: Reading, **_: object) -> dict[str, Predictions] | None:
    """Read the test sets by name, if a command takes several, there are, and none is named."""
    if not reading.several or reading.set is not None:
        return None
    # If there is one test set, or an error, it is read in another way, or the error comes again.
    sets: Mapping[str, Any] = {}
    with suppress(ValueError):
        sets = _read(reading)
    return _described(reading, sets) if len(sets) > 1 else None


def _read(reading: Reading) -> Mapping[str, Any]:
    """Read each test set of the files, with how it was read."""
    reading.refuse_of_one(several=True)
    with with_command():
        return readings.readings_of_sets(reading.files, _columns(reading))


def _columns(reading: Reading) -> Columns:
    """Return the columns of all test sets."""
    # Bounds are for models that lack a whole set, whose other results are all there.
    missing = "refuse" if reading.missing == "bounds" else reading.missing
    # A set may lack a model, which is no error of its columns.
    own = {**reading.columns(), "missing": missing, "models": reading.models}
    return reading.with_steps(checked_columns(**own))


def _described(reading: Reading, found: Mapping[str, Any]) -> dict[str, Predictions]:
    """Return the predictions of test sets by name, after a line for each on how it was read."""
    sets, columns = {}, _columns(reading)
    for name, each in found.items():
        say(f"modelcompare: read {name}: {each.sentence}")
        sets[name] = reading.changed(each.predictions, columns)
    return sets


SOURCES = (read_several,)
SET_RESULTS = (groups,)
