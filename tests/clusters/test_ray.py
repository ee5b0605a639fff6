"""Resamples on workers of Ray are those of one thread, byte for byte."""

import contextlib
import os
import signal

import joblib
import numpy as np
import pytest

import modelcompare as mc

ray = pytest.importorskip("ray")
on_joblib = pytest.importorskip("ray.util.joblib")

PREDS = mc.load_example("snli")[["mlp", "bow_pair"]].subset(range(600))
pytestmark = pytest.mark.filterwarnings("ignore")  # of Ray, about its own future


@pytest.fixture(scope="module", autouse=True)
def _started():
    # Ray's backend of joblib counts the workers of -1 only where Ray was started before.
    ray.init(num_cpus=2, include_dashboard=False)
    on_joblib.register_ray()
    yield
    ray.shutdown()


@pytest.mark.parametrize("n_jobs", [-1, 2])
def test_resamples_on_ray_are_those_of_one_thread(n_jobs):
    here = mc.bootstrap(PREDS, "cf1_macro", n_resamples=300).draws
    with joblib.parallel_config("ray"), mc.config_context(n_jobs=n_jobs):
        found = mc.bootstrap(PREDS, "cf1_macro", n_resamples=300).draws
    assert found.tobytes() == here.tobytes()


def test_a_worker_that_dies_is_an_error_and_no_number(tmp_path):
    mine, mark = os.getpid(), tmp_path / "killed"

    def fragile(y_true, y_prob):
        # Making the mark is what decides: two processes may come here at the same time.
        if os.getpid() != mine:
            with contextlib.suppress(FileExistsError):
                mark.touch(exist_ok=False)
                os.kill(os.getpid(), signal.SIGKILL)
        return float(np.log(y_prob[np.arange(len(y_true)), y_prob.argmax(axis=1)]).mean())

    def drawn(n_jobs):
        with mc.config_context(n_jobs=n_jobs):
            return mc.bootstrap(PREDS, ["f1_macro", fragile], n_resamples=300).draws

    with joblib.parallel_config("ray"):
        with pytest.raises(ray.exceptions.RayActorError, match="died"):
            drawn(2)
        assert mark.exists()
        found = drawn(2)
    assert found.tobytes() == drawn(None).tobytes()
