"""The same tasks beside other packages: the numbers agree, and the tables say what was measured."""

import re
import shutil

import numpy as np
import pytest

from experiments.coming_from import __main__ as coming_from
from experiments.coming_from import null_cases
from experiments.coming_from.tables import Row, Task
from tests.pages import ROOT

FOLDER = ROOT / "experiments" / "coming_from"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted({*coming_from.TASKS} - {"scikit_learn"}))
def test_the_first_number_of_a_task_is_the_same_in_both(name):
    if name in ("proc", "yardstick"):
        if not shutil.which("Rscript"):
            pytest.skip("R is not installed")
    else:
        pytest.importorskip(name)
    try:
        task = coming_from.TASKS[name]()
    except LookupError as lacking:
        pytest.skip(str(lacking))
    first = task.rows[0]
    assert first.theirs == pytest.approx(first.ours, rel=1e-6)
    assert min(task.theirs, task.ours) > 0


def test_a_table_says_how_far_apart_numbers_are_and_how_long_each_took():
    rows = [Row("value", 0.5, 0.5), Row("end", 0.25, 0.75), Row("p", "none", 0.03)]
    lines = Task("other 1.0", "a task", rows, theirs=2.5, ours=0.002).table().splitlines()
    assert lines[2:] == [
        "| value | 0.5000 | 0.5000 | 0 |",
        "| end | 0.2500 | 0.7500 | 0.5000 |",
        "| p | none | 0.0300 |  |",
        "| seconds | 2.5 | 0.002 | 1,200 times |",
    ]


@pytest.mark.parametrize("name", sorted(coming_from.TASKS))
def test_the_readme_has_the_ratio_that_was_measured(name):
    measured = re.search(r"\| ([\d.,]+) times \|$", (FOLDER / "results" / f"{name}.md").read_text())
    row = re.search(
        rf"results/{name}\.md.* ([\d.,]+) \|$", (FOLDER / "README.md").read_text(), re.M
    )
    ratio, stated = (float(found[1].replace(",", "")) for found in (measured, row))
    assert stated == pytest.approx(ratio, rel=0.1)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("case", null_cases.CASES, ids=lambda case: case[1].__name__)
def test_null_cases_announce_by_rules_that_can_say_no(case):
    _, draw, programs = case
    world = draw(np.random.default_rng(2))
    for name, announces in programs.items():
        if name.startswith("modelcompare"):
            assert announces(world) is False
    # Every program announces the difference of a model that is always right and a coin.
    if len(world.models) == 2 and world.y_true.any():
        coin = np.random.default_rng(1).integers(0, 2, len(world.y_true))
        clear = world._replace(models={"a": world.y_true.copy(), "b": coin})
        found = [announces for name, announces in programs.items() if "stambo" not in name]
        assert all(announces(clear) for announces in found)
