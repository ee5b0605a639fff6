"""Items, runs and test sets that a difference needs: components, predictions, frontier, costs."""

import json
import math
import re
import warnings

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import modelcompare as mc
from modelcompare.cli.app import main
from modelcompare.engine.run_variances import RunVariances
from modelcompare.questions.components import Components, Size
from modelcompare.questions.frontier import Frontier

N, R = 40, 5
VARIANCES = {"items": 0.04, "runs": 0.01, "rest": 0.09}


def table(rng, *, n_items=N, n_runs=R, items=0.04, runs=0.01, rest=0.09, mean=0.0):
    of_items, of_runs = rng.normal(size=(n_items, 1)), rng.normal(size=n_runs)
    noise = rng.normal(size=(n_items, n_runs))
    return mean + items**0.5 * of_items + runs**0.5 * of_runs + rest**0.5 * noise


def preds_of(shared, **tables):
    """Predictions of tables (n_items, n_runs), whose models share their runs or do not."""
    n_items, n_runs = next(iter(tables.values())).shape
    item, run = np.repeat(np.arange(n_items), n_runs), np.tile(np.arange(n_runs), n_items)
    runs = run if shared else {m: [f"{m}{r}" for r in run] for m in tables}
    return mc.Predictions.from_scores(
        {m: x.ravel() for m, x in tables.items()}, groups=item, runs=runs, greater_is_better=True
    )


def asked(preds, **options):
    return mc.sample_size(preds, "a", "b", "mean_score", **options)


A, B = (table(np.random.default_rng(k), mean=m) for k, m in ((3, 0.1), (4, 0.0)))
SHARED, SEPARATE = preds_of(True, a=A, b=B), preds_of(False, a=A, b=B)
COSTS = {"margin": 0.1, "cost_item": 1.0, "cost_run": 25.0}


def anova(x):
    """Components of items, runs and rest, by the sums of squares of two crossed factors."""
    n_items, n_runs = x.shape
    items, runs, mean = x.mean(axis=1), x.mean(axis=0), x.mean()
    square_items = n_runs * ((items - mean) ** 2).sum() / (n_items - 1)
    square_runs = n_items * ((runs - mean) ** 2).sum() / (n_runs - 1)
    left = x - items[:, None] - runs + mean
    square_rest = (left**2).sum() / ((n_items - 1) * (n_runs - 1))
    return (
        (square_items - square_rest) / n_runs, (square_runs - square_rest) / n_items, square_rest
    )  # fmt: skip


def test_components_of_shared_runs_are_those_of_the_analysis_of_variance():
    found = asked(SHARED).components
    expected = anova(A - B)
    assert min(expected) > 0
    assert (found.items, *found.runs, *found.rest) == pytest.approx(expected, rel=1e-9)
    assert found.sets is None
    assert found.sets_runs == (0.0,)


def test_components_of_shared_runs_are_those_of_a_mixed_model():
    """REML is the analysis of variance where data are balanced and no component is below 0."""
    found = asked(SHARED).components
    item, run = np.indices(A.shape)
    frame = pd.DataFrame({"y": (A - B).ravel(), "item": item.ravel(), "run": run.ravel()})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = smf.mixedlm(
            "y ~ 1", frame, groups=np.ones(len(frame)), re_formula="0",
            vc_formula={"item": "0 + C(item)", "run": "0 + C(run)"},
        ).fit(reml=True)  # fmt: skip
    expected = (*fitted.vcomp, fitted.scale)
    assert (found.items, *found.runs, *found.rest) == pytest.approx(expected, rel=2e-3)


def test_components_of_separate_runs_are_of_each_model_and_of_their_items_together():
    found = asked(SEPARATE).components
    of_models = [anova(x) for x in (A, B)]
    assert found.runs == pytest.approx([max(x[1], 0) for x in of_models], rel=1e-9)
    assert found.rest == pytest.approx([x[2] for x in of_models], rel=1e-9)
    together = (A.mean(axis=1) - B.mean(axis=1)).var(ddof=1) - sum(x[2] for x in of_models) / R
    assert found.items == pytest.approx(together, rel=1e-9)


