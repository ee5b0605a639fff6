"""A run that is killed goes on where it was, with the same bits."""

import os
import signal
import time

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.engine import checkpoints
from modelcompare.engine.evaluation import Evaluation
from modelcompare.plugins.large.scanned import BlockAccess
from tests.forking import FORKED
from tests.plugins.large.writers import scan_slowly
from tests.small_blocks import ROW_BLOCK

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

pytestmark = pytest.mark.usefixtures("small_blocks")

N = 5 * ROW_BLOCK


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    p = rng.dirichlet([1, 2], N)
    q = rng.dirichlet([2, 1], N)
    return pd.DataFrame(
        {
            "y_true": rng.integers(0, 2, N),
            "a:0": p[:, 0],
            "a:1": p[:, 1],
            "b:0": q[:, 0],
            "b:1": q[:, 1],
        }
    )


@pytest.fixture(scope="module")
def five_blocks(frame, tmp_path_factory):
    """A file of all rows."""
    path = tmp_path_factory.mktemp("five") / "x.parquet"
    pq.write_table(pa.Table.from_pandas(frame), path)
    return path


@pytest.fixture
def path(frame, tmp_path):
    """A file of little more than one block."""
    pq.write_table(pa.Table.from_pandas(frame.iloc[: ROW_BLOCK + 999]), tmp_path / "x.parquet")
    return tmp_path / "x.parquet"


@pytest.mark.slow
def test_a_killed_process_goes_on_where_it_was_to_the_same_bytes(
    five_blocks, tmp_path, monkeypatch
):
    path, folder = five_blocks, tmp_path / "kept"
    draws = mc.bootstrap(mc.io.scan_predictions(path), ["cf1", "log_loss"], n_resamples=130).draws
    killed = FORKED.Process(target=scan_slowly, args=(str(path), str(folder)))
    killed.start()
    deadline = time.monotonic() + 60
    while not [*folder.glob("totals-*.npz")]:
        assert killed.is_alive()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.kill(killed.pid, signal.SIGKILL)
    killed.join()
    (kept,) = folder.glob("totals-*.npz")
    with np.load(kept) as held:
        assert 1 <= held["next"] < 5
    monkeypatch.setattr(checkpoints, "_SHARE", 1.0)
    scan = mc.io.scan_predictions(path, checkpoint=folder)
    again = mc.bootstrap(scan, ["cf1", "log_loss"], n_resamples=130).draws
    np.testing.assert_array_equal(again, draws)


def test_a_scan_goes_on_after_a_run_that_was_interrupted_while_a_block_was_read(
    five_blocks, tmp_path, monkeypatch
):
    path = five_blocks
    asked = {"metrics": "log_loss", "method": "percentile", "test": "wald", "n_resamples": 20}
    expected = mc.compare(mc.io.scan_predictions(path), **asked)
    scan = mc.io.scan_predictions(path, checkpoint=tmp_path / "kept")
    of_table = BlockAccess._of_table

    def interrupted(self, table, number):
        if number == 3:
            raise KeyboardInterrupt
        return of_table(self, table, number)

    monkeypatch.setattr(BlockAccess, "_of_table", interrupted)
    with pytest.raises(KeyboardInterrupt):
        mc.compare(scan, **asked)
    monkeypatch.undo()
    again = mc.compare(scan, **asked)
    pd.testing.assert_frame_equal(again.scores, expected.scores)
    pd.testing.assert_frame_equal(again.differences, expected.differences)


def test_what_was_added_up_is_not_read_again(path, tmp_path, monkeypatch):
    scan = mc.io.scan_predictions(path, checkpoint=tmp_path / "kept")
    first = mc.bootstrap(scan, "cf1", n_resamples=20)
    monkeypatch.setattr(
        Evaluation, "statistics", lambda *_, **__: pytest.fail("was added up again")
    )
    monkeypatch.setattr(Evaluation, "estimate", lambda _: first.point)
    again = mc.bootstrap(
        mc.io.scan_predictions(path, checkpoint=tmp_path / "kept"), "cf1", n_resamples=20
    )
    np.testing.assert_array_equal(first.draws, again.draws)


