"""The paired test of several test sets: the difference of two models in the mean of the sets."""

import numpy as np
import pytest
from scipy.stats import norm, ttest_1samp

import modelcompare as mc
from tests.designs import test_set as set_of
from tests.plugged import needs

pytestmark = pytest.mark.filterwarnings("ignore::modelcompare.SparseDataWarning")


@pytest.mark.parametrize("generalize_to", ["auto", "items", "sets"])
@pytest.mark.parametrize(
    "more",
    [
        (),
        ("clusters",),
        ("weights",),
        pytest.param(("runs",), marks=needs("runs")),
        ("clusters", "strata"),
    ],
)
def test_the_p_value_is_that_of_the_means_of_compare_groups(more, generalize_to):
    sets = set_of((*more, "sets"))
    asked = {"generalize_to": generalize_to}
    # Wald's test of each set is the quickest: of means the test is always that of the interval.
    pooled = mc.compare_groups(
        sets, ["f1_macro", "accuracy"], correction="none", n_resamples=99, test="wald", **asked
    ).pooled_differences
    for metric in ("f1_macro", "accuracy"):
        (row,) = pooled[pooled["metric"] == metric].to_dict("records")
        found = mc.paired_test(sets, "a", "b", metric, **asked)
        assert found.difference == pytest.approx(row["difference"], abs=1e-14)
        assert found.p_value == pytest.approx(row["p_value"], rel=1e-9)
        # From the other side it is the same test.
        turned = mc.paired_test(sets, "b", "a", metric, **asked)
        assert turned.difference == pytest.approx(-found.difference, abs=1e-14)
        assert turned.p_value == pytest.approx(found.p_value, rel=1e-9)
    assert "|sets:4" in found.signature


def test_one_sided_p_values_are_halves_of_the_two_sided_one():
    sets = set_of(("sets",))
    two = mc.paired_test(sets, "a", "b", "accuracy")
    sides = {
        s: mc.paired_test(sets, "a", "b", "accuracy", alternative=s) for s in ("greater", "less")
    }
    assert two.difference > 0
    assert sides["greater"].p_value == pytest.approx(two.p_value / 2)
    assert sides["less"].p_value == pytest.approx(1 - two.p_value / 2)


def scores(rng, n_sets, n=400):
    found = {}
    for place in range(n_sets):
        a = rng.normal(rng.normal(0.02, 0.05), 1, n)
        found[f"s{place}"] = mc.Predictions.from_scores(
            {"a": a, "b": rng.normal(0, 1, n)}, greater_is_better=True
        )
    return found


def test_means_of_scores_have_the_z_test_of_fixed_sets_and_the_t_test_of_new_ones():
    sets = scores(np.random.default_rng(0), 6)
    gaps = [p.output("a").array - p.output("b").array for p in sets.values()]
    z = (
        np.mean([gap.mean() for gap in gaps])
        / np.sqrt(sum(gap.var(ddof=1) / 400 for gap in gaps))
        * 6
    )
    fixed = mc.paired_test(sets, "a", "b", "mean_score", generalize_to="items")
    assert fixed.p_value == pytest.approx(2 * norm.sf(abs(z)), rel=0.03)
    new = mc.paired_test(sets, "a", "b", "mean_score", generalize_to="sets")
    expected = ttest_1samp([gap.mean() for gap in gaps], 0).pvalue
    assert new.p_value == pytest.approx(max(expected, fixed.p_value), rel=1e-6)
    assert new.method == "sets-t"


@needs("classical")
def test_tests_of_one_test_set_and_unknown_models_are_refused():
    sets = set_of(("sets",))
    with pytest.raises(ValueError, match="method='mcnemar-exact' is a test on one test set; leave"):
        mc.paired_test(sets, "a", "b", "accuracy", method="mcnemar-exact")
    with pytest.raises(ValueError, match="unknown model 'c'"):
        mc.paired_test(sets, "a", "c", "accuracy")
    with pytest.raises(ValueError, match="which needs several"):
        mc.paired_test(sets["set 0"], "a", "b", "accuracy", generalize_to="sets")
    lacking = {**sets, "set 0": sets["set 0"]["a"]}
    with pytest.raises(ValueError, match="'set 0' has no predictions of 'b'"):
        mc.paired_test(lacking, "a", "b", "accuracy")
    with pytest.raises(ValueError, match="maps one test set"):
        mc.paired_test({"set 0": sets["set 0"]}, "a", "b", "accuracy")
