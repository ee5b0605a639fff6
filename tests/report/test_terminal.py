import math
import re
from io import StringIO

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

import modelcompare as mc
from modelcompare.report.writers.character_axis import ASCII, GRADES, CharacterAxis
from modelcompare.report.writers.terminal import (
    TextColumn,
    break_name,
    table_lines,
    total_width,
)
from tests.plugged import needs
from tests.report.written import screen, screen_text

EXPECTED = """\
made.npz: 2 models, 9,824 samples

accuracy: lstm leads.

accuracy (higher is better)
 rank  model  estimate  95 % CI           0.69         0.70           0.71
 1-2   lstm     0.7050  0.6950 to 0.7150         ├──────────────●──────────────┤
 1-2   cnn      0.7000  0.6900 to 0.7100  ├──────────────●──────────────┤
 lstm ahead of       by  95 % CI            p (holm)
 cnn            +0.0050  -0.0050 to 0.0150  1.00

modelcompare:0.1.0|n:9824|B:9999|ci:BCa|test:permutation|adjust:holm|rng:0
"""
LONG = [f"a-model-with-a-name-of-sixty-characters/checkpoint-{i:09d}" for i in range(3)]


def test_the_screen_of_two_models(make_comparison):
    assert screen_text(make_comparison(["cnn", "lstm"])) == EXPECTED


@pytest.mark.parametrize(
    ("models", "labels"),
    [
        (["a", "b"], None),
        (LONG, None),
        (LONG, {"f1": ["x", "y"]}),
        ([f"model_{i:02d}" for i in range(40)], {"f1": list(range(10))}),
    ],
)
@pytest.mark.parametrize("width", [60, 80, 132])
def test_no_line_is_wider_than_the_page(make_comparison, models, labels, width):
    result = make_comparison(models, ["f1", "accuracy"], labels)
    result.signature = result.signature.replace("|", " ")
    lines = screen_text(result, width=width).splitlines()
    assert max(map(len, lines)) <= width
    assert [line for line in lines if line.endswith(" ")] == []


def test_long_names_are_folded_not_cut(make_comparison):
    text = screen_text(make_comparison(LONG))
    for number in range(3):
        # Once in the leaderboard and once in the differences; the leader in the verdict too.
        assert text.count(f"{number:09d}") == 1 + 1 + (number == 2)


def test_folded_names_leave_room_for_intervals(make_comparison):
    result = make_comparison(
        models=[f"experiment_{i:02d}_with_a_rather_long_name" for i in range(30)]
    )
    lines = screen_text(result).splitlines()
    rows = [line for line in lines if re.match(r" \d+(-\d+)? +experiment", line)]
    assert len(rows) == 20
    assert all("\u25cf" in row and len(row) <= 80 for row in rows)


def test_rows_that_are_not_shown_are_counted(make_comparison):
    result = make_comparison([f"m{i}" for i in range(25)])
    lines = screen_text(result).splitlines()
    assert " and 5 more rows: --all shows them" in lines
    assert f" and {25 * 24 // 2 - 12} more pairs: --all shows them" in lines
    everything = screen_text(result, show_all=True)
    assert " more " not in everything
    # Every pair names its first side, so that the line of the leader goes.
    assert len(everything.splitlines()) - len(lines) == 5 + 288 + 2 - 2


def test_many_classes_share_the_page(make_comparison):
    labels = [f"c{i}" for i in range(30)]
    text = screen_text(make_comparison(["a", "b", "c"], ["f1"], {"f1": labels}))
    assert text.count("class c") == 2 * 5
    assert len(text.splitlines()) < 60


def test_many_sentences_are_shortened(make_comparison):
    result = make_comparison()
    result.sentences = [f"f1, class {i}: lstm leads." for i in range(30)]
    assert " and 21 more sentences: --all shows them" in screen_text(result)
    assert "f1, class 29: lstm leads." in screen_text(result, show_all=True)


def test_lower_is_better_is_reported(make_comparison):
    result = make_comparison(metrics=["log_loss"], lower_is_better=["log_loss"])
    assert "log_loss (lower is better)" in screen_text(result)


def test_a_single_model_has_no_differences(make_comparison):
    assert "differences" not in screen_text(make_comparison(["only"]))


def test_without_correction_there_is_one_column_of_p_values(make_comparison):
    result = make_comparison()
    result.correction = "none"
    assert "p (" not in screen_text(result)


