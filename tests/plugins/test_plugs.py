"""Rows of plugins: light, found by name, and refused by the name of the plugin where they are absent."""

import json
import re
import subprocess
import sys
from typing import get_args

import pytest

import modelcompare
from modelcompare import plugs
from modelcompare.metrics.named import names_of
from modelcompare.options import OPTIONS
from tests.absent import CASES, HONEST
from tests.pages import ROOT
from tests.plugged import needs

PLUGINS = plugs.plugins()
PREDS = modelcompare.Predictions([0, 1] * 20, {"a": [0, 1] * 20, "b": [0] * 40})


def test_rows_load_nothing_slow_and_at_once():
    slow = ["click", "numpy", "pandas", "scipy"]
    code = (
        "import sys, time, modelcompare.plugs as plugs; start = time.process_time(); "
        "found = plugs.plugins(); took = time.process_time() - start; "
        f"print([name for name in {slow} if name in sys.modules], took / max(1, len(found)))"
    )
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for _ in range(3)
    ]
    loaded, times = zip(*(run.stdout.rsplit(maxsplit=1) for run in runs), strict=True)
    assert {*loaded} == {"[]"}
    # Twelve take 20 ms at most.
    assert min(map(float, times)) < 0.020 / 12


@pytest.mark.parametrize("name", PLUGINS)
def test_a_plugin_is_named_as_its_folder_and_its_places_exist(name):
    plugin = PLUGINS[name]
    assert (plugin.name, plugin.package) == (name, f"modelcompare.plugins.{name}")
    for place in plugin.public.values():
        assert plugin.load(place) is not None


@pytest.mark.parametrize("name", PLUGINS)
def test_whatever_a_plugin_adds_is_named_where_it_is_absent(name):
    owned = {each for each, owner in plugs.owners().items() if owner == name}
    plugin = PLUGINS[name]
    kinds = plugin.load(plugin.kinds) if plugin.kinds else ()
    metrics = plugin.load(plugin.metrics) if plugin.metrics else ()
    assert owned >= {f"kind={kind.name!r}" for kind in kinds}
    assert owned >= {f"`{role}`" for kind in kinds for role in kind.columns}
    names = {each.name for metric in metrics for each in names_of(metric)}
    known = {name for name in names if f"metric {name!r}" in owned}
    # Of a metric with a number in its name, any number.
    assert owned >= {f"metric {re.sub('[0-9]+', '{}', name)!r}" for name in names - known}
    assert owned >= {
        f"--{option} {each}" for option, more in plugin.choices.items() for each in more
    }
    commands = plugin.load(plugin.commands) if plugin.commands else ()
    additions = plugin.load(plugin.additions) if plugin.additions else ()
    steps = plugin.load(plugin.steps) if plugin.steps else ()
    options = [each for row in (*additions, *steps) for each in row.options]
    # An option of the core has some of its choices from the plugin.
    added = {each: {f"{each.flag} {choice}" for choice in get_args(each.type)} for each in options}
    flags = {
        each.flag for each in options
        if each.name not in OPTIONS and not (added[each] and owned >= added[each])
    }  # fmt: skip
    assert owned >= {*plugin.public, *flags, *(row.name.partition(" ")[0] for row in commands)}
    figures = plugin.load(plugin.figures) if plugin.figures else ()
    assert owned >= {f"plot.{name}" for name, *_ in figures}


def test_a_name_of_an_absent_plugin_is_refused_by_its_name(monkeypatch):
    monkeypatch.setattr(plugs, "plugins", dict)
    monkeypatch.delitem(vars(modelcompare), "studies", raising=False)
    with pytest.raises(AttributeError, match=r"^studies needs the plugin paper$"):
        modelcompare.studies  # noqa: B018
    assert plugs.needed("--card") == "--card needs the plugin paper"
    with pytest.raises(
        ValueError, match=r"^a question about several test sets needs the plugin suites$"
    ):
        modelcompare.decide({"x": PREDS, "y": PREDS}, "a", "b", margin=0.1)
    assert plugs.needed("compare") is None


def without(*names):
    """What `tests.absent` writes."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.absent", *names], cwd=ROOT, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def refusals():
    """What becomes of the data of all plugins where all are absent."""
    return without(*{*plugs.owners().values()})


@pytest.mark.parametrize("name", [*CASES, "suites"])
def test_data_that_an_absent_plugin_reads_are_never_answered(name, refusals):
    """They are refused in Python and by commands: a plugin's runs, folds or winners are no samples and no scores."""
    lenient = {
        case: text
        for case, text in refusals[name].items()
        if f"needs the plugin {name}" not in str(text)
    }
    assert lenient == {}


@needs("ledgers", "suites")
def test_files_named_like_runs_are_refused_on_every_road_and_honest_names_are_read():
    roads = without("roads")
    unnamed = {road: text for road, text in roads["refused"].items() if not text}
    assert unnamed == {}
    # Of files of one name in several folders no models can be named, with the plugin either.
    other = [text for text in roads["refused"].values() if "needs the plugin runs" not in text]
    assert all("several files are named" in text for text in other)
    assert roads["honest"] == {
        case: [*(models or ("1", "2"))] for case, (_, models) in HONEST.items()
    }
