"""The report on a judge: agreement, bias, effects of columns and worth, by other means."""

from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score
from sklearn.metrics import confusion_matrix as counted
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

import modelcompare as mc
from modelcompare.data.checks import DataWarning
from modelcompare.diagnostics import JudgeReport, judge_report
from modelcompare.plugins.judges.verdicts import judge_of
from tests.plugged import needs
from tests.plugins.judges.sets import answers, drawn

Array = Any
pytestmark = [
    pytest.mark.filterwarnings("ignore::modelcompare.metrics.SparseDataWarning"), needs("unpaired"),
]  # fmt: skip


def of_people(preds: mc.Predictions) -> tuple[Array, Array, dict[str, Array]]:
    """Labels by people, by the judge, and by each model, where there are labels by people."""
    rows = judge_of(preds).labelled
    outputs = {m: preds.predicted(m)[rows] for m in preds.models}
    return preds.access.codes[rows], judge_of(preds).verdicts[preds.models[0]][rows], outputs


@pytest.fixture(scope="module")
def preds() -> mc.Predictions:
    return drawn(4, 120, models=(0.85, 0.8, 0.7), judge=0.8)[0]


@pytest.fixture(scope="module")
def report(preds: mc.Predictions) -> JudgeReport:
    order = np.random.default_rng(0).permutation(len(preds))
    return judge_report(preds, order=order, length=np.arange(len(preds)) % 7)


def scored(seed: int = 0, shift: float = 0.3, **options: Any) -> tuple[mc.Predictions, Any, Any]:
    """Scores of two models; the judge rates the first too high."""
    rng = np.random.default_rng(seed)
    people = {"a": rng.normal(3, 1, 900), "b": rng.normal(3.1, 1, 900)}
    judge = {m: x + rng.normal(shift * (m == "a"), 0.6, 900) for m, x in people.items()}
    rows = rng.permutation(900) < 150
    seen = {m: np.where(rows, x, np.nan) for m, x in people.items()}
    made = mc.Predictions.from_scores(seen, judge=judge, **options)
    return made, *({m: x[rows] for m, x in each.items()} for each in (people, judge))


def test_agreement_is_that_of_other_packages(preds: mc.Predictions, report: JudgeReport) -> None:
    truth, verdict, _ = of_people(preds)
    found = report.agreement.set_index(["metric", "label"])
    accuracy = found.loc["accuracy"].iloc[0]
    right = int((truth == verdict).sum())
    assert accuracy["estimate"] == right / 120
    expected = proportion_confint(right, 120, method="wilson")
    assert accuracy[["ci_low", "ci_high"]].tolist() == pytest.approx(expected)
    kappa = found.loc["cohen_kappa"].iloc[0]
    assert kappa["estimate"] == pytest.approx(cohen_kappa_score(truth, verdict))
    assert kappa["ci_low"] < kappa["estimate"] < kappa["ci_high"]
    for label in range(3):
        assert found.loc[("recall", label), "estimate"] == (verdict == label)[truth == label].mean()


def test_the_confusion_has_people_in_rows(preds: mc.Predictions, report: JudgeReport) -> None:
    truth, verdict, _ = of_people(preds)
    square = report.confusion.pivot(index="y_true", columns="verdict", values="n")
    np.testing.assert_array_equal(square, counted(truth, verdict))
    assert report.confusion.groupby("y_true")["share"].sum().tolist() == pytest.approx([1, 1, 1])


def test_bias_is_the_paired_difference_of_accuracies(
    preds: mc.Predictions, report: JudgeReport
) -> None:
    truth, verdict, outputs = of_people(preds)
    for row in report.bias.itertuples():
        by_people, by_judge = (outputs[row.model] == labels for labels in (truth, verdict))
        assert (row.people, row.judge) == (by_people.mean(), by_judge.mean())
        assert row.difference == pytest.approx(by_judge.mean() - by_people.mean())
        up, down = int((by_judge & ~by_people).sum()), int((by_people & ~by_judge).sum())
        # The exact test of McNemar, of which 9,999 swaps are drawn.
        exact = stats.binomtest(up, up + down).pvalue
        assert row.p_value == pytest.approx(exact, abs=4 * np.sqrt(exact / 9999))
        spread = np.sqrt(up + down + 2 - (up - down) ** 2 / 122) / 122
        assert row.ci_high - row.ci_low == pytest.approx(2 * 1.96 * spread, rel=0.03)
    expected = multipletests(report.bias["p_value"], method="holm")[1]
    np.testing.assert_allclose(report.bias["p_adjusted"], expected)


