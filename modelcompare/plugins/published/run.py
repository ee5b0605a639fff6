"""Answers of the commands ``ranks`` and ``groups`` to published results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import pandas as pd

from modelcompare.cli.options import RESULTS
from modelcompare.cli.reading import Reading
from modelcompare.cli.streams import say
from modelcompare.comparison.compare import compare
from modelcompare.comparison.result import Comparison
from modelcompare.data.predictions import Predictions
from modelcompare.plugins.published.mean_ranks import RankComparison
from modelcompare.plugins.published.ranks import critical_difference
from modelcompare.plugins.published.results import named_results, scores_of_sets
from modelcompare.readers import checked_columns
from modelcompare.readers.opening import read_table
from modelcompare.readers.reading import in_one_line
from modelcompare.words import GeneralizeTo, GeneralizeToOfSets


def ranks(
    frame: pd.DataFrame, reading: Mapping[str, Any], _: bool, **options: Any
) -> RankComparison:
    """Compare by ranks over data sets."""
    result = critical_difference(frame, **reading, **options)
    say(f"modelcompare: read {result.reading}")
    return result


def sets(
    reading: Reading,
    *,
    generalize_to: GeneralizeToOfSets = "auto",
    weights: str = "equal",
    **options: Any,
) -> Comparison | None:
    """Compare by the results on data sets, which are the samples."""
    results = _read(reading)
    if results is None:
        return None
    if weights != "equal":
        raise ValueError(
            "--weights is for predictions on several test sets; published results have equal ones."
        )
    say("modelcompare: each data set is one sample; the answer is for data sets like these")
    return compare(
        results, generalize_to=cast(GeneralizeTo, generalize_to.replace("sets", "items")), **options
    )


def _read(reading: Reading) -> Predictions | None:
    """Read a table of published results as scores of data sets; None if it is none."""
    given = reading.given_beside({"files", *(option.name for option in RESULTS.every)})
    if len(reading.files) > 1 or given or reading.missing in ("worst", "bounds"):
        return None
    try:
        columns = checked_columns(**reading.columns())
        found = named_results(read_table(reading.files[0], keeps_unnamed=True), columns)
    except ValueError:
        return None
    if found is None:
        return None
    say(f"modelcompare: read {in_one_line(found.parts)}")
    return scores_of_sets(found, columns)


SCORE_TABLES = (ranks,)
SET_RESULTS = (sets,)
