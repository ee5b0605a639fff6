import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modelcompare.report.numbers import (
    decimals_for,
    format_interval,
    format_number,
    format_p_value,
    nice_ticks,
)
from modelcompare.report.writers.terminal import aligned


@pytest.mark.parametrize(
    ("standard_error", "decimals"),
    [(0.45, 2), (0.1, 2), (0.099, 3), (0.0045, 4), (45.0, 0), (3.2, 1), (1e-12, 6)],
)
def test_decimals_show_two_digits_of_the_standard_error(standard_error, decimals):
    assert decimals_for([standard_error]) == decimals


def test_one_odd_standard_error_does_not_change_the_column():
    assert decimals_for([0.004, 0.005, 0.006, 12.0, math.nan, 0.0]) == 4


def test_without_a_standard_error_four_decimals_are_shown():
    assert decimals_for([math.nan, 0.0]) == 4


def test_a_number_that_rounds_to_zero_has_no_sign():
    assert format_number(-0.0001, 2) == "0.00"
    assert format_number(0.0001, 2, signed=True) == "0.00"


def test_a_number_too_small_for_the_column_keeps_its_digits():
    assert format_number(-2.34e-9, 6) == "-2.3e-09"


def test_what_is_undefined_is_a_dash():
    assert format_number(math.nan, 3) == "-"
    assert format_interval(math.nan, math.nan, 3) == "-"
    assert format_p_value(math.nan) == "-"


def test_intervals_of_a_column_are_equally_wide():
    texts = aligned(["-12.5 to 3.0", "-", "1.2 to -100.0"])
    assert texts == ["-12.5 to    3.0", "-", "  1.2 to -100.0"]


@given(st.floats(0, 1))
def test_a_printed_p_value_falls_on_the_same_side_of_one_in_a_thousand(p_value):
    text = format_p_value(p_value)
    assert text.startswith("<") == (p_value < 0.001)
    if not text.startswith("<"):
        assert float(text) == pytest.approx(p_value, abs=0.005 + 1e-12)


@given(
    st.floats(-1e6, 1e6),
    st.floats(1e-4, 1e6),
    st.integers(2, 8),
)
def test_ticks_are_within_the_axis_and_evenly_spaced(low, span, most):
    ticks = nice_ticks(low, low + span, most=most)
    assert 1 <= len(ticks) <= most
    slack = 1e-6 * (abs(low) + span)
    assert low - slack <= min(ticks)
    assert max(ticks) <= low + span + slack
    np.testing.assert_allclose(np.diff(ticks, n=2), 0, atol=slack)
