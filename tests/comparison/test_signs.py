"""In every table of differences + means that the first model is better; frames have a - b."""

from functools import partial

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.comparison.pair_tables import lead_meaning, orient
from modelcompare.report.writers.terminal import screen_text
from tests.plugged import needs, of_plugins, plugged

RNG = np.random.default_rng(0)
N = 90
TRUTH = RNG.normal(size=N)
OUTPUTS = {"b": TRUTH + RNG.normal(0, 1.5, N), "a": TRUTH + RNG.normal(0, 0.5, N)}
SITE = np.repeat(["x", "y", "z"], N // 3)
ROWS = {site: np.flatnonzero(site == SITE) for site in "xyz"}
PREDS = mc.Predictions(TRUTH, OUTPUTS, slices={"site": SITE})
LOSSES = {m: [np.abs(TRUTH - o)[k::5].mean() for k in range(5)] for m, o in OUTPUTS.items()}
SETS = {
    site: mc.Predictions(TRUTH[rows], {m: o[rows] for m, o in OUTPUTS.items()})
    for site, rows in ROWS.items()
}
RESULTS = {
    "subgroups": lambda: mc.compare_groups(PREDS, ["rmse", "r2"], n_resamples=99),
    "sets": lambda: mc.compare_groups(SETS, ["rmse", "r2"], n_resamples=99),
} | {name: partial(make, LOSSES) for name, make in plugged("SIGNED").items()}  # fmt: skip


@needs("page")
@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("name", of_plugins(RESULTS, suites=["sets"]))
def test_plus_means_that_the_first_model_is_better(name, tmp_path):
    result = RESULTS[name]()
    document = result.document()
    table = document.tables["differences"]
    assert table.subtitle == "+: a is better"
    signed = [c for c in table.columns if c.kind == "difference"]
    assert [c.title for c in signed] in (["lead"], ["at least", "at most"])
    # Model b is worse than a by each metric, and its value is higher if that is an error.
    first = table.frame[table.frame["model_b"] == "a"].index
    assert {*table.frame["model_a"][first]} == {"b"}
    for each in signed:
        assert all(table.texts(each)[row].startswith("-") for row in first)
    raw = document.frames()["pooled_differences" if name == "sets" else "differences"].loc[first]
    errors = raw if "metric" not in raw else raw[raw["metric"] != "r2"]
    assert (errors["low" if "low" in raw else "difference"] > 0).all()
    result.to_html(tmp_path / "x.html")
    shown = screen_text(document, show_all=True)
    for text in (shown, result.to_markdown(), (tmp_path / "x.html").read_text()):
        assert "+: a is better" in text


def test_turned_differences_have_turned_intervals():
    frame = pd.DataFrame(
        {"metric": ["rmse", "r2", "own"], "difference": [1.0, 2.0, 0.0], "ci_low": [0.5, 1.0, -1.0],
         "ci_high": [3.0, 4.0, 2.0]}
    )  # fmt: skip
    upwards = {"rmse": False, "r2": True, "own": None}
    found = orient(frame, upwards, ("difference", "difference"), ("ci_low", "ci_high"))
    assert found.iloc[:, 1:].to_numpy().tolist() == [[-1, -3, -0.5], [2, 1, 4], [0, -1, 2]]
    assert lead_meaning(upwards) == "+: a is better, of own higher"
    assert lead_meaning({"own": None}) == "+: a is higher"
