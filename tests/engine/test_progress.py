"""Work of the command line that takes over two seconds shows how far it is; pipes see nothing."""

import fcntl
import io
import os
import pty
import select
import struct
import sys
import termios
from pathlib import Path

import numpy as np
import pytest

from modelcompare import Predictions, config_context
from modelcompare.engine import parallel
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.parallel import map_blocks, progress_bar, watched
from modelcompare.metrics import resolve_metrics
from modelcompare.resampling.weights import BootstrapWeights
from tests.engine import in_terminal
from tests.forking import FORKED


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that each look moves on by its step."""
    now = [0.0, 0.0]

    def monotonic() -> float:
        now[0] += now[1]
        return now[0]

    monkeypatch.setattr(parallel, "monotonic", monotonic)
    return now


@pytest.mark.parametrize("n_jobs", [None, 1, 2])
def test_blocks_are_counted_and_shown_after_two_seconds(clock, monkeypatch, n_jobs):
    seen = Terminal()
    monkeypatch.setattr(sys, "stderr", seen)
    clock[1] = 0.5
    with config_context(n_jobs=n_jobs, progress=True), watched() as watch:
        found = map_blocks(lambda block: 2 * block, range(10), numbers=2**30)
    assert found == [2 * block for block in range(10)]
    assert (watch.n, watch.total) == (10, 10)
    assert "/10 [" in seen.getvalue()


def test_what_is_soon_done_shows_nothing(clock, monkeypatch):
    seen = Terminal()
    monkeypatch.setattr(sys, "stderr", seen)
    clock[1] = 0.1
    with config_context(progress=True), watched() as watch:
        map_blocks(lambda block: block, range(10))
    assert (watch.n, seen.getvalue()) == (10, "")


def test_pipes_see_nothing(clock, monkeypatch):
    seen = io.StringIO()
    monkeypatch.setattr(sys, "stderr", seen)
    clock[1] = 10.0
    with config_context(progress=True), watched():
        map_blocks(lambda block: block, range(10))
    assert seen.getvalue() == ""


def test_beside_a_bar_of_its_own_work_is_not_counted_twice():
    with config_context(progress=True), watched() as watch:
        with progress_bar(10) as parts, watched(5) as within:
            map_blocks(lambda block: block, range(10))
        assert (watch.n, parts.n, within.n) == (0, 0, 0)
        map_blocks(lambda block: block, range(3))
        assert watch.n == 3
    # No bar is shown unless it is asked for.
    with watched() as unseen:
        map_blocks(lambda block: block, range(3))
    assert (watch.n, unseen.n) == (3, 0)


@pytest.mark.parametrize("metric", ["cf1", "roc_auc", lambda y, p: np.mean(y == p[:, 1])])
def test_replicates_count_their_blocks_for_a_bar_of_their_own_or_of_the_command(
    clock, monkeypatch, metric
):
    rng = np.random.default_rng(0)
    preds = Predictions(rng.integers(0, 2, 60), {"a": rng.dirichlet([1, 1], 60)})
    part = Evaluation(preds, resolve_metrics([metric], preds))
    weights = BootstrapWeights(part.units, 900, np.random.SeedSequence(0))
    with config_context(progress=True):
        with watched() as watch:
            part.replicates(weights)
        assert watch.n == watch.total > 0
        seen = Terminal()
        monkeypatch.setattr(sys, "stderr", seen)
        clock[1] = 10.0
        part.replicates(weights)
    assert f"/{watch.n} [" in seen.getvalue()


def test_the_command_line_shows_a_bar_in_a_terminal(tmp_path: Path):
    """Of drawn swaps, which had none; the delay is taken away to be quick."""
    rng, path = np.random.default_rng(0), tmp_path / "soft.csv"
    rows = [",".join(f"{x:.6f}" for x in row) for row in rng.normal(size=(400, 12))]
    path.write_text(",".join(f"m{i}" for i in range(12)) + "\n" + "\n".join(rows))
    ours, theirs = pty.openpty()
    # 40 rows of 100 columns: in a terminal of none no bar is drawn.
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    answer = tmp_path / "answer.txt"
    arguments = ["compare", str(path), "--kind", "scores", "--test", "permutation"]
    process = FORKED.Process(
        target=in_terminal.run, args=(os.ttyname(theirs), str(answer), arguments)
    )
    process.start()
    written = b""
    while process.is_alive() or select.select([ours], [], [], 0)[0]:
        if select.select([ours], [], [], 0.05)[0]:
            written += os.read(ours, 2**12)
    os.close(theirs)
    os.close(ours)
    assert process.exitcode == 0
    assert b"blocks/s" in written
    assert "m0" in answer.read_text()
    assert "blocks" not in answer.read_text()