@pytest.mark.slow
def test_components_are_unbiased_and_not_below_zero():
    rng = np.random.default_rng(0)
    found = []
    for _ in range(300):
        x, y = (table(rng, n_items=20, n_runs=4) for _ in "ab")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", mc.SparseDataWarning)
            found.append(asked(preds_of(False, a=x, b=y)).components)
    for name, true in (("items", 0.08), ("runs", 0.01), ("rest", 0.09)):
        values = np.array([getattr(each, name) for each in found]).reshape(300, -1)
        assert (values >= 0).all()
        # Floors add about 0.0007 to runs, of which 6 % are floored.
        error = values.std(axis=0, ddof=1) / math.sqrt(300)
        assert (np.abs(values.mean(axis=0) - true) < 4 * error + 0.001).all()


@pytest.mark.parametrize("preds", [SHARED, SEPARATE])
def test_the_error_predicted_at_the_size_of_the_pilot_is_the_observed_one(preds):
    size = asked(preds)
    assert min(size.components.items, *size.components.runs) > 0
    (row,) = mc.compare(preds, "mean_score", n_resamples=99).differences.to_dict("records")
    predicted = size.components.standard_error(size.size)
    assert predicted == pytest.approx(row["standard_error"], rel=1e-9)


def test_predicted_errors_are_those_of_simulated_sets_items_and_runs():
    of = Components(0.04, 0.02, (0.01, 0.03), (0.005, 0.0), (0.09, 0.05))
    rng, n = np.random.default_rng(1), 20_000
    for size in (Size(3, 10, 2), Size(6, 4, 5)):
        sets, items, runs = size
        means = rng.normal(0, math.sqrt(0.02 / sets + 0.04 / (sets * items)), n)
        for k in range(2):
            means += math.sqrt(of.runs[k]) * rng.normal(size=(n, runs)).mean(axis=1)
            means += math.sqrt(of.sets_runs[k]) * rng.normal(size=(n, sets * runs)).mean(axis=1)
            rest = rng.normal(size=(n, sets * items * runs)).mean(axis=1)
            means += math.sqrt(of.rest[k]) * rest
        # A standard deviation of 20,000 numbers has an error of 0.5 %.
        assert of.standard_error(size) == pytest.approx(means.std(), rel=0.02)


@settings(max_examples=30, deadline=None)
@given(
    items=st.floats(0, 1), rest=st.floats(0.01, 1), sets=st.integers(1, 9), n=st.integers(2, 500),
    runs=st.integers(2, 20),
)  # fmt: skip
def test_more_of_anything_never_predicts_a_larger_error(items, rest, sets, n, runs):
    of = Components(items, 0.1, (0.02,), (0.01,), (rest,))
    here = of.standard_error(Size(sets, n, runs))
    for more in (Size(sets + 1, n, runs), Size(sets, n + 1, runs), Size(sets, n, runs + 1)):
        assert of.standard_error(more) < here


@pytest.mark.parametrize("n_procedures", [1, 2])
@pytest.mark.parametrize(("n_items", "n_runs"), [(30, 2), (30, 3), (60, 5)])
def test_predicted_power_is_that_of_the_test_that_compare_does(n_procedures, n_items, n_runs):
    """2,000 simulated tests: a power of 0.8 has an error of 0.009."""
    of = Components(
        0.05, None, (0.004,) * n_procedures, (0.0,) * n_procedures, (0.1,) * n_procedures
    )
    size = Size(1, n_items, n_runs)
    margin = of.detectable(size, 0.05, 0.8)
    assert of.power(size, margin, 0.05) == pytest.approx(0.8, abs=1e-6)
    rng, n = np.random.default_rng(2), 2000
    items = rng.normal(0, math.sqrt(of.items), (n, n_items, 1))
    tables = [
        (items if k == 0 else 0.0) + rng.normal(0, math.sqrt(of.runs[k]), (n, 1, n_runs))
        + rng.normal(0, math.sqrt(of.rest[k]), (n, n_items, n_runs))
        for k in range(n_procedures)
    ]  # fmt: skip
    every = RunVariances.of_tables(tables, np.arange(n_procedures))
    pairs = None if n_procedures == 1 else (np.array([0]), np.array([1]))
    variance, degrees = every.layers(pairs).variance[:, 0]
    means = [x.mean(axis=(1, 2)) for x in tables]
    t = np.abs(means[0] - sum(means[1:]) + margin) / np.sqrt(variance)
    assert (t > stats.t.ppf(0.975, degrees)).mean() == pytest.approx(0.8, abs=0.036)