def test_other_options_have_totals_of_their_own(path, tmp_path):
    kept = mc.io.scan_predictions(path, checkpoint=tmp_path / "kept")
    plain = mc.io.scan_predictions(path)
    for options in (
        {"rng": 0}, {"rng": 1}, {"rng": 0, "scheme": "poisson"}, {"rng": 0, "size": 1000},
    ):  # fmt: skip
        expected = mc.bootstrap(plain, "cf1", n_resamples=20, **options)
        for _ in range(2):
            found = mc.bootstrap(kept, "cf1", n_resamples=20, **options)
            np.testing.assert_array_equal(found.draws, expected.draws)
    for metric in ("cf1_macro", "log_loss"):
        found = mc.paired_test(kept, "b", "a", metric, method="permutation", n_resamples=20)
        assert found == mc.paired_test(
            plain, "b", "a", metric, method="permutation", n_resamples=20
        )


def test_totals_of_rows_that_changed_are_refused(frame, path, tmp_path):
    folder = tmp_path / "kept"
    mc.bootstrap(mc.io.scan_predictions(path, checkpoint=folder), "cf1", n_resamples=20)
    pq.write_table(pa.Table.from_pandas(frame.iloc[1 : ROW_BLOCK + 999]), path)
    with pytest.raises(
        ValueError, match="checkpoints of other rows, or of these before they changed"
    ):
        mc.bootstrap(mc.io.scan_predictions(path, checkpoint=folder), "cf1", n_resamples=20)
    some = frame.iloc[: ROW_BLOCK + 999]
    other = some.assign(y_true=1 - some["y_true"])
    mc.bootstrap(mc.io.scan_predictions(some, checkpoint=tmp_path / "f"), "cf1", n_resamples=20)
    with pytest.raises(ValueError, match="checkpoints of other rows"):
        mc.bootstrap(
            mc.io.scan_predictions(other, checkpoint=tmp_path / "f"), "cf1", n_resamples=20
        )


@pytest.mark.parametrize("n", [900, ROW_BLOCK])
def test_totals_of_other_rows_are_refused_where_one_block_needs_none(n, frame, path, tmp_path):
    folder = tmp_path / "kept"
    mc.bootstrap(mc.io.scan_predictions(path, checkpoint=folder), "cf1", n_resamples=20)
    with pytest.raises(ValueError, match="checkpoints of other rows"):
        mc.io.scan_predictions(frame.iloc[:n], checkpoint=folder)


def test_a_damaged_checkpoint_is_named(path, tmp_path):
    folder = tmp_path / "kept"
    mc.bootstrap(mc.io.scan_predictions(path, checkpoint=folder), "cf1", n_resamples=20)
    (kept,) = folder.glob("totals-*.npz")
    kept.write_bytes(kept.read_bytes()[:100])
    with pytest.raises(ValueError, match=r"totals-.*is damaged.*delete it"):
        mc.bootstrap(mc.io.scan_predictions(path, checkpoint=folder), "cf1", n_resamples=20)


def test_only_complete_files_remain(tmp_path):
    checkpoint = checkpoints.Checkpoint.of(tmp_path / "new" / "kept", {"n": 1}, {"seed": 0})
    assert checkpoint.load() == (0, [])
    totals = [np.array([[0.1, np.nan]]), np.array([[1 / 3, -0.0]])]
    checkpoint.save(3, totals, last=False)
    checkpoint.save(4, totals[:1], last=False)
    done, found = checkpoint.load()
    assert done == 3
    for one, other in zip(totals, found, strict=True):
        assert one.tobytes() == other.tobytes()
    assert sorted(each.name[:6] for each in checkpoint.path.parent.iterdir()) == [
        "source",
        "totals",
    ]
