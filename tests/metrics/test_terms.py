"""Terms of the paper, of courses and of scikit-learn lead to the metric that they mean."""

from dataclasses import replace

import pytest
from sklearn.metrics import get_scorer_names

import modelcompare as mc
from modelcompare.data.checks import DataWarning
from modelcompare.metrics import registry
from modelcompare.metrics.terms import _BY_TERM, _ELSEWHERE, _OTHERWISE, _TERMS, plain_term
from modelcompare.plugs import needed, plugins
from tests.plugged import needs, plugged

TERMS = {
    "cprecision": ["cPrecision", "cP"],
    "crecall": ["cRecall"],
    "cf1": ["cF1", "cF1-Score", "confidence-F1", "confidence F1"],
    "f1": ["F score", "F-score", "F1", "F1 score", "f-measure", "Dice"],
    "f1_macro": ["macro F1", "macro_f_score", "macro_f1"],
    "f1_weighted": ["weighted F1"],
    "recall": ["TPR", "true positive rate", "probability of detection"],
    "fpr": ["FPR", "false positive rate", "False accept rate"],
    "specificity": ["TNR"],
    "zero_one_loss": ["classification error", "error rate"],
    "roc_auc": ["AUC", "ROC AUC", "roc_auc_score"],
    "average_precision": ["average precision", "AP", "AUPRC", "AUC pr"],
    "mse": ["MSE", "mean squared error"],
    "mae": ["mean absolute error"],
    "msle": ["mean squared logarithmic error"],
    "median_absolute_error": ["median absolute error"],
    "r2": ["R-squared", "r2_score"],
    "explained_variance": ["explained variance"],
    "pearson": ["Pearson correlation"],
    "spearman": ["spearmanr", "Spearman rank correlation"],
    "kl_divergence": ["KL divergence", "KL"],
    "log_loss": ["cross-entropy", "log loss", "negative log loss"],
    "brier_score": ["Brier-score"],
    "cconfusion_entropy": ["Probabilistic Confusion Entropy", "PCE"],
    "roc_auc_at_0.1": ["pAUC"],
    "roc_auc_ovo": ["Hand and Till"],
    "fnr": ["false rejection rate"],
    "balanced_accuracy": ["macro-average accuracy"],
    "accuracy": ["micro accuracy"],
    "recall_macro": ["macro recall"],
    "matthews_corrcoef": ["MCC"],
} | plugged("TERMS")  # fmt: skip
# Of no metric, or of several: what is named instead.
POINTERS = {
    "pCM": "probabilistic_confusion_matrix",
    "support": "confusion_matrix",
    "precision-recall curve": "diagnostics.curve",
    "ROUGE": "rouge-score",
    "Murphy": "brier_resolution",
    "reliability": "brier_reliability",
    "nDCG": "TREC",
    "adjusted R-squared": "adjusted_r2_3",
    "confusion_matrix": "metrics.confusion_matrix",
    "METEOR": "from_callable",
    "mean average precision": "of boxes it is map",
    "NPV": "1 - false_omission_rate",
    "macro average precision": "average_precision_macro",
    "negative predictive value": "1 - false_omission_rate",
}
# What scikit-learn's scorers of supervised models measure and this package does not.
LACKING = {
    "d2_absolute_error_score",
    "d2_brier_score",
    "d2_log_loss_score",
    "neg_max_error",
    "neg_mean_gamma_deviance",
    "neg_mean_poisson_deviance",
    "top_k_accuracy",
}
OF_CLUSTERS = {
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "completeness_score",
    "fowlkes_mallows_score",
    "homogeneity_score",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "rand_score",
    "v_measure_score",
}


@pytest.mark.parametrize(("term", "name"), [(t, n) for n, terms in TERMS.items() for t in terms])
@pytest.mark.filterwarnings("ignore:.* here; :modelcompare.data.checks.DataWarning")
def test_a_term_is_the_name_of_its_metric(term, name):
    assert mc.get_metric(term).name == name


@pytest.mark.parametrize(("term", "where"), POINTERS.items())
def test_what_is_no_metric_is_pointed_to(term, where):
    with pytest.raises(ValueError, match="is no metric's name here") as refused:
        mc.get_metric(term)
    assert where in str(refused.value)


SCORERS = sorted({*get_scorer_names()} - LACKING - OF_CLUSTERS)


@pytest.mark.parametrize("name", [name for name in SCORERS if not needed(f"metric {name!r}")])
def test_a_scorer_of_scikit_learn_is_known_by_its_name(name):
    found = mc.get_metric(name)
    assert found.greater_is_better is (not name.startswith("neg_") and "loss" not in found.name)


