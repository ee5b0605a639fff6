"""Test sets, items and runs that a difference needs, from a pilot of several test sets."""

import json
import math
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import modelcompare as mc
from modelcompare.cli.app import main
from modelcompare.plugins.suites.pilots import ComponentsOfSets
from modelcompare.questions.components import Size
from modelcompare.questions.frontier import Frontier
from tests.plugged import needs
from tests.questions.test_what_to_buy import SEPARATE, SHARED, A, B, anova, asked, preds_of, table


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


@needs("runs")
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
    assert {"runs", "sets"} == {*size.components.varied}
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
    assert size.components.varied == []
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


@needs("runs")
def test_fixed_sets_with_new_runs_have_the_variance_of_a_comparison():
    sets = suite(5, n_runs=6, seed=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        size = asked(sets, generalize_to="items+runs")
        pooled = mc.compare_groups(sets, generalize_to="items+runs", n_resamples=99)._pooled(
            (np.array([0]), np.array([1]))
        )
    assert min(size.components.runs) > 0
    assert size.components.varied == ["runs"]
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


@needs("runs")
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
            size.components.varied,
        )
    assert seen["auto"] == seen["items+runs"] == ("items+runs", ["runs"])
    assert seen["sets+runs"] == ("items+sets+runs", ["runs", "sets"])
    assert seen["sets"] == ("items+sets", ["sets"])
    assert seen["items"][1] == []
    with pytest.raises(
        ValueError, match="generalize_to='sets' asks about new test sets, which needs sev"
    ):
        asked(SHARED, generalize_to="sets")


@needs("runs")
def test_these_runs_of_each_test_set_may_be_any():
    sets = {"x": SHARED, "y": preds_of(True, a=A[:, :3], b=B[:, :3])}
    with pytest.raises(ValueError, match="some runs on all test sets"):
        asked(sets)
    found = asked(sets, generalize_to="items")
    alone = {name: each.with_columns(runs=None) for name, each in sets.items()}
    assert found.components == asked(alone, generalize_to="items").components


REFUSED = {
    "maps one test set": lambda: asked({"x": SHARED}),
    r"for these test sets as well generalize_to='items' \(--generalize-to items\)": lambda: asked(
        {"x": SHARED, "y": SEPARATE}
    ),
    "test sets have separate `runs`": lambda: asked({"x": SHARED, "y": SEPARATE}),
    "others have none": lambda: asked({"x": SHARED, "y": suite(2)["s0"]}),
    "is undefined for one of the models on this test set 'y'": lambda: mc.sample_size(
        {
            "x": mc.Predictions([0, 1, 1, 0], {m: [0, 1, 0, 0] for m in "ab"}),
            "y": mc.Predictions([0, 0, 0, 0], {m: [0, 0, 0, 0] for m in "ab"}, labels=[0, 1]),
        }, "a", "b", "recall[1]",
    ),
}  # fmt: skip


@needs("runs")
@pytest.mark.parametrize("part", REFUSED)
def test_what_cannot_be_planned_is_refused_with_the_remedy(part):
    with pytest.raises(ValueError, match=part):
        REFUSED[part]()


@pytest.mark.usefixtures("undrawn")
def test_the_figure_has_the_frontier():
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


def test_an_undefined_metric_is_refused_with_the_name_of_its_test_set():
    y = np.arange(40) % 2
    never = mc.Predictions(y, {"a": np.zeros(40, dtype=int), "b": y}, labels=[0, 1])
    both = mc.Predictions(y, {"a": y, "b": 1 - y}, labels=[0, 1])
    with pytest.raises(ValueError, match="models on this test set 'never'; there is no"):
        mc.sample_size({"both": both, "never": never}, "a", "b", "precision[1]")


def test_predicted_errors_are_those_of_simulated_sets_items_and_runs():
    of = ComponentsOfSets(0.04, (0.01, 0.03), (0.09, 0.05), 0.02, (0.005, 0.0))
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
    of = ComponentsOfSets(items, (0.02,), (rest,), 0.1, (0.01,))
    here = of.standard_error(Size(sets, n, runs))
    for more in (Size(sets + 1, n, runs), Size(sets, n + 1, runs), Size(sets, n, runs + 1)):
        assert of.standard_error(more) < here


def test_the_fewest_sets_are_those_of_a_search_one_by_one():
    of = ComponentsOfSets(1.0)
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
