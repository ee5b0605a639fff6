"""The same test set in another order of samples, models or classes has the same answer.

Of what is not drawn at random: estimates, standard errors, normal intervals and Wald's test. Test
sets are those of `made_at_random`, of all types of output, with weights, clusters and strata.
"""

from functools import cache

import numpy as np
import pandas as pd
import pytest

import modelcompare as mc
from tests.made_at_random import METRICS, predictions

ONE = ["model", "metric", "label"]
PAIR = ["model_a", "model_b", "metric", "label"]
N_SETS, N_QUICK = 100, 50
every_set = pytest.mark.parametrize(
    "seed",
    [pytest.param(k, marks=pytest.mark.slow if k >= N_QUICK else ()) for k in range(N_SETS)],
)


@cache
def _drawn(seed):
    """A test set and some metrics for it; None where the set itself is refused."""
    draw = np.random.default_rng(seed)
    try:
        preds, kind = predictions(draw)
    except ValueError:
        return None
    return preds, [str(name) for name in draw.permutation(METRICS[kind])[:3]]


def _answer(preds, metrics, of_class=lambda label: label):
    """Scores and differences, by model, metric and class; or that it is refused."""
    try:
        found = mc.compare(preds, metrics, method="normal", test="wald", n_resamples=2)
    except ValueError:
        return None
    scores = found.scores.assign(label=found.scores["label"].map(of_class))
    scores = scores.set_index(ONE)[["estimate", "standard_error", "ci_low", "ci_high"]]
    pairs = found.differences.assign(label=found.differences["label"].map(of_class))
    numbers = ["difference", "ci_low", "ci_high", "p_value"]
    # Each pair both ways, so that the order of models does not matter.
    turned = pairs.rename(columns={"model_a": "model_b", "model_b": "model_a"})
    turned = turned.assign(difference=-pairs["difference"], ci_low=-pairs["ci_high"],
                           ci_high=-pairs["ci_low"])  # fmt: skip
    both = pd.concat([pairs, turned]).set_index(PAIR)[numbers]
    return scores, both


@cache
def _plain(seed):
    """The answer in the order in which the set was drawn; None where there is none."""
    drawn = _drawn(seed)
    return None if drawn is None else _answer(*drawn)


def _assert_same(one, other, size):
    assert (one is None) == (other is None)
    if one is None:
        return
    for left, right in zip(one, other, strict=True):
        right = right.reindex(left.index) if len(left) else right
        # Sums in another order round otherwise; an interval of nothing but rounding may differ.
        np.testing.assert_allclose(left, right, rtol=1e-6, atol=1e-9 * size)


def _size(preds):
    """The largest number there is, to which rounding is relative."""
    held = [preds.output(model).array for model in preds.models]
    numbers = [np.abs(each).max() for each in held if each.dtype.kind == "f"]
    return max([1.0, *numbers]) ** 2


@pytest.mark.filterwarnings("ignore")
@every_set
def test_the_orders_of_samples_and_of_models_do_not_matter(seed):
    drawn = _drawn(seed)
    if drawn is not None:
        preds, metrics = drawn
        # Both at once: an answer that depends on either is another one.
        order = np.random.default_rng(seed).permutation(len(preds))
        turned = preds.subset(order)[[*reversed(preds.models)]]
        _assert_same(_plain(seed), _answer(turned, metrics), _size(preds))


@pytest.mark.filterwarnings("ignore")
def test_many_of_the_sets_are_answered():
    assert sum(_plain(seed) is not None for seed in range(N_QUICK)) > N_QUICK / 3


@pytest.mark.filterwarnings("ignore")
@every_set
def test_the_names_and_the_order_of_classes_do_not_matter(seed):
    drawn = _drawn(seed)
    if drawn is None or drawn[0].labels is None or len(drawn[0].labels) == 2:
        return  # Of two classes the second is the positive one.
    preds, metrics = drawn
    n, old = len(preds.labels), preds.labels.tolist()
    order = np.random.default_rng(seed).permutation(n)
    new = [f"class {place}" for place in range(n)]
    outputs = {model: preds.output(model) for model in preds.models}
    # The class at place k of the new list is the old one at place order[k].
    place = np.argsort(order)
    renamed = mc.Predictions(
        np.array(new)[place[preds.access.codes]],
        {
            model: each.array[:, order] if each.kind == "probabilities"
            else np.array(new)[place[each.array]]
            for model, each in outputs.items()
        },
        labels=new, sample_weight=preds.sample_weight, groups=preds.groups, strata=preds.strata,
        runs=preds.runs,
    )  # fmt: skip
    old_name = {new[k]: old[order[k]] for k in range(n)}
    found = _answer(renamed, metrics, lambda label: old_name.get(label, label))
    _assert_same(_plain(seed), found, 1.0)
