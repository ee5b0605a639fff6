"""Processes and other machines give the numbers of one thread, byte for byte, whoever dies."""

import contextlib
import os
import signal
from functools import cache, partial

import joblib
import numpy as np
import pandas as pd
import pytest
from joblib.externals.loky.process_executor import TerminatedWorkerError

import modelcompare as mc
from tests.cli.forked import PRELOADED
from tests.plugged import plugged

pytestmark = pytest.mark.slow

SNLI = mc.load_example("snli")[["mlp", "bow_pair", "naive_bayes"]]
PREDS = SNLI.subset(range(600))
CLUSTERED = PREDS.with_columns(groups=np.arange(600) // 4)
FEW = {"n_resamples": 300}


def confident():
    """A custom metric, which is no sum for the engine, and needs no import of this file."""
    return lambda _truth, y_prob: float((y_prob.max(axis=1) > 0.5).mean())


def frames(*found):
    return b"".join(frame.select_dtypes("number").to_numpy().tobytes() for frame in found)


def compared(preds, metrics, **options):
    result = mc.compare(preds, metrics, **FEW, **options)
    return frames(result.scores, result.differences)


def _frames_of(make):
    return frames(*make())


PAIR = "mlp", "bow_pair"
# What each public function that works on several threads returns, as bytes.
WORK = {
    "bootstrap": lambda: mc.bootstrap(
        PREDS, ["f1", "cf1_macro", "log_loss"], collapse=False, **FEW
    ).draws.tobytes(),
    "bootstrap of clusters": lambda: mc.bootstrap(
        CLUSTERED, ["f1_macro", "cf1"], **FEW
    ).draws.tobytes(),
    "bootstrap of ranks": lambda: mc.bootstrap(PREDS, "roc_auc_ovr", **FEW).draws.tobytes(),
    "custom bootstrap": lambda: mc.bootstrap(PREDS, confident(), **FEW).draws.tobytes(),
    "compare": lambda: compared(PREDS, ["accuracy", "cf1_macro"]),
    "compare by max-t": lambda: compared(CLUSTERED, ["f1"], correction="max-t", method="BCa"),
    "compare by swaps": lambda: compared(PREDS, ["f1_macro"], test="permutation"),
    "compare a sketch": lambda: compared(
        mc.io.sketch(PREDS, ["accuracy", "cf1_macro"]), ["accuracy", "cf1_macro"]
    ),
    "decide": lambda: repr(mc.decide(PREDS, *PAIR, "cf1_macro", margin=0.01, method="BCa", **FEW)),
    "paired_test": lambda: repr(
        mc.paired_test(PREDS, *PAIR, "cf1_macro", method="permutation", **FEW)
    ),
    "sketch": lambda: b"".join(
        found.tobytes()
        for found in mc.io.sketch([PREDS, CLUSTERED] * 5, "cf1_macro").numbers.values()
    ),
} | {name: partial(_frames_of, make) for name, make in plugged("WORK").items()}


@cache
def alone(name):
    """Return the result of one thread."""
    return WORK[name]()


@pytest.fixture(scope="module")
def cluster():
    """A real cluster: a scheduler, and two workers that are processes."""
    dask, distributed = map(pytest.importorskip, ("dask", "dask.distributed"))
    with dask.config.set({"distributed.worker.multiprocessing-method": "forkserver"}):
        # Its own list is of what it may need; forks of this one start in a tenth of a second.
        distributed.utils.get_mp_context().set_forkserver_preload([*PRELOADED, "distributed"])
        started = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        )
        with started, distributed.Client(started) as client:
            yield client


@pytest.mark.parametrize("name", WORK)
@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_threads_and_processes_of_joblib_give_the_same_bytes(backend, name):
    with joblib.parallel_config(backend), mc.config_context(n_jobs=2):
        found = WORK[name]()
    assert found == alone(name)


@pytest.mark.parametrize("name", WORK)
@pytest.mark.usefixtures("cluster")
def test_a_dask_cluster_gives_the_same_bytes(name):
    with joblib.parallel_config("dask"), mc.config_context(n_jobs=-1):
        found = WORK[name]()
    assert found == alone(name)


def killer(folder):
    """Kills the process that calls it, unless it is this one or another was killed before."""
    mine, mark = os.getpid(), folder / "killed"

    def kill_once():
        # Making the mark is what decides: two processes may come here at the same time.
        if os.getpid() != mine:
            with contextlib.suppress(FileExistsError):
                mark.touch(exist_ok=False)
                os.kill(os.getpid(), signal.SIGKILL)

    return kill_once, mark


def killing(folder):
    """A metric that kills the first process of others that it is called in, and a mark of that."""
    kill_once, mark = killer(folder)

    def fragile(y_true, y_prob):
        kill_once()
        return float(np.log(y_prob[np.arange(len(y_true)), y_prob.argmax(axis=1)]).mean())

    return fragile, mark


def test_a_process_of_loky_that_dies_is_an_error_and_no_number(tmp_path):
    fragile, mark = killing(tmp_path)
    with mc.config_context(n_jobs=2):
        with joblib.parallel_config("loky"), pytest.raises(TerminatedWorkerError):
            mc.bootstrap(PREDS, ["f1_macro", fragile], **FEW)
        assert mark.exists()
        found = mc.bootstrap(PREDS, ["f1_macro", fragile], **FEW)
    again = mc.bootstrap(PREDS, ["f1_macro", fragile], **FEW)
    assert found.draws.tobytes() == again.draws.tobytes()


def test_a_worker_that_dies_in_mid_run_leaves_no_trace(cluster, tmp_path):
    fragile, mark = killing(tmp_path)
    before = {*cluster.run(os.getpid).values()}
    with joblib.parallel_config("dask"), mc.config_context(n_jobs=-1):
        found = mc.bootstrap(PREDS, ["f1_macro", fragile], **FEW)
    assert mark.exists()
    assert len(before - {*cluster.run(os.getpid).values()}) == 1
    again = mc.bootstrap(PREDS, ["f1_macro", fragile], **FEW)
    assert found.draws.tobytes() == again.draws.tobytes()


@pytest.mark.usefixtures("cluster")
def test_sketches_of_many_files_are_made_in_place_and_added(tmp_path):
    dask = pytest.importorskip("dask")
    kill_once, mark = killer(tmp_path)
    paths = []
    for day in range(6):
        part = PREDS.subset(range(100 * day, 100 * day + 100))
        p = {f"{m}:{c}": part.probabilities(m)[:, k] for m in part.models
             for k, c in enumerate(part.labels)}  # fmt: skip
        paths.append(tmp_path / f"day{day}.parquet")
        items = [f"{day}-{i}" for i in range(100)]
        pd.DataFrame({"item": items, "y_true": part.y_true, **p}).to_parquet(paths[-1])

    @dask.delayed
    def sketched(path):
        kill_once()
        return mc.io.sketch(path, ["f1_macro", "cf1_macro"])

    found = sum(dask.compute(*map(sketched, paths)))
    assert mark.exists()
    here = sum(mc.io.sketch(path, ["f1_macro", "cf1_macro"]) for path in paths)
    assert found.about == here.about
    for key, numbers in here.numbers.items():
        assert found.numbers[key].tobytes() == numbers.tobytes()
    assert mc.compare(found, **FEW).evidence.n_samples == 600
