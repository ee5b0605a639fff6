"""Gaps between subgroups: values, intervals and answers, beside published formulas."""

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.proportion import proportion_confint

import modelcompare as mc

N = 600


def loans(n=N, bias=0.8, seed=0, groups="fm"):
    rng = np.random.default_rng(seed)
    of = rng.choice([*groups], n)
    granted = rng.random(n) < 0.4
    outputs = {}
    for model, shift in (("tree", 0.0), ("net", bias)):
        score = 1.6 * (2 * granted - 1) + 1.2 * rng.normal(size=n) - shift * (of == groups[0])
        outputs[model] = np.where(score > 0, "yes", "no")
    return mc.Predictions(np.where(granted, "yes", "no"), outputs, slices={"sex": of})


def counts(preds, model, group, metric):
    rows = (preds.slices["sex"] == group).to_numpy()
    truth = preds.labels[preds.access.codes[rows]]
    said = preds.labels[preds.predicted(model)[rows]]
    among = truth == "yes" if metric == "recall" else np.ones(len(truth), dtype=bool)
    return int((said[among] == "yes").sum()), int(among.sum())


@pytest.mark.parametrize("metric", ["recall", "selection_rate"])
def test_the_interval_of_two_groups_is_newcombes_of_exact_ends(metric):
    preds = loans()
    found = mc.diagnostics.gaps(preds, (metric, "yes"))
    assert found.gaps["model"].tolist() == ["tree", "net"]
    for row in found.gaps.itertuples():
        a, b = (counts(preds, row.model, group, metric) for group in "fm")
        assert row.difference == pytest.approx(a[0] / a[1] - b[0] / b[1])
        # Two models are two gaps, and the level is that of both: ends of Clopper and Pearson.
        ends = (proportion_confint(*each, alpha=0.05 / 2, method="beta") for each in (a, b))
        (low_a, high_a), (low_b, high_b) = ends
        p, q = a[0] / a[1], b[0] / b[1]
        low, high = p - q - np.hypot(p - low_a, high_b - q), p - q + np.hypot(high_a - p, q - low_b)
        assert (row.ci_low, row.ci_high) == pytest.approx((low, high), abs=1e-9)
        assert (row.p_adjusted < 0.05) == (row.ci_low > 0 or row.ci_high < 0)
    assert found.passed is False


def test_several_groups_are_compared_in_pairs_and_the_worst_is_named():
    preds = loans(900, groups="abc")
    found = mc.diagnostics.gaps(preds, "accuracy", margin=0.2)
    assert len(found.gaps) == 2 * 3
    assert len(found.groups) == 2 * 3
    for row in found.models.itertuples():
        own = found.groups[found.groups["model"] == row.model].set_index("group")["estimate"]
        assert row.worst == own.min() == own[row.worst_group]
        assert row.largest_gap == pytest.approx(own.max() - own.min())
        assert row.ci_low <= row.worst <= row.ci_high
    rates = mc.diagnostics.gaps(preds, mc.get_metric("zero_one_loss"))
    assert rates.models["worst"].tolist() == pytest.approx(
        (1 - found.models["worst"]).tolist()
    )  # fmt: skip


@pytest.mark.parametrize(
    ("margin", "answers"),
    [(0.4, ["shown", "shown"]), (0.02, ["not enough data", "shown otherwise"])],
)
def test_answers_for_a_margin(margin, answers):
    found = mc.diagnostics.gaps(loans(2000), "recall[yes]", margin=margin)
    assert found.models["within"].tolist() == answers
    assert found.passed is (answers == ["shown", "shown"])
    assert f"within {margin:g}" in found.sentences[0]


def test_metrics_that_are_no_proportions_have_gaps_too():
    rng = np.random.default_rng(1)
    y, of = rng.normal(size=400), np.repeat([0, 1], 200)
    error = rng.normal(size=400) * (1 + of)
    preds = mc.Predictions(y, {"a": y + error}, kind="values", slices={"g": of})
    found = mc.diagnostics.gaps(preds, "mae")
    values = [np.abs(error[of == g]).mean() for g in (0, 1)]
    assert found.gaps["difference"].item() == pytest.approx(values[0] - values[1])
    assert found.models["worst_group"].item() == 1
    both = [mc.compare(preds.subset(of == g), "mae", correction="none").scores for g in (0, 1)]
    low = values[0] - both[0]["ci_low"].item(), both[1]["ci_high"].item() - values[1]
    assert found.gaps["ci_low"].item() == pytest.approx(values[0] - values[1] - np.hypot(*low))