def test_a_judge_favours_by_the_difference_of_differences(report: JudgeReport) -> None:
    values = report.bias.set_index("model")
    for row in report.favours.itertuples():
        a, b = values.loc[row.model_a], values.loc[row.model_b]
        assert row.people == pytest.approx(a["people"] - b["people"])
        assert row.judge == pytest.approx(a["judge"] - b["judge"])
        assert row.difference == pytest.approx(a["difference"] - b["difference"])
        assert row.reversed == (row.people * row.judge < 0)


def test_of_scores_differences_have_the_paired_t_interval() -> None:
    preds, people, judge = scored()
    report = judge_report(preds)
    apart = {m: judge[m] - people[m] for m in people}
    for row in report.bias.itertuples():
        expected = stats.ttest_1samp(apart[row.model], 0)
        interval = expected.confidence_interval()
        assert (row.ci_low, row.ci_high) == pytest.approx((interval.low, interval.high), abs=0.004)
        assert row.p_value == pytest.approx(expected.pvalue, abs=0.02)
    (pair,) = report.favours.itertuples()
    interval = stats.ttest_rel(apart["a"], apart["b"]).confidence_interval()
    assert (pair.ci_low, pair.ci_high) == pytest.approx((interval.low, interval.high), abs=0.004)
    assert pair.reversed
    assert any(
        "The judge favours a over b and ranks it above, people below" in each
        for each in report.verdict
    )


def test_of_scores_agreement_is_a_correlation() -> None:
    preds, people, judge = scored()
    found = judge_report(preds).agreement.set_index(["model", "metric"])["estimate"]
    for model in people:
        both = people[model], judge[model]
        assert found[model, "pearson"] == pytest.approx(stats.pearsonr(*both).statistic)
        assert found[model, "spearman"] == pytest.approx(stats.spearmanr(*both).statistic)


def test_ranks_turned_by_chance_are_called_so() -> None:
    preds, *_ = scored(shift=0.0, seed=4)
    report = judge_report(preds)
    (pair,) = report.favours.itertuples()
    assert pair.reversed
    assert pair.p_adjusted > 0.05
    assert sum("The judge ranks a above b, people below, maybe" in x for x in report.verdict) == 1


def test_an_effect_compares_two_halves(preds: mc.Predictions) -> None:
    truth, verdict, _ = of_people(preds)
    length = np.where(preds.access.codes == 0, 30, 10) + np.arange(len(preds)) % 20
    (row,) = judge_report(preds, length=length).effects.itertuples()
    upper = length[judge_of(preds).labelled] > row.split
    assert abs(upper.mean() - 0.5) < 0.1
    agree = truth == verdict
    (x1, n1), (x0, n0) = ((agree[half].sum(), half.sum()) for half in (upper, ~upper))
    assert (row.lower, row.upper) == pytest.approx((x0 / n0, x1 / n1))
    assert row.difference == pytest.approx(x1 / n1 - x0 / n0)
    expected = confint_proportions_2indep(x1, n1, x0, n0, method="newcomb", compare="diff")
    assert (row.ci_low, row.ci_high) == pytest.approx(expected)
    # Fisher's test, with half the probability of tables as likely as this one.
    chance = stats.hypergeom(n0 + n1, x0 + x1, n1)
    every = chance.pmf(np.arange(n1 + 1))
    tied = np.isclose(every, chance.pmf(x1))
    midp = every[(every < chance.pmf(x1)) & ~tied].sum() + every[tied].sum() / 2
    assert row.p_value == pytest.approx(midp, rel=0.15)


def test_a_column_of_two_values_is_split_between_them(preds: mc.Predictions) -> None:
    position = (np.arange(len(preds)) % 3 > 0).astype(int)
    (row,) = judge_report(preds, position=position).effects.itertuples()
    assert row.split == 0


def test_a_judge_that_drifts_is_found_out() -> None:
    rng = np.random.default_rng(3)
    truth, time = rng.integers(0, 2, 2000), np.arange(2000)
    judge = np.where(time < 1000, answers(rng, truth, 0.97, 2), answers(rng, truth, 0.6, 2))
    seen = np.where(rng.random(2000) < 0.1, truth, np.nan)
    preds = mc.Predictions(seen, {"m": answers(rng, truth, 0.8, 2)}, judge=judge)
    report = judge_report(preds, order=time, length=rng.permutation(2000))
    drift, chance = report.effects.itertuples()
    assert drift.p_adjusted < 0.001
    assert drift.ci_high < -0.15
    assert chance.p_adjusted > 0.05
    assert sum("By order, agreement" in each for each in report.verdict) == 1


