"""Means over test sets for these and for new sets and runs, with one correction for all."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

import modelcompare as mc
from modelcompare.cli.app import main
from modelcompare.comparison.correction import adjust_groups
from modelcompare.engine.design import Design, are_crossed
from modelcompare.engine.layers import Layers
from modelcompare.intervals.influences import Estimates, difference_interval
from modelcompare.plugins.suites.layers import layers_of_sets
from modelcompare.report.numbers import format_percent
from tests.plugged import needs

RNG = np.random.default_rng(5)
SIZES = {"s": 40, "t": 60, "u": 80, "v": 50}
TABLES = {
    name: {m: 0.2 * k + RNG.normal(size=n) + 0.5 * RNG.normal() for k, m in enumerate("abc")}
    for name, n in SIZES.items()
}
SCORES = {
    name: mc.Predictions.from_scores(table, greater_is_better=True)
    for name, table in TABLES.items()
}
DIFFERENCES = {
    name: pd.DataFrame(table)["a"] - pd.DataFrame(table)["b"] for name, table in TABLES.items()
}
# Of means the test is that of the interval; of each set Wald's is the quickest.
OPTIONS = {"n_resamples": 99, "test": "wald"}
R = 4


def in_runs(n_items, seed, spread=0.4, names="ab", of_runs=None):
    """Return scores of items x runs; `of_runs` are effects that all sets share."""
    rng = np.random.default_rng(seed)
    own = spread * rng.normal(size=(len(names), R)) if of_runs is None else of_runs
    items = rng.normal(size=(n_items, 1))
    return {m: items + own[k] + 0.3 * rng.normal(size=(n_items, R)) for k, m in enumerate(names)}


def preds_of(tables, runs="run", **columns):
    item, run = (each.ravel() for each in np.indices(next(iter(tables.values())).shape))
    named = [f"{runs}{r}" for r in run]
    if isinstance(runs, dict):
        named = {m: [f"{m}{r % n}" for r in run] for m, n in runs.items()}
    return mc.Predictions.from_scores(
        {m: x.ravel() for m, x in tables.items()}, groups=item, greater_is_better=True,
        runs=named, **columns,
    )  # fmt: skip


EFFECTS = 0.4 * np.random.default_rng(9).normal(size=(2, R))
SHARED = {name: in_runs(n, k, of_runs=EFFECTS) for k, (name, n) in enumerate(SIZES.items())}


def only(frame, a="a", b="b"):
    return frame[(frame["model_a"] == a) & (frame["model_b"] == b)].iloc[0]


def test_new_sets_have_students_interval_over_the_sets():
    found = only(mc.compare_groups(SCORES, generalize_to="sets", **OPTIONS).pooled_differences)
    means = [x.mean() for x in DIFFERENCES.values()]
    expected = stats.ttest_1samp(means, 0)
    low, high = expected.confidence_interval(0.95)
    fixed = only(mc.compare_groups(SCORES, generalize_to="items", **OPTIONS).pooled_differences)
    assert found["difference"] == pytest.approx(np.mean(means))
    assert found["ci_low"] == pytest.approx(min(low, fixed["ci_low"]))
    assert found["ci_high"] == pytest.approx(max(high, fixed["ci_high"]))
    assert found["p_value"] == pytest.approx(max(expected.pvalue, fixed["p_value"]), rel=1e-6)


def test_scores_of_new_sets_vary_as_the_sets_do():
    found = mc.compare_groups(SCORES, generalize_to="sets", **OPTIONS)
    means = np.array([[x.mean() for x in table.values()] for table in TABLES.values()])
    for place, (low, high) in enumerate(found.pooled_scores[["ci_low", "ci_high"]].to_numpy()):
        expected = stats.t.interval(0.95, 3, means[:, place].mean(), stats.sem(means[:, place]))
        assert low <= expected[0] * (1 + 1e-9) + 1e-9
        assert high >= expected[1] - 1e-9
    assert (
        "For test sets like these 4: new ones are allowed for, but sets of a kind rarer"
        in found.verdict()
    )
    assert "|generalize_to:items+sets|" in found.signature


@pytest.mark.parametrize("weights", ["samples", {"s": 1, "t": 0, "u": 3, "v": 2.0}])
def test_weighted_means_are_those_of_a_loop(weights):
    found = mc.compare_groups(SCORES, weights=weights, method="normal", **OPTIONS)
    w = np.array([SIZES[n] if weights == "samples" else weights[n] for n in SIZES], float)
    w /= w.sum()
    rows = [*DIFFERENCES.values()]
    mean = sum(share * x.mean() for share, x in zip(w, rows, strict=True))
    error = np.sqrt(sum(share**2 * x.var() / len(x) for share, x in zip(w, rows, strict=True)))
    row = only(found.pooled_differences)
    z = stats.norm.ppf(0.975)
    assert row[["difference", "ci_low", "ci_high"]].tolist() == pytest.approx(
        [mean, mean - z * error, mean + z * error]
    )
    assert row["p_value"] == pytest.approx(2 * stats.norm.sf(abs(mean) / error))
    assert "|weights:" in found.signature
    n_weighed = sum(w > 0)
    assert f"weighted mean of {n_weighed} test sets" in found.verdict()


def test_samples_as_weights_pool_them():
    y = {name: RNG.integers(0, 2, n) for name, n in SIZES.items()}
    outputs = {name: {m: RNG.integers(0, 2, n) for m in "ab"} for name, n in SIZES.items()}
    sets = {name: mc.Predictions(y[name], outputs[name]) for name in SIZES}
    pooled = mc.compare_groups(sets, "accuracy", weights="samples", **OPTIONS).pooled_scores
    for row in pooled.itertuples():
        right = np.concatenate([y[n] == outputs[n][row.model] for n in SIZES])
        assert row.estimate == pytest.approx(right.mean())


def variances(tables, crossed):
    """Compute items + runs - rest of a mean of differences over sets by sums of squares."""
    n_sets = len(tables)
    items = runs = rest = 0.0
    means = []
    for x in tables:
        centre = x.mean()
        of_items, of_runs = x.mean(axis=1), x.mean(axis=0)
        left = x - of_items[:, None] - of_runs + centre
        items += of_items.var(ddof=1) / x.shape[0] / n_sets**2
        rest += (left**2).sum() / (x.shape[0] - 1) / (x.shape[1] - 1) / x.size / n_sets**2
        runs += of_runs.var(ddof=1) / x.shape[1] / n_sets**2
        means.append(of_runs)
    if crossed:
        runs = np.mean(means, axis=0).var(ddof=1) / len(means[0])
    return items, runs, rest


@needs("runs")
@pytest.mark.parametrize("crossed", [True, False])
def test_runs_on_all_sets_are_crossed_with_them(crossed):
    names = [("run" if crossed else name) for name in SHARED]
    sets = {n: preds_of(t, runs) for (n, t), runs in zip(SHARED.items(), names, strict=True)}
    found = mc.compare_groups(sets, **OPTIONS)
    items, runs, rest = variances([t["a"] - t["b"] for t in SHARED.values()], crossed)
    expected = np.sqrt(max(items + runs - rest, items, runs))
    pooled = found._pooled((np.array([0]), np.array([1]))).low
    assert pooled.standard_error[0, 0] == pytest.approx(expected, rel=1e-9)
    assert "|generalize_to:items+runs|" in found.signature
    assert "new runs are allowed for" in found.verdict()
    row, degrees = only(found.pooled_differences), pooled.degrees[0, 0]
    low, high = stats.t.interval(0.95, degrees, row["difference"], expected)
    assert row["ci_low"] <= low + 1e-12
    assert row["ci_high"] >= high - 1e-12
    assert row["p_value"] >= 2 * stats.t.sf(abs(row["difference"]) / expected, degrees) - 1e-12


@needs("runs")
def test_new_sets_and_new_runs_are_two_crossed_factors():
    sets = {name: preds_of(table) for name, table in SHARED.items()}
    found = mc.compare_groups(sets, generalize_to="sets+runs", **OPTIONS)
    # One table of sets x runs, as of items x runs.
    x = np.array([(t["a"] - t["b"]).mean(axis=0) for t in SHARED.values()])
    items, runs, rest = variances([x], crossed=True)
    pooled = found._pooled((np.array([0]), np.array([1]))).low
    expected = np.sqrt(max(items + runs - rest, items, runs))
    assert pooled.standard_error[0, 0] == pytest.approx(expected, rel=1e-9)
    assert "|generalize_to:items+sets+runs|" in found.signature


@needs("runs")
def test_few_new_sets_are_warned_of_and_have_no_more_degrees_than_sets():
    sets = {name: preds_of(SHARED[name]) for name in "stu"}
    with pytest.warns(mc.SparseDataWarning, match="3 test sets decide how far new ones may differ"):
        found = mc.compare_groups(sets, generalize_to="sets+runs", **OPTIONS)
    assert found._pooled((np.array([0]), np.array([1]))).low.degrees.max() <= 2
    with pytest.warns(mc.SparseDataWarning, match="3 test sets decide"):
        mc.decide(sets, "a", "b", "mean_score", margin=0.1, generalize_to="sets", n_resamples=99)


@needs("runs")
def test_a_signature_is_for_these_runs_where_there_are_runs_and_no_new_ones():
    sets = {name: preds_of(SHARED[name]) for name in "su"}
    assert "for these runs" not in mc.compare_groups(SCORES, **OPTIONS).signature
    these = mc.compare_groups(sets, generalize_to="items", **OPTIONS)
    assert "|for these runs" in these.signature
    new = mc.compare_groups(sets, generalize_to="items+runs", **OPTIONS)
    assert "for these runs" not in new.signature
    assert "|generalize_to:items+runs|" in new.signature


@needs("runs")
def test_partly_shared_runs_are_refused():
    sets = {name: preds_of(table) for name, table in SHARED.items()}
    half = sets["s"].with_columns(runs=[r.replace("run3", "other") for r in sets["s"].runs])
    with pytest.raises(ValueError, match="some runs on all test sets and others on one"):
        mc.compare_groups({**sets, "s": half}, **OPTIONS).pooled_scores  # noqa: B018


@needs("runs")
@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("one", ["one run", "none"])
@pytest.mark.parametrize("ask", [
    lambda sets: mc.compare_groups(sets, **OPTIONS),
    lambda sets: mc.decide(sets, "a", "b", "mean_score", margin=0.1, n_resamples=99),
    lambda sets: mc.sample_size(sets, "a", "b", "mean_score"),
], ids=["compare_groups", "decide", "sample_size"])  # fmt: skip
def test_a_mean_of_sets_with_new_runs_and_sets_without_is_refused(ask, one, first):
    several, s = preds_of(SHARED["t"]), preds_of(SHARED["s"])
    single = s.subset(np.flatnonzero(s.runs == "run0"))
    sets = {"t": several, "s": single if one == "one run" else single.with_columns(runs=None)}
    if not first:
        sets = dict(reversed(sets.items()))
    with pytest.raises(ValueError, match=r"on a part of the sets alone; .* generalize_to='items'"):
        ask(sets)
    these = mc.compare_groups(sets, generalize_to="items", **OPTIONS)
    assert "generalize_to" not in these.signature


def test_levels_are_crossed_with_test_sets_only_if_the_design_of_each_set_has_them():
    class Crossed(Design):
        def are_crossed(self, others):  # noqa: ARG002  of other designs
            return True

    p = SCORES["s"]
    assert are_crossed([Crossed(p), Crossed(p)])
    assert not are_crossed([Crossed(p), Design(p)])
    assert not are_crossed([Design(p), Crossed(p)])


@given(values=st.lists(st.floats(-1, 1), min_size=4, max_size=12), weight=st.floats(0.1, 0.9))
def test_parts_of_variances_add_up_over_sets(values, weight):
    x = np.array(values)[: len(values) // 2 * 2].reshape(2, 1, 1, -1)
    parts = [Layers.of_items(each.var(axis=-1), 5.0) for each in x]
    w = np.array([weight, 1 - weight])
    found = layers_of_sets(parts, w, crossed=False).variance
    own = x.var(axis=-1)[:, 0, 0]
    terms = w**2 * own
    assert found[0, 0, 0] == pytest.approx(terms.sum())
    if terms.sum() > 1e-9:
        expected = max(1.0, terms.sum() ** 2 / (terms**2 / 5).sum())
        assert found[1, 0, 0] == pytest.approx(expected)


def test_p_values_of_all_sets_are_one_family():
    found = mc.compare_groups(SCORES, **OPTIONS)
    p = found.differences
    assert p["p_adjusted"].tolist() == pytest.approx(multipletests(p["p_value"], method="holm")[1])
    signature = found.results["s"].signature
    assert "|tests:12|" in signature


def test_without_a_correction_groups_do_not_count():
    # 99 swaps are enough for a level of 0.05, and not for a fourth of it.
    found = mc.compare_groups(SCORES, correction="none", **OPTIONS)
    p = found.differences
    assert (p["p_adjusted"] == p["p_value"]).all()
    assert {each.evidence.alpha for each in found.results.values()} == {0.05}


def test_swaps_that_step_down_within_sets_step_down_over_them():
    # With 39 swaps, no p-value of 12 tests could be below 0.05 by Holm's method.
    shifted = {
        name: mc.Predictions.from_scores(
            {"a": t["a"], "b": t["b"] + 3, "c": t["c"] + 6}, greater_is_better=True
        )
        for name, t in TABLES.items()
    }
    found = mc.compare_groups(shifted, "p50", n_resamples=199)
    assert found.differences["p_adjusted"].max() <= 4 / 200 + 1e-9
    assert dict(found.results["s"].evidence.corrections_used) == {"p50": "step-down"}


def evidence(p):
    """Return what the correction over groups reads, with corrected p-values."""
    return type("Found", (), {"p_adjusted": p[:, None], "corrections_used": {}})()


@settings(max_examples=25)
@given(st.lists(st.floats(0.001, 1), min_size=1, max_size=6))
def test_steps_over_groups_of_one_test_are_holms(p):
    found = adjust_groups([evidence(np.array([x])) for x in p], [slice(None)] * len(p), "max-t")
    expected = multipletests(p, method="holm")[1]
    assert np.concatenate(found).ravel().tolist() == pytest.approx(expected)


def test_steps_over_groups_are_those_of_a_loop_over_levels():
    rng = np.random.default_rng(3)
    groups = [np.sort(rng.uniform(0, 0.3, 3)) for _ in range(3)]
    found = adjust_groups([evidence(p) for p in groups], [slice(None)] * 3, "min-p")
    for level in np.linspace(0.0005, 1, 400):
        left, before = {0, 1, 2}, None
        while left != before:
            before = set(left)
            left = {g for g in left if groups[g].max() * len(before) > level}
        for g, own in enumerate(groups):
            shown = own * max(len(left), 1) <= level if g in left else np.ones(3, bool)
            np.testing.assert_array_equal(found[g].ravel() <= level, shown)


def test_models_that_lack_a_test_set_are_refused_or_the_set_dropped():
    sets = {**SCORES, "s": SCORES["s"][["a", "b"]]}
    with pytest.raises(
        ValueError, match=r"test set 's' has no predictions of 'c' .*missing='drop'"
    ):
        mc.compare_groups(sets, **OPTIONS)
    found = mc.compare_groups(sets, missing="drop", **OPTIONS)
    assert [*found.results] == ["t", "u", "v"]
    mean = found.pooled_scores.set_index("model").loc["a", "estimate"]
    assert mean == pytest.approx(np.mean([TABLES[name]["a"].mean() for name in "tuv"]))
    assert "Test sets dropped, which lack models: s." in found.notes
    weights = {"s": 1, "t": 1, "u": 2, "v": 1}
    weighted = mc.compare_groups(sets, missing="drop", weights=weights, **OPTIONS)
    np.testing.assert_allclose(weighted.shares, [0.25, 0.5, 0.25])
    with pytest.raises(ValueError, match="leaves 1 of 2 test sets, and a mean needs 2"):
        mc.compare_groups({name: sets[name] for name in "st"}, missing="drop", **OPTIONS)


def test_sets_that_separate_no_models_are_named():
    found = mc.compare_groups(SCORES, **OPTIONS)
    close = mc.compare_groups({name: each[["a", "b"]] for name, each in SCORES.items()}, **OPTIONS)
    row = found.saturation.query("set == 't' and model_a == 'a' and model_b == 'b'").iloc[0]
    d = DIFFERENCES["t"]
    z = stats.norm.ppf(1 - 0.05 / 12 / 2) + stats.norm.ppf(0.8)
    expected = (d.mean() / (d.std() / np.sqrt(len(d))) / z) ** 2
    assert row["share_needed"] == pytest.approx(expected, rel=1e-6)
    assert row["n_needed"] == np.ceil(60 / expected)
    largest = close.saturation.groupby("set")["share_needed"].max()
    weak = [name for name in SIZES if largest[name] < 1]
    assert weak
    assert f"no two models are separated by {weak[0]}" in close.verdict()
    assert len(weak) > 1
    nearest = format_percent(round(max(largest[weak]) ** 0.5, 2))
    assert (
        f": observed differences are at most {nearest} of those that they detect" in close.verdict()
    )


def test_the_agreement_of_orders_is_kendalls():
    found = mc.compare_groups(SCORES, **OPTIONS)
    values = np.array([[x.mean() for x in table.values()] for table in TABLES.values()])
    row = found.orders.query("set_a == 's' and set_b == 'u'").iloc[0]
    assert row["kendall"] == pytest.approx(stats.kendalltau(values[0], values[2]).statistic)
    ranks = stats.rankdata(values, axis=1)
    spread = ((ranks.sum(axis=0) - ranks.sum() / 3) ** 2).sum()
    w = 12 * spread / (4**2 * (3**3 - 3))
    assert f"concordance of {w:.3g}" in found.verdict()


@needs("runs")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"generalize_to": "sets", "weights": "samples"}, "`weights` is for these test sets"),
        ({"weights": {"s": 1.0}}, "`weights` must give each test set a weight"),
        ({"weights": "size"}, "`weights` must be equal, samples or a mapping"),
        ({"weights": dict.fromkeys(SIZES, 0)}, "not all 0"),
        ({"generalize_to": "sets+runs"}, "no column names them"),
    ],
)
def test_what_does_not_fit_sets_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        mc.compare_groups(SCORES, **OPTIONS, **options)


def test_one_test_set_has_no_new_ones():
    sliced = mc.Predictions.from_scores(
        TABLES["s"], greater_is_better=True, slices={"half": [0, 1] * 20}
    )
    with pytest.raises(ValueError, match="for several test sets"):
        mc.compare_groups(sliced, generalize_to="sets", min_size=5)
    with pytest.raises(ValueError, match="asks about new test sets, which needs several"):
        mc.decide(SCORES["s"], "a", "b", "mean_score", margin=0.1, generalize_to="sets")


@needs("runs")
def test_subgroups_answer_for_new_runs_as_compare_does():
    half = np.repeat(np.arange(60) % 2, R)
    preds = preds_of(in_runs(60, 0), slices={"half": half})
    found = mc.compare_groups(preds, min_size=5, **OPTIONS)
    alone = mc.compare(preds.subset(half == 0), **OPTIONS)
    part = found.scores[found.scores["value"] == 0]
    assert part["ci_low"].tolist() == alone.scores["ci_low"].tolist()
    assert "new runs are allowed for" in "".join(found.notes)


@needs("runs")
@pytest.mark.parametrize(
    ("runs", "size"),
    [("run", "230 items x 4 runs"), ({"a": 4, "b": 2}, "230 items x 2 to 4 runs")],
)
def test_titles_count_items_and_runs_and_not_rows(runs, size):
    sets = {name: preds_of(table, runs) for name, table in SHARED.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = mc.compare_groups(sets, **OPTIONS)
    figure = found.plot.groups()
    assert figure.title == f"4 test sets, {size}; scores with 95 % CI"
    # "95 % CI" is not broken.
    (drawn,) = [text.get_text() for text in figure.texts if "scores" in text.get_text()]
    assert "95 % CI" in drawn
    assert "\n" in drawn
    # A cluster of several items is not one item.
    pairs = sets["s"].with_columns(groups=np.asarray(sets["s"].groups) // 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert f", {size.replace('230', '40')};" in mc.compare(pairs, **OPTIONS).plot().title
    one = found.results["s"]
    assert one.plot().title.startswith(f"2 models, {size.replace('230', '40')};")
    assert mc.compare(SCORES["s"], **OPTIONS).plot().title.startswith("3 models, 40 samples;")


def test_intervals_without_spread_are_not_points():
    same = mc.Predictions.from_scores(
        {"a": [0.0, 1.0] * 20, "b": [0.0, 1.0] * 20}, greater_is_better=True, bounds=(0, 1)
    )
    found = mc.compare_groups({"s": same, "t": same, "u": same}, generalize_to="sets", **OPTIONS)
    row = found.pooled_differences.iloc[0]
    assert row["ci_low"] < 0 < row["ci_high"]
    low, high = difference_interval(
        Estimates(np.zeros(1), np.zeros(1), np.ones(1), np.full(1, 3.0)), (0.0, 1.0)
    )
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((low[0], high[0]))
    assert row["p_value"] == 1


def test_the_command_answers_for_new_sets(tmp_path, capsys):
    rows = [
        {"set": name, "item": i, "model": m, "score": x}
        for name, table in TABLES.items() for m, column in table.items()
        for i, x in enumerate(column)
        if (name, m) != ("v", "c")
    ]  # fmt: skip
    path = tmp_path / "suite.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    given = ["groups", str(path), "--resamples", "99", "--generalize-to", "sets"]
    assert main(given) == 2
    assert "test set 'v' has no predictions of 'c'" in capsys.readouterr().err
    assert main([*given, "--missing", "drop"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "mean of 3 test sets" in out
    assert "For test sets like these 3: new ones are allowed for, but sets of a kind rarer" in out
    assert "Test sets dropped, which lack models: v." in out


SHARES = {
    name: {m: (RNG.random(n) < 0.6 + 0.1 * k).astype(float) for k, m in enumerate("abc")}
    for name, n in SIZES.items()
}


def binary(lacking=()):
    """Return test sets of 0/1 scores without some models on some sets."""
    return {
        name: mc.Predictions.from_scores(
            {m: x for m, x in table.items() if (name, m) not in lacking},
            greater_is_better=True, bounds=(0, 1),
        )
        for name, table in SHARES.items()
    }  # fmt: skip


def test_bounds_hold_for_all_values_on_the_sets_that_models_lack():
    lacking = [("t", "a"), ("v", "c"), ("u", "c"), ("t", "b")]
    options = {"generalize_to": "items", "n_resamples": 999}
    found = mc.compare_groups(binary(lacking), missing="bounds", **options)
    # Of the same models, complete: constants at the ends where they are lacking.
    scores = found.pooled_scores.set_index("model")
    pairs = found.pooled_differences.set_index(["model_a", "model_b"])
    assert np.isnan(scores["estimate"]).all()
    for fill in ("low", "high", "real"):
        tables = {name: dict(table) for name, table in SHARES.items()}
        for name, m in lacking:
            if fill != "real":
                tables[name][m] = np.full(SIZES[name], float(fill == "high"))
        means = {m: np.mean([tables[n][m].mean() for n in SIZES]) for m in "abc"}
        for m in "abc":
            assert scores["ci_low"][m] <= means[m] <= scores["ci_high"][m]
        for a, b in pairs.index:
            assert pairs["ci_low"][a, b] <= means[a] - means[b] <= pairs["ci_high"][a, b]
    # The width is that of the values on the other sets, and of what is unknown.
    complete = mc.compare_groups(binary(), **options).pooled_scores.set_index("model")
    known = complete["ci_high"]["c"] - complete["ci_low"]["c"]
    width = scores["ci_high"]["c"] - scores["ci_low"]["c"]
    assert 2 / 4 < width < 2 / 4 + known + 0.02
    # One model of a pair is lacking: the other's value counts as it is.
    apart = [SHARES["v"]["b"].mean(), SHARES["u"]["b"].mean()]
    unknown = [x.mean() for x in (SHARES["s"]["b"] - SHARES["s"]["c"],)]
    low = (sum(apart) - 2 + unknown[0] - 1) / 4
    assert pairs["ci_low"]["b", "c"] < low
    assert "Bounds for all possible results of the models that lack t, u, v." in found.verdict()
    low, high = scores.loc["c", ["ci_low", "ci_high"]]
    assert f"that of c is unknown (95 % CI {low:.3f} to {high:.3f})" in found.verdict()


@pytest.mark.parametrize("order", [("a", "b"), ("b", "a")])
def test_a_difference_from_a_lacking_model_reaches_as_far_as_the_other_does_turned_round(order):
    # Of b, 16 of 20 and 14 of 20 are right; a is on a set without weight alone.
    whole, n, right = [*order], 20, np.array([16, 14])
    sets = {"none": mc.Predictions.from_scores(
        {m: np.eye(2)[0] for m in whole}, greater_is_better=True, bounds=(0, 1)
    )} | {f"s{k}": mc.Predictions.from_scores(
        {"b": np.r_[np.ones(k), np.zeros(n - k)]}, greater_is_better=True, bounds=(0, 1)
    ) for k in right.tolist()}  # fmt: skip
    weights = {name: float(name != "none") for name in sets}
    found = mc.compare_groups(
        sets, missing="bounds", generalize_to="items", weights=weights, n_resamples=99
    ).pooled_differences.iloc[0]
    low, high = proportion_confint(right, n, method="wilson")
    below, above = (np.sqrt(np.sum(x**2)) / 2 for x in (right / n - low, high - right / n))
    half = np.sqrt(np.sum((high - low) ** 2)) / 4
    reach = {"below": max(half, below), "above": max(half, above)}
    ends = [0.75 - 1 - reach["below"], 0.75 - 0 + reach["above"]]
    ends = ends if order[0] == "b" else [-ends[1], -ends[0]]
    assert found["model_a"] == order[0]
    assert [found["ci_low"], found["ci_high"]] == pytest.approx(ends, abs=1e-9)
    # By Wilson's formula: 0.5840 to 0.9193 and 0.4810 to 0.8545.
    assert ends == pytest.approx(
        [-0.4038, 0.8755] if order[0] == "b" else [-0.8755, 0.4038], abs=1e-4
    )


def test_a_difference_is_shown_within_bounds_only_if_it_is_so_at_the_nearest_end():
    sets = binary()
    far = {
        name: mc.Predictions.from_scores(
            {"a": np.zeros(200), "b": np.ones(200), "c": p.output("c").array.repeat(5)[:200]}
            if name != "s" else {"b": np.ones(200)}, greater_is_better=True, bounds=(0, 1),
        )
        for name, p in sets.items()
    }  # fmt: skip
    far = {name: far[name] for name in "tuvs"}
    found = mc.compare_groups(far, missing="bounds", generalize_to="items", n_resamples=999)
    row = only(found.pooled_differences)
    assert np.isnan(row["difference"])
    assert row["ci_low"] == -1
    assert -0.75 < row["ci_high"] < -0.6
    assert row["better"] == "b"
    verdict = found.verdict()
    assert "of the models that lack no test set b leads (1.0000) and is better than a and c" in (
        verdict
    )
    assert "; that of a is unknown (95 % CI 0.000 to 0.2" in verdict
    assert only(found.pooled_differences, "b", "c")["p_value"] <= 1
    unknown = only(mc.compare_groups(
        binary([("v", "a"), ("t", "a"), ("u", "a")]), missing="bounds", generalize_to="items", n_resamples=999
    ).pooled_differences)  # fmt: skip
    assert unknown["p_value"] == 1


def test_bounds_that_nothing_is_known_of_are_refused():
    sets = {**SCORES, "s": SCORES["s"][["a", "b"]]}
    with pytest.raises(ValueError, match="needs metrics with a range, which mean_score has not"):
        mc.compare_groups(  # noqa: B018
            sets, missing="bounds", generalize_to="items", n_resamples=999
        ).pooled_scores
    with pytest.raises(ValueError, match="use generalize_to='items'"):
        mc.compare_groups(sets, missing="bounds", **OPTIONS)
    lacking = mc.compare_groups(
        binary([("s", "c")]), missing="bounds", generalize_to="items", n_resamples=999
    )
    with pytest.raises(ValueError, match="ranks need the values of all models"):
        lacking.friedman("mean_score")
    assert lacking.orders["kendall"].notna().all()
    verdict = lacking.verdict()
    assert "mean of 4 test sets: of the models that lack no test set b leads (" in verdict
    assert "; that of c is unknown (95 % CI " in verdict


def test_resamples_of_models_that_lack_a_set_are_refused():
    # Each set lacks another model, so that arrays of resamples would fit together.
    sets = binary([("s", "a"), ("t", "b"), ("u", "c"), ("v", "a")])
    with pytest.raises(ValueError, match="needs resamples of all models on all test sets"):
        mc.compare_groups(
            sets, missing="bounds", generalize_to="items", n_resamples=999, correction="max-t"
        )


@pytest.mark.parametrize("method", ["percentile", "BCa"])
def test_resampled_intervals_are_bounded_and_for_new_sets_too(method):
    options = {"n_resamples": 999, "method": method}
    sets = {name: each[["a", "b"]] for name, each in binary([("s", "a")]).items() if name != "s"}
    sets["s"] = binary()["s"]["b"]
    row = only(mc.compare_groups(
        sets, missing="bounds", generalize_to="items", **options
    ).pooled_differences)  # fmt: skip
    known = [p.output("a").array.mean() - p.output("b").array.mean() for n, p in sets.items()
             if n != "s"]  # fmt: skip
    of_s = sets["s"].output("b").array.mean()
    low, high = ((sum(known) + end - of_s) / 4 for end in (0, 1))
    assert row["ci_low"] < low < high < row["ci_high"]
    new = only(mc.compare_groups(binary(), generalize_to="sets", **options).pooled_differences)
    means = [np.subtract(t["a"], t["b"]).mean() for t in SHARES.values()]
    ends = stats.t.interval(0.95, 3, np.mean(means), stats.sem(means))
    assert new["ci_low"] <= ends[0] + 1e-9
    assert new["ci_high"] >= ends[1] - 1e-9


def kappas(models):
    """Compare models by kappa on two test sets, one of which may have samples of one class."""
    y = np.repeat([0, 1], 50)
    errs = {model: y ^ (np.arange(100) % 50 < 5 * (k + 1)) for k, model in enumerate(models)}
    one = {model: np.arange(40) < 3 * k for k, model in enumerate(models)}
    sets = {
        "A": mc.Predictions(y, errs, labels=[0, 1]),
        "one": mc.Predictions([0] * 40, {m: x.astype(int) for m, x in one.items()}, labels=[0, 1]),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mc.UndefinedMetricWarning)
        found = mc.compare_groups(sets, "cohen_kappa", n_resamples=99)
    return found.verdict().splitlines()[0]


def test_no_model_leads_a_mean_that_is_undefined_for_another_one():
    assert kappas("ab") == (
        "cohen_kappa, mean of 2 test sets: b scores 0.30; it is undefined for a (on one)."
    )
    of_three = kappas("abc")
    assert of_three.startswith(
        "cohen_kappa, mean of 2 test sets: of the models with a value b leads"
    )
    assert of_three.endswith("; it is undefined for a (on one).")


@pytest.mark.parametrize(
    ("n_wrong", "relation"), [(20, "are better than c"), (14, "some of them are better than c")]
)
def test_models_of_one_mean_are_all_named(n_wrong, relation):
    # b errs where c does, so that it differs from c on fewer samples than a.
    right = {name: np.ones(60) for name in "abc"}
    right["a"][:6], right["b"][-6:], right["c"][-n_wrong:] = 0, 0, 0
    for names in ("abc", "bac"):
        sets = {
            f"s{k}": mc.Predictions.from_scores(
                {m: right[m][k::2] for m in names}, greater_is_better=True, bounds=(0, 1)
            ) for k in range(2)
        }  # fmt: skip
        verdict = mc.compare_groups(sets, correction="none", **OPTIONS).verdict()
        first, second, _ = names
        assert f"of 2 test sets: {first} and {second} have the same value (0.900) and" in verdict
        assert relation in verdict


def test_a_mean_that_is_undefined_for_all_models_is_named():
    constant = mc.Predictions([0] * 40, {"a": [0] * 40, "b": [0] * 40}, labels=[0, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mc.UndefinedMetricWarning)
        found = mc.compare_groups({"x": constant, "y": constant}, "cohen_kappa", n_resamples=99)
    assert found.verdict() == "cohen_kappa, mean of 2 test sets: undefined for every model."


def _of_classes(classes, n=120):
    truth = np.resize(classes, n)
    return mc.Predictions(truth, {"a": truth[::-1], "b": truth})


ROADS = {
    "compare_groups": lambda sets: mc.compare_groups(sets, n_resamples=99),
    "decide": lambda sets: mc.decide(sets, "a", "b", "accuracy", margin=0.1, n_resamples=99),
    "gate": lambda sets: mc.gate(sets, "a", "b", "each(accuracy):-0.1", n_resamples=99),
    "sample_size": lambda sets: mc.sample_size(sets, "a", "b", "accuracy"),
}


@pytest.mark.parametrize("road", ROADS.values(), ids=ROADS)
def test_sets_that_spell_a_class_or_their_name_in_two_ways_are_refused(road):
    text = "test set 't' has the class 'No' and test set 's' the class 'no'"
    with pytest.raises(ValueError, match=text):
        road({"s": _of_classes(["no", "yes"]), "t": _of_classes(["No", "Yes"])})
    with pytest.raises(
        ValueError, match="test sets 'law' and 'law ' have names that look the same"
    ):
        road({"law": _of_classes(["no", "yes"]), "law ": _of_classes(["no", "yes"])})


def test_sets_of_labels_beside_sets_of_scores_are_refused_with_their_metrics():
    scores = mc.Predictions.from_scores({"a": [0.0, 1] * 30, "b": [1.0, 1] * 30}, bounds=(0, 1))
    sets = {"s": _of_classes(["no", "yes"]), "t": scores}
    text = r"'s' and 't' have different default metrics \(accuracy, f1_macro and mean_score\)"
    with pytest.raises(ValueError, match=text):
        mc.compare_groups(sets, n_resamples=99)


def test_sets_of_different_classes_state_that_there_is_no_mean():
    sets = {"s": _of_classes(["no", "yes"]), "t": _of_classes(["cat", "dog"])}
    text = mc.compare_groups(sets, "f1", n_resamples=99).verdict()
    assert text.startswith("The test sets have different classes, so there is no mean over them")


def test_the_first_sentence_answers_about_the_means_of_all_metrics():
    preds = mc.load_example("snli")
    sets = {"x": preds.subset(range(700)), "y": preds.subset(range(700, 1500))}
    found = mc.compare_groups(sets, ["accuracy", "f1_macro", "log_loss"], n_resamples=499)
    first, *others = found.verdict().splitlines()
    assert first.startswith(
        "Mean of 2 test sets: bow_pair has the highest accuracy (0.678) and f1_"
    )
    assert "lowest log_loss" in first
    better = found.pooled_differences.query("model_a == 'bow_pair' or model_b == 'bow_pair'")
    wins = better[better["better"] == "bow_pair"].groupby(["model_a", "model_b"]).size()
    clear = {*wins.index[wins == 3].to_frame().to_numpy().ravel()} - {"bow_pair"}
    assert "is better than hypothesis_only and mlp" in first
    assert clear == {"hypothesis_only", "mlp"}
    assert others[0].startswith("accuracy, mean of 2 test sets: bow_pair leads (0.678)")
    lacking = {"x": sets["x"], "y": sets["y"][["bow_pair", "mlp"]]}
    found = mc.compare_groups(
        lacking, ["accuracy", "f1_macro"], n_resamples=499, missing="bounds",
        generalize_to="items",
    )  # fmt: skip
    assert found.verdict().startswith("accuracy, mean of 2 test sets: ")
