import re
import subprocess
from shutil import which

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.plugins.latex.tables import latex
from modelcompare.report.tables import Table, column, interval_column
from tests.plugins.latex.typeset import needs_latex, typeset
from tests.report.test_results import all_results, made

ODD = ["50%_off", "a|b", "$x^2$ & {y}~#\\z", "[first]"]


def _rows(text):
    """The rows of each table, as lists of cells."""
    for body in re.findall(r"(?s)\\begin\{(?:tabular|longtable)\}(.*?)\\end", text):
        yield [
            re.split(r"(?<!\\) & ", line.removesuffix(r" \\"))
            for line in body.splitlines()
            if line.endswith(r" \\")
        ]


def _width(cell):
    found = re.match(r"\\multicolumn\{(\d)\}", cell)
    return int(found[1]) if found else 1


def test_names_are_escaped(make_comparison):
    text = make_comparison(ODD).to_latex()
    for escaped in (
        r"50\%\_off",
        r"a\textbar{}b",
        r"\$x\textasciicircum{}2\$ \& \{y\}\textasciitilde{}\#\textbackslash{}z",
        "{[}first]",
    ):
        assert escaped in text


def test_rows_are_as_wide_as_the_header(make_comparison):
    result = make_comparison(ODD, ["accuracy", "f1"], {"f1": ["x", "y", "z"]})
    tables = list(_rows(result.to_latex()))
    assert [len(rows) for rows in tables] == [5, 5, 1 + 3 * 4]
    for rows in tables:
        assert len({sum(map(_width, row)) for row in rows}) == 1


def test_the_best_is_bold_and_who_is_not_distinguished_from_it_has_a_dagger(make_comparison):
    models = [f"m{place}" for place in range(8)]
    (rows, _) = _rows(make_comparison(models).to_latex())
    # The invented p-values are below 0.05 six places apart: 2 * 2**-6.
    assert rows[1][1:3] == ["m7", r"\bfseries 0.7350{\textsuperscript{gh}}"]
    assert rows[2][1:3] == ["m6", r"0.7300{\textsuperscript{$\dagger$h}}"]
    assert rows[6][1:3] == ["m2", r"0.7100{\textsuperscript{$\dagger$}}"]
    assert rows[7][1:3] == ["m1", "0.7050"]
    assert [row[0] for row in rows[1:]] == list("abcdefgh")


def test_the_letters_of_a_model_are_the_same_for_all_metrics(make_comparison):
    result = make_comparison(["a", "b"], ["f1"], {"f1": ["x", "y", "z"]})
    result.scores.loc[result.scores["label"] == "z", "rank"] = [1, 2]
    first, second, _ = _rows(result.to_latex())
    assert [row[:2] for row in second[1:]] == [row[:2] for row in first[1:]]
    assert second[2][2].startswith(r"\bfseries")


def test_superscripts_are_what_the_differences_say():
    result = mc.compare(mc.load_example("snli"), ["f1"], n_resamples=499)
    marked = set()
    for rows in list(_rows(result.to_latex()))[:-1]:
        names = {row[0]: row[1].replace(r"\_", "_") for row in rows[1:]}
        titles = [re.search(r"f1 of (\w+)", cell) for cell in rows[0]]
        for place, label in enumerate(found[1] for found in titles if found):
            for row in rows[1:]:
                found = re.search(r"\\textsuperscript\{([^}]*)\}", row[2 + 3 * place])
                letters = found[1].replace(r"$\dagger$", "") if found else ""
                letters = letters.replace("b--d", "bcd")
                marked |= {(label, names[row[0]], names[letter]) for letter in letters}
    shown = result.differences.dropna(subset="better")
    losers = np.where(shown["better"] == shown["model_a"], shown["model_b"], shown["model_a"])
    assert marked == set(zip(shown["label"], shown["better"], losers, strict=True))


def test_what_has_no_value_is_neither_best_nor_tied_with_it():
    preds = mc.Predictions([0, 1] * 40, {"never": [0] * 80, "right": [0, 1] * 40})
    with pytest.warns(mc.UndefinedMetricWarning):
        text = mc.compare(preds, "precision", n_resamples=99).to_latex()
    rows = next(_rows(text))
    row = next(row for row in rows if row[1] == "never")
    assert row[2].startswith("0.500")
    assert row[-2:] == ["{--}", r"\multicolumn{2}{c}{--}"]


def test_nothing_is_the_best_where_no_model_has_a_value(make_comparison):
    result = make_comparison(["a", "b"])
    result.scores.loc[:, ["estimate", "ci_low", "ci_high"]] = np.nan
    result.scores["rank"] = 1
    table, *_ = result.to_latex().split(r"\end{table}")
    assert "bfseries" not in table
    assert "Bold" not in table


def test_a_baseline_leaves_daggers_out_and_many_models_the_letters(make_comparison):
    made = make_comparison(["a", "b", "c"])
    made.baseline = "a"
    assert "dagger" not in made.to_latex()
    text = make_comparison([f"m{place}" for place in range(13)]).to_latex()
    assert "Superscripts" not in text
    assert r"\textsuperscript{$\dagger$}" in text


def test_a_single_model_is_not_called_the_best(make_comparison):
    text = make_comparison(["alone"]).to_latex()
    assert "bfseries" not in text
    assert "Bold" not in text


