"""Items, runs and test sets that a difference needs: components, predictions, frontier, costs."""

import math
import re
import warnings

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from scipy import stats

import modelcompare as mc
from modelcompare.cli.app import main
from modelcompare.engine.crossed import CrossedTables, CrossedVariances
from modelcompare.plugs import plugins
from modelcompare.questions.components import Components, Size
from tests.plugged import needs

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
SHARED, SEPARATE = (
    preds_of(shared, a=A, b=B) if "runs" in plugins() else None for shared in (True, False)
)
PLAIN = mc.Predictions.from_scores({"a": A[:, 0], "b": B[:, 0]}, greater_is_better=True)
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


@needs("runs")
def test_components_of_shared_runs_are_those_of_the_analysis_of_variance():
    found = asked(SHARED).components
    expected = anova(A - B)
    assert min(expected) > 0
    assert (found.items, *found.runs, *found.rest) == pytest.approx(expected, rel=1e-9)
    assert found.varied == ["runs"]


@needs("runs")
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


@needs("runs")
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


@needs("runs")
@pytest.mark.parametrize("preds", [SHARED, SEPARATE])
def test_the_error_predicted_at_the_size_of_the_pilot_is_the_observed_one(preds):
    size = asked(preds)
    assert min(size.components.items, *size.components.runs) > 0
    (row,) = mc.compare(preds, "mean_score", n_resamples=99).differences.to_dict("records")
    predicted = size.components.standard_error(size.size)
    assert predicted == pytest.approx(row["standard_error"], rel=1e-9)


@pytest.mark.parametrize("n_procedures", [1, 2])
@pytest.mark.parametrize(("n_items", "n_runs"), [(30, 2), (30, 3), (60, 5)])
def test_predicted_power_is_that_of_the_test_that_compare_does(n_procedures, n_items, n_runs):
    """2,000 simulated tests: a power of 0.8 has an error of 0.009."""
    of = Components(0.05, (0.004,) * n_procedures, (0.1,) * n_procedures)
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
    every = CrossedVariances.of(CrossedTables(tables, np.arange(n_procedures)))
    pairs = None if n_procedures == 1 else (np.array([0]), np.array([1]))
    variance, degrees = every.layers(pairs).variance[:, 0]
    means = [x.mean(axis=(1, 2)) for x in tables]
    t = np.abs(means[0] - sum(means[1:]) + margin) / np.sqrt(variance)
    assert (t > stats.t.ppf(0.975, degrees)).mean() == pytest.approx(0.8, abs=0.036)


@pytest.mark.parametrize("n_items", [3, 5, 9])
def test_thresholds_of_few_items_have_students_degrees(n_items):
    """The runs add nothing here, so the test divides by the items' error with n - 1 degrees."""
    alone = Components(items=0.04, runs=(0.0,), rest=(0.0,))
    found = alone.thresholds(Size(items=n_items, runs=2), 0.95)
    student = stats.t.ppf(0.975, n_items - 1)
    assert np.mean(found**2) == pytest.approx(student**2 * 0.04 / n_items, rel=0.03)


@needs("runs")
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


@needs("runs")
def test_the_frontier_has_the_fewest_runs_for_the_items_of_the_pilot():
    size = asked(SEPARATE, margin=0.3)
    (here,) = size.frontier[size.frontier["n_items"] == N].to_dict("records")
    runs, power = here["n_runs"], size.components.power
    assert 2 < runs < math.inf
    assert power(Size(1, N, runs), 0.3, 0.05) >= 0.8 > power(Size(1, N, runs - 1), 0.3, 0.05)
    assert f"{N} with {runs}" in size.sentence()


@needs("runs")
def test_where_runs_alone_hide_a_difference_no_number_of_items_is_enough():
    size = asked(SEPARATE, margin=0.02)
    assert np.isinf(size.frontier["n_items"][:3]).all()
    assert "with 50 runs of each no number of items is enough" in size.sentence()
    assert math.isinf(size.needed(0.02))
    assert "inf: no number is enough." in str(size)


@needs("runs")
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


@needs("runs")
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


@needs("runs")
def test_without_a_margin_the_observed_difference_is_planned_for():
    size = asked(SHARED)
    assert size.margin == abs(size.difference)
    assert f"To detect the observed {size.margin:.4g} (power 0.8" in size.sentence()


@needs("runs")
def test_no_numbers_detect_a_difference_of_zero():
    right = (A > 0).astype(float)
    size = asked(preds_of(True, a=right, b=right[::-1]), cost_item=1.0, cost_run=1.0)
    assert size.margin == 0
    assert np.isinf(size.frontier[["n_items", "n_runs"]]).any(axis=1).all()
    assert not size.frontier["cheapest"].any()
    assert "Cheapest" not in size.sentence()
    assert "with 50 runs of each no number of items is enough" in size.sentence()
    assert len(size.plot.frontier().axes) == 1


@needs("runs")
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


# -- refusals and the command -------------------------------------------------------------------

REFUSED = {
    "give both for a pilot": lambda: asked(SHARED, cost_item=1.0),
    "weigh items against new runs": lambda: asked(SHARED, cost_run=1.0),
    "else `cost_item` alone": lambda: asked(
        SHARED, cost_item=1.0, cost_run=1.0, generalize_to="items"
    ),
    "`margin` must be above 0": lambda: asked(SHARED, margin=0.0),
    "`cost_item` must be above 0": lambda: asked(SHARED, cost_item=-1.0, cost_run=1.0),
    "no column names them": lambda: asked(PLAIN, generalize_to="items+runs"),
}  # fmt: skip


@needs("runs")
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


@needs("runs")
def test_the_command_answers_with_costs(csv, capsys):
    costs = ["--margin", "0.1", "--cost-item", "1", "--cost-run", "25"]
    assert main(["sample-size", csv, "--higher-is-better", *costs]) == 0
    out = capsys.readouterr().out
    expected = asked(SHARED, **COSTS)
    assert " ".join(out.split()).startswith(expected.sentence())
    assert "cheapest" in out
    assert main(["sample-size", csv, "--higher-is-better", "--cost-item", "1"]) == 2
    assert "(--cost-item, --cost-run)" in capsys.readouterr().err


@needs("runs")
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
    numbers = size.frontier["n_items"]
    shown = [*numbers[np.isfinite(numbers)], N]
    assert axes.get_ylim()[0] < min(shown)
    assert axes.get_ylim()[1] > max(shown)


def test_numbers_are_of_samples_unless_there_are_runs():
    plain = mc.sample_size(mc.load_example("snli"), "mlp", "bow_pair", "accuracy").sentence()
    assert re.search(r"needs about [\d,]+ samples", plain)
    assert "items" not in plain


def test_an_undefined_metric_is_refused():
    y = np.arange(40) % 2
    never = mc.Predictions(y, {"a": np.zeros(40, dtype=int), "b": y}, labels=[0, 1])
    with pytest.raises(ValueError, match="models on this test set; there is no"):
        mc.sample_size(never, "a", "b", "precision[1]")
