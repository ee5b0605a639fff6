"""Commands that call one function of the library: of all models, groups, two models, a table."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any

import modelcompare as mc
from modelcompare.cli.output import Output
from modelcompare.cli.reading import Reading
from modelcompare.metrics.classes import ValueLike
from modelcompare.plugs import behind, first, needed
from modelcompare.readers.messages import ROLES
from modelcompare.readers.opening import read_tables


def groups(
    reading: Reading, output: Output, *, plan: bool = False, **options: Any,
) -> None:  # fmt: skip
    """Compare in subgroups of one test set, or on several test sets."""
    output.check(reading.files)
    if plan:
        output.emit(behind("plan of groups")(reading, options))
        return
    if reading.slices:
        output.emit(mc.compare_groups(reading.read(sliced=True), **options))
        return
    if "min_size" in options:
        raise ValueError("--min-size is for subgroups; name their column with --by.")
    found = first("set_results", reading, **options)
    if found is None:
        raise ValueError(f"{needed('a question about several test sets')}.")
    output.emit(found)


def of_predictions(
    reading: Reading, output: Output, *, function: str, by_blocks: bool = False, **options: Any,
) -> None:  # fmt: skip
    """Answer a question about all models of one test set by a public function."""
    output.check(reading.files)
    predictions = reading.read(by_blocks=by_blocks)
    output.emit(attrgetter(function)(mc)(predictions, **options), inputs=reading.files)


def of_two_models(reading: Reading, output: Output, **options: Any) -> None:
    """Answer a question about one value of two models."""
    output.emit(answer_of_two(reading, output, **options), inputs=reading.files)


def answer_of_two(
    reading: Reading, output: Output, *, function: str, metric: str | None = None,
    label: str | None = None, plan: bool = False, **options: Any,
) -> Any:  # fmt: skip
    """Return the answer of a function to a question about one value of two models."""
    if not reading.files:
        raise ValueError("name files of predictions.")
    output.check(reading.files)
    reading.several = True
    predictions = reading.read()
    sets = [*predictions.values()] if isinstance(predictions, dict) else [predictions]
    first, models = sets[0], dict.fromkeys(model for each in sets for model in each.models)
    of_all = metric or mc.metrics.registry.default_metric(first)
    value: ValueLike = of_all if label is None else (of_all, label)
    model_a, model_b = two_models([*models])
    if plan:
        return behind("plan of two")(predictions, model_a, model_b, value, options)
    return attrgetter(function)(mc)(predictions, model_a, model_b, value, **options)


def given(**options: Any) -> dict[str, Any]:
    """Return the options that were given, those that name columns by their roles."""
    found = {name: value for name, value in options.items() if value is not None}
    columns = {role: found.pop(role) for role in ROLES if role in found}
    return {**found, "columns": columns}


def ranks(tables: Sequence[Path], reading: dict[str, Any], output: Output, **options: Any) -> None:
    """Compare by a table of scores."""
    output.check(tables)
    frame, figure = read_tables(tables), output.plot is not None
    found = first("score_tables", frame, reading, figure, **options)
    if found is None:
        raise ValueError(f"{needed('a table of results')}.")
    output.emit(found)


def two_models(models: Sequence[str]) -> tuple[str, str]:
    """Return the two models; refuse any other number."""
    if len(models) == 1:
        raise ValueError(
            f"there is one model ({models[0]}), and two are needed; runs of one are compared as "
            "models where their column is named (--read model=COLUMN)."
        )
    if len(models) != 2:
        raise ValueError(f"there are {len(models)} models; name two with --model A --model B.")
    return models[0], models[1]
