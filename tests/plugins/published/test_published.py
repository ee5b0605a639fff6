"""Tables of published results: every layout gives the same ranks, or is refused with the remedy."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import modelcompare as mc
from modelcompare.readers.cell_types import MISSING_MARKS, parse_printed
from tests.plugged import needs

SCORES = pd.DataFrame(
    {"bert": [0.91, 0.82, 0.73, 0.64], "cnn": [0.90, 0.83, 0.71, 0.62], "bow": [0.8, 0.7, 0.6, 0.5]},
    index=["news", "mails", "tweets", "talks"],
)  # fmt: skip
SETS = SCORES.rename_axis("corpus").reset_index()
MODELS = SCORES.T.rename_axis("system").reset_index()
LONG = SETS.melt("corpus", var_name="system", value_name="acc")
NOISE = ["0.5", "1", "12.25", ".5"]


def read(table, **options):
    known = (
        {} if "acc" in table or "wer" in table or "metric" in table else {"greater_is_better": True}
    )
    return mc.inference.critical_difference(table, **{**known, **options})


def assert_ranked(result, scores=SCORES):
    pd.testing.assert_frame_equal(result.scores, scores, check_names=False)


@pytest.mark.parametrize(
    ("table", "options"),
    [
        (SETS, {}), (MODELS, {}), (LONG, {}), (SCORES, {}), (SCORES.rename_axis("task"), {}),
        (SCORES.T.rename_axis("llm"), {}),
        (LONG.rename(columns={"system": "net"}), {}), (LONG.rename(columns={"corpus": "of"}), {}),
        (LONG.rename(columns={"acc": "what"}), {}),
        (SETS.rename(columns={"corpus": "where"}), {"columns": {"id": "where"}}),
        (MODELS.rename(columns={"system": "who"}), {"columns": {"model": "who"}}),
        (LONG.set_axis(["a", "b", "c"], axis=1), {"columns": {"model": "b", "id": "a"}}),
        (LONG.assign(f1=0.5), {"columns": {"score": "acc"}}),
        (LONG.assign(metric="accuracy"), {}),
        (SETS.assign(zero=0.1), {"models": ["b*", "cnn"]}),
    ],
)  # fmt: skip
def test_every_layout_is_read(table, options):
    found = read(table, **options)
    assert_ranked(found, SCORES)
    assert found.notes == (("Left out: 1 (f1).",) if "f1" in table else ()) + (
        ("Left out: 1 (metric).",) if "metric" in table else ()
    ) + (("Left out: 1 (zero).",) if "zero" in table else ())


def test_names_of_benchmarks_show_where_the_data_sets_are():
    names = ["mmlu", "GSM8k", "ARC-c", "hellaswag"]
    scores = SCORES.set_axis(names)
    assert_ranked(read(scores.T), scores)
    assert_ranked(read(scores.T.reset_index(names="Name")), scores)
    assert_ranked(read(scores.reset_index(names="Name")), scores)
    with pytest.raises(ValueError, match="do not show whether a row is a data set, a model or one"):
        read(scores.T.reset_index(drop=True))


@needs("runs")
@pytest.mark.parametrize("table", [SETS, MODELS, LONG])
def test_seeds_are_averaged(table):
    numeric = [c for c in table if c not in ("corpus", "system")]
    shifted = [table.assign(seed=s, **{c: table[c] + d for c in numeric}) for s, d in
               ((1, 0.0), (2, 0.03), (3, -0.03))]  # fmt: skip
    found = read(pd.concat(shifted, ignore_index=True))
    assert_ranked(found)
    assert found.notes == ("Runs: seed, the mean of 3.",)
    named = pd.concat(shifted, ignore_index=True).rename(columns={"seed": "epoch"})
    assert_ranked(read(named, columns={"runs": "epoch"}))
    with pytest.raises(ValueError, match=r"\(--read run=COLUMN\)"):
        read(named)
    fewer = read(pd.concat([*shifted[:1], shifted[0].assign(seed=2)[:1]], ignore_index=True))
    assert_ranked(fewer)
    assert fewer.notes == ("Runs: seed, the mean of 1 to 2.",)


def test_a_run_without_data_sets_is_refused():
    with pytest.raises(ValueError, match="do not show whether a row is a data set"):
        read(SCORES.reset_index(drop=True).assign(seed=range(4)))


@given(
    value=st.decimals(-1000, 1000, places=3, allow_nan=False).map(str) | st.floats(0, 1e6).map(repr),
    noise=st.sampled_from(NOISE),
    form=st.sampled_from(
        ["{}", "{} ({})", "{}({})", "{} ± {}", "{}±{}", "{} +- {}", "{}+/-{}", "{} (±{})", "{} [{}]",
         r"{} \pm {}", r"{}_{{\pm {}}}", "{}_{{{}}}"]
    ),
    around=st.sampled_from(
        ["{}", "**{}**", "__{}__", r"\textbf{{{}}}", "${}$", r"$\mathbf{{{}}}$", "<b>{}</b>",
         r"\underline{{{}}}", "  {} "]
    ),
    percent=st.sampled_from(["", "%", " %", r"\%"]),
)  # fmt: skip
def test_cells_as_papers_print_them_are_read_back(value, noise, form, around, percent):
    cell = around.format(form.format(value, noise) + percent)
    row = parse_printed(pd.Series([cell]), MISSING_MARKS).iloc[0]
    assert row["value"] == float(value)
    assert bool(row["second"]) == (form != "{}")
    assert not row["missing"]
    bold_alone = around.format(value + percent) + form.format("", noise)
    if form in ("{} ({})", "{} ± {}", "{} +- {}"):
        assert parse_printed(pd.Series([bold_alone]), MISSING_MARKS)["value"][0] == float(value)


@pytest.mark.parametrize(
    "cell",
    ["93,3", "1,234.5", "1_000", "93.3/91.2", "93.3 91.2", "93.3 - 0.5", "(0.5)", "±0.5", "93.3*",
     "93.3 (n=5)", "0x10", "1e", "inf", "93.3 ±", "93.3 (0.5) (0.6)", "True", "٣"],
)  # fmt: skip
def test_other_cells_are_no_numbers(cell):
    row = parse_printed(pd.Series([cell]), MISSING_MARKS).iloc[0]
    assert np.isnan(row["value"])
    assert not row["missing"]
    table = SETS.astype({"cnn": object})
    table.loc[2, "cnn"] = cell
    with pytest.raises(ValueError, match=re.escape(f"{cell!r} of 'cnn' on 'tweets' is no score")):
        read(table)


@pytest.mark.parametrize("cell", ["-", "n/a", "", "–", "—", "--", None, np.nan, "NaN"])
@pytest.mark.parametrize("long", [False, True])
def test_missing_cells_are_refused_with_their_place_or_dropped(cell, long):
    table = SETS.astype({"cnn": object})
    table.loc[2, "cnn"] = cell
    table = table.melt("corpus", var_name="system", value_name="score") if long else table
    with pytest.raises(
        ValueError, match=r"lacks the score of cnn on data set 'tweets' \(1 missing"
    ):
        read(table)
    found = read(table, missing="drop")
    assert_ranked(found, SCORES.drop("tweets"))
    assert found.notes == ("Data sets dropped: 1 (tweets).",)


def test_second_numbers_are_left_out_with_a_note():
    text = SETS.assign(bert=[f"**{x}** ± 0.5" for x in SETS["bert"]])
    found = read(text)
    assert_ranked(found)
    assert found.notes == ("Left out of cells: ± 0.5.",)
    assert "Left out of cells: ± 0.5." in str(found)
    assert found.reading == (
        "data sets: 4 (news, mails, tweets, talks); models: 3 (bert, cnn, bow); left out of cells: "
        "± 0.5; direction: higher is better"
    )


@pytest.mark.parametrize(
    "name", ["n", "Size", "number", "Params", "bert_std", "latency_ms", "Rank"]
)
def test_counts_costs_and_deviations_are_left_out(name):
    name = "No." if name == "number" else name
    found = read(SETS.assign(**{name: [100, 200, 300, 400]}))
    assert_ranked(found)
    assert found.notes == (f"Left out: 1 ({name}).",)


def test_a_row_of_sizes_and_a_column_of_means_are_left_out():
    sizes = pd.concat([MODELS, pd.DataFrame([["n", 100, 200, 300, 400]], columns=[*MODELS])])
    found = read(sizes.assign(Average=0.5))
    assert_ranked(found)
    assert found.notes == ("Left out: 2 (Average, n).",)


def test_an_unknown_count_among_data_sets_is_refused():
    with pytest.raises(ValueError, match="column 'billions' holds whole numbers"):
        read(MODELS.assign(billions=[7, 13, 70]))
    with pytest.raises(ValueError, match="column 'billions' holds whole numbers"):
        read(MODELS.assign(billions=[1, 13, 70]))


def test_the_direction_is_that_of_the_metric():
    errors = LONG.assign(acc=1 - LONG["acc"]).rename(columns={"acc": "wer"})
    expected = read(LONG).ranks
    pd.testing.assert_frame_equal(read(errors).ranks, expected)
    named = errors.rename(columns={"wer": "value"}).assign(metric="wer")
    pd.testing.assert_frame_equal(read(named).ranks, expected)
    assert "wer: lower is better, by its name" in read(named).reading
    upwards = read(errors, greater_is_better=True).ranks
    assert upwards["model"].tolist() == expected["model"].tolist()[::-1]


def test_small_errors_of_a_good_model_are_no_shares():
    errors = {"a": [0.5, 0.9, 0.2], "b": [1.5, 9.0, 3.0], "c": [1.2, 30.0, 40.0]}
    assert read(errors, greater_is_better=False).ranks["model"].tolist() == ["a", "b", "c"]


def test_errors_on_each_data_set_are_ranked_with_their_direction():
    errors = MODELS.set_axis(["model", "a WER", "b WER", "c WER", "d WER"], axis=1)
    best = read(errors, greater_is_better=False).ranks["model"].tolist()
    assert best == read(MODELS).ranks["model"].tolist()[::-1]


@pytest.mark.parametrize("cell", ["-", np.nan])
def test_a_model_without_any_score_is_not_left_out(cell):
    with pytest.raises(ValueError, match="lacks the score of new on data set 'news' \\(4 missing"):
        read(SETS.assign(new=cell))
    assert_ranked(read(SETS.assign(new=cell), models=["bert", "cnn", "bow"]))
    assert read(SETS.assign(comment=None).astype({"comment": object})).notes == (
        "Left out: 1 (comment).",
    )


@pytest.mark.parametrize("heading", ["#", "№", "n_samples"])
def test_a_count_of_the_samples_is_never_ranked(heading):
    rng = np.random.default_rng(4)
    table = pd.DataFrame(100 * rng.random((8, 3)), columns=["a", "b", "c"])
    counted = mc.inference.critical_difference(
        table.assign(**{heading: rng.integers(5, 90, 8)}), greater_is_better=True
    )
    pd.testing.assert_frame_equal(
        counted.ranks, mc.inference.critical_difference(table, greater_is_better=True).ranks
    )
    assert counted.notes == (f"Left out: 1 ({heading}).",)
    with pytest.raises(ValueError, match="column 'size of it' holds whole numbers"):
        mc.inference.critical_difference(
            (table / 100).assign(**{"size of it": rng.integers(5, 90, 8)}), greater_is_better=True
        )
    assert (
        len(
            mc.inference.critical_difference(
                table.assign(d=rng.integers(5, 90, 8)), greater_is_better=True
            ).ranks
        )
        == 4
    )
