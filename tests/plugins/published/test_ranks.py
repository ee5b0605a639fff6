"""Ranks over data sets: the published example, scikit-posthocs, and the pairs that bars join."""

import numpy as np
import pandas as pd
import pytest
import scikit_posthocs as sp
from scipy import stats

import modelcompare as mc
from modelcompare.plugins.published.diagram import _bars
from modelcompare.plugins.published.mean_ranks import nemenyi

# AUC of four trees on 14 data sets: Demsar (2006), table 6. Printed to three digits, C4.5+cf and
# C4.5+m+cf tie on the next to last, but were ranked 2 and 3.
DEMSAR = pd.DataFrame(
    {
        "C4.5": [0.763, 0.599, 0.954, 0.628, 0.882, 0.936, 0.661, 0.583, 0.775, 1.0, 0.940, 0.619,
                 0.972, 0.957],
        "C4.5+m": [0.768, 0.591, 0.971, 0.661, 0.888, 0.931, 0.668, 0.583, 0.838, 1.0, 0.962, 0.666,
                   0.981, 0.978],
        "C4.5+cf": [0.771, 0.590, 0.968, 0.654, 0.886, 0.916, 0.609, 0.563, 0.866, 1.0, 0.965,
                    0.614, 0.9751, 0.946],
        "C4.5+m+cf": [0.798, 0.569, 0.967, 0.657, 0.898, 0.931, 0.685, 0.625, 0.875, 1.0, 0.962,
                      0.669, 0.975, 0.970],
    }
)  # fmt: skip
UP = {"greater_is_better": True}
MADE = pd.DataFrame(
    np.random.default_rng(1).normal(np.linspace(0.8, 0.7, 6), 0.03, (20, 6)), columns=list("abcdef")
)


def matrix(result, column="p_adjusted"):
    names = list(result.scores)
    out = pd.DataFrame(1.0, names, names)
    for row in result.differences.itertuples():
        out.loc[row.model_a, row.model_b] = out.loc[row.model_b, row.model_a] = getattr(row, column)
    return out


def test_the_published_example():
    at_5, at_10 = (
        mc.inference.critical_difference(DEMSAR, alpha=alpha, **UP) for alpha in (0.05, 0.10)
    )
    ranks = at_5.ranks.set_index("model")["mean_rank"][list(DEMSAR)]
    assert ranks.round(3).tolist() == [3.143, 2.000, 2.893, 1.964]
    # The chi-squared in print does not allow for ties.
    assert 12 * 14 / 20 * ((ranks**2).sum() - 25) == pytest.approx(9.28, abs=0.005)
    assert at_5.p_value == stats.friedmanchisquare(*DEMSAR.T.to_numpy()).pvalue
    assert at_5.critical_difference == pytest.approx(1.25, abs=0.005)
    assert at_10.critical_difference == pytest.approx(1.12, abs=0.005)
    # "at p = 0.10 ... the two groups": C4.5 is worse than C4.5+m and C4.5+m+cf, nothing else is.
    assert at_5.differences.better.isna().all()
    better = at_10.differences.dropna(subset="better")
    assert better[["model_a", "better"]].to_numpy().tolist() == [
        ["C4.5", "C4.5+m"], ["C4.5", "C4.5+m+cf"],
    ]  # fmt: skip
    assert at_10.verdict() == (
        "The models differ over 14 data sets (Friedman, p = 0.017). C4.5+m+cf has the best mean "
        "rank (1.96): it is better than C4.5 and is not significantly different from C4.5+m, C4.5+cf (nemenyi)."
    )


def test_nemenyi_is_scikit_posthocs():
    expected = sp.posthoc_nemenyi_friedman(MADE.to_numpy())
    np.testing.assert_allclose(
        matrix(mc.inference.critical_difference(MADE, **UP)), expected, atol=1e-6
    )


def test_wilcoxon_with_holm_is_scikit_posthocs():
    tidy = MADE.melt(var_name="model", value_name="score")
    expected = sp.posthoc_wilcoxon(tidy, "score", "model", zero_method="pratt", p_adjust="holm")
    found = mc.inference.critical_difference(MADE, test="wilcoxon-holm", **UP)
    np.testing.assert_allclose(matrix(found), expected, rtol=1e-9)
    assert np.isnan(found.critical_difference)
    means = found.ranks.set_index("model")["mean_rank"]
    apart = [means[row.model_a] - means[row.model_b] for row in found.differences.itertuples()]
    np.testing.assert_allclose(found.differences["difference"], apart)
    fewer = mc.inference.critical_difference(
        MADE[["a", "b", "c"]], test="wilcoxon-holm", **UP
    ).differences
    raw = [stats.wilcoxon(MADE[x], MADE[y]).pvalue for x, y in ("ab", "ac", "bc")]
    np.testing.assert_allclose(fewer.p_adjusted, mc.inference.adjust(raw))


