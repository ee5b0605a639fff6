"""Which squares of residuals are no combinations of other sums."""

import numpy as np
import pytest

from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import Metric, resolve_metrics
from modelcompare.metrics.base import Statistic
from modelcompare.predictions import Predictions
from modelcompare.significance.pairwise import all_pairs
from modelcompare.significance.square_terms import SquareTerms
from modelcompare.significance.swapped_quotients import SwappedQuotients
from tests.significance.test_studentized import many_models


def swapped(names, **columns):
    preds = many_models(**columns)
    part = Evaluation(preds, resolve_metrics(names, preds), collapse=False)
    return SwappedQuotients(part, part.metrics, *all_pairs(len(preds.models)))


@pytest.mark.parametrize(
    ("names", "n_products"),
    [
        (["precision", "recall", "f1", "jaccard"], 0),
        (["cprecision"], 2),
        (["crecall"], 1),
        # Squares of soft hits and of soft predictions serve all three.
        (["cprecision", "crecall", "cf1"], 2),
        (["cf1", "crecall", "cprecision"], 2),
    ],
)
def test_products_are_summed_once_for_all_metrics(names, n_products):
    assert len(swapped(names)._terms.products) == n_products


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("names", [["cf1", "cprecision", "specificity"], ["log_loss", "f1"]])
def test_sums_of_squares_are_those_of_a_loop(names, weighted):
    rng = np.random.default_rng(1)
    statistic = swapped(names, **({"sample_weight": rng.random(60) + 0.5} if weighted else {}))
    mask = rng.random(60) < 0.5
    sums = statistic._only_matrix.weighted(mask[None].astype(float))
    numerator, denominator, *squares = statistic.arranged(sums)[:5]
    n, d = statistic._quotient(statistic.parts(slice(0, 60)))
    expected = [n, d, n * n, n * d, d * d]
    for found, each in zip((numerator, denominator, *squares), expected, strict=True):
        np.testing.assert_allclose(found[0], each[mask].sum(axis=0), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    ("names", "crosswise"),
    [
        (["cf1", "cprecision", "crecall"], True),
        (["log_loss", "brier_score"], True),
        # The square of a count of 0 or 1 is that count, but two models' product is no count.
        (["f1", "precision"], False),
        (["cf1", "f1"], False),
    ],
)
@pytest.mark.parametrize("column", ["none", "sample_weight", "strata", "groups"])
def test_products_of_two_models_are_those_of_a_loop(names, crosswise, column):
    rng = np.random.default_rng(1)
    columns = {
        "sample_weight": {"sample_weight": rng.random(60) + 0.5},
        "strata": {"strata": np.arange(60) % 3},
        "groups": {"groups": rng.integers(0, 20, 60)},
    }.get(column, {})
    statistic = swapped(names, **columns)
    if column == "none":
        assert statistic._terms_and_whether_crosswise[1] == crosswise
    units = statistic.evaluation.units
    scale = np.ones(units.n_units) if statistic.strata is None else statistic.strata.scale
    every = statistic._quotients(statistic.parts(slice(0, units.n_units)))
    for grams, (n, d) in zip(statistic._grams(), every, strict=True):
        n, d = np.broadcast_arrays(n, d)
        for found, first, second in zip(grams, (n, n, d), (n, d, d), strict=True):
            expected = np.einsum("r,rav,rbv->vab", scale, first, second)
            expected = (expected + expected.transpose(0, 2, 1)) / 2
            np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-11)


def test_of_soft_counts_few_products_of_models_are_summed(monkeypatch):
    asked = []
    summed = SwappedQuotients._summed_grams
    monkeypatch.setattr(
        SwappedQuotients,
        "_summed_grams",
        lambda self, some: asked.append(some) or summed(self, some),
    )
    statistic = swapped(["cf1", "cprecision", "crecall"])
    assert np.isfinite(statistic._invariants.own).all()
    assert [len(some) for some in asked] == [2]


def test_a_column_that_is_alike_but_in_one_row_is_summed_by_itself():
    rng = np.random.default_rng(0)
    weights, column = rng.random((16, 500)), rng.random(500)
    square = column**2
    like = np.where(np.arange(500) == 7, square + 1e-3, square)
    sources = [(weights @ each)[:, None, None] for each in (column, column, column + 1)]
    targets = [[(weights @ each)[:, None, None] for each in (square, like, square)]]
    assert SquareTerms.of(sources, targets).products == ((0, 0), (0, 1))


@pytest.mark.parametrize("weight", [0.1, 1e-12, 1e6, 1e12])
def test_a_weight_that_all_samples_share_changes_no_statistic(weight):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 3, 80)
    drawn = {
        f"m{i}": np.where(rng.random(80) < 0.9 - i / 10, y, rng.integers(0, 3, 80))
        for i in range(2)
    }
    codes = {**drawn, "perfect": y, "constant": 0 * y}
    outputs = {name: np.eye(3)[each] for name, each in codes.items()}
    masks = (rng.random((64, 80)) < 0.5).astype(float)
    found = []
    for each in (1.0, weight):
        preds = Predictions(y, outputs, labels=range(3), sample_weight=np.full(80, each))
        names = ["precision", "recall", "f1"]
        part = Evaluation(preds, resolve_metrics(names, preds), collapse=False)
        statistic = SwappedQuotients(part, part.metrics, *all_pairs(4))
        found.append(statistic._statistics(statistic._only_matrix.weighted(masks)))
    np.testing.assert_allclose(found[1], found[0], rtol=1e-11, atol=1e-11)


def test_as_many_metrics_as_there_are_equations_are_no_combinations_of_one_another():
    def metric(place):
        def size(outcomes):
            return np.abs(outcomes.output.array - outcomes.y_true)[:, None] ** (1 + place / 10)

        def reach(outcomes):
            return 1 + np.abs(outcomes.output.array)[:, None] * (1 + place) / 9

        return Metric(
            name=f"m{place}", needs="values",
            statistics=(Statistic(f"size{place}", size), Statistic(f"reach{place}", reach)),
            ratio=lambda top, bottom: (top[..., 0], bottom[..., 0]),
        )  # fmt: skip

    rng = np.random.default_rng(3)
    y = rng.normal(size=200)
    outputs = {name: y + rng.normal(size=200) for name in "ab"}
    part = Evaluation(
        Predictions(y, outputs, kind="values"), [metric(place) for place in range(40)],
        collapse=False,
    )  # fmt: skip
    statistic = SwappedQuotients(part, part.metrics, *all_pairs(2))
    mask = rng.random(200) < 0.5
    found = statistic.arranged(statistic._only_matrix.weighted(mask[None].astype(float)))
    n, d = statistic._quotient(statistic.parts(slice(0, 200)))
    for sums, each in zip(found[2:5], (n * n, n * d, d * d), strict=True):
        np.testing.assert_allclose(sums[0], each[mask].sum(axis=0), rtol=1e-12)
