"""A gate asks what `decide` asks, rule by rule."""

import pytest

import modelcompare as mc
from tests.plugged import needs

SNLI = mc.load_example("snli").subset(range(800))


@pytest.mark.parametrize(
    "options",
    [
        {},
        pytest.param({"method": "any-time"}, marks=needs("any_time")),
        {"method": "BCa", "n_resamples": 99},
    ],
)
def test_decisions_of_a_gate_are_those_of_decide(options):
    rules = ["accuracy:-0.01", "recall[neutral]:-0.02", "log_loss:+0"]
    found = mc.gate(SNLI, "bow_pair", "mlp", rules, **options)
    alone = [
        mc.decide(SNLI, "bow_pair", "mlp", "accuracy", margin=0.01, **options),
        mc.decide(SNLI, "bow_pair", "mlp", ("recall", "neutral"), margin=0.02, **options),
        mc.decide(SNLI, "bow_pair", "mlp", "log_loss", kind="superior", **options),
    ]
    for one, other in zip(found.decisions, alone, strict=True):
        assert (one.ci_low, one.ci_high, one.p_value) == (
            other.ci_low,
            other.ci_high,
            other.p_value,
        )
        assert (one.answer, one.signature) == (other.answer, other.signature)
