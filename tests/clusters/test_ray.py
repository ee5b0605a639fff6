"""Resamples on workers of Ray are those of one thread, byte for byte."""

import pytest

import modelcompare as mc
from modelcompare.cli import main

pytest.importorskip("ray")

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
