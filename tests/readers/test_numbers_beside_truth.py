"""Numbers beside a truth are predictions in files of one model, as they are in wide tables."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc

RNG = np.random.default_rng(0)
N = 60
LABELS = RNG.integers(0, 2, N)
VALUES = RNG.normal(50, 10, N).round(2)


def written(tmp_path, **tables):
    for name, columns in tables.items():
        pd.DataFrame({"id": range(N), **columns}).to_csv(tmp_path / f"{name}.csv", index=False)
    return [tmp_path / f"{name}.csv" for name in tables]


@pytest.mark.parametrize("heading", ["y_prob", "prob", "y_score", "p_1", "Probability_yes"])
def test_probabilities_of_two_classes(tmp_path, heading):
    good, bad = (np.where(LABELS, p, 1 - p) for p in (0.75, 0.25))
    files = written(tmp_path, a={"label": LABELS, heading: good}, b={"label": LABELS, heading: bad})
    preds = mc.read_predictions(files)
    assert {m: preds.output(m).kind for m in preds.models} == dict.fromkeys("ab", "probabilities")
    scores = mc.compare(preds, ["accuracy"], n_resamples=99).scores
    assert scores.set_index("model")["estimate"].to_dict() == {"a": 1.0, "b": 0.0}
    assert preds.access.scores.beside == ()


def test_long_tables():
    rows = [
        pd.DataFrame({"model": m, "id": range(N), "label": LABELS, "y_score": np.abs(LABELS - e)})
        for m, e in (("a", 0.1), ("b", 0.9))
    ]
    preds = mc.read_predictions(pd.concat(rows, ignore_index=True))
    scores = mc.compare(preds, ["accuracy"], n_resamples=99).scores
    assert scores.set_index("model")["estimate"].to_dict() == {"a": 1.0, "b": 0.0}


def test_values(tmp_path):
    files = written(
        tmp_path,
        a={"y_true": VALUES, "forecast": VALUES + 1}, b={"y_true": VALUES, "forecast": VALUES - 3},
    )  # fmt: skip
    scores = mc.compare(mc.read_predictions(files), ["mae"], n_resamples=99).scores
    assert scores.set_index("model")["estimate"].to_dict() == pytest.approx({"a": 1, "b": 3})


def test_named_scores_stay_scores(tmp_path):
    files = written(
        tmp_path,
        a={"label": LABELS, "f1": RNG.random(N)}, b={"label": LABELS, "f1": RNG.random(N)},
    )  # fmt: skip
    preds = mc.read_predictions(files)
    assert preds.output("a").kind == "scores"


def test_several_numbers_are_refused(tmp_path):
    files = written(
        tmp_path,
        a={"label": LABELS, "p": RNG.random(N), "q": RNG.random(N)},
        b={"label": LABELS, "p": RNG.random(N), "q": RNG.random(N)},
    )
    with pytest.raises(ValueError, match="several columns of numbers"):
        mc.read_predictions(files)
