"""Rows of several models without a column that is named like models."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from tests.plugged import needs

RNG = np.random.default_rng(0)
N = 20
TRUTH = RNG.integers(0, 2, N)


def refusal(frame, tmp_path):
    frame.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(ValueError, match=r"^t\.csv") as caught:
        mc.read_predictions(tmp_path / "t.csv")
    return str(caught.value)


def test_ids_that_repeat_with_one_truth_each_are_of_several_models(tmp_path):
    rows = [
        pd.DataFrame({"ID": range(N), "y_true": TRUTH, "y_score": RNG.random(N),
                      "graph": graph, "variant": variant})
        for graph, variant in (("full", "k5"), ("full", "base"), ("raw", "base"))
    ]  # fmt: skip
    frame = pd.concat(rows, ignore_index=True)
    assert refusal(frame, tmp_path).endswith("(--read model-column=graph+variant).")
    preds = mc.read_predictions(frame, columns={"model": "graph+variant"})
    assert preds.models == ("full, k5", "full, base", "raw, base")
    assert len(preds) == N


def test_ids_that_repeat_beside_several_models_are_none(tmp_path):
    rows = [
        pd.DataFrame({"ID": range(N), "language": language, "y_true": TRUTH, "cnn": TRUTH,
                      "bow": RNG.integers(0, 2, N)})
        for language in ("bn", "en")
    ]  # fmt: skip
    message = refusal(pd.concat(rows, ignore_index=True), tmp_path)
    assert "repeats 20 of them" in message
    assert "model-column" not in message


def test_decisions_of_tools_beside_a_truth_of_texts(tmp_path):
    truth = np.where(TRUTH, "vulnerable", "safe")
    rows = [
        pd.DataFrame({"Tool": tool, "File": [f"{n}.py" for n in range(N)],
                      "Ground_Truth_Label": truth, "Detected": RNG.random(N) < 0.5})
        for tool in ("bandit", "snyk")
    ]  # fmt: skip
    frame = pd.concat(rows, ignore_index=True)
    message = refusal(frame, tmp_path)
    assert "score=" not in message
    flags = "--read model-column=Tool --id File --true Ground_Truth_Label --read pred=Detected"
    assert f"With {flags} 2 models gave True and False" in message
    roles = {"model": "Tool", "id": "File", "true": "Ground_Truth_Label", "pred": "Detected"}
    preds = mc.read_predictions(frame, columns=roles, positive="vulnerable")
    scores = mc.compare(preds, ["accuracy"], n_resamples=99).scores.set_index("model")
    expected = {tool: ((rows[k]["Detected"] == (TRUTH == 1)).mean())
                for k, tool in enumerate(("bandit", "snyk"))}  # fmt: skip
    assert scores["estimate"].to_dict() == expected


def test_a_row_of_scores_for_each_program_is_no_sample(tmp_path):
    frame = pd.DataFrame({"tool": [f"program {n}" for n in range(11)], "logRMSE": RNG.random(11),
                          "AUPRC": RNG.random(11), "DEG F1": RNG.random(11)})  # fmt: skip
    message = refusal(frame, tmp_path)
    flags = "--read model-column=tool --read score=AUPRC --read score='DEG F1' --higher-is-better"
    assert f"`modelcompare ranks FILE {flags}`" in message
    assert "Try:" not in message


def test_a_latency_beside_names_is_asked_about(tmp_path):
    frame = pd.DataFrame({"Latency": RNG.random(90), "Policy": np.repeat(["a", "b", "c"], 30)})
    message = refusal(frame, tmp_path)
    assert "if 'Policy' names the model" in message
    assert message.endswith("(--model Latency --slice Policy).")


@needs("folds")
def test_one_metric_of_several_models_is_not_several_scores(tmp_path):
    frame = pd.DataFrame({"fold": range(10), "n_test": 744, "loss_naive": 9 * RNG.random(10),
                          "loss_lgb": 9 * RNG.random(10), "coverage": RNG.random(10)})  # fmt: skip
    assert "names folds, with one score of a model in each" in refusal(frame, tmp_path)


def test_a_series_and_its_forecasts_are_no_models_of_one_rank(tmp_path):
    rain = RNG.normal(50, 10, N)
    frame = pd.DataFrame(
        {
            "station": [f"s{n}" for n in range(N)],
            "obs_mm": rain,
            "gfs": rain + RNG.normal(0, 3, N),
            "ecmwf": rain + RNG.normal(0, 2, N),
        }
    )
    message = refusal(frame, tmp_path)
    assert "column 'obs_mm' may be the truth, with which the others rise" in message
    assert "--true obs_mm" in message
    elevation = frame.assign(elev_m=RNG.integers(800, 3000, N))
    assert "column 'obs_mm' may be the truth" in refusal(elevation, tmp_path)
    # Numbers that are scores by an option, or of a known direction, are compared.
    models = ("obs_mm", "gfs", "ecmwf")
    assert mc.read_predictions(frame, greater_is_better=True).models == models
    assert mc.read_predictions(frame, kind="scores").models == models


def test_labels_in_rows_of_models_are_proposed_with_their_truth(tmp_path):
    words = np.array(["spam", "ham", "promo"])
    truth = words[RNG.integers(0, 3, N)]
    rows = [
        pd.DataFrame({"Modell": model, "Bild": range(N), "Wahrheit": truth,
                      "Antwort": np.where(RNG.random(N) < 0.7, truth, "ham")})
        for model in ("alt", "neu")
    ]  # fmt: skip
    message = refusal(pd.concat(rows), tmp_path)
    flags = "--read model-column=Modell --id Bild --true Wahrheit --read pred=Antwort"
    assert message.endswith(f"({flags}).")
