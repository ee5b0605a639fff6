import json

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    frame = pd.DataFrame({"y_true": y, "a": y, "b": rng.integers(0, 2, 60)})
    frame.to_csv(tmp_path / "p.csv", index=False)
    (tmp_path / "ours.py").write_text(
        "def slip_rate(y, p):\n    return (y != p).mean()\n"
        "class Loss:\n    greater_is_better = False\n"
    )
    return tmp_path


def test_a_metric_of_ones_own_is_compared_beside_others(run, files):
    found = run("compare", str(files / "p.csv"), "--metric", "accuracy", "--resamples", "99",
                "--metric-from", f"{files / 'ours.py'}:slip_rate", "--format", "csv")  # fmt: skip
    assert found.code == 0, found.err
    assert {"accuracy", "slip_rate"} <= {
        cell for line in found.out.splitlines() for cell in line.split(",")
    }


def test_a_file_without_the_metric_is_refused_with_what_it_has(run, files):
    found = run("compare", str(files / "p.csv"), "--metric-from", f"{files / 'ours.py'}:slips")
    assert found.code == 2
    assert "holds no metric or function 'slips'; it has: slip_rate." in found.err


def _leader(run, files, *more):
    metric = f"{files / 'ours.py'}:{more[0]}"
    done = run("compare", str(files / "p.csv"), "--metric-from", metric, "--resamples", "99",
               "--format", "json", *more[1:])  # fmt: skip
    assert done.code == 0, done.err
    scores = json.loads(done.out)["scores"]
    return next((row["model"] for row in scores if row["rank"] == 1), None), done.err


def test_the_direction_of_a_function_is_given_by_an_option_or_its_name(run, files):
    text = "\ndef slips(y, p):\n    return (y != p).mean()\nerror_rate = slips\n"
    (files / "ours.py").write_text(text + "def val_loss(y, p):\n    return slips(y, p)\n")
    assert _leader(run, files, "slips", "--higher-is-better")[0] == "b"
    leader, stderr = _leader(run, files, "slips", "--lower-is-better")
    assert (leader, "slips: lower is better\n" in stderr) == ("a", True)
    leader, stderr = _leader(run, files, "val_loss")
    assert (leader, "val_loss: lower is better, by its name" in stderr) == ("a", True)
    assert _leader(run, files, "val_loss", "--higher-is-better")[0] == "b"
    leader, stderr = _leader(run, files, "slips")
    assert (leader, "slips: direction not known\n" in stderr) == (None, True)


def test_an_option_for_functions_is_refused_where_there_is_none(run, files):
    (files / "record.py").write_text(
        "from modelcompare.metrics import from_callable\n"
        "made = from_callable(lambda y, p: (y == p).mean(), name='hits', greater_is_better=True)\n"
    )
    for more in ((), ("--metric-from", f"{files / 'record.py'}:made")):
        done = run("compare", str(files / "p.csv"), "--lower-is-better", *more)
        assert done.code == 2
        assert "for which greater_is_better (--lower-is-better) has no meaning" in done.err


FAILING = {
    "ends.py": ("import sys\nsys.exit(0)\n", "ends.py does not run: it ends the program (line 2)"),
    "later.py": ("import sys\ndef m(y, p):\n    sys.exit(0)\n", "later.py: it ends the program (line 3 in m)"),
    "raises.py": (
        "def help(y):\n    return y[1000]\ndef m(y, p):\n    return help(y)\n",
        "size 60 (line 2 in help)",
    ),
    "deep.py": (
        "import statistics\ndef m(y, p):\n    return statistics.mean([])\n",
        "StatisticsError: mean requires at least one data point (line 3 in m)",
    ),
    "value.py": ("import math\ndef m(y, p):\n    return math.sqrt(-1)\n", "(line 3 in m)"),
    "import.py": ("import no_such_package\ndef m(y, p): return 0\n", "does not run: ModuleNotFoundError: No module named 'no_such_package' (line 1)"),
    "wrong.py": ("def m(y, p)\n    return 0\n", "SyntaxError: expected ':' (wrong.py, line 1)"),
    "formula.py": (
        "import modelcompare as mc\ndef half(*totals):\n    return totals[7]\n"
        "m = mc.Metric(name='m', statistics=mc.get_metric('accuracy').statistics, value=half)\n",
        "formula.py: IndexError: tuple index out of range (line 3 in half)",
    ),
    "empty.py": ("def m(y, p):\n    (y == p).mean()\n", "metric 'm' must return a number, got None."),
    "text.py": ("def m(y, p):\n    return 'good'\n", "metric 'm' must return a number, got 'good'."),
    "many.py": ("def m(y, p):\n    return [0.5, 0.5]\n", "must return a number, got [0.5, 0.5]."),
}  # fmt: skip


@pytest.mark.parametrize("name", FAILING)
def test_a_metric_that_fails_is_bad_input_reported_in_one_line(run, files, name):
    code, message = FAILING[name]
    (files / name).write_text(code)
    found = run(
        "compare", str(files / "p.csv"), "--metric-from", f"{files / name}:m", "--resamples", "99"
    )
    assert found.code == 2, (found.out, found.err)
    assert found.out == ""
    *_, last = found.err.splitlines()
    assert last.startswith("modelcompare: error: ")
    assert message in last
    assert "Traceback" not in found.err


def test_whoever_interrupts_a_metric_gets_no_answer(run, files):
    (files / "held.py").write_text("def m(y, p):\n    raise KeyboardInterrupt\n")
    found = run("compare", str(files / "p.csv"), "--metric-from", f"{files / 'held.py'}:m")
    assert found.code == 130
