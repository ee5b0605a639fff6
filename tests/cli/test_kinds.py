"""Real values, and scores, from the command line."""

import numpy as np
import pandas as pd


def test_regression_in_a_table(run, tmp_path):
    rng = np.random.default_rng(0)
    y = rng.normal(size=60)
    path = tmp_path / "values.csv"
    pd.DataFrame({"y_true": y, "near": y + 0.1, "far": y + rng.normal(size=60)}).to_csv(
        path, index=False
    )
    out = run("compare", path, "-m", "rmse", "--kind", "values", "--resamples", "199")
    assert out.out.splitlines()[2].startswith("rmse: near leads")


def test_scores_named_like_a_metric_of_texts_stay_scores(run):
    scores = pd.DataFrame({"model": ["a", "b"] * 20, "id": [i // 2 for i in range(40)]})
    numbers = [i % 7 / 7 for i in range(40)]
    scores.assign(wer=numbers, cer=numbers).to_csv("s.csv", index=False)
    scored = ("--read", "score=wer", "--read", "score=cer")
    done = run("compare", "s.csv", "-m", "wer", *scored, "--resamples", "199")
    assert (done.code, done.err) == (0, "")
    assert "scores: wer, cer" in done.read
