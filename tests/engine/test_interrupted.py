"""Ctrl-C ends long work within a second, as an interrupt, and leaves no process behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

import modelcompare as mc

_ROOT = str(Path(__file__).parents[2])
pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
# Interrupts itself as Ctrl-C does, with all processes that it started, and prints the seconds of
# its processor from there on: those of a clock depend on what else the machine does.
_PROGRAM = """
import os, signal, sys, threading, time, warnings
import numpy as np
import modelcompare as mc
warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
def labels(n, models, classes):
    y = rng.integers(0, classes, n)
    outputs = {{f"m{{k}}": np.where(rng.random(n) < .8, y, rng.integers(0, classes, n))
               for k in range(models)}}
    return mc.Predictions(y, outputs)
def share(y, named):
    return float((y == named).mean())
{prepared}
def interrupt():
    began.append(time.process_time())
    os.killpg(os.getpgid(0), signal.SIGINT)
began, timer = [], threading.Timer({after}, interrupt)
timer.start()
try:
    {work}
except KeyboardInterrupt:
    print(time.process_time() - began[0])
"""
_FILE = """
lines = "".join(f"{i},a,b,a\\n" for i in range(3_000_000)).encode()
open("rows.csv", "wb").write(b"id,y_true,m1,m2\\n" + lines)
"""
_CASES = {
    "laws of many pairs": ("preds = labels(1_000, 80, 3)", "mc.compare(preds)"),
    "drawn swaps": ("preds = labels(4_000, 6, 400)", "mc.compare(preds, 'f1_macro')"),
    "resamples on threads": (
        "preds = labels(20_000, 6, 10)",
        "mc.compare(preds, 'f1_macro', method='BCa', n_resamples=99_999)",
    ),
    "test sets": (
        "sets = {s: labels(1_000, 30, 3) for s in 'abcdefgh'}", "mc.compare_groups(sets)",
    ),
    "a function in processes": (
        "preds = labels(20_000, 3, 3)",
        "with mc.config_context(n_jobs=2): mc.compare(preds, share, n_resamples=99_999)",
    ),
    "rows of a file": (_FILE, "[mc.read_predictions('rows.csv') for _ in range(9)]"),
}  # fmt: skip


def alive(session):
    """Return the processes of a session that have not ended."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, fields = stat.read_text().rsplit(")", 1)
        except OSError:
            continue
        state, _, _, of_session = fields.split()[:4]
        if int(of_session) == session and state not in "ZX":
            found.append(name)
    return found


@pytest.mark.parametrize("name", _CASES)
def test_an_interrupt_ends_work_within_a_second_and_leaves_no_process(name, tmp_path):
    prepared, work = _CASES[name]
    program = _PROGRAM.format(prepared=prepared, work=work, after=0.8)
    process = subprocess.Popen(
        [sys.executable, "-c", program], cwd=tmp_path, start_new_session=True, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": _ROOT},
    )  # fmt: skip
    out, errors = process.communicate(timeout=60)
    assert out, errors
    assert float(out) < 1
    until = time.monotonic() + 20
    while alive(process.pid) and time.monotonic() < until:
        time.sleep(0.1)
    assert alive(process.pid) == []


def test_an_interrupt_within_the_reader_of_pandas_is_no_error_of_the_file(tmp_path, monkeypatch):
    path = tmp_path / "rows.csv"
    path.write_text("id,y_true,m1,m2\n" + "".join(f"{i},a,b,a\n" for i in range(1_000_000)))
    read = pd.read_csv

    def read_and_interrupted(*args, **kwargs):
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        return read(*args, **kwargs)

    monkeypatch.setattr("modelcompare.readers.tables.pd.read_csv", read_and_interrupted)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            mc.read_predictions(path)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
