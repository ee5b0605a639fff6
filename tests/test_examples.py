"""The predictions that ship with the package."""

import pytest

import modelcompare as mc
from modelcompare.examples import available_examples


def test_snli_holds_the_whole_test_set_and_four_models():
    preds = mc.load_example("snli")
    assert len(preds) == 9824
    assert preds.models == ("hypothesis_only", "bow_pair", "naive_bayes", "mlp")
    accuracy = {
        m: round(float((preds.predicted(m) == preds.access.codes).mean()), 4) for m in preds.models
    }
    assert accuracy == {
        "hypothesis_only": 0.6074,
        "bow_pair": 0.6846,
        "naive_bayes": 0.6664,
        "mlp": 0.5797,
    }


def test_unknown_example_names_the_known_ones():
    with pytest.raises(ValueError, match="`name` is no example: 'mnist'; there are snli"):
        mc.load_example("mnist")


@pytest.mark.parametrize("name", available_examples())
def test_every_example_loads(name):
    assert len(mc.load_example(name).models) >= 2