def test_the_frontier_has_the_fewest_items_for_each_number_of_runs():
    size = asked(SEPARATE, margin=0.15)
    frame, of = size.frontier, size.components
    assert {2, 3, 5, 10, 20, 50} <= {*frame["n_runs"]}
    checked = 0
    for row in frame.to_dict("records"):
        n, runs = row["n_items"], row["n_runs"]
        if math.isinf(n):
            many = Size(1, 10**9, runs)
            assert of.power(many, 0.15, 0.05) < 0.8
            assert math.isnan(row["standard_error"])
        elif n > 2 and math.isfinite(runs) and n != N:
            assert (
                of.power(Size(1, n, runs), 0.15, 0.05)
                >= 0.8
                > of.power(Size(1, n - 1, runs), 0.15, 0.05)
            )
            assert row["standard_error"] == of.standard_error(Size(1, n, runs))
            checked += 1
    assert checked >= 3


def test_the_fewest_sets_are_those_of_a_search_one_by_one():
    of = Components(1.0, 0.0)
    found = set()
    for margin in np.geomspace(0.1, 9, 40):
        plan = Frontier(
            components=of, size=Size(5, 10), margin=margin, alpha=0.05, power=0.8, cost_item=None,
            cost_run=None,
        )  # fmt: skip
        n = next(n for n in range(2, 999) if of.power(Size(n, 10), margin, 0.05) >= 0.8)
        assert plan._solved("sets", plan.size).sets == n
        found.add(n)
    assert {2, 3, 4} < found


def test_the_frontier_has_the_fewest_runs_for_the_items_of_the_pilot():
    size = asked(SEPARATE, margin=0.3)
    (here,) = size.frontier[size.frontier["n_items"] == N].to_dict("records")
    runs, power = here["n_runs"], size.components.power
    assert 2 < runs < math.inf
    assert power(Size(1, N, runs), 0.3, 0.05) >= 0.8 > power(Size(1, N, runs - 1), 0.3, 0.05)
    assert f"{N} with {runs}" in size.sentence()


def test_where_runs_alone_hide_a_difference_no_number_of_items_is_enough():
    size = asked(SEPARATE, margin=0.02)
    assert np.isinf(size.frontier["n_items"][:3]).all()
    assert "with 50 runs of each no number of items is enough" in size.sentence()
    assert math.isinf(size.needed(0.02))
    assert "inf: no number is enough." in str(size)


@pytest.mark.parametrize("cost_run", [1.0, 25.0, 400.0])
def test_the_cheapest_numbers_are_those_of_an_enumeration(cost_run):
    size = asked(SHARED, margin=0.2, cost_item=1.0, cost_run=cost_run)
    frame, power = size.frontier, size.components.power
    best, runs, enough = math.inf, 2, 300
    while 2 * cost_run * runs < best:
        # With more runs no more items are needed.
        while enough > 2 and power(Size(1, enough - 1, runs), 0.2, 0.05) >= 0.8:
            enough -= 1
        cost = enough if enough < 300 else math.inf
        best, runs = min(best, cost + 2 * cost_run * runs), runs + 1
    (row,) = frame[frame["cheapest"]].to_dict("records")
    n, runs = row["n_items"], row["n_runs"]
    assert row["cost"] == n + 2 * cost_run * runs == frame["cost"].min()
    assert row["cost"] == pytest.approx(best, rel=0.01)
    assert f"Cheapest: {runs:.0f} runs of each and {n:,.0f} items (cost" in size.sentence()


