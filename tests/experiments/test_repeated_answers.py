"""The study of repeated answers: true values, the pairs of models, and its table."""

import itertools

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from experiments.validity import repeated_answers as study

CELL = {"items": 20, "rates": "half never", "models": "better"}


@pytest.mark.parametrize("metric", study.METRICS)
def test_the_truth_is_the_mean_of_large_test_sets(metric):
    answers = study.draw(np.random.default_rng(0), {**CELL, "items": 2000}, 20)
    item = np.repeat(np.arange(2000), study.ANSWERS)
    for own, world in zip(answers, study.worlds(CELL), strict=True):
        preds = mc.Predictions.from_scores(
            {str(i): x.ravel() for i, x in enumerate(own)}, groups=item
        )
        values = mc.bootstrap(preds, metric, n_resamples=2).point.ravel()
        # One in 10,000 is further off, of Student's with 19 degrees of freedom.
        assert abs(values.mean() - study.truth(world, metric)) < 4.9 * values.std(ddof=1) / 20**0.5


def test_intervals_are_those_of_a_comparison_of_each_pair():
    rng = np.random.default_rng(1)
    preds = study.predictions(study.draw(rng, CELL, 3))
    found = study.ends(preds)
    for trial, (place, metric) in itertools.product(range(3), enumerate(study.METRICS)):
        pair = mc.compare(preds[[f"a{trial}", f"b{trial}"]], metric, n_resamples=99)
        row = pair.scores.set_index("model").loc[f"a{trial}", ["ci_low", "ci_high"]]
        assert found["score"][:, trial, place] == pytest.approx(row.tolist())
        low, high = found["difference"][:, trial, place]
        (difference,) = pair.differences.to_dict("records")
        # A comparison extends intervals beside p-values that are not significant to 0.
        assert difference["ci_low"] <= low + 1e-12
        assert difference["ci_high"] >= high - 1e-12
        assert difference["difference"] == pytest.approx((low + high) / 2)


def test_the_table_has_all_cells_and_holds(tmp_path):
    table = pd.read_csv(study.RESULTS)
    assert len(table) == len(study.cells()) * len(study.METRICS)
    assert not study.short(table).any()
    path = tmp_path / "found.csv"
    study.main(["--trials", "4", "--only", "^20 ends equal", "-o", str(path)])
    assert pd.read_csv(path)["trials"].isin([4, 20]).all()
