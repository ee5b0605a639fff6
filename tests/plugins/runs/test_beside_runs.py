"""Repeated runs and suites beside rliable, Miller (2024), mixed models and evalstats."""

import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.regression.mixed_linear_model import MixedLM

import modelcompare as mc
from experiments.validity import beside_rliable as study
from tests.plugged import needs

RNG = np.random.default_rng(2)
SCORES = RNG.random(80)
CLUSTERS = RNG.integers(0, 12, 80)
OTHER = SCORES + RNG.normal(0.05, 0.2, 80)
N_ITEMS, N_RUNS, N_SETS = 40, 5, 8
FEW = pytest.mark.filterwarnings("ignore::modelcompare.SparseDataWarning")


def compared(**columns):
    preds = mc.Predictions.from_scores({"a": SCORES, "b": OTHER}, greater_is_better=True, **columns)
    return mc.compare(preds, n_resamples=99, test="wald")


# -- rliable ---------------------------------------------------------------------------------------


def test_the_mean_over_tasks_and_runs_is_rliables():
    x = RNG.normal(size=(3, 20))
    preds = mc.Predictions.from_scores(
        {"a": x.ravel()}, strata=np.tile(np.arange(20), 3), greater_is_better=True
    )
    found = mc.bootstrap(preds, "mean_score", n_resamples=2).point[0, 0]
    assert found == pytest.approx(np.mean(x))
    metrics = pytest.importorskip("rliable.metrics")
    assert found == pytest.approx(metrics.aggregate_mean(x))


@pytest.mark.filterwarnings("ignore")
def test_the_percentile_interval_is_rliables():
    library = pytest.importorskip("rliable.library")
    (x,), _ = study.draw("skewed", (1, 4, 6), RNG)
    low, high = study.percentile(x, RNG)
    _, ends = library.get_interval_estimates({"a": x}, lambda runs: np.array([runs.mean()]))
    # The error of a quantile of 2,000 resamples is a fortieth of the width.
    assert ends["a"].ravel().tolist() == pytest.approx([low, high], abs=(high - low) / 10)


def test_percentiles_of_few_runs_cover_too_little_and_ours_do_not():
    table = pd.read_csv(study.RESULTS)
    assert len(table) == len(study.CELLS)
    same = table["scores"] == study.SAME_RUNS
    three = table["runs"] == 3
    assert table.loc[~same, "covered, percentile"].max() < 0.95
    assert table.loc[~same & three, "covered, percentile"].max() < 0.89
    # The standard error of 4,000 trials is 0.0035.
    assert table.loc[~same, "covered, tasks as strata"].min() > 0.935
    assert table["covered, runs as clusters"].min() > 0.935
    assert table["covered, new tasks too"].min() > 0.935
    # Strata have separate runs: a run that is lucky on all tasks is not seen.
    assert table.loc[same, "covered, percentile"].max() < 0.75
    assert table.loc[same, "covered, tasks as strata"].max() < 0.9


def test_the_page_has_the_table_that_the_command_prints(capsys):
    study.main(["--show"])
    printed = capsys.readouterr().out.strip()
    page = Path(study.__file__).parents[2] / "docs" / "coming_from" / "rliable.md"
    assert printed in page.read_text("utf-8")
    assert "| normal, 5 tasks, 3 runs | 0.8" in printed


def test_the_study_is_of_what_it_says():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1, 5, 4))
    low, high = study.ours(x, {"strata": "task"})[:, 0]
    assert low < x.mean() < high
    low, high = study.ours(x, {"groups": "run"})[:, 0]
    assert (low + high) / 2 == pytest.approx(x.mean())
    drawn = np.take_along_axis(x, rng.integers(0, 5, (20_000, 5, 4)), axis=1)
    expected = np.quantile(drawn.mean(axis=(1, 2)), [0.025, 0.975])
    np.testing.assert_allclose(study.percentile(x[0], rng), expected, atol=0.04)


