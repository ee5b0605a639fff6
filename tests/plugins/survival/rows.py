"""Rows of the tables of other tests."""

import numpy as np

import modelcompare as mc


def of_risks():
    rng = np.random.default_rng(9)
    truth = np.column_stack([rng.exponential(size=60), rng.integers(0, 2, 60)])
    return mc.Predictions(truth, {name: rng.random(60) for name in "ab"}, kind="risks")


def of_curves():
    rng = np.random.default_rng(9)
    truth = np.column_stack([rng.exponential(size=60), rng.integers(0, 2, 60)])
    drawn = {name: np.sort(rng.random((60, 3)))[:, ::-1] for name in "ab"}
    return mc.Predictions(
        truth,
        drawn,
        kind="survival_probabilities",
        labels=np.quantile(truth[:, 0], [0.2, 0.5, 0.7]),
    )


DATA = {"risks": of_risks, "survival_probabilities": of_curves}
