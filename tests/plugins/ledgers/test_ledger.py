"""Ledgers and what may happen to them: two writers, kills, full disks, edits, other test sets."""

import contextlib
import hashlib
import json
import math
import multiprocessing
import os
import resource
import signal
import time
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

import modelcompare as mc
from modelcompare.plugins.ledgers import history as histories
from modelcompare.plugins.ledgers.history import History
from tests import candidates as sets

RULE = "accuracy:+0"
# Processes that have imported everything, forked from one that waits.
_SERVER = multiprocessing.get_context("forkserver")
_SERVER.set_forkserver_preload(["modelcompare.plugins.ledgers.keep", "tests.candidates"])


def candidate(number):
    """Return a test set with a baseline and the candidate of this number, hardly another."""
    found, old = sets.columns(100), sets.columns(100)["old"]
    changed = np.random.default_rng([5, number]).random(100) < 0.15
    return mc.Predictions(
        found["y_true"], {"old": old, f"c{number}": np.where(changed, 1 - old, old)}
    )


def ask(path, number, **options):
    ledger = mc.Ledger(path, **{"candidates": 1000, **options})
    return mc.keep(candidate(number), "old", f"c{number}", RULE, ledger=ledger)


def asked_in_a_row(path, numbers, go=None):
    """Ask about several candidates, after a file appears; be a process."""
    while go is not None and not os.path.exists(go):
        time.sleep(0.001)
    for number in numbers:
        ask(path, number)


@pytest.fixture
def path(tmp_path):
    """A ledger with three questions."""
    path = tmp_path / "ledger.jsonl"
    for number in range(3):
        ask(path, number)
    return path


# -- writers ------------------------------------------------------------------------------------


def test_two_writers_at_the_same_time_lose_nothing(tmp_path):
    path, go = tmp_path / "ledger.jsonl", tmp_path / "go"
    writers = [
        _SERVER.Process(target=asked_in_a_row, args=(path, range(k, k + 10), go))
        for k in (0, 100, 200)
    ]
    for writer in writers:
        writer.start()
    time.sleep(0.2)
    go.touch()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    entries = History.read(path).entries
    assert [entry["number"] for entry in entries] == list(range(1, 31))
    names = {entry["candidate"]["name"] for entry in entries}
    assert names == {f"c{k + i}" for k in (0, 100, 200) for i in range(10)}


def test_the_same_candidate_of_two_writers_is_asked_about_once(tmp_path):
    path, go = tmp_path / "ledger.jsonl", tmp_path / "go"
    writers = [_SERVER.Process(target=asked_in_a_row, args=(path, range(5), go)) for _ in range(2)]
    for writer in writers:
        writer.start()
    go.touch()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0]
    assert [entry["candidate"]["name"] for entry in History.read(path).entries] == [
        f"c{number}" for number in range(5)
    ]


def test_a_killed_writer_leaves_whole_answers_and_no_lock(tmp_path):
    path, seen = tmp_path / "ledger.jsonl", []
    rng = np.random.default_rng(0)
    for turn in range(8):
        first = 1000 * turn
        writer = _SERVER.Process(target=asked_in_a_row, args=(path, range(first, first + 1000)))
        writer.start()
        before = len(seen)
        deadline = time.monotonic() + 20
        # Past the start of the process; then at any moment.
        while len(History.read(path).entries) <= before and time.monotonic() < deadline:
            time.sleep(0.002)
        time.sleep(0.03 * rng.random())
        os.kill(writer.pid, signal.SIGKILL)
        writer.join()
        assert writer.exitcode == -signal.SIGKILL
        entries = History.read(path).entries
        names = [entry["candidate"]["name"] for entry in entries]
        # What was there is there; a question is whole, in order, or absent.
        assert names[:before] == seen
        assert names[before:] == [f"c{first + i}" for i in range(len(names) - before)]
        assert len(names) > before
        assert path.read_bytes().endswith(b"\n")
        seen = names
    # The lock is free, and the next answer has the next number.
    assert ask(path, 9999).number == len(seen) + 1
    assert [each.name for each in tmp_path.glob(".modelcompare-*")] == []


@contextlib.contextmanager
def files_no_longer_than(size):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_without_room_for_an_answer_none_is_given_and_the_ledger_stays(path):
    kept = path.read_bytes()
    with files_no_longer_than(len(kept) + 10), pytest.raises(OSError, match="File too large"):
        ask(path, 3)
    assert path.read_bytes() == kept
    assert ask(path, 3).number == 4


