from hypothesis import given
from hypothesis import strategies as st

from modelcompare.report.columns import Column, fold, table_lines, total_width


@given(st.text("abc_-", max_size=60), st.integers(2, 20))
def test_folding_loses_no_character_and_keeps_the_width(name, width):
    lines = fold(name, width)
    assert "".join(lines) == name
    assert all(len(line) <= width for line in lines)


def test_wide_characters_count_twice():
    assert fold("日本語モデル", 6) == ["日本語", "モデル"]


def test_columns_stand_under_their_headers():
    columns = [Column("model", ["a", "bert"]), Column("estimate", ["0.1", "-12.0"], right=True)]
    assert [line.plain for line in table_lines(columns)] == [
        " model  estimate",
        " a           0.1",
        " bert      -12.0",
    ]
    assert total_width(columns) == len(" model  estimate")


def test_a_folded_cell_moves_the_next_row_down():
    columns = [Column("model", ["roberta_large", "b"], width=8), Column("p", ["1.00", "0.50"])]
    assert [line.plain for line in table_lines(columns)] == [
        " model     p",
        " roberta_  1.00",
        " large",
        " b         0.50",
    ]


def test_a_heading_has_a_line_of_its_own():
    lines = table_lines([Column("model", ["a", "b"])], ["class x", None])
    assert [line.plain for line in lines] == [" model", " class x", " a", " b"]
