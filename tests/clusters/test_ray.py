"""Resamples on workers of Ray are those of one thread, byte for byte."""

import os
import signal

import joblib
import numpy as np
import pytest

import modelcompare as mc
from modelcompare.cli import main

ray = pytest.importorskip("ray")

PREDS = mc.load_example("snli")[["mlp", "bow_pair"]].subset(range(600))


@pytest.mark.filterwarnings("ignore")  # of Ray, about its own future
@pytest.mark.parametrize("jobs", [[], ["--jobs", "2"]])
def test_the_command_line_works_on_ray(jobs, tmp_path, capfd):
    path = mc.sketch(PREDS, "cf1_macro").save(tmp_path / "s.parquet")
    asked = ["compare", str(path), "--resamples", "300", "--method", "BCa", "--format", "json"]
    assert main(asked) == 0
    here = capfd.readouterr().out
    assert main([*asked, "--backend", "ray", *jobs]) == 0
    assert capfd.readouterr().out == here


@pytest.mark.filterwarnings("ignore")
def test_a_worker_that_dies_is_an_error_and_no_number(tmp_path):
    from ray.util.joblib import register_ray

    register_ray()
    mine, mark = os.getpid(), tmp_path / "killed"

    def fragile(y_true, y_prob):
        if os.getpid() != mine and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return float(np.log(y_prob[np.arange(len(y_true)), y_prob.argmax(axis=1)]).mean())

    def drawn(n_jobs):
        return mc.bootstrap(PREDS, ["f1_macro", fragile], n_resamples=300, n_jobs=n_jobs).draws

    with joblib.parallel_config("ray"):
        with pytest.raises(ray.exceptions.RayActorError, match="died"):
            drawn(2)
        assert mark.exists()
        found = drawn(2)
    assert found.tobytes() == drawn(None).tobytes()
