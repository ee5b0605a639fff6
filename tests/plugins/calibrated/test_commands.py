"""Options of the command line that calibrate."""

import json

import numpy as np
import pytest

import modelcompare as mc
from tests.plugins.calibrated.rows import soft


@pytest.fixture
def files(tmp_path):
    for name, n, seed in (("test", 150, 1), ("valid", 100, 2)):
        preds = soft(n, seed)
        np.savez(
            tmp_path / f"{name}.npz", y_true=preds.y_true,
            **{m: preds.probabilities(m) for m in preds.models},
        )  # fmt: skip
    return "test.npz", "valid.npz"


def estimates(found):
    assert found.code == 0, found.err
    return [row["estimate"] for row in json.loads(found.out)["scores"]]


def test_options_calibrate_as_the_function(run, files):
    asked = "compare", files[0], "-m", "cf1_macro", "-m", "f1_macro", "--format", "json"
    folds = run(*asked, "--calibrate", "temperature")
    assert "calibrated by temperature in 5 folds" in folds.err
    on = run(*asked, "--calibrate", "beta", "--calibrate-on", files[1])
    assert "calibrated by beta on valid.npz" in on.err
    metrics = ["cf1_macro", "f1_macro"]
    made = (
        mc.calibrated(soft(150, 1), folds=5),
        mc.calibrated(soft(150, 1), "beta", on=soft(100, 2)),
    )
    for found, preds in zip((folds, on), made, strict=True):
        wanted = mc.compare(preds, metrics, n_resamples=99).scores["estimate"].tolist()
        assert estimates(found) == pytest.approx(wanted, abs=1e-12)


def test_a_study_of_calibrated_models(run, files):
    asked = "study", "agreement", files[0], "--test", "wald", "--format", "json"
    found = run(*asked, "--calibrate", "temperature", "--calibrate-on", files[1])
    assert found.code == 0, found.err
    assert found.out != run(*asked).out


def test_what_is_missing_is_asked_for(run, files):
    alone = run("compare", files[0], "--calibrate-on", files[1])
    assert alone.code == 2
    assert "--calibrate-on needs --calibrate METHOD" in alone.err
    same = run("compare", files[0], "--calibrate", "vector", "--calibrate-on", files[0])
    assert same.code == 2
    assert "has samples of `predictions`" in same.err
    other = run("compare", files[0], "--calibrate", "platt")
    assert other.code == 2
    assert "`--calibrate` must be one of temperature" in other.err
