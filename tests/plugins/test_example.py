"""A plugin of another project: installed, found by its entry point, and shown on its page."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from modelcompare import plugs
from tests.pages import ROOT

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


FILES = ["pyproject.toml", *(f"modelcompare_example/{n}.py" for n in ("rows", "quiz", "near_miss"))]


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
