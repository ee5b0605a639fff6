"""A sketch or a checkpoint whose writer is killed is whole, and the next writer clears up."""

import os
import signal
from pathlib import Path

import numpy as np
import pytest

import modelcompare as mc
from modelcompare.engine.checkpoints import Checkpoint
from tests.covering import pairwise
from tests.forking import FORKED
from tests.plugins.large.writers import write_sketches, write_totals

pytest.importorskip("pyarrow")


def _sketch():
    truth = np.arange(900) % 3
    made = mc.io.sketch(mc.Predictions(truth, {"a": truth, "b": truth[::-1]}), "accuracy")
    if Path("x.sketch.parquet").exists():
        assert len(mc.io.read_sketch("x.sketch.parquet")) == 900
    made.save("x.sketch.parquet")


def _checkpoint():
    kept = Checkpoint.of(Path(), {"n": 1}, {"seed": 0})
    assert kept.load()[0] in (0, 1)
    kept.save(1, [np.ones(50_000)], last=True)


@pytest.mark.parametrize(
    ("what", "number", "named"),
    pairwise(["sketch", "totals"], [signal.SIGKILL, signal.SIGINT], [False, True]),
)
def test_a_killed_writer_leaves_what_is_whole(tmp_path, monkeypatch, what, number, named):
    monkeypatch.chdir(tmp_path)
    write, again = {
        "sketch": (write_sketches, _sketch), "totals": (write_totals, _checkpoint)
    }[what]  # fmt: skip
    ready = FORKED.Event()
    writer = FORKED.Process(target=write, args=(str(tmp_path), named, ready))
    writer.start()
    assert ready.wait(60)
    writer.join(0.03)
    assert writer.is_alive()
    os.kill(writer.pid, number)
    writer.join()
    assert writer.exitcode == -number
    if named:
        assert [*tmp_path.glob(".*")]
    again()
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]