@pytest.mark.slow
@FEW
@pytest.mark.parametrize(("world", "largest"), [("normal", 0.89), (study.SAME_RUNS, 0.8)])
def test_three_runs_are_too_few_for_percentiles(world, largest):
    found = study.run_cell(world, 5, 3, 400)
    assert found["covered, percentile"] < largest
    # 0.95 less three standard errors of 400 trials.
    assert found["covered, runs as clusters"] > 0.917


# -- Miller (2024), Adding error bars to evals, arXiv:2411.00640 -----------------------------------


def test_standard_errors_are_millers_of_the_central_limit_theorem():
    found = compared().scores["standard_error"][0]
    n = len(SCORES)
    assert found == pytest.approx(SCORES.std(ddof=1) / np.sqrt(n))


def test_paired_standard_errors_are_millers():
    found = compared().differences["standard_error"][0]
    a, b = SCORES, OTHER
    n = len(a)
    # Equation 8: variances and covariance of the two models' scores.
    expected = np.sqrt((np.var(a, ddof=1) + np.var(b, ddof=1) - 2 * np.cov(a, b)[0, 1]) / n)
    assert found == pytest.approx(expected)


def within_clusters(x, clusters):
    """Return the root of equation 4's sum of products within clusters, divided by n."""
    centred = x - x.mean()
    return np.sqrt(sum(centred[c == clusters].sum() ** 2 for c in np.unique(clusters))) / len(x)


def test_clustered_standard_errors_are_millers_but_for_the_number_of_clusters():
    found = compared(groups=CLUSTERS).scores["standard_error"][0]
    g = len(np.unique(CLUSTERS))
    miller = within_clusters(SCORES, CLUSTERS)
    # Clusters are left out whole (jackknife), which is above it by about the factor of few clusters.
    assert miller < found < 1.25 * miller * np.sqrt(g / (g - 1))


def test_clusters_of_equal_size_have_millers_error_times_a_known_factor():
    clusters = np.repeat(np.arange(16), 5)
    result = compared(groups=clusters)
    errors = [result.scores["standard_error"][k] for k in (0, 1)]
    scores = [{"a": SCORES, "b": OTHER}[m] for m in result.scores["model"][:2]]
    for error, x in [*zip(errors, scores, strict=True),
                     (result.differences["standard_error"][0], SCORES - OTHER)]:  # fmt: skip
        assert error == pytest.approx(within_clusters(x, clusters) * np.sqrt(16 / 15), rel=1e-9)


@FEW
def test_the_mean_of_nested_means_is_the_mean_of_balanced_runs():
    x = RNG.random((30, 4))
    item, run = (each.ravel() for each in np.indices(x.shape))
    preds = mc.Predictions.from_scores(
        {"a": x.ravel()}, groups=item, runs=run, greater_is_better=True
    )
    found = mc.compare(preds, n_resamples=99).scores.iloc[0]
    assert found["estimate"] == pytest.approx(x.mean(axis=1).mean())
    # For these runs, the error is that of the items' means.
    these = mc.compare(preds, n_resamples=99, generalize_to="items").scores["standard_error"][0]
    assert these == pytest.approx(stats.sem(x.mean(axis=1)))


# -- mixed models ----------------------------------------------------------------------------------


def fitted(x, *factors):
    """Fit a mean and random effects of factors, the axes of a balanced table, by REML."""
    frame = pd.DataFrame({"y": x.ravel(), "all": 1})
    for name, codes in zip(factors, np.indices(x.shape), strict=False):
        frame[name] = codes.ravel()
    parts = {name: f"0 + C({name})" for name in factors}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = MixedLM.from_formula("y ~ 1", frame, groups="all", vc_formula=parts, re_formula="0")
        found = model.fit(reml=True)
    components = dict(zip(found.model.exog_vc.names, found.vcomp, strict=True))
    return float(found.bse_fe.iloc[0]), components, found.scale