def test_a_full_disk_gives_no_answer(path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    kept = path.read_bytes()
    monkeypatch.setattr(histories, "write_bytes", full)
    with pytest.raises(OSError, match="No space left"):
        ask(path, 3)
    monkeypatch.undo()
    assert path.read_bytes() == kept
    assert sorted(each.name for each in path.parent.iterdir()) == [
        "ledger.jsonl", "ledger.jsonl.lock",
    ]  # fmt: skip


def test_an_error_of_the_comparison_spends_nothing(path):
    kept = path.read_bytes()
    with pytest.raises(ValueError, match="unknown model"):
        mc.keep(candidate(3), "old", "c4", RULE, ledger=mc.Ledger(path, candidates=1000))
    assert path.read_bytes() == kept


# -- edits --------------------------------------------------------------------------------------


def lines_of(path):
    return path.read_text(encoding="utf-8").splitlines(keepends=True)


def edited(lines):
    return [*lines[:2], lines[2].replace("not enough data", "shown"), *lines[3:]]


def with_a_new_hash(lines):
    line = json.loads(lines[2])
    line["answer"] = "shown"
    text = json.dumps({**line, "hash": histories._hash_of(line)}, separators=(",", ":"))
    return [*lines[:2], text + "\n", *lines[3:]]


def twice(lines):
    return [*lines, lines[-1]]


def without_the_first(lines):
    return lines[1:]


def without_one(lines):
    return [*lines[:2], *lines[3:]]


def in_another_order(lines):
    return [*lines[:2], lines[3], lines[2]]


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (edited, 3),
        (with_a_new_hash, 4),
        (twice, 5),
        (without_the_first, 1),
        (without_one, 3),
        (in_another_order, 3),
    ],
)
def test_a_changed_ledger_is_refused_by_its_line(path, change, line):
    path.write_text("".join(change(lines_of(path))), encoding="utf-8")
    changed = path.read_bytes()
    for question in (
        lambda: ask(path, 5),
        lambda: mc.diagnostics.keep_report(path, margin=0.1),
        lambda: mc.diagnostics.budget(path, margin=0.1),
    ):
        with pytest.raises(ValueError, match=rf"line {line} was changed, or a line before it was"):
            question()
    assert path.read_bytes() == changed


def test_half_a_line_is_refused(path):
    text = path.read_text(encoding="utf-8")
    path.write_text(text[:-40], encoding="utf-8")
    with pytest.raises(ValueError, match="line 4 is no line of a ledger"):
        ask(path, 5)


def test_lines_before_the_last_one_are_checked_by_one_hash(path, monkeypatch):
    def refused(*_):
        raise AssertionError("every line was read")

    monkeypatch.setattr(histories, "_check_chain", refused)
    assert ask(path, 3).number == 4
    again = ask(path, 1)
    assert (again.number, again.repeated) == (2, True)
    with pytest.raises(AssertionError, match="every line"):
        mc.diagnostics.keep_report(path)


def test_an_edit_before_the_last_line_is_found_by_its_hash_or_by_a_report(path):
    first, second, third, fourth = lines_of(path)
    edited = second.replace('"number":1', '"number":7')
    path.write_text(first + edited + third + fourth, encoding="utf-8")
    with pytest.raises(ValueError, match="line 2 was changed"):
        ask(path, 5)
    # Who makes the last line agree with the edited ones leaves the chain broken.
    last = json.loads(fourth)
    before = (first + edited + third).encode()
    last["prefix"] = hashlib.sha256(before).hexdigest()
    last["hash"] = histories._hash_of(last)
    path.write_bytes(before + f"{histories._text(last)}\n".encode())
    with pytest.raises(ValueError, match="line 2 was changed"):
        mc.diagnostics.keep_report(path)


def test_a_ledger_of_before_and_one_with_other_ends_of_lines_are_read_in_full(path):
    kept, previous = [], ""
    for text in lines_of(path):
        line = json.loads(text)
        del line["prefix"]
        line["previous"] = previous
        line["hash"] = previous = histories._hash_of(line)
        kept.append(histories._text(line))
    path.write_bytes("\r\n".join(kept).encode())
    assert ask(path, 3).number == 4
    assert ask(path, 0).number == 1
    lines = lines_of(path)
    assert [line[:-1] for line in lines[:-1]] == kept
    before = "".join(lines[:-1]).encode()
    assert json.loads(lines[-1])["prefix"] == hashlib.sha256(before).hexdigest()


def test_a_cut_end_shows_to_those_who_kept_the_head(path):
    head = ask(path, 3).head
    path.write_text("".join(lines_of(path)[:-1]), encoding="utf-8")
    with pytest.raises(ValueError, match=rf"not {head} as expected .*its end was cut off"):
        ask(path, 4, expect_head=head)
    # Without it the chain has no fault: the question that was cut off has its number again.
    assert ask(path, 4).number == 4