def test_lengths_of_each_answer_are_given_by_model() -> None:
    preds, *_ = scored()
    lengths = {"a": judge_of(preds).verdicts["a"], "b": np.arange(900)}
    found = judge_report(preds, length=lengths).effects.set_index("model")
    # Long answers of a are those that the judge rates too high.
    assert found.loc["a", "p_adjusted"] < 0.01
    assert found.loc["a", "ci_low"] > 0
    assert found.loc["b", "p_adjusted"] > 0.05


@pytest.mark.parametrize("by", ["strata", "label_weight"])
def test_labels_count_as_they_were_drawn(by: str) -> None:
    rng = np.random.default_rng(1)
    truth, hard = rng.integers(0, 2, 3000), rng.random(3000) < 0.3
    judge = np.where(hard, answers(rng, truth, 0.6, 2), answers(rng, truth, 0.95, 2))
    chance = np.where(hard, 0.3, 0.05)
    rows = rng.random(3000) < chance
    share = np.array([np.mean(hard == each) / np.mean(hard[rows] == each) for each in hard])
    weight = share if by == "strata" else 1 / chance
    design = {by: hard if by == "strata" else weight}
    preds = mc.Predictions(np.where(rows, truth, np.nan), {"m": truth}, judge=judge, **design)
    report = judge_report(preds)
    right = (judge == truth)[rows]
    accuracy = report.agreement.iloc[0]
    assert accuracy["estimate"] == pytest.approx(np.average(right, weights=weight[rows]))
    assert right.mean() < accuracy["ci_low"] < (judge == truth).mean() < accuracy["ci_high"]
    assert report.bias["judge"].item() == pytest.approx(accuracy["estimate"])
    square = report.confusion.pivot(index="y_true", columns="verdict", values="share")
    expected = counted(truth[rows], judge[rows], sample_weight=weight[rows], normalize="true")
    np.testing.assert_allclose(square, expected)


def test_worth_is_that_of_the_correlation() -> None:
    preds, people, judge = scored()
    for row in judge_report(preds).worth.itertuples():
        r = stats.pearsonr(people[row.model], judge[row.model]).statistic
        # The variance of a mean that scores of all samples predict (PPI++).
        assert row.worth == pytest.approx(150 / (1 - r**2 / (1 + 150 / 900)), rel=0.1)
        assert row.saved == pytest.approx(1 - 150 / row.worth)


def test_a_mediocre_judge_saves_few_labels() -> None:
    preds, _ = drawn(2, 150, n_classes=2, judge=0.65)
    report = judge_report(preds, "accuracy")
    assert report.worth["saved"].max() < 0.15
    assert report.verdict[-1].startswith("The judge saves few labels, at most ")
    good, _ = drawn(2, 150, n_classes=2, judge=0.97)
    assert judge_report(good, "accuracy").worth["saved"].min() > 0.3


def test_a_judge_that_agrees_on_every_label() -> None:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 600)
    seen = np.where(np.arange(600) % 10 == 0, truth, np.nan)
    outputs = {m: answers(rng, truth, 0.8, 2) for m in "ab"}
    report = judge_report(mc.Predictions(seen, outputs, judge=truth), order=np.arange(600))
    assert report.agreement["estimate"].tolist() == [1, 1, 1, 1]
    for frame in (report.agreement, report.bias, report.favours, report.effects):
        assert ((frame["ci_high"] - frame["ci_low"]) > 0.01).all()
    for frame in (report.bias, report.favours, report.effects):
        # Fisher's mid-p of a single possible table is a half.
        assert (frame["p_value"] == (0.5 if "split" in frame else 1)).all()
        assert (frame["difference"] == 0).all()
    assert "No model looks significantly better or worse to the judge" in " ".join(report.verdict)


def test_a_label_that_people_never_gave_is_named() -> None:
    rng = np.random.default_rng(6)
    truth = rng.integers(0, 2, 500)
    seen = np.where(rng.random(500) < 0.3, truth, np.nan)
    judge = np.where(rng.random(500) < 0.1, 2, truth)
    preds = mc.Predictions(seen, {"m": answers(rng, truth, 0.8, 2)}, judge=judge, labels=[0, 1, 2])
    report = judge_report(preds)
    assert report.notes[1] == "People never gave 2: errors there are unknown."
    assert report.agreement["label"].tolist() == [None, None, 0, 1]
    of_two = report.confusion[report.confusion["y_true"] == 2]
    assert of_two["n"].tolist() == [0, 0, 0]
    assert of_two["share"].isna().all()
    report.plot()


