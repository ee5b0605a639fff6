"""The program as a process: what becomes of its streams, of signals, and of names that bite."""

import csv
import json
import os
import signal
import stat
import subprocess
import sys
import time

import numpy as np
import pytest

from tests.cli.conftest import beyond_reading
from tests.cli.forked import CLOSED, GONE, Done, forked
from tests.cli.test_completion import asked_by_bash
from tests.plugged import needs, plugged

pytestmark = pytest.mark.slow

FEW = ("--resamples", "99")
GATE = ("gate", "{csv}", "--baseline", "poor", "--candidate", "good", "--margin", "0.01", *FEW)
COMPARE = ("compare", "{csv}", "-m", "accuracy", *FEW)
TITLE = "\x1b]0;owned\x07\x1b[2Jbert"
NAMES = [
    TITLE, "a\nb", "=cmd|'/c calc'!A0", "<img src=x onerror=alert(1)>", "::error::x", "# h1", "a|b",
]  # fmt: skip


def _filled(arguments, path):
    return [each.format(csv=path) for each in arguments]


def _command(arguments, path):
    return [sys.executable, "-m", "modelcompare", *_filled(arguments, path)]


def _shell(arguments, path, redirected, folder, **environment):
    """Run in a shell, with streams redirected there."""
    command = f'"$@" {redirected}'
    return subprocess.run(
        ["bash", "-c", command, "bash", *_command(arguments, path)], capture_output=True, cwd=folder,
        env={**os.environ, "COLUMNS": "80", **environment}, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    "arguments", [GATE, COMPARE, ("compare", "--help"), ("--version",)], ids=" ".join
)
def test_a_reader_that_has_gone_is_exit_code_74_without_a_word(wide_csv, tmp_path, arguments):
    done = forked(_filled(arguments, wide_csv), tmp_path, stdout=GONE)
    assert (done.returncode, beyond_reading(done.stderr.decode())) == (74, "")


@pytest.mark.parametrize("arguments", [GATE, COMPARE], ids=["gate", "compare"])
@pytest.mark.parametrize(
    ("stdout", "reason"),
    [("/dev/full", "No space left on device"), (CLOSED, "Bad file descriptor")],
)
def test_an_answer_that_cannot_be_written_is_exit_code_74(
    wide_csv, tmp_path, arguments, stdout, reason
):
    done = forked(_filled(arguments, wide_csv), tmp_path, stdout=stdout)
    message = f"modelcompare: error: the answer cannot be written: {reason}\n"
    assert (done.returncode, beyond_reading(done.stderr.decode())) == (74, message)


@pytest.mark.parametrize("redirected", [">&-", "| true"])
def test_a_program_that_a_shell_starts_ends_with_code_74_too(tmp_path, redirected):
    done = _shell(("--version",), "", f"{redirected}; exit ${{PIPESTATUS[0]}}", tmp_path)
    assert done.returncode == 74


def test_a_message_that_cannot_be_written_is_no_answer_of_the_gate(wide_csv, tmp_path):
    unknown = ("gate", "{csv}", "--baseline", "poor", "--candidate", "none", "--margin", "1")
    done = forked(_filled(unknown, wide_csv), tmp_path, stderr="/dev/full")
    assert done.returncode == 74


def test_with_stderr_closed_the_answer_stands_alone_on_stdout(wide_csv, tmp_path):
    done = forked(_filled((*COMPARE, "-o", "out.md"), wide_csv), tmp_path, stderr=CLOSED)
    assert (done.returncode, done.stdout) == (0, b"")
    assert (tmp_path / "out.md").stat().st_size > 0
    bad = forked(["compare", "none.csv"], tmp_path, stderr=CLOSED)
    assert (bad.returncode, bad.stdout) == (2, b"")


def test_an_output_of_stdout_is_appended_to_the_log_behind_it(wide_csv, tmp_path):
    log = tmp_path / "log"
    log.write_text("before\n")
    arguments = _filled((*COMPARE, "--format", "json", "-o", "/dev/stdout"), wide_csv)
    assert forked(arguments, tmp_path, stdout=log).returncode == 0
    before, document = log.read_text().split("\n", 1)
    assert before == "before"
    assert json.loads(document)["models"] == ["good", "fair", "poor"]


@pytest.mark.parametrize("wait", [0.0, 0.1, 0.3, 0.6])
def test_ctrl_c_ends_it_at_once_without_a_traceback(wide_csv, tmp_path, wait):
    # An interval that is asked for by its resamples draws them, for minutes.
    drawn = ("--method", "percentile", "--resamples", "2000000")
    arguments = ("compare", "{csv}", "-m", "f1_macro", *drawn, "-o", "out.md")
    with subprocess.Popen(
        _command(arguments, wide_csv), cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.PIPE
    ) as program:
        try:
            _wait_until_ours(program.pid)
            time.sleep(wait)
            program.send_signal(signal.SIGINT)
            out, err = program.communicate(timeout=20)
        finally:
            program.kill()
    # The line about what was read may be written by then.
    beyond_reading = [
        line for line in err.splitlines() if not line.startswith(b"modelcompare: read ")
    ]
    # Ended by the signal, which a shell calls 130.
    assert (program.returncode, out, beyond_reading) == (-signal.SIGINT, b"", [])
    assert list(tmp_path.iterdir()) == []


