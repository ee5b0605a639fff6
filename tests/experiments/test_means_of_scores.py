"""Intervals of means of scores from likelihoods, against statsmodels and resamples; their study."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.emplike.descriptive import DescStat

import modelcompare as mc
from experiments.validity import likelihoods, means_of_scores
from experiments.validity.results import markdown

ONE_PAIR = np.array([0]), np.array([1])


def drawn(n, rows=4):
    rng = np.random.default_rng(n)
    return np.stack([rng.beta(0.5, 2, n), rng.beta(2, 2, n), rng.beta(3, 0.7, n)] * rows)[:rows]


@pytest.mark.parametrize("n", [20, 80])
def test_empirical_likelihood_is_that_of_statsmodels(n):
    x = drawn(n)
    quantile = np.full(len(x), likelihoods.Z**2)

    low = likelihoods.likelihood(x, 0.0, quantile)
    high = -likelihoods.likelihood(-x, -1.0, quantile)

    for row, found in zip(x, np.stack([low, high], axis=1), strict=True):
        assert found == pytest.approx(DescStat(row).ci_mean(sig=0.05), abs=1e-6)


@pytest.mark.filterwarnings("ignore:DescStatUV.test_mean:FutureWarning")
@pytest.mark.parametrize("method", ["EL, F", "EL, Bartlett", "adjusted EL, F"])
def test_the_ratio_at_an_end_is_the_quantile_by_statsmodels(method):
    n = 25
    x = drawn(n)
    low = likelihoods.METHODS[method](x, 0.0)

    for row, value in zip(x, low, strict=True):
        quantile = stats.f.ppf(0.95, 1, n - 1)
        z = row - value
        if method == "adjusted EL, F":
            z = np.append(z, -np.log(n) / 2 * z.mean())
        if method == "EL, Bartlett":
            sigma2 = row.var()
            kurtosis = ((row - row.mean()) ** 4).mean() / sigma2**2
            skewness = ((row - row.mean()) ** 3).mean() / sigma2**1.5
            quantile = stats.chi2.ppf(0.95, 1) * (1 + (kurtosis / 2 - skewness**2 / 3) / n)
        assert DescStat(z).test_mean(0.0)[0] == pytest.approx(quantile, rel=1e-4)


def test_only_adjusted_empirical_likelihood_reaches_beyond_all_samples():
    x = np.zeros((1, 20))
    x[0, 0] = 0.5

    assert likelihoods.by_f(x, -1.0) > 0
    assert likelihoods.adjusted(x, -1.0) < 0


def test_the_estimate_is_the_upper_quantile_of_the_tilted_sample():
    n, size = 30, 100_000
    x = drawn(n, 1)
    low = likelihoods.tilted(x, 0.0)
    rate = likelihoods.t_quantile(n) * np.sqrt(n / (n - 1))

    # Weights of the tilted sample of that mean, from Newton's steps.
    tilt = 0.0
    for _ in range(50):
        weights = np.exp(tilt * x[0]) / np.exp(tilt * x[0]).sum()
        mean = weights @ x[0]
        tilt -= (mean - low[0]) / (weights @ (x[0] - mean) ** 2)
    resamples = np.random.default_rng(0).multinomial(n, weights, size) @ x[0] / n

    share = (resamples >= x.mean()).mean()
    assert share == pytest.approx(stats.norm.sf(rate), abs=4 * np.sqrt(0.025 / size))


@pytest.mark.parametrize("row", [0, 1, 2])
def test_saddlepoints_give_the_quantile_of_the_bootstrap_of_student_s_t(row):
    n, size = 40, 100_000
    x = drawn(n)[row : row + 1]
    error = x.std(ddof=1) / np.sqrt(n)
    quantile = float((x.mean() - likelihoods.studentized(x, 0.0)[0]) / error)

    counts = np.random.default_rng(1).multinomial(n, np.full(n, 1 / n), size)
    mean = counts @ x[0] / n
    variance = (counts @ x[0] ** 2 / n - mean**2) / (n - 1)
    t = (mean - x.mean()) / np.sqrt(variance)

    assert (t >= quantile).mean() == pytest.approx(0.025, abs=0.003)


def test_all_methods_are_student_s_interval_in_large_samples():
    x = np.random.default_rng(3).beta(2, 2, (2, 20_000))
    low = means_of_scores.student(x)[0]
    half = x.mean(axis=1) - low

    for lower in likelihoods.METHODS.values():
        assert lower(x, 0.0) == pytest.approx(low, abs=0.01 * half.min())


@pytest.mark.parametrize("law", ["rare failures", "shared failures"])
@pytest.mark.parametrize("bounds", [(0.0, 1.0), None])
def test_the_default_of_many_test_sets_at_once_is_that_of_each(law, bounds):
    scores = means_of_scores.LAWS[law][0](np.random.default_rng(2), (25, 20))
    low, high = means_of_scores.default(scores, bounds)

    for i in range(scores.shape[-2]):
        own = scores[..., i, :].reshape(-1, 20)
        preds = mc.Predictions.from_scores(
            dict(zip("ab", own, strict=False)), bounds=bounds, greater_is_better=True
        )
        result = mc.bootstrap(preds, "mean_score", n_resamples=2)
        if len(own) == 2:
            found = result.difference_interval(*ONE_PAIR, "auto", 0.95)
        else:
            found = result.score_interval("auto", 0.95)
        assert (low[i], high[i]) == pytest.approx((found.low[0, 0], found.high[0, 0]))


@pytest.mark.parametrize("law", means_of_scores.LAWS)
def test_scores_of_a_population_are_within_the_range_and_have_the_stated_mean(law):
    draw, mean = means_of_scores.LAWS[law]
    scores = draw(np.random.default_rng(0), (1, 1_000_000))
    x = scores[0] - scores[1] if scores.ndim == 3 else scores

    assert scores.min() >= 0
    assert scores.max() <= 1
    assert x.mean() == pytest.approx(mean, abs=4 * x.std() / 1000)


def test_test_sets_of_equal_scores_get_the_default_and_student_s_width_is_0():
    scores = np.full((3, 20), 0.5)
    ends = means_of_scores._ends(scores)

    assert ends["t"] == pytest.approx(np.full((2, 3), 0.5))
    for method in likelihoods.METHODS:
        assert (ends[method] == ends["default"]).all()
    # Nothing is known of scores without a range that are all equal.
    assert ends["default, no range"].tolist() == [[0.0] * 3, [1.0] * 3]


def test_the_command_writes_coverage_and_widths_and_prints_how_methods_fare(tmp_path, capsys):
    file = tmp_path / "found.csv"
    means_of_scores.main(["--tier", "quick", "--trials", "20", "-o", str(file)])

    table = pd.read_csv(file)
    assert [*table["law"].unique()] == ["lognormal", "twins"]
    assert {*likelihoods.METHODS, "default", "t"} <= {*table["method"]}
    assert table["covered"].between(0, 1).all()
    assert (table.query("method == 'default'")["width over the default's"] == 1).all()
    assert "score, EL, F" in capsys.readouterr().out


def test_a_verdict_counts_only_cells_where_the_default_holds():
    rows = [
        ("score", "ties", n, method, covered, width, 1.0)
        for n, default, other, width in ((20, 0.95, 0.93, 0.8), (50, 0.93, 0.5, 0.1))
        for method, covered in (("default", default), ("other", other))
    ]
    columns = ["quantity", "law", "n", "method", "covered"]
    columns += ["width over the default's", "width over t's"]
    row = means_of_scores.verdict(pd.DataFrame(rows, columns=columns)).loc["score, other"]

    assert (row["cells"], row["short"], row["lowest"]) == ("1", "1", 0.93)
    assert row["where"] == "ties, n = 20"
    assert row["width over the default's"] == 0.8


def test_the_readme_shows_the_verdict_of_the_kept_results():
    table = pd.read_csv(means_of_scores.RESULTS)
    readme = (means_of_scores.RESULTS.parents[1] / "README.md").read_text()

    assert markdown(means_of_scores.verdict(table)) in readme
