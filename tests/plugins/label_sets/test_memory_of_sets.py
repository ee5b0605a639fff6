"""Rows of 0 and 1 that would not fit into memory are refused before they are made."""

import re

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.cli import main
from modelcompare.engine import memory

RNG = np.random.default_rng(0)
# 400 samples of 30 labels, of which each has two or three.
TRUTH, ONE, OTHER = (
    [sorted({f"l{k:02}" for k in row}) for row in RNG.integers(0, 30, (400, 3)).tolist()]
    for _ in range(3)
)
NEEDED = 8 * 400 * 30 * 4
REFUSED = re.escape(
    "label sets of 400 samples, 30 labels and 3 columns need about 0.0 GiB of memory, and 0.0 GiB "
    "are free; choose models (--model), a few after the others, or take a part of the samples."
)


@pytest.fixture(autouse=True)
def _everything_is_asked_for(monkeypatch):
    monkeypatch.setattr(memory, "CACHE_BYTES", 0)
    monkeypatch.setattr(memory, "free_memory", lambda: NEEDED - 1)


@pytest.fixture
def path(tmp_path):
    frame = pd.DataFrame({"id": range(400), "y_true": TRUTH, "one": ONE, "other": OTHER})
    frame.to_json(found := tmp_path / "sets.jsonl", orient="records", lines=True)
    return found


ROADS = {
    "compare": lambda _: mc.compare(TRUTH, {"one": ONE, "other": OTHER}),
    "predictions": lambda _: mc.Predictions(TRUTH, {"one": ONE, "other": OTHER}),
    "file": mc.read_predictions,
    "sample size": lambda _: mc.sample_size(
        mc.Predictions(TRUTH, {"one": ONE, "other": OTHER}), "one", "other"
    ),
}


@pytest.mark.parametrize("road", ROADS)
def test_label_sets_that_do_not_fit_are_refused_and_those_that_just_fit_are_read(
    road, path, monkeypatch
):
    with pytest.raises(ValueError, match=REFUSED):
        ROADS[road](path)
    monkeypatch.setattr(memory, "free_memory", lambda: NEEDED)
    assert len(mc.read_predictions(path)) == 400


def test_the_command_that_is_named_works(path, monkeypatch, capsys):
    assert main(["compare", str(path)]) == 2
    assert "choose models (--model)" in capsys.readouterr().err
    # One model beside the truth takes three quarters.
    monkeypatch.setattr(memory, "free_memory", lambda: NEEDED * 3 // 4)
    assert main(["compare", str(path), "--model", "one"]) == 0


def test_counts_of_items_that_do_not_fit_are_refused(monkeypatch):
    rows = pd.DataFrame([
        (item, label, model, 1, item % 2, label % 2)
        for item in range(40) for label in range(5) for model in "ab"
    ], columns=["item", "label", "model", "tp", "fp", "fn"])  # fmt: skip
    needed = 8 * 12 * 40 * 5 * 2
    monkeypatch.setattr(memory, "free_memory", lambda: needed - 1)
    with pytest.raises(ValueError, match="counts of 40 items, 5 labels and 2 models need about"):
        mc.io.from_item_counts(rows)
    assert mc.io.from_item_counts(rows, models=["a"]).models == ("a",)
    monkeypatch.setattr(memory, "free_memory", lambda: needed)
    assert len(mc.io.from_item_counts(rows)) == 40