def test_costs_are_columns_only_where_they_are_given():
    plain = SHARED.with_columns(runs=None)
    costly = asked(plain, cost_item=2.0)
    assert costly.curve([100])["cost"].tolist() == [200.0]
    assert f"(cost {2 * costly.n_needed:,.10g})" in costly.sentence()
    assert costly.needed(0.1) == asked(plain).needed(0.1)
    for frame in (asked(plain).curve([100]), asked(SHARED).frontier):
        assert "cost" not in frame


def test_a_pilot_without_runs_keeps_its_answer():
    """As in Miller (2024): n is the square of (z + z) times the deviation over the difference."""
    one = mc.Predictions.from_scores({"a": A[:, 0], "b": B[:, 0]}, greater_is_better=True)
    size = asked(one, margin=0.05)
    deviation = (A[:, 0] - B[:, 0]).std(ddof=1)
    z = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    assert size.standard_deviation == pytest.approx(deviation, rel=1e-9)
    assert size.frontier["n_items"].tolist() == [math.ceil((z * deviation / 0.05) ** 2)]
    assert size.curve([100])["detectable"].item() == pytest.approx(z * deviation / 10, rel=1e-9)
    assert f"one of 0.05 needs about {size.needed(0.05):,} samples." in size.sentence()
    with pytest.raises(ValueError, match=r"only samples vary in this pilot; plot\.power"):
        size.plot.frontier()


def test_without_a_margin_the_observed_difference_is_planned_for():
    size = asked(SHARED)
    assert size.margin == abs(size.difference)
    assert f"To detect the observed {size.margin:.4g} (power 0.8" in size.sentence()


def test_no_numbers_detect_a_difference_of_zero():
    right = (A > 0).astype(float)
    size = asked(preds_of(True, a=right, b=right[::-1]), cost_item=1.0, cost_run=1.0)
    assert size.margin == 0
    assert np.isinf(size.frontier[["n_items", "n_runs"]]).any(axis=1).all()
    assert not size.frontier["cheapest"].any()
    assert "Cheapest" not in size.sentence()
    assert "with 50 runs of each no number of items is enough" in size.sentence()
    assert len(size.plot.frontier().axes) == 1


def test_few_runs_are_reported_with_the_interval_of_their_component():
    preds = preds_of(True, a=A[:, :3], b=B[:, :3])
    with pytest.warns(mc.SparseDataWarning, match="3 runs of a model decide"):
        size = asked(preds)
    x = A[:, :3] - B[:, :3]
    square, rest = x.mean(axis=0).var(ddof=1), anova(x)[2] / N
    ends = [math.sqrt(max(2 * square / stats.chi2.ppf(p, 2) - rest, 0)) for p in (0.95, 0.05)]
    now = math.sqrt(max(square - rest, 0))
    assert size.notes[-1].startswith(
        f"The runs' part is known from 3 runs only: its standard deviation is {now:.2g}, with a "
        f"90 % interval of {ends[0]:.2g} to {ends[1]:.2g}"
    )
    assert len(asked(SHARED).notes) == 1


# -- several test sets --------------------------------------------------------------------------


def suite(n_sets=6, *, spread=0.02, seed=0, n_items=30, n_runs=0):
    rng = np.random.default_rng(seed)
    found = {}
    for k in range(n_sets):
        gap = 0.05 + spread**0.5 * rng.normal()
        if n_runs:
            a, b = (table(rng, n_items=n_items, n_runs=n_runs) for _ in "ab")
            found[f"s{k}"] = preds_of(False, a=a + gap, b=b)
        else:
            a, b = rng.normal(0, 0.5, (2, n_items))
            found[f"s{k}"] = mc.Predictions.from_scores(
                {"a": a + gap, "b": b}, greater_is_better=True
            )
    return found


