"""Samples in time: blocks of consecutive ones, their length, and tests of two forecasts."""

import io

import numpy as np
import pandas as pd
import pytest
from scipy import signal, stats

import modelcompare as mc
from modelcompare.data.checks import DataWarning
from modelcompare.plugins.time.blocks import _length, autocovariance
from tests.plugged import needs, of_plugins


def series(n=300, rho=0.7, seed=0, k=2):
    noise = np.random.default_rng(seed).standard_normal((k, n + 100))
    return signal.lfilter([1], [1, -rho], noise)[:, 100:]


def forecasts(n=300, rho=0.7, seed=0):
    errors, truth = series(n, rho, seed), np.sin(np.arange(n) / 9)
    return mc.Predictions(truth, {"a": truth + errors[0], "b": truth + 1.3 * errors[1]})


def testautocovariances_are_those_of_a_loop():
    (x,) = series(50, k=1)
    x = x - x.mean()
    expected = [sum(x[t] * x[t + k] for t in range(50 - k)) / 50 for k in range(8)]
    assert autocovariance(x, 7) == pytest.approx(expected)


def published_length(x):
    """Politis & White (2004), section 3.2, for the circular bootstrap, as corrected in 2009."""
    n, x = len(x), x - x.mean()
    most = int(np.ceil(np.sqrt(n))) + max(5, int(np.ceil(np.sqrt(np.log10(n)))))
    R = [sum(x[t] * x[t + k] for t in range(n - k)) / n for k in range(most + 1)]
    small = [abs(r / R[0]) < 2 * np.sqrt(np.log10(n) / n) for r in R]
    run = max(5, int(np.ceil(np.sqrt(np.log10(n)))))
    m = next(m for m in range(most) if all(small[m + 1 : m + 1 + run]))
    M = min(2 * max(m, 1), most)
    taper = [1 if k <= M / 2 else 2 * (1 - k / M) for k in range(M + 1)]
    G = 2 * sum(taper[k] * k * R[k] for k in range(1, M + 1))
    g = R[0] + 2 * sum(taper[k] * R[k] for k in range(1, M + 1))
    length = (2 * G**2 / (4 / 3 * g**2)) ** (1 / 3) * n ** (1 / 3)
    return max(1.0, min(length, np.ceil(min(3 * np.sqrt(n), n / 3))))


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.6])
def test_lengths_are_those_of_the_published_rule(rho):
    for seed in range(15):
        (x,) = series(300, rho, seed, k=1)
        assert _length(x) == pytest.approx(published_length(x), rel=1e-6)


def test_blocks_are_consecutive_and_about_equal():
    preds = forecasts()
    groups = mc.io.in_time_blocks(preds, np.arange(300)).groups
    assert (np.diff(groups) >= 0).all()
    sizes = np.bincount(groups)
    assert sizes.max() - sizes.min() <= 1
    assert 6 <= len(sizes) < 100
    order = np.random.default_rng(1).permutation(300)
    mixed = mc.io.in_time_blocks(preds.subset(order), order).groups
    assert np.array_equal(mixed, groups[order])


def test_more_similar_errors_make_longer_blocks():
    n_blocks = [
        len({*mc.io.in_time_blocks(forecasts(600, rho), np.arange(600)).groups})
        for rho in (0.0, 0.5, 0.9)
    ]
    assert n_blocks[0] > n_blocks[1] > n_blocks[2] >= 6


