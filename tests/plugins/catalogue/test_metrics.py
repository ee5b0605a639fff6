import json
import re

import pytest

from modelcompare import metrics
from modelcompare.metrics import FAMILIES, METRICS, get_metric
from tests.plugged import needs


def test_the_list_names_every_metric_and_fits_a_terminal(run):
    lines = run("metrics").out.splitlines()
    listed = []
    for line in lines[1 : lines.index("")]:
        name, *others = re.sub(r"[;,]", " ", line).split()
        if "averages" in others:
            others += ["_macro", "_micro", "_weighted"]
        averages = [name + ending for ending in others if ending.startswith("_")]
        twin = [f"c{name}"] * ("soft" in others)
        listed += [name, *averages, *twin]
        listed += [f"c{each}" for each in averages if twin]
    assert sorted(listed) == sorted(METRICS)
    assert max(map(len, lines)) <= 80


@needs("calibration")
def test_the_list_is_searched_and_answers_with_the_place_of_what_is_no_metric(run):
    assert run("metrics", "--search", "false alarm").out.splitlines()[1].startswith("fpr")
    assert "ece_mass" in run("metrics", "--search", "calibration error").out
    refused = run("metrics", "--search", "rouge")
    assert refused.code == 2
    assert "rouge-score" in refused.err
    assert run("metrics", "f1", "--search", "f1").code == 2


@pytest.mark.parametrize("name", ["f1", "roc_auc_ovo_weighted", "pcen", "f0.5_macro"])
def test_a_page_says_what_the_docstring_says(run, name):
    out = run("metrics", name).out
    first_line = getattr(metrics, get_metric(name).stem).__doc__.split("\n")[0]
    assert first_line in " ".join(out.split())
    assert all(word in out for word in ("bounds", "needs", "method"))
    assert max(map(len, out.splitlines())) <= 80


def test_bounds_and_direction_come_from_the_metric(run):
    out = run("metrics", "log_loss").out
    assert "0 to inf, lower is better, one value" in out
    assert "also cross entropy" in out
    (facts,) = json.loads(run("metrics", "r2", "--format", "json").out)["metrics"]
    assert facts["bounds"] == [None, 1]
    assert len(json.loads(run("metrics", "--format", "json").out)["metrics"]) == len(METRICS)


def test_costs_are_those_of_the_way_that_a_metric_is_computed(run):
    listed = json.loads(run("metrics", "--format", "json").out)["metrics"]
    costs = {each["name"]: each["cost"] for each in listed}
    ways = {"accuracy": "one product"}
    ways |= {"roc_auc": "sort once"}
    assert {name: costs[name] for name in ways} == ways


def test_an_unknown_name_is_answered_with_the_nearest(run):
    found = run("metrics", "f1_makro")
    assert found.code == 2
    assert "did you mean f1_macro" in found.err


@pytest.mark.parametrize("name", list(METRICS))
def test_every_metric_is_explained(name):
    found = get_metric(name)
    assert found.summary.endswith((".", ")."))
    # What it values, and where that misleads: more than a phrase.
    assert len(found.text) > 60, name
    plain = name == found.stem
    assert plain or found.variant or found.stem in FAMILIES, name
