"""A plan shows what a comparison computes."""

import numpy as np
import pytest

import modelcompare as mc
from modelcompare.resampling.weights import BootstrapWeights, SwapMasks
from tests.comparison.test_plan import PARTS
from tests.plugged import needs

SNLI = mc.load_example("snli")
METRICS = ["accuracy", "f1", "f1_macro", "mcc", "log_loss", "roc_auc_ovr", "ece"]


def named(frame, metric):
    return {*frame.loc[frame["metric"] == metric, "method"]}


@needs("calibration")
@pytest.mark.parametrize("test", ["studentized-permutation", "wald"])
def test_intervals_and_tests_are_those_of_the_comparison(test):
    part, metrics = SNLI.subset(np.arange(400)), METRICS if test != "wald" else METRICS[:-1]
    planned = mc.plan(part, metrics, test=test, n_resamples=199).table.set_index("metric")
    compared = mc.compare(part, metrics, test=test, n_resamples=199)
    for metric, row in planned.iterrows():
        assert {*row["interval"].split(", ")} == named(compared.scores, metric)
        assert {*row["interval_of_differences"].split(", ")} == named(compared.differences, metric)
        assert row["n_values"] == (compared.scores["metric"] == metric).sum() / len(part.models)
    assert {*planned["test"]} == {test}


def test_a_named_method_is_that_of_all_and_functions_have_intervals_of_resamples():
    def ratio(truth, named):
        return (truth == named).mean() ** 2

    own = mc.metrics.from_callable(ratio, name="squared", greater_is_better=True)
    part = SNLI.subset(np.arange(200))
    table = mc.plan(part, ["accuracy", own], n_resamples=199).table
    assert table["interval"].tolist() == ["wilson", "of resamples"]
    table = mc.plan(part, ["accuracy", "f1"], method="BCa", n_resamples=199).table
    assert {*table["interval"], *table["interval_of_differences"]} == {"BCa"}


def test_memory_is_that_of_pairs_and_of_the_covariances_of_models():
    every, three, none = (
        mc.plan(preds, "accuracy", baseline=baseline).n_bytes
        for preds, baseline in ((SNLI, None), (SNLI, "mlp"), (SNLI["mlp"], None))
    )
    # Six pairs and three of four models, and no pair of one.
    assert every == 2 * (every - three) + 4**2 * none > 0
    assert "1 MiB for the tests" in str(mc.plan(SNLI, "accuracy"))
    many = mc.Predictions([0, 1] * 30, {f"m{i}": np.arange(60) % (i + 2) % 2 for i in range(150)})
    shown = mc.plan(many, "f1_macro")
    assert f"{shown.n_bytes / 2**20:,.0f} MiB" in str(shown)
    assert shown.n_bytes > 2**22


@needs("calibration")
def test_a_plan_draws_nothing(monkeypatch):
    def refuse(*_):
        raise AssertionError("a plan draws nothing")

    for drawn in (BootstrapWeights, SwapMasks):
        monkeypatch.setattr(drawn, "blocks", refuse)
    assert mc.plan(SNLI, METRICS).n_pairs == 6
    assert mc.plan(SNLI, "accuracy", baseline="mlp").n_pairs == 3
    assert mc.plan(SNLI["mlp"]).table["test"].tolist() == [""] * 3


def test_what_compare_refuses_is_refused_in_the_same_words():
    for options in (
        {"metrics": "rmse"},
        {"baseline": "x"},
        {"test": "x"},
        {"n_resample": 9},
        {"metrics": "ece", "test": "wald"},
    ):
        errors = []
        for function in (mc.compare, mc.plan):
            with pytest.raises((ValueError, TypeError)) as caught:
                function(SNLI, **options)
            errors.append(str(caught.value).replace("plan()", "compare()"))
        assert errors[0] == errors[1]
    with pytest.raises(ValueError, match="two comparisons; plan one"):
        mc.plan(SNLI, missing="bounds")


