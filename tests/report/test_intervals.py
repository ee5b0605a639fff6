import math

from hypothesis import given
from hypothesis import strategies as st

from modelcompare.report.intervals import ASCII, CharacterAxis


def test_an_interval_is_drawn_at_its_place():
    axis = CharacterAxis(0.0, 10.0, 11)
    assert axis.draw(2, 4, 9) == "  ├─●────┤ "
    assert axis.draw(2, 4, 9, glyphs=ASCII) == "  |-o----| "


def test_an_undefined_score_leaves_the_line_empty():
    assert CharacterAxis(0.0, 1.0, 5).draw(math.nan, math.nan, math.nan) == " " * 5


def test_an_estimate_without_an_interval_is_a_point():
    assert CharacterAxis(0.0, 1.0, 5).draw(math.nan, 0.5, math.nan) == "  ●  "


def test_axis_labels_stand_over_their_values():
    axis = CharacterAxis.over([0.0, 1.0], width=21)
    header = axis.header()
    for start, text in ((0, "0.0"), (9, "0.5"), (18, "1.0")):
        assert header[start : start + 3] == text
    assert axis.position(0.5) == 10


def test_equal_values_still_make_an_axis():
    axis = CharacterAxis.over([0.7, 0.7, math.nan], width=15)
    assert axis.draw(0.7, 0.7, 0.7).strip() == "●"
    assert len(axis.header()) == 15


@given(st.floats(-1e6, 1e6), st.floats(1e-5, 1e5), st.integers(16, 60))
def test_header_and_intervals_fill_the_width(low, span, width):
    axis = CharacterAxis.over([low, low + span], width=width)
    assert len(axis.header()) == width
    drawn = axis.draw(low, low + span / 3, low + span)
    assert len(drawn) == width
    assert drawn[0] in "├●"
    assert drawn[-1] == "┤"
