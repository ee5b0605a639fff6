"""``modelcompare keep``, looks of the gate, and the budget of a ledger."""

import numpy as np
import pandas as pd
import pytest

N = 2000
TRUTH = np.random.default_rng(0).integers(0, 3, N)
SHARES = {"base": 0.7, "same": 0.7, "good": 0.78, "bad": 0.6, "best": 0.86}


@pytest.fixture(autouse=True)
def _files(tmp_path):
    for seed, (name, share) in enumerate(SHARES.items(), start=1):
        right = np.random.default_rng(seed).random(N) < share
        answers = np.where(right, TRUTH, (TRUTH + 1) % 3)
        frame = pd.DataFrame({"id": np.arange(N), "y_true": TRUTH, "pred": answers})
        frame.to_csv(tmp_path / f"{name}.csv", index=False)


def test_exit_codes_of_the_loop(run):
    def keep(baseline, candidate, *more):
        return run("keep", f"{baseline}.csv", f"{candidate}.csv", "--baseline", baseline,
                   "--candidate", candidate, "-m", "accuracy", "--ledger", "l.jsonl",
                   "--inconclusive-exit", "3", *more)  # fmt: skip

    done = [keep("base", name) for name in ("same", "bad", "good")]
    assert [each.code for each in done] == [3, 1, 0]
    assert [each.out.partition(":")[0] for each in done] == ["undecided", "discard", "keep"]
    assert keep("base", "best").code == 2
    assert keep("good", "best", "--alpha", "0.1").code == 2
    report = run("keep", "--report", "--ledger", "l.jsonl")
    assert (report.code, "1 of 3 candidates were kept" in " ".join(report.out.split())) == (0, True)
    budget = run("sample-size", "--ledger", "l.jsonl", "--margin", "0.1")
    assert (budget.code, "further candidates" in budget.out) == (0, True)
    gate = run("gate", "base.csv", "good.csv", "--baseline", "base", "--candidate", "good",
               "--superior", "-m", "accuracy", "--ledger", "l.jsonl")  # fmt: skip
    assert (gate.code, gate.out.partition(":")[0]) == (0, "keep")


def test_looks_from_the_command_line(run):
    done = run("gate", "base.csv", "same.csv", "--baseline", "base", "--candidate", "same",
               "--superior", "-m", "accuracy", "--looks", "2", "--ledger", "l.jsonl")  # fmt: skip
    assert (done.code, "not enough to decide" in done.out) == (1, True)
    assert "Look 1 of 2" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--report", "base.csv"), "--report is of the ledger alone"),
        (("base.csv",), "keep needs files"), (("--plot", "x.png"), "add --report"),
    ],
)  # fmt: skip
def test_what_keep_lacks_is_named(run, arguments, message):
    done = run("keep", *arguments, "--ledger", "l.jsonl")
    assert (done.code, message in done.err) == (2, True)