def test_the_plan_of_decisions_names_their_intervals_and_refuses_what_decide_refuses():
    part, two = SNLI.subset(np.arange(400)), {"baseline": "bow_pair", "candidate": "mlp"}
    values = ["accuracy", "f1_macro", ("recall", "neutral")]
    table = mc.plan(part, values, **two).table
    pairs = part[["mlp", "bow_pair"]]
    compared = mc.compare(pairs, ["accuracy", "f1_macro", "recall[neutral]"], confidence_level=0.9)
    assert table["interval_of_differences"].tolist() == compared.differences["method"].tolist()
    assert table["metric"].tolist() == ["accuracy", "f1_macro", "recall of neutral"]
    assert {*mc.plan(part, "f1_macro", method="BCa", **two).table["interval_of_differences"]} == {
        "BCa"
    }
    for options in ({"metrics": "rmse"}, {"metrics": "f1[x]"}, {"candidate": "x"}):
        errors = []
        for asked in (
            lambda o: mc.decide(part, two["baseline"], o["candidate"], o["metrics"], margin=0.1),
            lambda o: mc.plan(
                part, o["metrics"], baseline=two["baseline"], candidate=o["candidate"]
            ),
        ):
            with pytest.raises(ValueError) as caught:  # noqa: PT011
                asked({"metrics": "f1_macro", **two, **options})
            errors.append(str(caught.value))
        assert errors[0] == errors[1]
    with pytest.raises(ValueError, match="`correction` is no option of decide and gate"):
        mc.plan(part, "accuracy", correction="holm", **two)
    with pytest.raises(ValueError, match="name it as `baseline`"):
        mc.plan(part, "accuracy", candidate="mlp")


def test_the_design_is_in_words():
    clusters = SNLI.with_columns(groups=np.arange(len(SNLI)) // 4)
    assert "clusters of samples are taken whole" in str(mc.plan(clusters, "accuracy"))
    assert "9,824 samples vary. All rows are in memory." in str(mc.plan(SNLI, "accuracy"))


def test_the_plan_of_groups_has_the_rows_of_each_and_is_that_of_their_comparison():
    table = mc.plan(PARTS, ["accuracy", "f1_macro"], by="half", n_resamples=199).table
    found = mc.compare_groups(PARTS, ["accuracy", "f1_macro"], by="half", n_resamples=199)
    assert table["group"].tolist() == ["half = x"] * 2 + ["half = y"] * 2
    for value in "xy":
        of_group = table[table["group"] == f"half = {value}"].set_index("metric")
        scores = found.scores[found.scores["value"] == value]
        for metric, row in of_group.iterrows():
            assert {*row["interval"].split(", ")} == named(scores, metric)
    assert str(mc.plan(PARTS, "accuracy", by="half")).startswith("In half = x: 300 samples vary.")
    for options in ({"by": "z"}, {"min_size": 400, "by": "half"}):
        with pytest.raises(ValueError) as planned:  # noqa: PT011
            mc.plan(PARTS, "accuracy", **options)
        with pytest.raises(ValueError, match=r"by|min_size") as asked:
            mc.compare_groups(PARTS, "accuracy", **options)
        assert str(planned.value) == str(asked.value)


def test_the_plan_of_a_sample_size_names_the_interval_that_is_predicted():
    two = {"candidate": "mlp", "baseline": "bow_pair", "sample_size": True}
    table = mc.plan(PARTS, ["accuracy", "f1_macro"], **two).table
    assert table["interval_of_differences"].tolist() == ["normal"] * 2
    for metric in ("ece", "rmse"):
        with pytest.raises(ValueError) as planned:  # noqa: PT011
            mc.plan(PARTS, metric, **two)
        with pytest.raises(ValueError, match=metric) as asked:
            mc.sample_size(PARTS, "mlp", "bow_pair", metric)
        assert str(planned.value) == str(asked.value)
    with pytest.raises(ValueError, match="name them as `candidate`"):
        mc.plan(PARTS, "accuracy", sample_size=True)


@needs("suites")
def test_the_plan_of_several_test_sets_has_the_rows_of_each():
    sets = {name: PARTS.subset(np.arange(k, 600, 2)) for k, name in enumerate(("one", "two"))}
    table = mc.plan(sets, "accuracy", generalize_to="sets").table
    assert table["group"].tolist() == ["one", "two"]
    with pytest.raises(ValueError, match="`by` names slices of one test set"):
        mc.plan(sets, "accuracy", by="half")
