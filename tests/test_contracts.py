"""What no tool checks: who draws random numbers, and where choices are written."""

import ast
import importlib
import importlib.util
import re
from functools import cache
from pathlib import Path

import pytest

import modelcompare
from modelcompare.plugs import plugins

PACKAGE = Path(modelcompare.__file__).parent
ALONE = ("resampling", "significance")
FILES = sorted(PACKAGE.rglob("*.py"))


@cache
def parsed(path):
    """The tree of a file, which several tests walk."""
    return ast.parse(path.read_text(encoding="utf-8"))


def random_calls(tree):
    """Names of the calls that draw, or make what draws: anything of a `random` module but seeds."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom | ast.Import):
            modules = [getattr(node, "module", None), *(alias.name for alias in node.names)]
            yield from (m for m in modules if m in ("random", "numpy.random"))
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        last = name.rsplit(".", 1)[-1]
        if ".random." in f".{name}" and last != "SeedSequence":
            yield name
        if last in ("default_rng", "Generator", "RandomState"):
            yield name


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_only_resampling_and_significance_draw_random_numbers(path):
    if path.relative_to(PACKAGE).parts[0] in ALONE:
        return
    assert list(random_calls(parsed(path))) == []


def test_the_check_sees_every_way_to_draw():
    source = """
import random
from numpy.random import normal
np.random.default_rng(0)
np.random.standard_normal(3)
default_rng(1)
np.random.Generator(np.random.SFC64(2))
np.random.SeedSequence(3)
"""
    assert len(set(random_calls(ast.parse(source)))) == 7
    drawing = random_calls(
        ast.parse((PACKAGE / "resampling" / "weights.py").read_text(encoding="utf-8"))
    )
    assert "np.random.Generator" in set(drawing)


EXPERIMENTS = sorted(PACKAGE.parent.glob("experiments/**/*.py"))


@pytest.mark.skipif(not EXPERIMENTS, reason="the package is installed without its experiments")
def test_experiments_import_what_the_package_has():
    """Some need what is not installed here, so that no test runs them."""
    gone = []
    for path in EXPERIMENTS:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("modelcompare"):
                plugin = re.match(r"modelcompare\.plugins\.(\w+)", node.module)
                if plugin and plugin[1] not in plugins():
                    continue
                found = importlib.import_module(node.module)
                gone += [
                    f"{path.name}: {node.module}.{alias.name}"
                    for alias in node.names
                    if not hasattr(found, alias.name)
                    and importlib.util.find_spec(f"{node.module}.{alias.name}") is None
                ]
    assert gone == []


# Branches that ask what varies, beyond the plugins that add it, and readers, which have its
# columns. Fewer may follow: a design, a kind or a row of a plugin answers for itself.
ASKING = {
    "plugins/answers/metrics.py": 1,
    "plugins/hugging_face/datasets.py": 1,
    "plugs.py": 2,
    "questions/components.py": 1,
}
QUESTIONS = {
    ("runs",): r"\.runs\b|\b(new|n|several|in)_runs\b|several_runs|'runs'",
    ("judges",): r"judge",
    ("time", "survival"): r"\.time\b|in_time|time_blocks|'times?'",
    (
        "suites",
    ): r"isinstance\((predictions|source|sets|preds), Mapping\)|\b(new_|n_)?sets\b|'sets'",
}
READERS = ("data/", "readers/", "plugins/logs/", "plugins/published/")


def conditions(tree):
    """Yield the texts of the conditions of all branches."""
    for node in ast.walk(tree):
        if isinstance(node, ast.If | ast.IfExp | ast.While | ast.Assert):
            yield ast.unparse(node.test)
        elif isinstance(node, ast.comprehension):
            yield from map(ast.unparse, node.ifs)
        elif isinstance(node, ast.match_case):
            yield ast.unparse(node.pattern)


def asking(tree, where):
    """Conditions of a file that ask what varies by runs, a judge, time or test sets."""
    asked = [
        question for owners, question in QUESTIONS.items()
        if not where.startswith(tuple(f"plugins/{owner}/" for owner in owners))
    ]  # fmt: skip
    return [each for each in conditions(tree) if re.search("|".join(asked), each)]


def test_few_files_ask_what_varies():
    names = {path: path.relative_to(PACKAGE).as_posix() for path in FILES}
    found = {
        name: len(asking(parsed(path), name)) for path, name in names.items()
        if not name.startswith(READERS)
    }  # fmt: skip
    assert {name: n for name, n in found.items() if n} == {
        name: n for name, n in ASKING.items() if name in found
    }


def test_the_check_sees_every_branch():
    source = """
x = 1 if preds.runs is None else 2
while n_sets > 1: pass
assert judge_of(x)
y = [name for name in z if name == 'time']
if isinstance(predictions, Mapping): pass
if ready: pass
"""
    assert len(asking(ast.parse(source), "engine/design.py")) == 5
    assert len(asking(ast.parse(source), "plugins/judges/design.py")) == 4