def _wait_until_ours(pid):
    """Wait until Python has taken the signal, and the program, before its imports, given it back."""
    taken = False
    for _ in range(5_000):
        with open(f"/proc/{pid}/status") as status:
            caught = next(int(line.split()[1], 16) for line in status if line.startswith("SigCgt"))
        now = bool(caught >> (signal.SIGINT - 1) & 1)
        if taken and not now:
            return
        taken |= now
        time.sleep(0.001)
    # On a busy machine this may have slept while the signal was Python's.
    assert not now, "the program never gave the signal back"


@pytest.fixture
def named_csv(tmp_path):
    """Models and classes whose names would steer a terminal, a spreadsheet, a page or a runner."""
    path = tmp_path / "names.csv"
    truth = [NAMES[place % len(NAMES)] for place in range(70)]
    columns = [truth, *([*truth[:40], *truth[1:31]][shift:] + truth[:shift] for shift in range(2))]
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["y_true", *NAMES[:2]])
        rows.writerows(zip(*columns, strict=True))
    return path


@pytest.mark.parametrize("form", ["table", "csv", "json", "markdown", *plugged("FORMS")])
def test_no_name_reaches_a_terminal_as_an_order(run, named_csv, form):
    done = run("compare", named_csv, "-m", "f1", "--format", form, *FEW)
    assert done.code == 0
    assert "owned" in done.out
    assert not set(done.out + done.err) & set("\x1b\x07\r\x7f")


@pytest.mark.parametrize(
    "arguments",
    [
        ("compare", "{csv}", "--model", "none"),
        ("compare", "{csv}", "--true", f"{TITLE}!"),
        ("compare", f"{TITLE}.csv"),
        ("compare", "{csv}", "--metric", TITLE),
        ("compare", "{csv}", "--method", TITLE),
        ("compare", "{csv}", f"--{TITLE}"),
        ("compare", "{csv}", "-o", f"{TITLE}/x"),
        ("gate", "{csv}", "--baseline", TITLE, "--candidate", TITLE, "--margin", "1"),
        (TITLE,),
    ],
)
def test_no_name_in_a_message_reaches_a_terminal_as_an_order(run, named_csv, arguments):
    done = run(*(each.format(csv=named_csv) for each in arguments))
    assert (done.code, done.out) == (2, "")
    assert not set(done.err) & set("\x1b\x07\r")


@needs("workflows")
def test_no_name_adds_a_command_to_a_workflow(run, tmp_path):
    baseline, candidate = "100%\n::warning::y", "::error::x"
    truth = np.arange(40) % 2
    np.savez(tmp_path / "orders.npz", **{"y_true": truth, baseline: truth, candidate: truth})
    gate = ("gate", "orders.npz", "--baseline", baseline, "--candidate", candidate, "--margin", "0.9",
            "-m", "accuracy", *FEW)  # fmt: skip
    annotation = run(*gate, "--format", "github").out
    assert annotation.startswith(r"::notice title=modelcompare gate::\x3a:error::x is non-inferior")
    assert r"100%25\n::warning::y" in annotation
    assert annotation.count("\n") == 1
    plain = run(*gate).out
    assert plain.startswith(r"PASS: \x3a:error::x is non-inferior")
    assert r"100%\n" in plain
    assert plain.count("\n") == 1


def test_a_locale_of_ascii_shows_other_names_without_a_traceback(tmp_path):
    path = tmp_path / "names.csv"
    path.write_text("y_true,Åse,模型\n" + "é,é,é\nb,b,é\n" * 10, encoding="utf-8")
    locale = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = _shell(("compare", "{csv}", "-m", "f1", *FEW), path, "", tmp_path, **locale)
    assert (done.returncode, done.stdout.isascii()) == (0, True)
    assert rb"\xc5se" in done.stdout


def test_a_terminal_that_knows_only_ascii_gets_ascii(wide_csv, tmp_path):
    done = forked(_filled(COMPARE, wide_csv), tmp_path, PYTHONIOENCODING="ascii")
    assert (done.returncode, beyond_reading(done.stderr.decode())) == (0, "")
    assert done.stdout.isascii()
    assert b"|---" in done.stdout


def test_json_for_a_terminal_of_ascii_reads_back_to_the_names(tmp_path):
    path = tmp_path / "names.csv"
    path.write_text("y_true,Åse,模型\n" + "é,é,é\nb,b,é\n" * 10, encoding="utf-8")
    arguments = ("compare", path, "--format", "json", *FEW)
    done = forked(arguments, tmp_path, PYTHONIOENCODING="ascii")
    assert json.loads(done.stdout.decode())["models"] == ["Åse", "模型"]


def test_bad_input_has_no_traceback(tmp_path):
    done = forked(("compare", "nothing.csv"), tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"modelcompare: error: nothing.csv")
    assert done.stderr.count(b"\n") == 1


def test_the_program_itself_completes(tmp_path):
    asked = asked_by_bash("modelcompare", "compare", "--metric", "cf1_ma")
    assert forked((), tmp_path, **asked) == Done(0, b"plain,cf1_macro\n", b"")


def test_an_output_that_was_private_stays_private(run, wide_csv, tmp_path):
    path = tmp_path / "out.md"
    path.touch(mode=0o600)
    assert run(*_filled((*COMPARE, "-o", "out.md"), wide_csv)).code == 0
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