def test_the_caption_says_subject_size_level_test_and_correction():
    result = mc.compare(mc.load_example("snli"), "accuracy", n_resamples=499, test="bootstrap")
    caption = re.search(r"\\caption\{(.*)\}\\label\{tab:compare\}", result.to_latex())[1]
    for part in (
        "snli.npz",
        "9,824 samples",
        r"95 \% CI",
        "holm, 6 tests",
        "below 0.05",
        "bootstrap test",
    ):
        assert part in caption, part
    assert r"\label{tab:compare-2}" in result.to_latex()


NUMBERS = pd.DataFrame({
    "estimate": [0.71204, -12.5, np.nan, 2e-9, 12345.0],
    "ci_low": [0.7, -np.inf, np.nan, 1e-9, 1.0],
    "ci_high": [0.8, 0.1, np.nan, 3e-9, 2e6],
    "p": [0.31, 0.00001, 0.041, 1.0, np.nan],
    "n": [9824, 5, np.nan, 12, 12345],
    "share": [0.12, 1.0, np.nan, 0.0, 0.5],
})  # fmt: skip
COLUMNS = [
    column("value", "estimate"), column("a - b", "estimate", kind="difference"),
    interval_column(0.95), column("p (holm)", "p", kind="p-value"), column("n"),
    column("share"),
]  # fmt: skip


def test_numbers_are_written_as_siunitx_reads_them():
    (rows,) = _rows(latex([Table("T", COLUMNS, NUMBERS, decimals=[4, 1, 4, 6, 0])], "s"))
    assert rows == [
        ["{value}", "{$a - b$}", r"\multicolumn{2}{c}{95 \% CI}", "{$p$ (holm)}", "{n}", "{share}"],
        ["0.7120", "+0.7120", "{[}0.7000", "0.8000{]}", "0.31", "9824", r"12{\,\%}"],
        ["-12.5", "-12.5", r"\multicolumn{2}{c}{0.1 or less}", "<0.001", "5", r"100{\,\%}"],
        ["{--}", "{--}", r"\multicolumn{2}{c}{--}", "0.041", "{}", "{--}"],
        [r"{\num{2.0e-09}}", r"{\num{+2.0e-09}}", r"{[}{\num{1.0e-09}}", r"{\num{3.0e-09}}{]}",
         "1.00", "12", r"0{\,\%}"],
        ["12345", "+12345", "{[}1", "2000000{]}", "{--}", "12345", r"50{\,\%}"],
    ]  # fmt: skip


@needs_latex
@pytest.mark.skipif(which("pdftotext") is None, reason="needs pdftotext (Debian: poppler-utils)")
def test_the_page_shows_what_the_table_holds(tmp_path):
    table = Table("T", COLUMNS, NUMBERS, decimals=[4, 1, 4, 6, 0])
    assert typeset(latex([table], "modelcompare:1|n:5"), tmp_path) == []
    subprocess.run(["pdftotext", "-layout", "all.pdf"], cwd=tmp_path, check=True)
    text = (tmp_path / "all.txt").read_text(encoding="utf-8")
    lines = [re.sub(r"\s", "", line) for line in text.splitlines()]
    for found in (
        "0.7120+0.7120[0.7000,0.8000]0.319,82412%",
        "\u221212.5\u221212.5[\u2212∞,0.1]<0.0015100%",
        "\u2013\u2013\u20130.041\u2013",
        "12,345+12,345[1,2,000,000]\u201312,34550%",
    ):
        assert found in lines
    assert "modelcompare:1|n:5" in text


@needs_latex
@pytest.mark.parametrize("n_models", [2, 4, 12, 45])
def test_names_and_numbers_compile_and_fit_the_page(make_comparison, n_models, tmp_path):
    models = (ODD * n_models)[:n_models]
    named = [f"{model} {place}" for place, model in enumerate(models)]
    result = make_comparison(named, ["accuracy", "f1"], {"f1": ["x", "y"]}, lower_is_better=["f1"])
    assert typeset(result.to_latex(), tmp_path) == []


@all_results
def test_every_table_of_a_result_is_printed(name):
    latex, printed = made(name).to_latex(), made(name).document().printed()
    assert latex.count(r"\bottomrule") == latex.count(r"\label") == len(printed)


@needs_latex
@all_results
def test_tables_of_every_result_compile_and_fit_the_page(name, tmp_path):
    assert typeset(made(name).to_latex(), tmp_path) == []


def test_latex_reads_every_name_as_text(hostile):
    text = hostile.to_latex()
    bare = re.sub(r"\\[&%$#_{}]|\\text\w+\{\}|\{\[\}|\{\*\}", "", text.partition("\n")[2])
    bare = re.sub(r"\$(p|\\dagger|\\uparrow|\\downarrow)\$", "", bare)
    assert not re.search(r"[%#~^$]|\\(input|frac)", bare)
    assert not re.search(r"\\\\\s*[*\[]", bare)


@pytest.mark.parametrize("mark", ["\u200b", "\u200f", "\ufeff", "\u202e", "\x1b"])
def test_no_character_that_cannot_be_seen_is_printed(make_comparison, mark):
    assert mark not in make_comparison([f"be{mark}rt"]).to_latex()