@pytest.mark.parametrize("lower", [(), ("accuracy",)])
def test_every_difference_is_one_line_and_the_winner_comes_first(make_comparison, lower):
    result = make_comparison(["first_model_of_ours", "another", "c"], lower_is_better=lower)
    few = screen_text(result).split("c ahead of")[1]
    assert re.findall(r"^ (\w+) +([+-]\d\S+)", few, re.MULTILINE) == [
        ("another", "+0.0050"), ("first_model_of_ours", "+0.0100"),
    ]  # fmt: skip
    every = screen_text(result, show_all=True).split("differences")[1]
    assert re.findall(r"^ (\w+) +(\w+) +(\+\d\S+)", every, re.MULTILINE) == [
        ("c", "another", "+0.0050"),
        ("c", "first_model_of_ours", "+0.0100"),
        ("another", "first_model_of_ours", "+0.0050"),
    ]


def test_of_many_classes_those_are_shown_where_models_differ_most(make_comparison):
    labels = [f"c{i}" for i in range(30)]
    result = make_comparison(["a", "b"], ["f1"], {"f1": labels})
    rows = result.differences.index
    result.differences["p_adjusted"] = np.where(rows % 10 == 3, 0.01, 0.5)
    result.differences.loc[rows == 29, ["difference", "p_adjusted"]] = 0.1, 0.01
    text = screen_text(result)
    scores, differences = text.split("ahead of")
    for part in (scores, differences):
        assert re.findall(r"^ class (\w+)", part, re.MULTILINE)[:4] == ["c29", "c3", "c13", "c23"]
        assert " and 25 more classes: --all shows them" in part
    every = screen_text(result, show_all=True)
    assert [c for c in labels if f"class {c}\n" in every] == labels


def test_printed_results_are_the_verdict_and_the_leaderboard(make_comparison):
    result = make_comparison([f"m{i}" for i in range(25)])
    text = str(result)
    assert text.splitlines()[2] == "accuracy: m24 leads."
    assert " and 5 more rows\n" in text
    assert "differences" not in text
    assert "--all" not in text


def test_undefined_values_are_reported(make_comparison):
    result = make_comparison(["cnn", "lstm"])
    result.scores.loc[0, ["estimate", "ci_low", "ci_high", "n_undefined"]] = (
        np.nan,
        np.nan,
        np.nan,
        12,
    )
    text = screen_text(result)
    assert " 1-2   cnn           -  -" in text
    note = "accuracy: undefined in 12 resamples of cnn; a resampled interval uses the others."
    assert note in " ".join(text.split())


def test_a_terminal_without_unicode_gets_ascii(make_comparison):
    page = StringIO()
    console = Console(file=page, width=80, color_system=None)
    console.print(screen(make_comparison(), drawing="ascii"))
    assert page.getvalue().isascii()
    assert "|------" in page.getvalue()


@given(st.text("abc_-", max_size=60), st.integers(2, 20))
def test_folding_loses_no_character_and_keeps_the_width(name, width):
    lines = break_name(name, width)
    assert "".join(lines) == name
    assert all(len(line) <= width for line in lines)


def test_wide_characters_count_twice():
    assert break_name("日本語モデル", 6) == ["日本語", "モデル"]


def test_columns_stand_under_their_headers():
    columns = [
        TextColumn("model", ["a", "bert"], "text"),
        TextColumn("estimate", ["0.1", "-12.0"], "estimate"),
    ]
    assert [line.plain for line in table_lines(columns)] == [
        " model  estimate",
        " a           0.1",
        " bert      -12.0",
    ]
    assert total_width(columns) == len(" model  estimate")


def test_a_folded_cell_moves_the_next_row_down():
    columns = [
        TextColumn("model", ["roberta_large", "b"], "text", width=8),
        TextColumn("p", ["1.00", "0.50"], "p-value"),
    ]
    assert [line.plain for line in table_lines(columns)] == [
        " model     p",
        " roberta_  1.00",
        " large",
        " b         0.50",
    ]


def test_words_are_not_broken_where_there_are_blanks():
    assert break_name("not enough data", 9) == ["not ", "enough ", "data"]
    assert break_name("non-inferior", 8) == ["non-", "inferior"]
    # A word that needs several lines anyway begins on the first.
    assert break_name("a_" + 20 * "x", 12) == ["a_" + 10 * "x", 10 * "x"]


@needs("suites")
def test_headers_are_folded_within_their_columns():
    rng = np.random.default_rng(0)
    models = "roberta_large_mnli", "bert_base_uncased"
    latencies = {model: {"latency_in_ns": rng.exponential(1e9, 50)} for model in models}
    preds = mc.Predictions.from_scores(latencies)
    lines = str(mc.compare_groups({"en": preds, "de": preds}, n_resamples=99)).splitlines()
    assert max(map(len, lines)) <= 80
    header, second = lines[lines.index("Differences of means (+: a is better)") + 1 :][:2]
    assert header.endswith(" p     p")
    assert second == " " * header.rindex("p") + "(holm)"


