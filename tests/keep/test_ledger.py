"""Ledgers under faults: nothing is lost, nothing half-written, and nothing passes that should not."""

import json
import resource
import signal
import subprocess
import sys
import time
from datetime import datetime

import numpy as np
import pytest

import modelcompare as mc
from modelcompare.questions import ledger as ledgers
from modelcompare.questions.ledger import Ledger
from tests.judges.sets import drawn

RNG = np.random.default_rng(0)
TRUTH = RNG.integers(0, 3, 300)
FEW = {"n_resamples": 20}
# Asks about candidates of its seed until it has asked about so many.
ASKING = """
import sys, numpy as np, modelcompare as mc
path, seed, n = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
truth = np.random.default_rng(0).integers(0, 3, 300)
base = np.where(np.random.default_rng(1).random(300) < 0.7, truth, 0)
rng = np.random.default_rng(seed)
print("ready", flush=True)
for k in range(n):
    other = np.where(rng.random(300) < 0.7, truth, 0)
    preds = mc.Predictions(truth, {"base": base, "other": other})
    mc.keep(preds, "base", "other", "accuracy:+0.3", ledger=path)
"""


def model(seed, share=0.7):
    return np.where(np.random.default_rng(seed).random(300) < share, TRUTH, 0)


def preds_of(candidate=2, share=0.7, **options):
    models = {"base": model(1), "new": model(candidate, share)}
    return mc.Predictions(TRUTH, models, **options)


def ask(path, candidate=2, rules="accuracy:+0", preds=None, **options):
    preds = preds_of(candidate) if preds is None else preds
    return mc.keep(preds, "base", "new", rules, ledger=path, **FEW, **options)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.jsonl"


def asking(path, seed, n):
    return subprocess.Popen(
        [sys.executable, "-c", ASKING, str(path), str(seed), str(n)], stdout=subprocess.PIPE
    )


@pytest.mark.slow
def test_two_writers_lose_nothing(path):
    writers = [asking(path, seed, 15) for seed in (5, 6, 7)]
    for writer in writers:
        writer.communicate()
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    known = Ledger.read(path)
    assert [entry["number"] for entry in known.entries] == [*range(1, 46)]
    assert len({entry["candidate"]["outputs"] for entry in known.entries}) == 45


@pytest.mark.slow
def test_a_writer_that_is_killed_leaves_a_whole_ledger(path):
    number = 0
    for wait in (0.02, 0.07, 0.15, 0.3):
        writer = asking(path, 5, 500)
        writer.stdout.readline()
        # Its first question imports much.
        while not path.exists():
            time.sleep(0.01)
        time.sleep(wait)
        writer.send_signal(signal.SIGKILL)
        writer.communicate()
        known = Ledger.read(path)
        assert [e["number"] for e in known.entries] == [*range(1, len(known.entries) + 1)]
        assert len(known.entries) >= number
        number = len(known.entries)
    assert number > 0
    last = mc.keep(preds_of(99), "base", "new", "accuracy:+0.3", ledger=path)
    assert last.number == number + 1
    # A writer cleans up behind those that were killed.
    assert {p.name for p in path.parent.iterdir()} == {path.name, f"{path.name}.lock"}


def test_a_full_disk_gives_no_answer_and_keeps_the_ledger(path):
    ask(path)
    before, limits = path.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 10, limits[1]))
        with pytest.raises(OSError, match=r"large|space"):
            ask(path, 3)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_bytes() == before
    assert ask(path, 3).number == 2


def edited(path, change):
    lines = path.read_text().splitlines()
    path.write_text("\n".join(change(lines)) + "\n")


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda x: [x[0].replace("0.05", "0.06"), *x[1:]], 1),
        (lambda x: [*x[:2], x[2].replace("not enough data", "shown"), x[3]], 3),
        (lambda x: [x[0], *x[2:]], 2), (lambda x: [*x[:2], x[1], *x[2:]], 3),
        (lambda x: [*x, "{}"], 5), (lambda x: [*x, x[-1][:40]], 5),
    ],
)  # fmt: skip
def test_a_ledger_that_was_edited_shows_nothing(path, change, line):
    for k in (2, 3, 4):
        ask(path, k)
    edited(path, change)
    for question in (lambda: ask(path, 5), lambda: mc.diagnostics.keep_report(path)):
        with pytest.raises(ValueError, match=f"ledger.jsonl, line {line} "):
            question()


