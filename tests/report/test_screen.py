from io import StringIO

import numpy as np
import pytest
from rich.console import Console

from modelcompare.report.screen import comparison_screen, comparison_text

EXPECTED = """\
made.npz: 2 models, 9,824 samples

accuracy: lstm leads.

accuracy (higher is better)
 rank  model  estimate  95 % CI           0.69         0.70           0.71
 1-2   lstm     0.7050  0.6950 to 0.7150         ├──────────────●──────────────┤
 1-2   cnn      0.7000  0.6900 to 0.7100  ├──────────────●──────────────┤

accuracy, differences (model a - model b)
 model a  model b  difference  95 % CI            p     p (holm)  better
 cnn      lstm        -0.0050  -0.0150 to 0.0050  0.50  1.00      -

modelcompare:0.1.0|n:9824|B:9999|ci:BCa|test:permutation|adjust:holm|rng:0
"""
LONG = [f"a-model-with-a-name-of-sixty-characters/checkpoint-{i:09d}" for i in range(3)]


def test_the_screen_of_two_models(make_comparison):
    assert comparison_text(make_comparison(["cnn", "lstm"])) == EXPECTED


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
    lines = comparison_text(result, width=width).splitlines()
    assert max(map(len, lines)) <= width


def test_long_names_are_folded_not_cut(make_comparison):
    text = comparison_text(make_comparison(LONG))
    for number in range(3):
        assert text.count(f"{number:09d}") == 1 + 2 + (number == 2)


def test_rows_that_are_not_shown_are_counted(make_comparison):
    result = make_comparison([f"m{i}" for i in range(25)])
    lines = comparison_text(result).splitlines()
    assert " and 5 more rows: --all shows them" in lines
    assert f" and {25 * 24 // 2 - 12} more rows: --all shows them" in lines
    everything = comparison_text(result, show_all=True)
    assert "more row" not in everything
    assert len(everything.splitlines()) - len(lines) == 5 + 288 - 2


def test_many_classes_share_the_page(make_comparison):
    labels = [f"c{i}" for i in range(30)]
    text = comparison_text(make_comparison(["a", "b", "c"], ["f1"], {"f1": labels}))
    assert text.count("class c") == 2 * 5
    assert len(text.splitlines()) < 60


def test_many_sentences_are_shortened(make_comparison):
    result = make_comparison()
    result.sentences = [f"f1, class {i}: lstm leads." for i in range(30)]
    assert " and 21 more sentences: --all shows them" in comparison_text(result)
    assert "f1, class 29: lstm leads." in comparison_text(result, show_all=True)


def test_lower_is_better_is_said(make_comparison):
    result = make_comparison(metrics=["log_loss"], lower_is_better=["log_loss"])
    assert "log_loss (lower is better)" in comparison_text(result)


def test_a_single_model_has_no_differences(make_comparison):
    assert "differences" not in comparison_text(make_comparison(["only"]))


def test_without_correction_there_is_one_column_of_p_values(make_comparison):
    result = make_comparison()
    result.correction = "none"
    assert "p (" not in comparison_text(result)


def test_the_better_side_is_named(make_comparison):
    result = make_comparison([f"m{i}" for i in range(9)])
    lines = comparison_text(result).splitlines()
    (row,) = [line for line in lines if line.startswith(" m0       m8")]
    assert row.endswith("  b")


def test_undefined_values_are_reported(make_comparison):
    result = make_comparison(["cnn", "lstm"])
    result.scores.loc[0, ["estimate", "ci_low", "ci_high", "n_undefined"]] = (
        np.nan,
        np.nan,
        np.nan,
        12,
    )
    text = comparison_text(result)
    assert " 1-2   cnn           -  -" in text
    assert "accuracy: undefined in 12 resamples of cnn; its interval uses the others." in text


def test_a_terminal_without_unicode_gets_ascii(make_comparison):
    page = StringIO()
    console = Console(file=page, width=80, color_system=None)
    console.print(comparison_screen(make_comparison(), ascii_only=True))
    assert page.getvalue().isascii()
    assert "|------" in page.getvalue()
