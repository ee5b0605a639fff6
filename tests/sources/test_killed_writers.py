"""A sketch or a checkpoint whose writer is killed is whole, and the next writer clears up."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import modelcompare as mc
from modelcompare.engine.checkpoints import Checkpoint
from tests.covering import pairwise

pytest.importorskip("pyarrow")

SKETCH = """
import numpy as np, modelcompare as mc
truth = np.arange(900) % 3
sketch = mc.io.sketch(mc.Predictions(truth, {"a": truth, "b": truth[::-1]}), "accuracy")
print("ready", flush=True)
while True:
    sketch.save("x.sketch.parquet")
"""
CHECKPOINT = """
import numpy as np
from pathlib import Path
from modelcompare.engine.checkpoints import Checkpoint
kept = Checkpoint.of(Path(), {"n": 1}, {"seed": 0})
print("ready", flush=True)
while True:
    kept.save(1, [np.ones(50_000)], last=True)
"""


def _sketch():
    truth = np.arange(900) % 3
    made = mc.io.sketch(mc.Predictions(truth, {"a": truth, "b": truth[::-1]}), "accuracy")
    if Path("x.sketch.parquet").exists():
        assert mc.io.read_sketch("x.sketch.parquet").n_samples == 900
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
    program, again = {"sketch": (SKETCH, _sketch), "totals": (CHECKPOINT, _checkpoint)}[what]
    # As where the system knows no file without a name.
    first = "import os; del os.O_TMPFILE" if named else ""
    # As the program does it, so that Ctrl-C ends at once and no line of Python tidies up.
    at_once = "import signal; signal.signal(signal.SIGINT, signal.SIG_DFL)\n"
    root = str(Path(__file__).parents[2])
    with subprocess.Popen(
        [sys.executable, "-c", at_once + first + program],
        env={**os.environ, "PYTHONPATH": root},
        stdout=subprocess.PIPE,
    ) as writer:
        assert writer.stdout.readline() == b"ready\n"
        with pytest.raises(subprocess.TimeoutExpired):
            writer.wait(0.03)
        writer.send_signal(number)
    again()
    assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]