def test_a_heading_has_a_line_of_its_own():
    lines = table_lines([TextColumn("model", ["a", "b"], "text")], ["class x", None])
    assert [line.plain for line in lines] == [" model", " class x", " a", " b"]


def test_an_interval_is_drawn_at_its_place():
    axis = CharacterAxis(0.0, 10.0, 11)
    assert axis.draw(2, 4, 9) == "  ├─●────┤ "
    assert axis.draw(2, 4, 9, glyphs=ASCII) == "  |-o----| "


def test_nested_intervals_are_drawn_in_half_characters():
    drawn = CharacterAxis(0.0, 10.0, 11).draw_graded([(0, 10), (2, 8), (3.6, 6.4)], 5.0)
    assert drawn.plain == "\u2576\u2500\u257c\u2501\u2501\u25cf\u2501\u2501\u257e\u2500\u2574"
    styles = {(span.start, span.end): span.style for span in drawn.spans}
    wide, middle, narrow = GRADES
    assert styles == {
        (0, 2): wide, (2, 4): middle, (4, 7): narrow, (7, 9): middle, (9, 11): wide,
    }  # fmt: skip


def test_graded_intervals_without_an_end_or_an_estimate():
    axis = CharacterAxis(0.0, 1.0, 5)
    assert axis.draw_graded([(0, 1)], math.nan).plain == " " * 5
    assert axis.draw_graded([(math.nan, 1)], 0.5).plain == "  \u25cf  "


@pytest.mark.parametrize(("alpha", "levels"), [(0.05, [0.95, 0.8, 0.5]), (0.3, [0.7, 0.5])])
def test_graded_intervals_are_those_of_the_method_at_each_level(alpha, levels):
    result = mc.compare(mc.load_example("snli"), "f1", alpha=alpha, n_resamples=99)
    table = result.document().tables["f1"].shortened()
    frame = table.frame
    assert [*table.graded()] == levels
    for level, intervals in table.graded().items():
        expected = result.bootstrap.confidence_interval(confidence_level=level)
        expected = expected.set_index(["model", "label"])[["ci_low", "ci_high"]]
        for row in frame.itertuples():
            assert intervals[row.Index] == (*expected.loc[(row.model, row.label)],)
    for width in (80, 50):
        page = StringIO()
        console = Console(file=page, width=width, force_terminal=True, color_system="standard")
        console.print(screen(result, width=width, drawing="graded"))
        plain = Text.from_ansi(page.getvalue()).plain
        lines = ("\u2500\u2500", "\u2501\u2501", "\u2501\u2501")
        key = [f"{line} {100 * level:.0f} %" for line, level in zip(lines, levels, strict=False)]
        assert (f"intervals: {' '.join(key)}\n" in plain) == (width == 80)
        assert ("\u25cf" in plain) == (width == 80)
        assert "\u251c" not in plain


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


def test_subgroups_are_headings_and_a_row_is_one_line():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    outputs = {name: np.where(rng.random(120) < 0.8, y, 1 - y) for name in ("first", "second")}
    slices = {"language": np.resize(["American English", "Swiss German"], 120)}
    result = mc.compare_groups(
        mc.Predictions(y, outputs, slices=slices), "accuracy", n_resamples=99, method="basic"
    )
    lines = screen_text(result, show_all=True).splitlines()
    (header,) = [line for line in lines if "model b" in line]
    assert header.endswith("p (holm)")
    assert lines.count(" subgroup language = Swiss German") == 2
    assert sum(line.startswith(" accuracy  first") for line in lines) == 2
    assert sum(line.startswith(" 60  accuracy  ") for line in lines) == 4


def test_ticks_of_an_axis_are_all_written_with_an_exponent_if_the_largest_is():
    header = CharacterAxis.over([0, 2e7], width=40).header()
    assert header.split() == ["0", "5e+06", "1e+07", "1.5e+07", "2e+07"]


@needs("suites")
def test_the_sides_of_a_difference_are_stacked_only_where_they_do_not_fit():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    names = ("a_long_name_of_a_model", "another_long_name_of_it")
    preds = mc.Predictions(y, {name: np.where(rng.random(60) < 0.7, y, 1 - y) for name in names})
    sets = {"one": preds, "two": preds.subset(range(30))}
    result = mc.compare_groups(sets, "accuracy", n_resamples=99)
    both = re.compile(rf"{names[0]} +{names[1]}")
    assert both.search(screen_text(result, width=130))
    narrow = screen_text(result, width=62)
    assert not both.search(narrow)
    assert f"- {names[1][:8]}" in narrow
