"""The study of means over test sets: true means, and its table."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from experiments.validity import suites as study

CELL = {"sets": 4, "items": 30, "spread": 0.1, "runs": 3}


@pytest.mark.parametrize("kind", ["these sets", "new sets"])
@pytest.mark.parametrize("scores", ["normal", "0/1"])
def test_scores_have_the_means_that_coverage_is_counted_for(kind, scores):
    cell = {**CELL, "kind": kind, "scores": scores}
    tables, truths = study.draw(np.random.default_rng(0), cell, 3000)
    for x, truth in zip(tables, truths, strict=True):
        assert x.shape == (3000, 4, 30, 3)
        means = x.mean(axis=(1, 2, 3))
        # One in 15,000 is further off.
        assert abs(means.mean() - truth) < 4 * means.std() / np.sqrt(3000)


@pytest.mark.parametrize("kind", study.GATES)
def test_gates_are_at_the_margin(kind):
    cell = {"kind": kind, "sets": 4, "items": 4000, "scores": "0/1", "runs": 1,
            "spread": 0.05 if "new" in kind else 0.0}  # fmt: skip
    rng = np.random.default_rng(1)
    gains = [
        [(p.output("new").array - p.output("old").array).mean() for p in study.suite(cell, rng).values()]
        for _ in range(60)
    ]  # fmt: skip
    of_sets, error = np.mean(gains, axis=0), 4 * np.std(gains, axis=0) / np.sqrt(60) + 1e-9
    if kind.startswith("mean"):
        assert abs(of_sets.mean() + study.MARGIN) < error.max()
    elif kind == "each":
        assert abs(of_sets[0] + study.MARGIN) < error[0]
        assert (of_sets[1:] == 0).all()
    elif kind == "any":
        assert (np.abs(of_sets) < error).all()


def test_the_table_has_all_cells_and_holds(tmp_path):
    table = pd.read_csv(study.RESULTS)
    assert len(table) == len(study.cells())
    covered = table[["covered, score", "covered, difference"]].min(axis=1)
    rare = table["kind"] == study.RARE_KIND
    assert covered[~rare].dropna().min() >= study.WANTED
    # Where none of a rare kind was seen (0.9^5, 0.9^15) nothing covers.
    assert covered[rare].between(1 - 0.9 ** table["sets"][rare], 0.9).all()
    # Of 4,000 trials, as many as one standard error more.
    assert table["wrong"].dropna().max() <= study.SIZE + 0.0038
    path = tmp_path / "found.csv"
    study.main(["--trials", "10", "--only", "^these sets normal 3 40 0.0 1$", "-o", str(path)])
    study.main(["--trials", "2", "--only", "^any 0/1 3", "-o", str(path)])
    assert pd.read_csv(path)["trials"].isin([2, 10]).all()


@pytest.mark.parametrize("scores", ["0/1", "exponential", "macro F1"])
def test_resampled_sets_have_the_values_that_coverage_is_counted_for(scores):
    cell = {"kind": "these sets, BCa", "scores": scores, "sets": 3, "items": 4000}
    sets, truths = study.drawn_sets(cell, np.random.default_rng(0), 4)
    metric = "f1_macro" if scores == "macro F1" else "mean_score"
    values = np.array([mc.bootstrap(each, metric, n_resamples=2).point[:, 0] for each in sets])
    for side, truth in zip(np.split(values, 2, axis=1), truths, strict=True):
        # 48,000 items, of which four of each set are correlated: six standard errors of a score.
        assert side.mean() == pytest.approx(truth, abs=0.02)


def test_averaged_replicates_are_those_of_the_mean():
    cell = {"kind": "these sets, percentile", "scores": "0/1", "sets": 3, "items": 20}
    sets, _ = study.drawn_sets(cell, np.random.default_rng(0), 2)
    samples = [mc.bootstrap(each, "mean_score", n_resamples=99) for each in sets]
    mean = study.mean_of(samples, samples[0].models, None)
    draws = np.mean([each.draws[:, :, 0] for each in samples], axis=0)
    found = study.averaged(mean, "percentile")
    np.testing.assert_allclose(
        [found.low[:, 0], found.high[:, 0]], np.quantile(draws, [0.025, 0.975], axis=0)
    )
