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


def test_a_file_without_the_metric_is_told_what_it_has(run, files):
    found = run("compare", str(files / "p.csv"), "--metric-from", f"{files / 'ours.py'}:slips")
    assert found.code == 2
    assert "holds no metric or function 'slips'; it has: slip_rate." in found.err