@pytest.mark.parametrize("name", [
    "accuracy_score", "balanced_accuracy_score", "f1_score", "precision_score", "recall_score",
    "jaccard_score", "roc_auc_score", "average_precision_score", "brier_score_loss", "log_loss",
    "matthews_corrcoef", "cohen_kappa_score", "zero_one_loss",
    "mean_squared_error", "mean_absolute_error", "root_mean_squared_error",
    "mean_squared_log_error", "root_mean_squared_log_error", "median_absolute_error", "r2_score",
    "explained_variance_score", "mean_absolute_percentage_error",
])  # fmt: skip
def test_a_function_of_scikit_learn_is_known_by_its_name(name):
    assert mc.get_metric(name) is mc.get_metric(mc.get_metric(name).name)


def test_terms_are_written_as_they_are_read_and_no_two_metrics_share_one():
    tables = _TERMS, *(plugin.terms for plugin in plugins().values())
    every = [term for table in tables for terms in table.values() for term in terms.split(", ")]
    assert len({*every} | {*_ELSEWHERE}) == len(every) + len(_ELSEWHERE)
    assert all(plain_term(term) == term for term in (*every, *_ELSEWHERE) if "{}" not in term)
    for term, name in _BY_TERM.items():
        assert mc.get_metric(name).name == name
        assert mc.metrics.METRICS.get(term.replace(" ", "_")) is None


@pytest.mark.parametrize(("slip", "meant"), [("acuracy", "accuracy"), ("aucc", "auc")])
def test_a_slip_of_the_hand_is_answered_by_what_was_meant(slip, meant):
    with pytest.raises(ValueError, match=f"did you mean {meant}"):
        mc.get_metric(slip)


@pytest.mark.parametrize("name", ["throughput", "gini", "toxicity"])
def test_another_metric_is_no_suggestion(name):
    with pytest.raises(ValueError, match=r"names are in modelcompare\.metrics\.METRICS"):
        mc.get_metric(name)


def test_terms_name_metrics_in_comparisons_and_rules():
    preds = mc.load_example("snli").subset(range(300))
    found = mc.compare(preds, ["Macro F1", "ROC AUC OvR", "cross-entropy"], n_resamples=999)
    assert list(found.scores["metric"].unique()) == ["f1_macro", "roc_auc_ovr", "log_loss"]
    first, second, *_ = preds.models
    gate = mc.gate(preds, first, second, ["MCC:-0.5"])
    assert "matthews_corrcoef" in str(gate)


@needs("calibration")
def test_the_list_is_searched_by_terms_and_definitions():
    names = mc.list_metrics(search="false alarm rate")["metric"].tolist()
    assert names[:1] == ["fpr"]
    assert "ece" in mc.list_metrics(search="calibration error")["metric"].tolist()
    assert mc.list_metrics(search="no such thing").empty


@pytest.mark.parametrize("name", ["negative recall", "neg_precision", "negative accuracy"])
def test_what_is_no_loss_is_not_negated(name):
    with pytest.raises(ValueError, match="unknown metric"):
        mc.get_metric(name)


def test_a_metric_of_another_plugin_comes_before_a_term(monkeypatch):
    own = replace(mc.get_metric("jaccard"), name="Dice")
    known = {**mc.metrics.METRICS}
    monkeypatch.setattr(registry, "METRICS", known)
    monkeypatch.setattr(registry, "register_others", lambda: known.update(Dice=own))
    assert mc.get_metric("Dice").ratio == own.ratio


@pytest.mark.parametrize(
    ("term", "name", "other"),
    [
        ("error rate", "zero_one_loss", "fpr or fnr"), ("AP", "average_precision", "map"),
        pytest.param("SER", "slot_error_rate", "1 - exact_match", marks=needs("texts")),
        pytest.param("WAcc", "word_accuracy", "balanced_accuracy", marks=needs("texts")),
        ("FAR", "fpr", "false_discovery_rate"),
        pytest.param("likelihood ratio", "lr_positive", "lr_negative", marks=needs("likelihoods")),
        ("macro accuracy", "balanced_accuracy", "zero_one_loss"),
    ],
)  # fmt: skip
def test_a_term_of_two_meanings_is_one_and_names_the_other(term, name, other):
    with pytest.warns(DataWarning, match=f"{term}' is {name} here; .*{other}"):
        assert mc.get_metric(term).name == name
    assert mc.list_metrics(search=term)["metric"].iloc[0] == name


@needs("texts", "likelihoods")
def test_other_meanings_are_of_terms():
    assert {*_OTHERWISE} <= {*_BY_TERM}