def test_an_end_that_was_cut_off_is_found_by_the_head(path):
    heads = [ask(path, k).head for k in (2, 3, 4)]
    edited(path, lambda lines: lines[:-1])
    with pytest.raises(ValueError, match=f"head of .* is {heads[1]}, not {heads[2]}"):
        ask(path, 5, expect_head=heads[2])
    assert ask(path, 5, expect_head=heads[1]).number == 3


def test_a_clock_that_goes_back_changes_nothing(path, monkeypatch):
    ask(path)

    class Early(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime(1999, 1, 1, tzinfo=tz)

    monkeypatch.setattr(ledgers, "datetime", Early)
    assert ask(path, 3).number == 2
    assert [line["when"][:4] for line in Ledger.read(path).lines][-1] == "1999"
    assert mc.diagnostics.keep_report(path).n_asked == 2


@pytest.mark.parametrize("text", ["", "{}\n", "[1]\n", "no\n", "\x00\n"])
def test_another_file_is_refused_or_begun(path, text):
    path.write_text(text)
    if not text:
        assert ask(path).number == 1
        return
    with pytest.raises(ValueError, match="line 1 is no line of a ledger"):
        ask(path)
    assert path.read_text() == text


def test_a_ledger_of_a_later_version_is_refused(path, monkeypatch):
    ask(path)
    monkeypatch.setattr(ledgers, "_VERSION", 2)
    with pytest.raises(ValueError, match="is no modelcompare ledger of version 2"):
        ask(path, 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rules": "accuracy:+0.1"}, r"rules .* cannot change: accuracy:\+0 when it was begun, accuracy:\+0.1"),
        ({"alpha": 0.1}, "level"), ({"control": "share"}, "control"),
        ({"n_candidates": 9}, "planned number"), ({"zero_division": 0.0}, "options"),
    ],
)  # fmt: skip
def test_a_plan_does_not_change(path, options, message):
    ask(path)
    with pytest.raises(ValueError, match=f"{message}.* now. Ask as then"):
        ask(path, 3, **options)
    assert len(Ledger.read(path).entries) == 1


def test_another_test_set_is_refused(path):
    ask(path, preds=preds_of(ids=np.arange(300)))
    other = TRUTH.copy()
    other[7] = (other[7] + 1) % 3
    changed = mc.Predictions(other, {"base": model(1), "new": model(3)}, ids=np.arange(300))
    for preds in (
        changed, preds_of(3), preds_of(3, ids=np.arange(1, 301)),
        preds_of(3, ids=np.arange(300), sample_weight=np.arange(300) + 1.0),
        preds_of(3, ids=np.arange(300)).subset(range(299)),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="the test set is not that of"):
            ask(path, preds=preds)


def test_ids_make_the_order_and_the_type_of_names_irrelevant(path):
    first = ask(path, preds=preds_of(ids=np.arange(300)))
    order = np.random.default_rng(4).permutation(300)
    again = ask(path, preds=preds_of(ids=np.arange(300).astype(str)).subset(order))
    assert again.repeated
    assert (again.head, again.number) == (first.head, 1)


def test_a_judge_is_refused(path):
    with pytest.raises(ValueError, match="judge"):
        mc.keep(drawn(0)[0], "m0", "m1", "accuracy:+0", ledger=path)
    assert not path.exists()


def test_a_custom_metric_is_the_same_in_another_process(path):
    def share(y_true, y_pred):
        return float((y_true == y_pred).mean())

    share.greater_is_better = True
    ask(path, rules={"metric": share, "margin": 0.0, "kind": "superior"})
    assert json.loads(path.read_text().splitlines()[0])["rules"][0]["metric"] == "share"
