from pathlib import Path

import pytest

from modelcompare import examples
from modelcompare.plugs import plugins

SNLI = Path(examples.__file__).parent / "snli.npz"
MODELS = ("--model", "bow_pair", "--model", "naive_bayes")


@pytest.mark.usefixtures("undrawn")
def test_sample_size_prints_and_writes_everything(run, small_snli, tmp_path):
    folder = tmp_path / "out"
    done = run("sample-size", small_snli, *MODELS, "-o", folder)
    assert "modelcompare:0.1.0|" in done.out
    assert max(map(len, done.out.splitlines())) <= 80
    assert f"into {folder}" in done.err
    forms = ("csv", "md", "png", "svg", "pdf", *(["tex"] if "latex" in plugins() else []))
    assert {path.name for path in folder.iterdir()} >= {f"sample_size.{form}" for form in forms}


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ((SNLI,), "there are 4 models; name two with --model A --model B"),
        (
            (SNLI, "--model", "mlp", "--model", "bow_pair", "--metric", "f1"),
            "name one, as in 'f1[entailment]'",
        ),
    ],
)
def test_bad_input_is_reported_in_one_line(run, arguments, part):
    done = run("sample-size", *arguments)
    assert done.code == 2
    assert part in done.err
    assert done.err.count("\n") == 1


def test_sample_size_of_a_class(run):
    out = run("sample-size", SNLI, *MODELS, "--metric", "f1", "--label", "neutral").out
    assert out.startswith("f1 of neutral: bow_pair - naive_bayes = +0.012")
