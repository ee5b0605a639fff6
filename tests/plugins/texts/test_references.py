"""Several reference texts for each sample: scores are sacrebleu's own."""

import random
from functools import partial

import numpy as np
import pytest
import sacrebleu

import modelcompare as mc

WORDS = ["the", "a", "cat", "dog", "sat", "on", "mat", "in", "house", ",", ".", "and", "3.5", "red"]
CHANCE = random.Random(0)


def _sentence():
    return " ".join(CHANCE.choice(WORDS) for _ in range(CHANCE.randint(3, 12)))


SAME = [[_sentence(), _sentence()] for _ in range(40)]
VARIED = [[_sentence() for _ in range(CHANCE.randint(1, 3))] for _ in range(40)]
SAID = {
    model: [refs[0] + " x" if CHANCE.random() < 0.5 else _sentence() for refs in SAME]
    for model in "ab"
}
OWN = {
    "bleu": sacrebleu.corpus_bleu,
    "chrf": sacrebleu.corpus_chrf,
    "chrfpp": partial(sacrebleu.corpus_chrf, word_order=2),
    "ter": sacrebleu.corpus_ter,
}


@pytest.mark.parametrize("references", [SAME, VARIED], ids=["two", "one to three"])
@pytest.mark.parametrize("name", OWN)
def test_scores_are_those_of_sacrebleu(references, name):
    most = max(map(len, references))
    columns = [[r[k] if k < len(r) else None for r in references] for k in range(most)]
    preds = mc.Predictions(references, SAID, kind="texts")
    found = mc.bootstrap(preds, name, n_resamples=2).point[:, 0]
    expected = [OWN[name](of_system, columns).score for of_system in SAID.values()]
    np.testing.assert_allclose(found, expected)
    plain = getattr(mc.metrics, name)(references, SAID["a"])
    assert plain == pytest.approx(expected[0])


@pytest.mark.parametrize("references", [SAME, VARIED], ids=["two", "one to three"])
def test_sentence_bleu_is_the_mean_of_sacrebleus(references):
    preds = mc.Predictions(references, SAID, kind="texts")
    result = mc.compare(preds, "sentence_bleu", n_resamples=99)
    for model, said in SAID.items():
        own = [
            sacrebleu.sentence_bleu(text, refs).score
            for text, refs in zip(said, references, strict=True)
        ]
        found = result.scores.set_index("model").loc[model, "estimate"]
        assert found == pytest.approx(np.mean(own))
    assert "sentence_bleu:[nrefs:" in result.signature
    assert "eff:yes" in result.signature


@pytest.mark.parametrize(
    ("references", "named"),
    [(SAME, "nrefs:2"), (VARIED, "nrefs:var"), ([r[:1] for r in SAME], "nrefs:1")],
)
def test_the_signature_tells_how_many_references_there_are(references, named):
    result = mc.compare(mc.Predictions(references, SAID, kind="texts"), "bleu", n_resamples=99)
    assert f"bleu:[{named}|" in result.signature


def test_one_reference_in_a_list_is_one_reference():
    listed = mc.Predictions([r[:1] for r in SAME], SAID, kind="texts")
    assert listed.y_true.tolist() == [r[0] for r in SAME]


def test_a_text_that_equals_one_of_several_references_matches():
    preds = mc.Predictions([["yes", "Yes"], ["no", "No"]], {"a": ["Yes", "on"]}, kind="texts")
    assert mc.bootstrap(preds, "exact_match", n_resamples=2).point[0, 0] == 0.5
