"""Studies of scans and sketches."""

from importlib import import_module

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from tests.plugged import needed
from tests.small_blocks import ROW_BLOCK

needed("paper", "large")
planning = import_module("modelcompare.plugins.large.planning")
N = ROW_BLOCK + 1_000
FEW = ("--resamples", "99")


@pytest.fixture(scope="module")
def soft():
    rng = np.random.default_rng(1)
    columns = {"y_true": rng.choice(["x", "y", "z"], N, p=[0.5, 0.45, 0.05])}
    for model in "ab":
        p = rng.dirichlet([1, 2, 1], N)
        columns |= {f"{model}:{label}": p[:, j] for j, label in enumerate("xyz")}
    return pd.DataFrame(columns)


@pytest.fixture
def never_loaded(monkeypatch):
    """As if no scan fitted into memory."""
    monkeypatch.setattr(planning, "free_memory", lambda: 1_000)
    monkeypatch.setattr(mc.io.ScannedPredictions, "load", lambda _: pytest.fail("was loaded"))


@pytest.mark.usefixtures("small_blocks", "never_loaded")
@pytest.mark.filterwarnings("ignore:.* resamples are too few for")
def test_a_variance_study_is_that_of_memory(soft):
    asked = {"ratios": [1.0, 0.95, 0.1], "n_resamples": 9}
    memory = mc.studies.variance_study(mc.read_predictions(soft), [("f1", "cf1")], **asked)
    scan = mc.studies.variance_study(mc.io.scan_predictions(soft), [("f1", "cf1")], **asked)
    for name, frame in memory.document().frames().items():
        pd.testing.assert_frame_equal(
            frame, scan.document().frames()[name], check_exact=True, obj=name
        )


def test_a_sketch_is_refused():
    sketched = mc.io.sketch(mc.load_example("snli"), "accuracy")
    with pytest.raises(ValueError, match="`predictions` is a sketch, which has no samples"):
        mc.studies.variance_study(sketched)


def test_a_sketch_is_refused_on_the_command_line(run, tmp_path):
    mc.io.sketch(mc.load_example("snli"), "accuracy").save(tmp_path / "mon.parquet")
    done = run("study", "variance", "mon.parquet")
    assert done.code == 2
    assert "is a sketch, which has no samples" in done.err


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    true = rng.integers(0, 2, 3000)
    models = {m: np.where(rng.random(3000) < 0.2, 1 - true, true) for m in ("cnn", "bow")}
    pd.DataFrame({"y_true": true, **models}).to_parquet(tmp_path / "x.parquet")


@pytest.mark.usefixtures("table")
def test_a_file_above_a_share_of_memory_is_scanned_by_itself(run, monkeypatch):
    monkeypatch.setattr(planning, "free_memory", lambda: 10_000)
    asked = ("--pair", "f1_macro,accuracy", "--model", "cnn", "--model", "bow", *FEW)
    assert "block by block" in run("study", "variance", "x.parquet", *asked).read


@pytest.mark.usefixtures("table")
def test_an_agreement_study_of_a_scan_is_refused(run):
    done = run("study", "agreement", "x.parquet", "--read", "scan")
    assert done.code == 2
    assert "--read scan, --read checkpoint and URLs are for compare" in done.err
