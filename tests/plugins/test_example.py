"""A plugin of another project: installed, found by its entry point, and shown on its page."""

import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from scipy.special import stdtrit

from modelcompare import plugs
from tests.pages import ROOT
from tests.plugged import needs

EXAMPLE = Path(__file__).parent / "example"
PAGE = (ROOT / "docs" / "plugins.md").read_text("utf-8")
LOG = """\
{"player": "anna", "card": 1, "back": "a", "reply": "a"}
{"player": "anna", "card": 2, "back": "b", "reply": "c"}
{"player": "anna", "card": 3, "back": "c", "reply": "c"}
{"player": "ben", "card": 1, "back": "a", "reply": "c"}
{"player": "ben", "card": 2, "back": "b", "reply": "b"}
{"player": "ben", "card": 3, "back": "c", "reply": "a"}
"""
CODE = """
import pickle, modelcompare as mc
preds = mc.read_predictions("quiz.jsonl")
found = mc.compare(preds, ["accuracy", "near_miss"], n_resamples=99)
again = pickle.loads(pickle.dumps(found))
print(preds.models, again.scores["estimate"].round(3).tolist())
print("near_miss" in set(mc.list_metrics()["metric"]))
"""

# Equal shares of the items of each cluster, so that all samples count the same.
DESIGN = """
import json, pickle, numpy as np, modelcompare as mc
from modelcompare_example.draws import two_stage
rng, m, n_clusters = np.random.default_rng(5), 12, 40
size = np.array([5, 8] * 6)
cluster = np.repeat(np.arange(m), size)
y = rng.integers(0, 2, len(cluster))
right = {name: rng.random(len(y)) < p for name, p in {"a": 0.8, "b": 0.6}.items()}
outputs = {name: np.where(each, y, 1 - y) for name, each in right.items()}
n_items = dict(enumerate((4 * size).tolist()))
draw = {"clusters": cluster, "n_clusters": n_clusters, "n_items": n_items}
preds = two_stage(y, outputs, **draw)
found = mc.compare(preds, "accuracy", n_resamples=99)
whole = {**draw, "n_clusters": m, "n_items": dict(enumerate(size.tolist()))}
census = mc.compare(two_stage(y, outputs, **whole), "accuracy", n_resamples=99)
scores, apart = found.scores.set_index("model"), found.differences.iloc[0]
refused = {}
for name, ask in {
    "method": lambda: mc.compare(preds, "accuracy", method="BCa"),
    "test": lambda: mc.decide(preds, "b", "a", "accuracy", margin=0.1, method="percentile"),
    "correction": lambda: mc.compare(preds, "accuracy", correction="max-t"),
    "missing": lambda: mc.compare(preds, "accuracy", missing="bounds"),
    "time": lambda: mc.decide(preds, "b", "a", "accuracy", margin=0.1, method="any-time"),
    "plan": lambda: mc.sample_size(preds, "a", "b", "accuracy"),
    "others": lambda: mc.bootstrap(preds),
    "rough": lambda: mc.compare(preds, lambda y, out: float((y == out).mean())),
    "strata": lambda: mc.compare(two_stage(y, outputs, strata=cluster % 2, **draw), "accuracy"),
}.items():
    try:
        ask()
    except ValueError as error:
        refused[name] = str(error)
print(json.dumps({
    "right": {name: each.astype(int).tolist() for name, each in right.items()},
    "cluster": cluster.tolist(),
    "errors": [scores["standard_error"]["a"], scores["standard_error"]["b"], apart["standard_error"]],
    "ends": [scores["ci_low"]["a"], scores["ci_high"]["a"]],
    "method": scores["method"]["a"], "test": apart["test"], "signature": found.signature,
    "notes": list(pickle.loads(pickle.dumps(found)).evidence.notes),
    "census": census.scores["standard_error"].tolist(), "refused": refused,
}))
"""
REFUSED = {
    "method": "two stages, and method='BCa' does not know the error of its draw; use method='auto'",
    "test": "method='percentile' does not know the error of its draw",
    "correction": "correction='max-t' does not know the error of its draw",
    "missing": "missing='bounds' does not know the error of its draw",
    "time": "not for a sample in two stages",
    "plan": "sample_size does not know the error of its draw",
    "others": "`predictions` has two stages, which compare, decide and gate know",
    "rough": "has no influences that show the error of its draw",
    "strata": "two stages have no `strata` and no `runs`",
}


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Install the example beside what there is, and write its log."""
    folder = tmp_path_factory.mktemp("example")
    source = shutil.copytree(EXAMPLE, folder / "source")
    command = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--no-deps"]
    subprocess.run([*command, "--target", folder / "site", source], check=True)
    (folder / "quiz.jsonl").write_text(LOG, "utf-8")
    return folder


def ask(folder, *arguments):
    env = os.environ | {"PYTHONPATH": os.pathsep.join((str(folder / "site"), str(ROOT)))}
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=env, capture_output=True, text=True
    )


@pytest.mark.slow
def test_its_format_and_its_metric_are_found_by_name(installed):
    done = ask(installed, "-c", CODE)
    assert done.returncode == 0, done.stderr
    # Anna names b as c, which is next to it; of ben's errors, a as c and c as a, none is near.
    assert done.stdout.splitlines() == ["('anna', 'ben') [0.667, 1.0, 0.333, 0.333]", "True"]


@pytest.mark.slow
def test_the_command_line_has_them_too(installed):
    done = ask(installed, "-m", "modelcompare", "compare", "quiz.jsonl", "-m", "near_miss")
    assert done.returncode == 0, done.stderr
    assert "near_miss (higher is better)" in done.stdout


def two_stage_error(values, clusters, n_clusters, times):
    """The error of a mean by sums over clusters and within (R's survey, svymean with fpc), in a loop."""
    z = [(value - sum(values) / len(values)) / len(values) for value in values]
    parts = {k: [x for x, own in zip(z, clusters, strict=True) if own == k] for k in clusters}
    sums, m = [sum(part) for part in parts.values()], len(parts)
    variance = (1 - m / n_clusters) * m / (m - 1) * sum((x - sum(sums) / m) ** 2 for x in sums)
    for part in parts.values():
        n, mean = len(part), sum(part) / len(part)
        rest = sum((x - mean) ** 2 for x in part)
        variance += m / n_clusters * (1 - 1 / times) * n / (n - 1) * rest
    return variance**0.5


@pytest.mark.slow
@needs("bounds", "any_time")
def test_its_design_gives_the_errors_and_refuses_what_does_not_know_them(installed):
    done = ask(installed, "-W", "ignore", "-c", DESIGN)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    a, b = found["right"]["a"], found["right"]["b"]
    values = a, b, [x - y for x, y in zip(a, b, strict=True)]
    wanted = [two_stage_error(each, found["cluster"], 40, 4) for each in values]
    assert found["errors"] == pytest.approx(wanted, rel=1e-10)
    # Who saw all items of all clusters knows the values.
    assert found["census"] == pytest.approx([0, 0], abs=1e-12)
    # Student's interval with a degree of freedom less than clusters, on the logit scale.
    mean, error = sum(a) / len(a), wanted[0]
    step = stdtrit(11, 0.975) * error / (mean * (1 - mean))
    ends = [1 / (1 + ((1 - mean) / mean) * math.exp(side * step)) for side in (1, -1)]
    assert found["ends"] == pytest.approx(ends, rel=1e-9)
    assert (found["method"], found["test"]) == ("design-t", "wald")
    assert "two-stage" in found["signature"].split("|")
    assert found["notes"] == [
        "For a finite number of clusters, of which some were drawn, and items within each."
    ]
    assert {*found["refused"]} == {*REFUSED}
    for name, text in REFUSED.items():
        assert text in found["refused"][name]


@pytest.mark.slow
def test_what_a_plugin_attached_is_refused_where_the_plugin_is_absent(installed):
    code = (
        "import modelcompare as mc, modelcompare_example.draws as draws, modelcompare.plugs as plugs\n"
        "preds = draws.two_stage([0, 1] * 9, {'a': [0, 1] * 9, 'b': [0, 0] * 9}, n_clusters=9,\n"
        "    clusters=[k // 6 for k in range(18)], n_items={0: 9, 1: 9, 2: 9})\n"
        "plugs.others = dict\n"
        "mc.compare(preds, 'accuracy')"
    )
    done = ask(installed, "-W", "ignore", "-c", code)
    assert "the plugin of the attachment 'two-stage' is absent; install it." in done.stderr


NAMES = "rows", "quiz", "near_miss", "draws", "variances", "two_stage"
FILES = ["pyproject.toml", *(f"modelcompare_example/{n}.py" for n in NAMES)]


@pytest.mark.parametrize("name", FILES)
def test_the_page_shows_its_files(name):
    text = (EXAMPLE / name).read_text("utf-8")
    assert text.strip() in PAGE
    assert len(text.splitlines()) <= 40


def test_an_entry_point_that_is_no_record_is_refused_by_its_package(monkeypatch):
    point = SimpleNamespace(
        name="odd", value="odd.rows:PLUGIN", dist=SimpleNamespace(name="odd"), load=lambda: "text"
    )
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: [point])
    plugs.others.cache_clear()
    with pytest.raises(TypeError, match=r"entry point odd\.rows:PLUGIN of odd .* is no"):
        plugs.others()


def test_installed_packages_are_searched_for_unknown_names_alone():
    code = (
        "import sys, modelcompare as mc, modelcompare.plugs as plugs; mc.get_metric('f1_macro');"
        "print(plugs.others.cache_info().currsize, end=' ');"
        "\ntry: mc.get_metric('no_such_name')\nexcept ValueError: pass\n"
        "print(plugs.others.cache_info().currsize)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "1"]
