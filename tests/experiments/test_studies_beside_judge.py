"""The study of studies beside a judge: its population, the true change, and its table."""

import numpy as np
import pandas as pd
import pytest

from experiments.validity import studies_beside_judge as study
from modelcompare.plugins.judges.verdicts import judge_of

CELL = {"samples": 400, "labels": 100, "design": "clusters"}


def test_a_part_is_labelled_and_clusters_are_of_five_samples():
    preds = study.draw(np.random.default_rng(0), CELL)
    assert (len(preds), judge_of(preds).n_labels) == (400, 100)
    assert {*np.unique(preds.groups, return_counts=True)[1]} == {5}
    assert study.draw(np.random.default_rng(0), {**CELL, "design": "samples"}).groups is None


def test_the_true_change_is_that_of_sharpened_confidences_in_the_population():
    whole = study.draw(np.random.default_rng(0), CELL, whole=True)
    truth, p = np.asarray(whole.y_true), whole.probabilities("model")[:, 1]
    sharp = p**2 / (p**2 + (1 - p) ** 2)
    after, before = (2 * (q * truth).sum() / (q.sum() + truth.sum()) for q in (sharp, p))
    assert study.true_change("clusters") == pytest.approx(after - before, rel=1e-9)
    assert after - before > 0.02


def test_the_table_has_what_the_page_states_of_it():
    """Changes cover in all cells; ratios of variances fall short with clusters or few labels."""
    table = pd.read_csv(study.RESULTS)
    assert len(table) >= 5
    assert table["covered, change"].min() >= study.WANTED
    assert table[["variance, f1", "variance, cf1"]].stack().between(0.92, 1.08).all()
    assert table["covered, ratio"].min() > 0.88
    alone = table[(table["design"] == "samples") & (table["samples"] == 400)]
    assert alone["covered, ratio"].min() >= study.WANTED
    # Cells that fall short were simulated again in five times as many trials.
    assert (table["trials"][study.short(table)] == 4000).all()
