"""Whether more is better: declared, or read off the name, or not known."""

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from modelcompare.directions import direction_of
from modelcompare.metrics import METRICS, from_callable
from tests.plugged import needs

LOWER = """
wer WER cer loss val_loss valLoss test/loss nll NLL perplexity ppl error error_rate ErrorRate mae rmse
latency latency_ms time seconds runtime cost total_cost_usd distance brier brier_score log_loss logloss
crossEntropy word_error_rate edit-distance timeToFirstToken toxicity_score bits_per_byte failures
negative_log_likelihood loss_per_token
"""
HIGHER = """
accuracy acc acc_norm f1 F1 f1_macro bleu BLEU chrf ROUGE-L rougeL reward exact_match recall
precision roc_auc AUROC mcc pass@1 resolved ndcg_cut_10 success neg_log_loss negMeanSquaredError
log_likelihood BERTScore correct average_precision
"""
# Names that fields use: forecasting, vision, speech, structures, language models, operations.
LOWER += """
wis crps pinball_loss interval_score winkler_score nll bpb val_bpb ppl kld rmsd rmsd_ca hausdorff hd95
assd fid kid elapsed seconds ttft tokens cost usd price regret brier logloss ece eer min_dcf der cer wil
energy_mae mase wql wape mdape nrmse msis nd smape toxicity hallucination_rate flip_rate failure_rate
turns steps runtime_s p95_ms memory_mb lpips mql medae fad per epe ade fde mcd levenshtein mean_rank
false_positives id_switches cllr absrel abs_rel energy_score memory test_per
"""
HIGHER += """
bleu rouge_l iou dice ndcg@10 mrr recall@5 pass@1 success_rate psnr ssim pesq stoi si_sdr lddt tm_score
mean_reciprocal_rank mAP map@10 mAP50 hits@10 hit_rate f_score win_rate
"""
UNSAID = """
score rating points attack_success_rate asr logS helpfulness_vs_base bias rank delta gain hit map grade
time_to_failure survival_time memory_score tokens_per_second TOKENS_PER_SECOND tokensPerSec 2nd
mean_rank_correlation mean_score
lossless no_error error_free cost_savings accuracy_drop loss_reduction images_per_second judge x
brier_skill_score brier_resolution accuracy_loss reward_cost tokens_per_second closs timeless glossary <lambda>
"""


@pytest.mark.parametrize(
    ("names", "expected"), [(LOWER, False), (HIGHER, True), (UNSAID, None)], ids=str
)
def test_a_name_says_which_way_it_is_better_or_nothing(names, expected):
    assert {name: direction_of(name) for name in names.split()} == dict.fromkeys(
        names.split(), expected
    )


def test_no_name_of_a_metric_says_the_opposite_of_what_the_metric_does():
    from_names = {name: direction_of(name) for name in METRICS}
    assert [
        n for n, up in from_names.items() if up not in (None, METRICS[n].greater_is_better)
    ] == []
    # Nine of ten losses are known; those that are not are soft twins, whose c is part of the word.
    losses = [n for n, found in METRICS.items() if found.greater_is_better is False and n[0] != "c"]
    losses = [name for name in losses if name != "lr_negative"]
    assert [n for n in losses if from_names[n] is None] == []


@pytest.mark.parametrize("name", ["wer", "loss", "perplexity", "error", "latency", "cost"])
def test_the_worse_model_does_not_pass_a_gate_on_a_score_that_should_be_low(name):
    rng = np.random.default_rng(0)
    low = rng.uniform(0.1, 0.2, 200)
    preds = mc.Predictions.from_scores({"good": {name: low}, "bad": {name: low + 0.3}})
    asked = {"metric": name, "margin": 0.05, "n_resamples": 99}
    worse, better = (
        mc.decide(preds, "good", "bad", **asked),
        mc.decide(preds, "bad", "good", **asked),
    )
    assert (worse.answer, better.answer) == ("shown otherwise", "shown")
    assert "lower is better, by its name" in worse.sentence()
    result = mc.compare(preds, n_resamples=99)
    assert not result.evidence.metric_info[name].greater_is_better
    assert result.scores.set_index("model")["rank"]["good"] == 1
    with pytest.raises(AssertionError, match="is inferior to"):
        mc.testing.assert_not_worse(preds, "good", "bad", name, margin=0.05, n_resamples=99)


def test_what_is_declared_wins_and_there_is_no_default():
    logged = {m: {"wer": [0.1, 0.2, i], "judge": [1, i, 3]} for i, m in enumerate("ab")}
    of_given = mc.Predictions.from_scores(logged, greater_is_better={"wer": True})
    assert of_given.access.scores.greater_is_better == {"wer": True, "judge": None}
    assert mc.Predictions.from_scores(logged).access.scores.greater_is_better == {
        "wer": False,
        "judge": None,
    }
    assert (
        mc.Predictions.from_scores(logged, greater_is_better=True).access.scores.greater_is_better
        is True
    )
    asked = {"margin": 0.5, "n_resamples": 99}
    assert "is better" not in mc.decide(of_given, "a", "b", "wer", **asked).assumption
    with pytest.raises(ValueError, match=r"high or low values of judge are good is not known; "):
        mc.decide(of_given, "a", "b", "judge", **asked)
    one = mc.Predictions.from_scores({m: np.arange(9.0) for m in "ab"})
    with pytest.raises(ValueError, match=r"of mean_score .*\(--higher-is-better or --lower-"):
        mc.decide(one, "a", "b", "mean_score", **asked)


@needs("large")
def test_parts_and_other_outputs_keep_how_the_direction_is_known():
    preds = mc.Predictions.from_scores({m: {"judge": [1, 0, 1], "wer": [1, 0, 0]} for m in "ab"})
    for part in (preds, preds["a"], preds.subset([0, 1]), mc.io.sketch(preds, ["judge", "wer"])):
        assert part.access.scores.direction("judge") == (None, "unknown")
        assert part.access.scores.direction("wer") == (False, "name")


def test_a_function_is_better_the_way_its_name_says():
    def val_loss(y_true, y_pred):
        return float(np.mean(np.asarray(y_true) != np.asarray(y_pred)))

    made = from_callable(val_loss)
    assert (made.greater_is_better, made.direction_from) == (False, "name")
    assert from_callable(val_loss, greater_is_better=True).greater_is_better
    assert from_callable(lambda y, p: (y != p).mean()).direction_from == "unknown"
    truth = np.arange(200) % 2
    preds = mc.Predictions(
        truth, {"good": truth, "bad": np.where(np.arange(200) < 60, 1 - truth, truth)}
    )
    found = mc.decide(preds, "good", "bad", val_loss, margin=0.05, n_resamples=99)
    assert (found.answer, found.gain) == ("shown otherwise", pytest.approx(-0.3))
    assert "lower is better, by its name" in found.sentence()


def test_a_missing_result_of_a_loss_counts_as_the_highest_one():
    frame = pd.DataFrame(
        {"model": ["a"] * 4 + ["b"] * 4, "item": [*range(4)] * 2,
         "wer": [0.1, 0.3, np.nan, 0.2, 0.4, 0.1, 0.2, 0.1]}
    )  # fmt: skip
    preds = mc.read_predictions(frame, missing="worst")
    assert preds.access.scores.greater_is_better is False
    assert preds.output("a").array.tolist() == [0.1, 0.3, 1.0, 0.2]