def test_sets_vary_by_what_their_differences_vary_beyond_their_errors():
    sets = suite()
    size = asked(sets, generalize_to="sets")
    x = [np.subtract(*(p.output(m).array for m in "ab")) for p in sets.values()]
    means, errors = np.array([u.mean() for u in x]), [u.var(ddof=1) / 30 for u in x]
    assert size.components.sets == pytest.approx(means.var(ddof=1) - np.mean(errors), rel=1e-9)
    assert size.components.items == pytest.approx(30 * np.mean(errors), rel=1e-9)
    assert size.difference == pytest.approx(means.mean())
    # Of sets as samples: the t-test of their differences.
    assert size.components.standard_error(size.size) == pytest.approx(stats.sem(means), rel=1e-9)


def test_the_power_of_more_sets_is_that_of_a_t_test_of_their_differences():
    size = asked(suite(), margin=0.1, generalize_to="sets")
    of = size.components
    for n_sets, n_items in ((6, 30), (15, 10)):
        predicted = of.power(Size(n_sets, n_items), 0.1, 0.05)
        shift = 0.1 / of.standard_error(Size(n_sets, n_items))
        quantile = stats.t.ppf(0.975, n_sets - 1)
        exact = stats.nct.sf(quantile, n_sets - 1, shift) + stats.nct.cdf(
            -quantile, n_sets - 1, shift
        )
        assert predicted == pytest.approx(exact, abs=0.005)
    frame = size.frontier
    assert {"n_sets", "n_items"} <= {*frame}
    assert set(frame["n_runs"]) == {1}
    assert " sets of 30 samples." in size.sentence()


def test_runs_of_a_suite_are_runs_on_all_of_its_sets():
    """A run's mean over sets, its deviations in a set, and the rest: the same as by hand."""
    sets = suite(5, n_runs=4)
    with pytest.warns(mc.SparseDataWarning):
        size = asked(sets, generalize_to="sets+runs")
    of = size.components
    tables = [
        np.stack([p.output(m).array.reshape(30, 4) for p in sets.values()]) for m in "ab"
    ]  # (sets, items, runs)
    for k, x in enumerate(tables):
        means = x.mean(axis=1) - x.mean(axis=(1, 2))[:, None]
        _, runs, left = anova(means)
        rest = np.mean([anova(one)[2] for one in x])
        assert of.rest[k] == pytest.approx(rest, rel=1e-9)
        assert of.runs[k] == pytest.approx(max(runs, 0), rel=1e-9, abs=1e-12)
        assert of.sets_runs[k] == pytest.approx(max(left - rest / 30, 0), rel=1e-9, abs=1e-12)
    assert {"runs", "sets"} == {*size._varied}
    assert "5 sets of 30 items x 4 runs" in size.sentence()


def test_fixed_sets_have_the_error_of_their_mean():
    """As many samples of each as the mean's normal test needs, by hand and by a comparison."""
    sets = suite()
    size = asked(sets, margin=0.1)
    assert size == asked(sets, margin=0.1, generalize_to="items")
    x = [np.subtract(*(p.output(m).array for m in "ab")) for p in sets.values()]
    error = np.sqrt(sum(u.var(ddof=1) / 30 for u in x)) / len(x)
    assert size.components.standard_error(size.size) == pytest.approx(error, rel=1e-9)
    pooled = mc.compare_groups(sets, generalize_to="items", test="wald", n_resamples=99)._pooled(
        (np.array([0]), np.array([1]))
    )
    assert pooled.low.standard_error[0, 0] == pytest.approx(error, rel=1e-9)
    z = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
    needed = np.ceil(30 * (z * error / 0.1) ** 2)
    assert size.needed(0.1) == needed
    assert size._varied == []
    assert f"one of 0.1 needs about {needed:,.0f} samples of each." in size.sentence()
    assert size.sentence().startswith(f"mean_score, for these {len(sets)} test sets: a - b = ")
    assert f" on {len(sets)} sets of 30 samples. These test sets detect " in size.sentence()
    assert size.notes == ()
    assert f"|n:30|n_sets:{len(sets)}|alpha:" in size.signature
    assert size.frontier["n_sets"].tolist() == [len(sets)]
    # Twice as many sets of the same kind need half of the items.
    twice = asked(
        {f"{k}{n}": p for n, p in sets.items() for k in "xy"}, generalize_to="items", margin=0.1
    )
    assert twice.needed(0.1) == pytest.approx(needed / 2, abs=1)