@pytest.mark.parametrize("test", ["nemenyi", "wilcoxon-holm"])
def test_losses_turn_the_order_and_nothing_else(test):
    up = mc.inference.critical_difference(MADE, test=test, **UP)
    down = mc.inference.critical_difference(-MADE, test=test, greater_is_better=False)
    pd.testing.assert_frame_equal(up.ranks, down.ranks)
    pd.testing.assert_frame_equal(up.differences, down.differences)
    turned = mc.inference.critical_difference(MADE, test=test, greater_is_better=False)
    assert turned.ranks.model.tolist() == up.ranks.model.tolist()[::-1]
    for row in up.differences.dropna(subset="better").itertuples():
        assert MADE[row.better].mean() == pytest.approx(
            MADE[[row.model_a, row.model_b]].mean().max()
        )


def test_wilcoxon_names_the_better_by_its_own_ranks():
    # a is worse on 55 data sets by a little, and better on 45 by much.
    gain = np.r_[-np.arange(1, 56), np.arange(56, 101)] / 100
    scores = {"a": gain, "b": np.zeros(100), "c": np.full(100, -9.0)}
    row = mc.inference.critical_difference(scores, test="wilcoxon-holm", **UP).differences.iloc[0]
    assert row.difference > 0
    assert row.better == "a"


def test_either_form_of_the_table_says_the_same():
    expected = mc.inference.critical_difference(MADE, **UP).differences
    named = MADE.assign(dataset=[f"d{i}" for i in range(20)])
    tidy = named.melt("dataset", var_name="model", value_name="value")
    for table in (named, tidy, tidy.sort_values("dataset", kind="stable"), MADE.to_dict("list")):
        pd.testing.assert_frame_equal(
            mc.inference.critical_difference(table, **UP).differences, expected
        )
    assert (
        mc.inference.critical_difference(tidy, **UP).scores.index.tolist() == named.dataset.tolist()
    )


def test_bars_join_runs_of_which_no_two_are_distinguished():
    together = np.ones((5, 5), dtype=bool)
    for a, b in ((0, 2), (0, 3), (0, 4), (1, 4)):
        together[a, b] = together[b, a] = False
    assert _bars(together) == [(0, 1), (1, 3), (2, 4)]
    together[1, 2] = together[2, 1] = False
    assert _bars(together) == [(0, 1), (2, 4)]


@pytest.mark.parametrize("test", ["nemenyi", "wilcoxon-holm"])
def test_the_diagram_has_a_ruler_where_there_is_one_critical_difference(test):
    figure = mc.inference.critical_difference(DEMSAR, test=test, **UP).plot()
    texts = [tick.get_text() for axes in figure.axes for tick in axes.get_yticklabels()]
    assert figure.axes[0].get_xlabel().startswith("CD = 1.25, " if test == "nemenyi" else "")
    assert bool(figure.axes[0].get_xlabel()) == (test == "nemenyi")
    assert "C4.5+m+cf (1.96)" in texts


@pytest.mark.parametrize("test", ["nemenyi", "wilcoxon-holm"])
def test_scores_that_differ_only_by_rounding_are_tied(test):
    rng = np.random.default_rng(0)
    exact = pd.DataFrame({"a": 0.3, "b": 0.3, "c": rng.normal(0.3, 0.1, 12)})
    rounded = exact.assign(a=0.1 + 0.2)
    assert (rounded["a"] > rounded["b"]).all()
    expected, found = (
        mc.inference.critical_difference(x, test=test, greater_is_better=True)
        for x in (exact, rounded)
    )
    pd.testing.assert_frame_equal(found.differences, expected.differences)
    assert found.ranks.set_index("model")["mean_rank"].nunique() == 2
    assert found.p_value == expected.p_value


def test_models_of_one_mean_rank_are_all_named():
    turns = np.arange(8) % 2
    scores = {"a": 0.8 + 0.1 * turns, "b": 0.9 - 0.1 * turns, "c": 0.5 - 0.1 * turns}
    for names in ("abc", "bac"):
        table = pd.DataFrame({name: scores[name] for name in names})
        verdict = mc.inference.critical_difference(table, greater_is_better=True).verdict()
        best = f"{names[0]} and {names[1]}"
        assert f"{best} have the best mean rank (1.50): they are better than c (nem" in verdict


def test_the_diagram_of_one_table_takes_no_metric():
    with pytest.raises(ValueError, match="leave `metric` out"):
        mc.inference.critical_difference(DEMSAR, **UP).plot.critical_difference("f1")


def test_a_model_that_differs_from_all_has_no_bar():
    assert _bars(np.eye(4, dtype=bool)) == []


def test_nemenyi_has_the_critical_values_of_the_table():
    # Demsar (2006), table 5: q_0.05 = 1.960, 2.343, 2.569, 2.728, 2.850 for 2 to 6 models.
    for k, q in zip(range(2, 7), (1.960, 2.343, 2.569, 2.728, 2.850), strict=True):
        _, critical = nemenyi(np.arange(1.0, k + 1), 30)
        assert critical == pytest.approx(q * np.sqrt(k * (k + 1) / (6 * 30)), rel=1e-3)


def test_nemenyi_of_other_ranks_is_scikit_posthocs():
    import scikit_posthocs as sp

    rng = np.random.default_rng(0)
    scores = rng.normal(size=(12, 4)) + np.arange(4) * 0.5
    p_values, _ = nemenyi(stats.rankdata(-scores, axis=1).mean(axis=0), 12)
    np.testing.assert_allclose(p_values, sp.posthoc_nemenyi_friedman(scores).to_numpy(), atol=1e-6)
