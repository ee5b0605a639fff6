"""Grids of the exact test, line by line and cell by cell."""

import numpy as np
import pytest
from scipy import stats

import modelcompare as mc
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics
from modelcompare.significance.binomial import conic_mass
from modelcompare.significance.exact import Grids

NAMES = ["f1", "precision", "recall", "jaccard", "specificity", "f2"]


def grids(metric, *, skill, n=1200, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    scores = [rng.random((n, 3)) + s * np.eye(3)[truth] for s in (0.3, 0.3, 0.3 + skill)]
    preds = mc.Predictions(truth, {f"m{i}": s.argmax(axis=1) for i, s in enumerate(scores)})
    evaluation = Evaluation(preds, resolve_metrics([metric], preds), collapse=False)
    pairs = np.array([0, 0, 1]), np.array([1, 2, 2])
    return Grids(evaluation, evaluation.metrics[0], pairs)


@pytest.mark.parametrize("skill", [0.0, 0.05, 0.2])
@pytest.mark.parametrize("metric", NAMES)
def test_lines_hold_the_mass_of_their_cells(metric, skill):
    made = grids(metric, skill=skill)
    assert made.is_usual.all()
    found = made.p_values()
    cells = made.mass_of_cells(np.arange(len(found)), "two-sided")
    np.testing.assert_allclose(found, cells, rtol=1e-11, atol=2e-15)


@pytest.mark.parametrize("n", [12, 25, 60, 150])
@pytest.mark.parametrize("metric", NAMES)
def test_lines_of_small_grids_hold_the_mass_of_their_cells(metric, n):
    for seed in range(5):
        made = grids(metric, skill=0.3, n=n, seed=seed)
        usual = np.flatnonzero(made.is_usual)
        cells = made.mass_of_cells(usual, "two-sided")
        np.testing.assert_allclose(made.mass_of_lines(usual), cells, rtol=1e-11, atol=2e-15)
        assert len(usual) >= 1


def test_one_number_alone_is_the_sign_test():
    n, observed = np.array([[300, 200]]), 36
    kappa, zero = np.array([observed**2 - 0.5]), np.zeros(1)
    found = conic_mass(np.ones(1), zero, zero, kappa, n, n // 2 - 78)
    expected = stats.binomtest((300 + observed) // 2, 300).pvalue
    assert found[0] == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize(
    ("alpha", "beta", "gamma"), [(1, 0.5, 2), (1, 3, 1), (2, 1, 0), (1, 1, -1)]
)
def test_every_kind_of_conic(alpha, beta, gamma):
    n, kappa = np.array([[100, 120]]), 150.5
    low = np.array([[1, 1]])
    x, y = (2 * np.arange(m + 1) - m for m in (100, 120))
    mass = np.outer(*(stats.binom.pmf(np.arange(m + 1), m, 0.5) for m in (100, 120)))
    form = alpha * x[:, None] ** 2 + beta * x[:, None] * y + gamma * y**2
    parts = [np.array([float(part)]) for part in (alpha, beta, gamma, kappa)]
    found = conic_mass(*parts, n, low)
    assert found[0] == pytest.approx(mass[form >= kappa].sum(), rel=1e-11)


@pytest.mark.parametrize("collapse", [False, True])
@pytest.mark.parametrize("n_models", [2, 5])  # fewer pairs than classes, and more
def test_counts_of_pairs_are_those_of_a_loop(n_models, collapse):
    rng = np.random.default_rng(1)
    truth, *predicted = rng.integers(0, 4, (1 + n_models, 200))
    preds = mc.Predictions(truth, {f"m{i}": each for i, each in enumerate(predicted)})
    evaluation = Evaluation(preds, resolve_metrics(["f1"], preds), collapse=collapse)
    pairs = np.triu_indices(n_models, 1)
    found = evaluation.labelled.pair_cells(*pairs)
    for pair, (i, j) in enumerate(zip(*pairs, strict=True)):
        for code in range(4):
            for place, rows in enumerate((truth != code, truth == code)):
                a, b = predicted[i][rows] == code, predicted[j][rows] == code
                expected = [(~a & ~b).sum(), (~a & b).sum(), (a & ~b).sum(), (a & b).sum()]
                assert found[pair, code, place].ravel().tolist() == expected
