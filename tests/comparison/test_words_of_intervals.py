"""Text where an interval has no end, and where p cannot be small."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import modelcompare as mc
from modelcompare.report.numbers import format_interval, interval_clause
from tests.report.written import screen_text

INF = float("inf")


def constant(*_):
    return 1.0


def quietly(*args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return mc.compare(*args, **options)


@pytest.mark.parametrize("models", ["a", "ab"])
def test_no_infinity_is_printed_where_nothing_is_known(models):
    values = {m: np.arange(9.0) for m in models}
    preds = mc.Predictions(np.arange(9.0), values, kind="values")

    result = quietly(preds, constant, n_resamples=99)

    assert np.isinf(result.evidence.score_interval.low).all()
    assert "no 95 % CI can be given" in result.verdict()
    for text in (result.verdict(), str(result), screen_text(result, show_all=True),
                 result.to_markdown()):  # fmt: skip
        assert "inf" not in text.replace("information", "")


def test_intervals_with_one_end_name_it():
    assert format_interval(0.25, INF, 2) == "0.25 or more"
    assert format_interval(-INF, 0.25, 2) == "0.25 or less"
    assert interval_clause(0.25, INF, 2, 0.9) == "90 % CI 0.25 or more"
    assert interval_clause(-INF, INF, 2, 0.9) == "no 90 % CI can be given"


def too_few(n_models, **options):
    rng = np.random.default_rng(0)
    models = {f"m{i}": rng.random(300) + i for i in range(n_models)}
    preds = mc.Predictions.from_scores(models)
    with pytest.warns(UserWarning, match="resamples are too few") as caught:
        mc.compare(preds, test="permutation", **options)
    return next(str(each.message) for each in caught if "too few" in str(each.message))


def test_a_correction_that_changes_nothing_is_not_reported_to_change_something():
    caught = too_few(2, n_resamples=999, alpha=0.001)

    assert "p-values cannot fall below 0.001. Take n_resamples of 2,000 or more, or" in caught
    assert "which holm makes" not in caught
    assert "1 test at alpha = 0.001" in caught


def test_what_a_correction_makes_of_the_smallest_p_value_is_reported():
    assert "cannot fall below 0.01, which holm makes 0.15. Take" in too_few(6, n_resamples=99)