def test_samples_at_one_time_are_in_one_block():
    preds = forecasts(400)
    groups = mc.io.in_time_blocks(preds, np.arange(400) // 10).groups
    assert all(len({*groups[10 * k : 10 * k + 10]}) == 1 for k in range(40))


@pytest.mark.parametrize("seed", range(3))
def test_dates_and_texts_of_dates_are_times(seed):
    preds = forecasts(seed=seed)
    dates = pd.date_range("2025-11-01", periods=300, freq="h")
    expected = mc.io.in_time_blocks(preds, np.arange(300)).groups
    for time in (dates, dates.strftime("%Y-%m-%d %H:%M"), dates.tz_localize("Europe/Berlin")):
        assert np.array_equal(mc.io.in_time_blocks(preds, time).groups, expected)


@pytest.mark.parametrize("form", ["%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y %H:%M", "%b %d, %Y"])
def test_the_day_is_first_in_all_dates_or_in_none(form):
    preds = forecasts(seed=1)
    dates = pd.date_range("2025-11-01", periods=300, freq="D")
    expected = mc.io.in_time_blocks(preds, np.arange(300)).groups
    assert np.array_equal(mc.io.in_time_blocks(preds, dates.strftime(form)).groups, expected)


def test_texts_of_numbers_are_numbers():
    preds = forecasts(seed=1)
    expected = mc.io.in_time_blocks(preds, np.arange(300)).groups
    texts = [str(n) for n in range(300)]
    assert np.array_equal(mc.io.in_time_blocks(preds, texts).groups, expected)


DAYS = [f"{1 + k % 12:02d}/{1 + k % 11:02d}/{1700 + k}" for k in range(300)]


@pytest.mark.parametrize(
    ("time", "message"),
    [
        (DAYS, "may have the day or the month first, such as '01/01/1700'; write them as 2026"),
        (["13/01/1699", "01/13/1699", *DAYS[2:]], "have days at both places"),
        (["13/01/1699", "1699-02-03", *DAYS[2:]], "dates in several forms"),
        ([f"t{k % 30}" for k in range(300)], "no dates in 300 rows"),
        (np.arange(299), "has 299 entries, and there are 300"),
        (np.arange(300) // 30, "12 times or more, and there are 10"),
        (["soon"] * 300, "no dates in 300 rows"),
        (np.r_[np.nan, np.arange(299)], "missing in 1 row"),
        (np.ones((300, 2)), "must be a column"),
    ],
)
def test_times_that_order_nothing_are_refused(time, message):
    with pytest.raises(ValueError, match=message):
        mc.io.in_time_blocks(forecasts(), time)


def test_clusters_are_whole_in_a_block():
    preds = forecasts(rho=0.8)
    # Some clusters lie on the border of two blocks.
    pairs = np.arange(1, 301) // 2
    found = mc.io.in_time_blocks(preds.with_columns(groups=pairs), np.arange(300)).groups
    plain = mc.io.in_time_blocks(preds, np.arange(300)).groups
    assert pd.Series(found).groupby(pairs).nunique().max() == 1
    assert (found != plain).sum() <= len({*plain})
    assert len({*found}) == len({*plain}) < 75


@needs("runs")
def test_runs_of_an_item_are_whole_in_a_block_and_answers_are_for_new_runs():
    one, rng = series(100, 0.8)[0], np.random.default_rng(0)
    item, run = np.repeat(np.arange(100), 4), np.tile(np.arange(4), 100)
    scores = {m: one[item] + rng.normal(size=4)[run] + rng.normal(size=400) for m in "ab"}
    preds = mc.Predictions.from_scores(scores, ids=item, runs=run, greater_is_better=True)
    blocks = mc.io.in_time_blocks(preds, item)
    assert pd.Series(blocks.groups).groupby(item).nunique().max() == 1
    found = mc.compare(blocks, n_resamples=99)
    assert found.bootstrap.scope.generalize_to == "items+runs"
    # Of clusters of items, sums of blocks are the items of the table.
    assert (
        found.scores["standard_error"] > mc.compare(preds, n_resamples=99).scores["standard_error"]
    ).all()


def test_clusters_that_are_spread_over_more_than_a_block_are_refused():
    preds = forecasts(rho=0.8).with_columns(groups=np.arange(300) % 50)
    with pytest.raises(ValueError, match=r"cross: a cluster is spread over 251 times, a block has"):
        mc.io.in_time_blocks(preds, np.arange(300))


def test_clusters_stay_where_consecutive_samples_are_not_similar():
    preds = mc.Predictions.from_scores({"a": np.ones(60)}, groups=np.arange(60) % 20)
    found = mc.io.in_time_blocks(preds, np.arange(60))
    assert len({*zip(found.groups, preds.groups, strict=True)}) == 20


def test_strata_that_cross_the_blocks_are_left_out_with_a_warning():
    preds = forecasts(rho=0.8)
    crossing = preds.with_columns(strata=np.arange(300) % 3)
    with pytest.warns(DataWarning, match="several `strata`.*errors contain the differences"):
        found = mc.io.in_time_blocks(crossing, np.arange(300))
    assert found.strata is None
    np.testing.assert_array_equal(found.groups, mc.io.in_time_blocks(preds, np.arange(300)).groups)


def test_strata_of_whole_blocks_are_kept():
    preds = forecasts(rho=0.8)
    blocks = mc.io.in_time_blocks(preds, np.arange(300)).groups
    halves = blocks >= np.median(blocks)
    found = mc.io.in_time_blocks(preds.with_columns(strata=halves), np.arange(300))
    np.testing.assert_array_equal(found.strata, halves)


@pytest.mark.parametrize(
    "kind", of_plugins(["labels", "probabilities", "scores", "texts"], texts=["texts"])
)
def test_every_output_type_has_blocks(kind):
    x = series(300, 0.8)
    truth = (x[0] > 0).astype(int)
    labels = np.where(x[1] > -1, truth, 1 - truth)
    made = {
        "labels": lambda: mc.Predictions(truth, {"a": labels}),
        "probabilities": lambda: mc.Predictions(truth, {"a": 0.1 + 0.8 * labels}),
        "scores": lambda: mc.Predictions.from_scores({"a": x[0]}),
        "texts": lambda: mc.Predictions(truth.astype(str), {"a": labels.astype(str)}, kind="texts"),
    }[kind]()
    found = mc.io.in_time_blocks(made, np.arange(300))
    assert 6 <= len({*found.groups}) < 150


@needs("texts")
def test_lists_of_texts_have_the_blocks_of_their_likeliest_texts():
    x = series(300, 0.8)
    truth = np.where(x[0] > 0, "yes", "no")
    texts = np.where(x[1] > -1, truth, "maybe")
    lists = np.empty(300, dtype=object)
    lists[:] = [((text, 0.9), ("other", 0.1)) for text in texts]
    one, several = (
        mc.io.in_time_blocks(mc.Predictions(truth, {"a": outputs}, kind=kind), np.arange(300))
        for kind, outputs in (("texts", texts), ("text_lists", lists))
    )
    assert several.groups.tolist() == one.groups.tolist()
    assert len({*one.groups}) < 150


@needs("suites")
def test_the_command_takes_a_column_of_times_and_names_one_that_it_did_not_use(tmp_path, run):
    preds, path = forecasts(), tmp_path / "t.csv"
    dates = pd.date_range("2025-01-01", periods=300).strftime("%Y-%m-%d")
    columns = {m: preds.output(m).array for m in preds.models}
    pd.DataFrame({"date": dates, "y_true": preds.y_true, **columns}).to_csv(path, index=False)
    plain, blocks = (
        run("compare", path, "-m", "mae"),
        run("compare", path, "-m", "mae", "--time", "date"),
    )
    assert "not used: the order in time (date; see --time date)" in plain.read
    n = len({*mc.io.in_time_blocks(preds, np.arange(300)).groups})
    assert f"{n} blocks of consecutive samples, by date" in blocks.err
    found = mc.compare(mc.io.in_time_blocks(preds, dates), "mae").differences
    assert f"(p = {found['p_value'].item():.3f})" in blocks.out


def test_times_are_no_subgroups(tmp_path, run):
    preds, half = forecasts(), np.repeat([*"xy"], 150)
    columns = {m: preds.output(m).array for m in preds.models}
    table = pd.DataFrame({"week": np.arange(300) // 2, "half": half, "y_true": preds.y_true})
    table.assign(**columns).to_csv(tmp_path / "t.csv", index=False)
    asked = ("groups", "t.csv", "-m", "mae", "--format", "csv", "--time", "week", "--resamples", 99)
    alone = run(*asked, "--by", "half").out
    rows = pd.read_csv(io.StringIO(alone))
    assert {*rows["slice"].dropna()} == {"half"}
    # Weeks that are subgroups by themselves, named by an option, stay so.
    both = pd.read_csv(io.StringIO(run(*asked, "--by", "half", "--by", "week").out))
    assert {*both["slice"].dropna()} == {"half", "week"}


# -- Diebold and Mariano ----------------------------------------------------------------------


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_one_step_ahead_is_students_t(alternative):
    a, b = np.random.default_rng(0).normal(size=(2, 40)) ** 2
    found = mc.inference.diebold_mariano(a, b, alternative=alternative)
    expected = stats.ttest_1samp(a - b, 0, alternative=alternative)
    assert found["statistic"] == pytest.approx(expected.statistic)
    assert found["p_value"] == pytest.approx(expected.pvalue)


@pytest.mark.parametrize("horizon", [2, 5])
def test_longer_horizons_follow_the_published_formula(horizon):
    a, b = series(80, 0.5) ** 2
    n, d = 80, a - b
    gamma = [np.mean((d - d.mean())[k:] * (d - d.mean())[: n - k]) * (n - k) / n
             for k in range(horizon)]  # fmt: skip
    dm = d.mean() / np.sqrt((gamma[0] + 2 * sum(gamma[1:])) / n)
    correction = np.sqrt((n + 1 - 2 * horizon + horizon * (horizon - 1) / n) / n)
    found = mc.inference.diebold_mariano(a, b, horizon=horizon)
    assert found["statistic"] == pytest.approx(dm * correction)
    assert found["p_value"] == pytest.approx(2 * stats.t.sf(abs(dm * correction), n - 1))


@pytest.mark.parametrize(
    ("a", "b", "horizon", "message"),
    [
        ([1.0, 2, 3], [1.0, 2], 1, "both need the same times"),
        ([1.0, 2, 3], [1.0, 0, 2], 2, "5 or more for a horizon of 2"),
        ([1.0, 2, 3, 4], [0.0, 1, 2, 3], 1, "estimated as 0 or less"),
    ],
)
def test_losses_without_a_test_are_refused(a, b, horizon, message):
    with pytest.raises(ValueError, match=message):
        mc.inference.diebold_mariano(a, b, horizon=horizon)


@pytest.mark.parametrize("zone", ["+00:00", "Z", " UTC", "+0100"])
def test_times_with_a_zone_beside_times_without_one_are_refused(zone):
    times = pd.date_range("2024-01-01", periods=60, freq="h").astype(str)
    preds = mc.Predictions([0, 1] * 30, {"a": [0, 1] * 30})
    mixed = [time + zone if row % 2 else time for row, time in enumerate(times)]
    text = r"time zone in some cells, and none in 30 rows \(first: 0, 2, 4\); write that of each"
    with pytest.raises(ValueError, match=text):
        mc.io.in_time_blocks(preds, mixed)
    of_all = mc.io.in_time_blocks(preds, [time + zone for time in times])
    np.testing.assert_array_equal(of_all.groups, mc.io.in_time_blocks(preds, times).groups)