def test_verdicts_that_are_no_label_are_wrong() -> None:
    rng = np.random.default_rng(7)
    truth = rng.choice(["no", "yes"], 400).astype(object)
    judge = np.where(rng.random(400) < 0.2, "unsure", truth)
    rows = rng.random(400) < 0.3
    seen = np.where(rows, truth, None)
    preds = mc.Predictions(seen, {"m": truth.astype(str)}, judge=judge, labels=["no", "yes"])
    report = judge_report(preds)
    unsure = (judge == "unsure")[rows].mean()
    assert report.agreement["estimate"].iloc[0] == pytest.approx(1 - unsure)
    assert report.bias["difference"].item() == pytest.approx(-unsure)
    assert list(dict.fromkeys(report.confusion["verdict"])) == ["no", "yes", "unsure"]


def test_of_errors_fewer_are_better() -> None:
    preds, *_ = scored(greater_is_better=False)
    report = judge_report(preds)
    text = " ".join(report.verdict)
    assert "a looks worse to the judge than to people" in text
    assert "The judge favours b over a" in text


def test_raw_scores_decide_nothing() -> None:
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 2, 600)
    seen = np.where(rng.random(600) < 0.3, truth, np.nan)
    judge = answers(rng, truth, 0.9, 2)
    preds = mc.Predictions(seen, {"m": truth + rng.normal(0, 1, 600)}, judge=judge, kind="values")
    report = judge_report(preds, "roc_auc")
    assert report.bias.empty
    assert report.favours.empty
    assert len(report.worth) == 1
    report.plot()


def test_the_order_of_samples_does_not_matter(preds: mc.Predictions, report: JudgeReport) -> None:
    turned = judge_report(preds.subset(np.arange(len(preds))[::-1]))
    for name in ("agreement", "bias", "favours", "worth"):
        before, after = (getattr(each, name).select_dtypes("number") for each in (report, turned))
        swapped = [each for each in before if each.startswith("p_")]
        np.testing.assert_allclose(before[swapped], after[swapped], atol=0.02)
        np.testing.assert_allclose(
            before.drop(columns=swapped), after.drop(columns=swapped),
            rtol=0.01 if name == "worth" else 1e-7,
        )  # fmt: skip


def test_what_cannot_be_asked_is_refused(preds: mc.Predictions) -> None:
    with pytest.raises(ValueError, match="`predictions` have no judge; give its verdicts"):
        judge_report(preds.access.labelled)
    with pytest.raises(ValueError, match="`length` hardly varies where there are labels"):
        judge_report(preds, length=np.ones(len(preds)))
    with pytest.raises(ValueError, match="`order` must contain numbers, got 'May'"):
        judge_report(preds, order=["May"] * len(preds))
    with pytest.raises(ValueError, match=r"`length` must have shape \(1000,\), got \(3,\)"):
        judge_report(preds, length=[1, 2, 3])
    with pytest.raises(ValueError, match=r"`length\['judge'\]` must have one entry per sample"):
        judge_report(preds, length={"m0": np.arange(len(preds))})


def test_labels_that_were_not_drawn_are_warned_of() -> None:
    rng = np.random.default_rng(9)
    truth = rng.integers(0, 2, 1000)
    judge = answers(rng, truth, 0.9, 2)
    seen = np.where(rng.random(1000) < np.where(judge == 1, 0.4, 0.05), truth, np.nan)
    preds = mc.Predictions(seen, {"m": truth}, judge=judge)
    with pytest.warns(DataWarning, match="were not drawn at random"):
        judge_report(preds)


def test_the_figure_has_room_for_what_it_draws(report: JudgeReport) -> None:
    both = report.plot()
    assert [axes.get_title(loc="left") for axes in both.axes] == ["confusion", "bias"]
    of_scores = judge_report(scored()[0], n_resamples=199).plot()
    assert [axes.get_title(loc="left") for axes in of_scores.axes] == ["bias"]
    preds, _ = drawn(1, 400, 2000, n_classes=20)
    many = judge_report(preds, "accuracy", n_resamples=199).plot()
    assert len(many.axes[0].get_yticks()) == 12
    assert "12 of 20 classes shown, those confused most" in many.remarks
