"""Directions of scores on the command line: by their names, declared, or asked for."""

import numpy as np
import pandas as pd
import pytest

from tests.plugged import needs

RNG = np.random.default_rng(0)
A = RNG.normal(0, 1, 100)


@pytest.mark.parametrize("name", ["interval_score", "winkler_score", "wis", "crps"])
def test_a_gate_passes_the_model_with_the_smaller_error(run, tmp_path, name):
    low = RNG.uniform(0.1, 0.2, 80)
    rows = [(i, model, x + shift) for model, shift in (("good", 0), ("bad", 0.3))
            for i, x in enumerate(low)]  # fmt: skip
    pd.DataFrame(rows, columns=["id", "model", name]).to_csv(tmp_path / "s.csv", index=False)
    asked = ["--margin", "0.05", "--resamples", "99", "--read", f"score={name}"]
    assert run("gate", "s.csv", "--baseline", "good", "--candidate", "bad", *asked).code == 1
    assert run("gate", "s.csv", "--baseline", "bad", "--candidate", "good", *asked).code == 0


@pytest.mark.parametrize(
    "more", [[], pytest.param(["--ledger", "ledger.jsonl"], marks=needs("ledgers"))]
)
def test_the_command_that_gates_ask_for_works(run, tmp_path, more):
    pd.DataFrame({"A": A, "B": A + 0.3}).to_csv(tmp_path / "s.csv", index=False)
    gate = ["gate", "s.csv", "--baseline", "A", "--candidate", "B", "--margin", "1", "--read",
            "range=-9,9", "--resamples", "99", *more]  # fmt: skip
    done = run(*gate)
    assert done.code == 2
    assert "(--higher-is-better or --lower-is-better)" in done.err
    assert not (tmp_path / "ledger.jsonl").exists()
    assert run(*gate, "--higher-is-better").code == 0


def test_compare_says_that_the_direction_is_not_known(run, tmp_path):
    pd.DataFrame({"A": A, "B": A + 0.3 + A / 50}).to_csv(tmp_path / "s.csv", index=False)
    done = run("compare", "s.csv", "--resamples", "99")
    assert "direction: direction not known" in done.read
    assert "B is highest (" in done.out
    assert "is higher than A" in done.out
    assert "better" not in done.out
    assert "rank" not in done.out
    assert "B leads" in run("compare", "s.csv", "--resamples", "99", "--higher-is-better").out
    assert "A leads" in run("compare", "s.csv", "--resamples", "99", "--lower-is-better").out
