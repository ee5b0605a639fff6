"""Programs that are killed, as functions: a process that is forked begins with its imports done."""

import os
import signal
import time
from pathlib import Path

import numpy as np

import modelcompare as mc
from modelcompare.engine import checkpoints
from tests.small_blocks import cutting


def write_sketches(folder, named, ready):
    """Save a sketch again and again."""
    os.chdir(folder)
    truth = np.arange(900) % 3
    sketch = mc.io.sketch(mc.Predictions(truth, {"a": truth, "b": truth[::-1]}), "accuracy")
    write_until_killed(lambda: sketch.save("x.sketch.parquet"), named, ready)


def write_totals(folder, named, ready):
    """Save a checkpoint again and again."""
    os.chdir(folder)
    kept = checkpoints.Checkpoint.of(Path(), {"n": 1}, {"seed": 0})
    write_until_killed(lambda: kept.save(1, [np.ones(50_000)], last=True), named, ready)


def write_until_killed(write, named, ready):
    """Write; Ctrl-C ends at once, so that no line of Python tidies up."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if named:
        # As where the system knows no file without a name. It is killed before it is renamed.
        del os.O_TMPFILE
        write()
        Path.replace = lambda *_: ready.set() or time.sleep(60)
    else:
        ready.set()
    while True:
        write()


def scan_slowly(path, folder):
    """Bootstrap a scan; after each block that is kept, wait to be killed."""
    checkpoints._SHARE = 1.0
    save = checkpoints.Checkpoint.save

    def saved(*given, **options):
        save(*given, **options)
        time.sleep(0.2)

    checkpoints.Checkpoint.save = saved
    with cutting():
        scan = mc.io.scan_predictions(path, checkpoint=folder)
        mc.bootstrap(scan, ["cf1", "log_loss"], n_resamples=130)