def table_of(rows, columns, rest, shape):
    rng = np.random.default_rng(3)
    effects = rows * rng.normal(size=(shape[0], 1)) + columns * rng.normal(size=shape[1])
    return effects + rest * rng.normal(size=shape)


def scores_of(groups=None, runs=None, **scores):
    return mc.Predictions.from_scores(
        {m: x.ravel() for m, x in scores.items()}, groups=groups, runs=runs, greater_is_better=True
    )


def test_errors_for_these_and_for_new_runs_are_sums_of_a_mixed_models_components():
    x = table_of(1.0, 0.3, 0.5, (N_ITEMS, N_RUNS))
    item, run = (each.ravel() for each in np.indices(x.shape))
    preds = scores_of(item, run, a=x)
    _, of, rest = fitted(x, "item", "run")
    these = of["item"] / N_ITEMS + rest / x.size
    for generalize_to, expected in (("items", these), ("items+runs", these + of["run"] / N_RUNS)):
        found = mc.compare(preds, n_resamples=99, generalize_to=generalize_to).scores[
            "standard_error"
        ][0]
        assert found == pytest.approx(np.sqrt(expected), rel=1e-3)


def pooled_error(sets, generalize_to):
    """Return the standard error of the first model's mean, which no frame has."""
    return (
        mc.compare_groups(sets, generalize_to=generalize_to, n_resamples=99)
        ._pooled(None)
        .low.standard_error[0, 0]
    )


@needs("suites")
@FEW
def test_means_of_new_sets_have_the_error_of_a_mixed_model_of_items_within_sets():
    x = table_of(1.0, 0.0, 1.0, (N_SETS, N_ITEMS))
    sets = {f"s{k}": scores_of(a=row, b=row[::-1]) for k, row in enumerate(x)}
    error, of, rest = fitted(x, "set")
    assert pooled_error(sets, "sets") == pytest.approx(error, rel=1e-3)
    assert error == pytest.approx(np.sqrt(of["set"] / N_SETS + rest / x.size), rel=1e-6)


@needs("suites")
@FEW
def test_means_of_new_sets_and_runs_have_the_error_of_a_mixed_model_of_both():
    means = table_of(1.0, 0.4, 0.3, (N_SETS, N_RUNS))
    within = table_of(0.0, 0.0, 1.0, (N_ITEMS, N_RUNS))
    within -= within.mean(axis=0)
    item, run = (each.ravel() for each in np.indices(within.shape))
    sets = {f"s{k}": scores_of(item, run, a=row + within, b=within) for k, row in enumerate(means)}
    expected = fitted(means, "set", "run")[0]
    assert pooled_error(sets, "sets+runs") == pytest.approx(expected, rel=1e-3)


# -- evalstats -------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("lacking", [[], [3, 5, 7, 90]])
def test_means_of_repeated_answers_are_evalstats_if_items_have_equal_weights(lacking):
    """evalstats averages the answers of an item first; ours weighs answers, if not asked else."""
    evalstats = pytest.importorskip("evalstats")
    item, run = (np.delete(each, lacking) for each in np.indices((30, 4)).reshape(2, -1))
    scores = {m: 1.0 * (RNG.random(len(item)) < p) for m, p in (("a", 0.7), ("b", 0.5))}
    table = pd.concat(
        pd.DataFrame({"model": m, "item": item, "run": run, "score": x}) for m, x in scores.items()
    )
    loaded = evalstats.load_from(table)
    theirs = evalstats.compare_models(loaded, metric="score").to_dict()["entities"]
    preds = mc.Predictions.from_scores(
        scores, groups=item, sample_weight=1 / np.bincount(item)[item], greater_is_better=True
    )
    for row in mc.compare(preds, n_resamples=99).scores.itertuples():
        assert row.estimate == pytest.approx(theirs[row.model]["mean"], rel=1e-12)