def test_fixed_sets_with_new_runs_have_the_variance_of_a_comparison():
    sets = suite(5, n_runs=6, seed=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        size = asked(sets, generalize_to="items+runs")
        pooled = mc.compare_groups(sets, generalize_to="items+runs", n_resamples=99)._pooled(
            (np.array([0]), np.array([1]))
        )
    assert min(size.components.runs) > 0
    assert size._varied == ["runs"]
    assert size.components.standard_error(size.size) == pytest.approx(
        pooled.low.standard_error[0, 0], rel=1e-9
    )
    # Run means over the sets, less what single results leave in them.
    for m, found in zip("ab", size.components.runs, strict=True):
        tables = np.stack([p.output(m).array.reshape(30, 6) for p in sets.values()])
        rest = np.mean([anova(one)[2] for one in tables])
        expected = tables.mean(axis=(0, 1)).var(ddof=1) - rest / 30 / 5
        assert found == pytest.approx(expected, rel=1e-9)
    assert "|n_runs:6|n_sets:5|generalize_to:items+runs|" in size.signature
    assert size.sentence().startswith("mean_score, for these 5 test sets: ")


def test_answers_name_the_sets_that_they_are_for():
    sets = suite(4, n_runs=5)
    new = "mean_score, for test sets like these 4: "
    these = "mean_score, for these 4 test sets: "
    seen = {}
    for generalize_to in ("auto", "sets+runs", "sets", "items+runs", "items"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            size = asked(sets, generalize_to=generalize_to)
        assert size.sentence().startswith(new if generalize_to in ("sets", "sets+runs") else these)
        seen[generalize_to] = (
            size.signature.split("|generalize_to:")[-1].split("|")[0],
            size._varied,
        )
    assert seen["auto"] == seen["items+runs"] == ("items+runs", ["runs"])
    assert seen["sets+runs"] == ("items+sets+runs", ["runs", "sets"])
    assert seen["sets"] == ("items+sets", ["sets"])
    assert seen["items"][1] == []
    with pytest.raises(
        ValueError, match="generalize_to='sets' asks about new test sets, which needs sev"
    ):
        asked(SHARED, generalize_to="sets")


def test_these_runs_of_each_test_set_may_be_any():
    sets = {"x": SHARED, "y": preds_of(True, a=A[:, :3], b=B[:, :3])}
    with pytest.raises(ValueError, match="some runs on all test sets"):
        asked(sets)
    found = asked(sets, generalize_to="items")
    alone = {name: each.with_columns(runs=None) for name, each in sets.items()}
    assert found.components == asked(alone, generalize_to="items").components


# -- refusals and the command -------------------------------------------------------------------

REFUSED = {
    "give both for a pilot": lambda: asked(SHARED, cost_item=1.0),
    "weigh items against new runs": lambda: asked(SHARED, cost_run=1.0),
    "else `cost_item` alone": lambda: asked(
        SHARED, cost_item=1.0, cost_run=1.0, generalize_to="items"
    ),
    "`margin` must be above 0": lambda: asked(SHARED, margin=0.0),
    "`cost_item` must be above 0": lambda: asked(SHARED, cost_item=-1.0, cost_run=1.0),
    "maps one test set": lambda: asked({"x": SHARED}),
    r"for these test sets as well generalize_to='items' \(--generalize-to items\)": lambda: asked(
        {"x": SHARED, "y": SEPARATE}
    ),
    "test sets have separate `runs`": lambda: asked({"x": SHARED, "y": SEPARATE}),
    "some have none": lambda: asked({"x": SHARED, "y": suite(2)["s0"]}),
    "no column names them": lambda: asked(suite(2)["s0"], generalize_to="items+runs"),
    "is undefined for one of the models on this test set 'y'": lambda: mc.sample_size(
        {
            "x": mc.Predictions([0, 1, 1, 0], {m: [0, 1, 0, 0] for m in "ab"}),
            "y": mc.Predictions([0, 0, 0, 0], {m: [0, 0, 0, 0] for m in "ab"}, labels=[0, 1]),
        }, "a", "b", "recall[1]",
    ),
}  # fmt: skip


@pytest.mark.parametrize("part", REFUSED)
def test_what_cannot_be_planned_is_refused_with_the_remedy(part):
    with pytest.raises(ValueError, match=part):
        REFUSED[part]()


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "pilot.csv"
    item, run = np.indices(A.shape)
    frame = pd.DataFrame(
        {"item": item.ravel(), "seed": run.ravel(), "a": A.ravel(), "b": B.ravel()}
    )
    frame.melt(["item", "seed"], var_name="model", value_name="score").to_csv(path, index=False)
    return str(path)


def test_the_command_answers_with_costs(csv, capsys):
    costs = ["--margin", "0.1", "--cost-item", "1", "--cost-run", "25"]
    assert main(["sample-size", csv, "--higher-is-better", *costs]) == 0
    out = capsys.readouterr().out
    expected = asked(SHARED, **COSTS)
    assert " ".join(out.split()).startswith(expected.sentence())
    assert "cheapest" in out
    assert main(["sample-size", csv, "--higher-is-better", "--cost-item", "1"]) == 2
    assert "(--cost-item, --cost-run)" in capsys.readouterr().err


@pytest.mark.usefixtures("undrawn")
def test_the_figure_has_the_frontier_the_pilot_and_the_cheapest_numbers():
    size = asked(SHARED, **COSTS)
    (axes,) = size.plot.frontier().axes
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    (row,) = size.frontier[size.frontier["cheapest"]].to_dict("records")
    points = [
        tuple(np.ravel(line.get_xydata())) for line in axes.lines if len(line.get_xdata()) == 1
    ]
    assert sorted(points) == sorted([(row["n_runs"], row["n_items"]), (R, N)])
    assert len(asked(suite(), generalize_to="sets").plot.frontier().axes) == 1


def test_the_command_plans_test_sets_too(tmp_path, capsys):
    rng = np.random.default_rng(0)
    rows = [
        {"set": f"s{s}", "item": i, "model": m, "score": float(x)}
        for s in range(5) for m in "ab"
        for i, x in enumerate(rng.normal(0.2 * (m == "b") + 0.1 * rng.normal(), 1, 40))
    ]  # fmt: skip
    path = tmp_path / "suite.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    given = ["sample-size", str(path), "--margin", "0.3", "--higher-is-better", "--format", "json"]
    assert main(given) == 0
    shown = json.loads(capsys.readouterr().out)
    sets = mc.io.read_sets(str(path), greater_is_better=True)
    expected = mc.sample_size(sets, "a", "b", "mean_score", margin=0.3)
    assert shown["signature"] == expected.signature
    assert "|n_sets:5|alpha" in expected.signature
    new = [*given[:-2], "--generalize-to", "sets"]
    assert main(new) == 0
    assert "mean_score, for test sets like these 5: " in capsys.readouterr().out
    assert main([*given, "--read", "set=s1"]) == 0
    assert json.loads(capsys.readouterr().out)["n_samples"] == 40


def test_numbers_are_of_samples_unless_there_are_runs():
    plain = mc.sample_size(mc.load_example("snli"), "mlp", "bow_pair", "accuracy").sentence()
    assert re.search(r"needs about [\d,]+ samples", plain)
    assert "items" not in plain


def test_an_undefined_metric_is_refused_with_the_name_of_its_test_set():
    y = np.arange(40) % 2
    never = mc.Predictions(y, {"a": np.zeros(40, dtype=int), "b": y}, labels=[0, 1])
    both = mc.Predictions(y, {"a": y, "b": 1 - y}, labels=[0, 1])
    for sets, which in ((never, ""), ({"both": both, "never": never}, " 'never'")):
        with pytest.raises(ValueError, match=f"models on this test set{which}; there is no"):
            mc.sample_size(sets, "a", "b", "precision[1]")