@pytest.mark.parametrize(
    ("preds", "options", "message"),
    [
        (loans(), {"by": "age"}, "no slice variable: 'age'"),
        (loans().subset(np.arange(40)), {"min_size": 35}, "0 have 35 samples"),
        (mc.Predictions([0, 1] * 20, {"a": [0, 1] * 20}), {}, "no `slices`"),
        (mc.Predictions([0, 1] * 40, {"a": [0, 1] * 40}, slices={"g": [0, 1] * 40},
                        groups=np.arange(80) // 2), {}, "share a cluster"),
        (loans(), {"metric": ("accuracy", "yes")}, "leave the class out"),
    ],
)  # fmt: skip
def test_subgroups_without_an_answer_are_refused(preds, options, message):
    with pytest.raises(ValueError, match=message):
        mc.diagnostics.gaps(preds, **{"metric": "accuracy", **options})


def test_small_groups_are_left_out_and_named():
    preds = loans(200)
    of = preds.slices["sex"].to_numpy(dtype=object).copy()
    of[:5] = "x"
    named = mc.Predictions(
        preds.labels[preds.access.codes], {m: preds.labels[preds.predicted(m)] for m in preds.models},
        slices={"sex": of},
    )  # fmt: skip
    found = mc.diagnostics.gaps(named, "accuracy")
    assert found.notes == ("Left out, below 30 samples: x (5).",)
    assert "x (5)" in str(found)


def test_the_command_fails_where_a_gap_is_not_shown_to_be_small(tmp_path, run):
    preds = loans(2000)
    frame = pd.DataFrame({"y_true": preds.labels[preds.access.codes], **preds.slices})
    for model in preds.models:
        frame[model] = preds.labels[preds.predicted(model)]
    path = tmp_path / "loans.csv"
    frame.to_csv(path, index=False)
    asked = ("groups", path, "--by", "sex", "--gaps", "-m", "recall[yes]")
    shown = run(*asked)
    assert shown.code == 0
    assert "net: recall of yes differs by up to" in shown.out
    assert run(*asked, "--margin", "0.4").code == 0
    assert run(*asked, "--margin", "0.02").code == 1
    assert "one --by COLUMN" in run("groups", path, "--gaps", "-m", "recall").err
    assert "--margin is for --gaps" in run(*asked[:4], "--margin", "0.1").err


def test_samples_without_a_group_are_named_and_no_margin_is_shown_without_them():
    rng = np.random.default_rng(0)
    truth, sex = rng.integers(0, 2, 400), np.array(["m", "f"] * 200, dtype=object)
    sex[:150] = None
    model = np.where(rng.random(400) < 0.8, truth, 1 - truth)
    preds = mc.Predictions(truth, {"a": model}, slices={"sex": sex})
    found = mc.diagnostics.gaps(preds, "accuracy")
    assert found.notes == ("Left out, without sex: 150 samples.",)
    with pytest.raises(ValueError, match="150 of 400 samples have no sex, so gaps to them"):
        mc.diagnostics.gaps(preds, "accuracy", margin=0.2)


def test_a_group_that_is_all_right_is_not_said_to_have_an_interval_of_width_0(recwarn):
    """The search for the p-value asks for intervals at all levels, down to 0."""
    group = np.repeat([0, 1], 100)
    true = np.tile([0, 1], 100)
    named = np.where(np.arange(200) < 20, 1 - true, true)
    found = mc.diagnostics.gaps(mc.Predictions(true, {"a": named}, slices={"g": group}), "accuracy")
    assert 0 < found.gaps["p_value"].item() < 0.05
    assert not [each for each in recwarn if "width 0" in str(each.message)]
