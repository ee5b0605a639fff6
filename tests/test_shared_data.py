"""Real predictions as stored in their folders: point estimates equal scikit-learn's."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, f1_score, log_loss

import modelcompare as mc

pytestmark = pytest.mark.shared_data


@pytest.mark.parametrize(
    "path",
    ["predictions_snli/snli_dev_predictions.npz", "predictions_cifar10/cifar10_test_predictions.npz",
     "predictions_single_model/mnist_test_predictions.npz",
     "predictions_single_model/20news_test_predictions.npz"],
)  # fmt: skip
def test_estimates_are_scikit_learns(shared_data, path):
    preds = mc.read_predictions(shared_data / path)
    result = mc.bootstrap(preds, ["accuracy", "f1_macro", "log_loss"], n_resamples=2)
    for model in preds.models:
        probs = preds.probabilities(model).astype(float)
        predicted = probs.argmax(axis=1)
        expected = [
            accuracy_score(preds.access.codes, predicted),
            f1_score(preds.access.codes, predicted, average="macro"),
        ]
        np.testing.assert_allclose(result.estimate[model].to_numpy()[:2], expected, atol=1e-12)
        probs = np.clip(probs, np.finfo(np.float32).eps, None)
        probs /= probs.sum(axis=1, keepdims=True)
        expected = log_loss(preds.access.codes, probs, labels=range(preds.access.n_classes))
        assert result.estimate[model].to_numpy()[2] == pytest.approx(expected, rel=1e-4)


def test_human_scores_of_translations(shared_data):
    preds = mc.read_predictions(
        shared_data / "mqm_wmt20_ende" / "mqm_scores.tsv.gz", greater_is_better=True
    )
    assert (len(preds), len(preds.models)) == (1418, 10)
    result = mc.compare(preds, n_resamples=999)
    means = -result.scores.set_index("model")["estimate"]
    published = pd.Series(
        {"Human-B.0": 0.746, "Human-A.0": 0.911, "Human-P.0": 1.410, "Tohoku-AIP-NTT.890": 2.018,
         "OPPO.1535": 2.248, "eTranslation.737": 2.332, "Tencent_Translation.1520": 2.353,
         "Huoshan_Translate.832": 2.445, "Online-B.1590": 2.475, "Online-A.1574": 2.987}
    )  # fmt: skip
    pd.testing.assert_series_equal(
        means.round(3).reindex(published.index), published, check_names=False
    )
    assert result.scores.set_index("model")["rank"]["Human-B.0"] == 1
