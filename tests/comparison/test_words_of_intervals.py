"""Text where an interval has no end, where p cannot be small, and where the two part."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.comparison.tables import pair_table
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
                 result.to_markdown(), result.to_latex()):  # fmt: skip
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
        mc.compare(preds, test="sign-flip", **options)
    return next(str(each.message) for each in caught if "too few" in str(each.message))


def test_a_correction_that_changes_nothing_is_not_reported_to_change_something():
    caught = too_few(2, n_resamples=999, alpha=0.001)

    assert "p-values cannot fall below 0.001. Take n_resamples of 2,000 or more, or" in caught
    assert "which holm makes" not in caught
    assert "1 test at alpha = 0.001" in caught


def test_what_a_correction_makes_of_the_smallest_p_value_is_reported():
    assert "cannot fall below 0.01, which holm makes 0.15. Take" in too_few(6, n_resamples=99)


def odd(method, test):
    """A table of one difference whose interval leaves 0 out, though p is 0.2."""
    frame = pd.DataFrame({
        "model_a": ["a"], "model_b": ["b"], "metric": ["m"], "label": [None], "difference": [0.1],
        "ci_low": [0.01], "ci_high": [0.2], "p_value": [0.2], "p_adjusted": [0.2],
        "method": [method], "test": [test],
    })  # fmt: skip
    return " ".join(pair_table("t", [], frame, 0.95, "none").notes)


@pytest.mark.parametrize(
    ("method", "test"),
    [("hall-t", "studentized-permutation"), ("BCa", "studentized-permutation"),
     ("normal", "wald"), ("percentile", "bootstrap"), ("t", "corrected-t")],
)  # fmt: skip
def test_p_decides_where_its_test_holds_or_is_of_the_intervals_kind(method, test):
    assert odd(method, test).endswith("Decide by p.")


@pytest.mark.parametrize("test", ["sign-flip", "permutation", "bootstrap", "wald"])
def test_the_default_interval_decides_beside_a_test_that_holds_less_widely(test):
    caught = odd("expanded-percentile", test)

    assert "Decide by p" not in caught
    assert f"Decide by the interval: p is of the test {test}," in caught


def test_the_defaults_decide_where_neither_is_one():
    assert "Prefer the defaults of `method` and `test`" in odd("BCa", "permutation")
