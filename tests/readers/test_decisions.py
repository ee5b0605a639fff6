"""True and False, or 1 and 0, beside a truth of two other labels, and columns of errors."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc

RNG = np.random.default_rng(0)
N = 60
BOT = RNG.random(N) < 0.4
TRUTH = np.where(BOT, "bot", "man")
DECIDED = np.where(RNG.random(N) < 0.95, BOT, ~BOT)
VALUES = RNG.normal(50, 10, N).round(2)
CLOSE = (VALUES + RNG.normal(0, 3, N)).round(2)


def refusal(frame, tmp_path, **options):
    frame.to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(ValueError, match=r".") as caught:
        mc.read_predictions(tmp_path / "t.csv", **options)
    return str(caught.value)


@pytest.mark.parametrize("marks", [[False, True], [0, 1], [0.0, 1.0], ["False", "True"]])
def test_decisions_are_of_the_positive_class(marks):
    made = np.array(marks)[DECIDED.astype(int)]
    preds = mc.Predictions(TRUTH, {"a": made}, positive="bot")
    assert preds.labels.tolist() == ["man", "bot"]
    scores = mc.compare(preds, ["accuracy"], n_resamples=99).scores
    assert scores["estimate"].item() == (DECIDED == BOT).mean()


def test_the_positive_class_is_not_guessed():
    with pytest.raises(ValueError, match=r"nothing determines which of 'bot' and 'man'"):
        mc.Predictions(TRUTH, {"a": DECIDED})


def test_labels_of_the_truth_stay_labels():
    preds = mc.Predictions(["bot", "1", "bot", "1"], {"a": ["1", "1", "bot", "bot"]})
    assert preds.labels.tolist() == ["1", "bot"]


def test_features_are_not_proposed_beside_decisions(tmp_path):
    frame = pd.DataFrame(
        {"window": np.arange(N) % 7, "true_label": TRUTH, "score": RNG.random(N) * 9,
         "is_bot": DECIDED}
    )  # fmt: skip
    message = refusal(frame, tmp_path)
    assert "--model is_bot" in message
    assert "--positive bot" in message
    assert "--positive man" in message
    assert "Try:" not in message


def test_predictions_by_name_are_proposed_alone(tmp_path):
    frame = pd.DataFrame(
        {"y_true": BOT + 1, "Predicted": DECIDED + 1, "is_verbal": RNG.integers(0, 2, N),
         "distance": RNG.normal(0, 3, N), "depth": RNG.integers(0, 4, N)}
    )  # fmt: skip
    message = refusal(frame, tmp_path)
    assert "--model Predicted" in message
    assert message.count("--model ") == 1


@pytest.mark.parametrize("sign", [1, -1])
def test_residuals_are_no_model(sign):
    frame = pd.DataFrame(
        {"y_true": VALUES, "cnn": CLOSE, "residual": (sign * (VALUES - CLOSE)).round(3)}
    )
    assert mc.read_predictions(frame).models == ("cnn",)


def test_squares_and_sizes_of_errors_are_no_models():
    error = VALUES - CLOSE
    frame = pd.DataFrame({"y_true": VALUES, "cnn": CLOSE, "a": np.abs(error), "b": error**2})
    assert mc.read_predictions(frame).models == ("cnn",)


def test_a_perfect_model_beside_a_constant_one_is_no_error():
    frame = pd.DataFrame({"y_true": BOT * 1, "none": np.zeros(N, int), "all": BOT * 1})
    assert mc.read_predictions(frame).models == ("none", "all")


def test_a_difference_of_another_name_is_asked_about(tmp_path):
    frame = pd.DataFrame({"y_true": VALUES, "cnn": CLOSE, "bow": VALUES - CLOSE})
    assert "is the difference of 'y_true' and" in refusal(frame, tmp_path)


def test_a_set_beside_a_truth_in_doubt_is_proposed_as_a_slice(tmp_path):
    frame = pd.DataFrame(
        {"Dataset": np.where(np.arange(N) < 40, "Training", "Test"), "Actual": VALUES,
         "Predicted": CLOSE, "Residuals": VALUES - CLOSE}
    )  # fmt: skip
    message = refusal(frame, tmp_path)
    assert message.endswith("(--true Actual --model Predicted --slice Dataset).")


def test_a_column_named_like_the_truth_is_no_model_beside_the_one_that_is_named(tmp_path):
    frame = pd.DataFrame({"expected_label": TRUTH, "category": np.where(DECIDED, "bot", "man"),
                          "cnn": TRUTH, "bow": np.where(DECIDED, "bot", "man")})  # fmt: skip
    message = refusal(frame, tmp_path, columns={"true": "expected_label"})
    assert "column 'category' is named like the truth" in message
    assert "(--model cnn --model bow --slice category)." in message