def test_a_head_is_expected_of_a_ledger_that_there_is(path, tmp_path):
    head = History.read(path).head
    found = ask(path, 3, expect_head=head)
    assert found.head != head
    with pytest.raises(ValueError, match=f"is {found.head}, not {head} as expected"):
        ask(path, 4, expect_head=head)
    with pytest.raises(ValueError, match="is missing, not 0123 as expected"):
        ask(tmp_path / "none.jsonl", 4, expect_head="0123")
    assert not (tmp_path / "none.jsonl").exists()
    with pytest.raises(ValueError, match="as expected"):
        ask(path, 4, expect_head=found.head[:4])


def test_a_clock_that_goes_back_changes_no_number(path, monkeypatch):
    class Clock(datetime):
        @classmethod
        def now(cls, tz=None):
            return cls(1999, 1, 1, tzinfo=tz)

    monkeypatch.setattr(histories, "datetime", Clock)
    found = ask(path, 3)
    assert (found.number, found.level) == (4, pytest.approx(0.05 * 6 / math.pi**2 / 1000))
    entries = History.read(path).entries
    assert entries[-1]["when"].startswith("1999-01-01")
    assert entries[0]["when"] > datetime(2020, 1, 1, tzinfo=UTC).isoformat()
    # Times are in the chain as all else is.
    monkeypatch.undo()
    path.write_text(path.read_text().replace("1999-01-01", "2031-01-01"))
    with pytest.raises(ValueError, match="line 5 was changed"):
        ask(path, 4)


def test_a_version_from_the_future_is_refused(path):
    first = {**json.loads(lines_of(path)[0]), "version": 2}
    first["hash"] = histories._hash_of(first)
    path.write_text(json.dumps(first, separators=(",", ":")) + "\n")
    with pytest.raises(ValueError, match="no modelcompare ledger of version 1; name another file"):
        ask(path, 5)


@pytest.mark.parametrize(
    "content", [b"hello\n", b"\xff\xfe\x00", b'{"a":1}\n', b"[1,2]\n", b"3\n", b"\n",
                b"id,y_true,a\n1,0,1\n"],
)  # fmt: skip
def test_a_file_that_is_no_ledger_is_refused_and_stays(tmp_path, content):
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"other, line 1 is no line of a ledger\."):
        ask(path, 0)
    assert path.read_bytes() == content


def test_an_empty_file_is_begun(tmp_path):
    path = tmp_path / "empty.jsonl"
    path.touch()
    assert ask(path, 0).number == 1
    assert len(lines_of(path)) == 2


def test_folders_and_what_may_not_be_written_are_refused(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match=r"must name a file, such as ledger\.jsonl"):
        ask(tmp_path, 0)
    with pytest.raises(ValueError, match="does not exist; create it first"):
        ask(tmp_path / "none" / "ledger.jsonl", 0)
    monkeypatch.setattr(os, "access", lambda place, _mode: Path(place) != tmp_path)
    with pytest.raises(ValueError, match="you may not write there; name another file"):
        ask(tmp_path / "ledger.jsonl", 0)
    assert [*tmp_path.iterdir()] == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_read_only_is_refused(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o500)
    with pytest.raises(ValueError, match="you may not write there"):
        ask(folder / "ledger.jsonl", 0)


def test_a_pipe_is_no_ledger(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(ValueError, match="pipe is no file; name one for the ledger"):
        ask(pipe, 0)


def test_names_with_separators_of_lines_are_read_again(tmp_path):
    path, model = tmp_path / "ledger.jsonl", "a\u2028b\x85c\nd"
    found = sets.columns(100)
    preds = mc.Predictions(found["y_true"], {"old": found["old"], model: found["good"]})
    first = mc.keep(preds, "old", model, RULE, ledger=path)
    again = mc.keep(preds, "old", model, RULE, ledger=path)
    assert (first.candidate, again.candidate) == (model, model)
    assert (first.repeated, again.repeated) == (False, True)
    assert path.read_bytes().count(b"\n") == 2


def test_planned_candidates_are_used_up(tmp_path):
    path = tmp_path / "ledger.jsonl"
    for number in range(2):
        assert ask(path, number, candidates=2).level == pytest.approx(0.05 * 6 / math.pi**2 / 2)
    with pytest.raises(ValueError, match=r"the 2 planned candidates of .* are used, and alpha"):
        ask(path, 2, candidates=2)
    # What was asked may be asked again.
    assert ask(path, 1, candidates=2).repeated
