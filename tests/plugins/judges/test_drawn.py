"""Values beside a judge on resamples of the samples, and the influences of samples on them."""

import numpy as np
import pytest

import modelcompare as mc
from modelcompare.engine.design import design_of
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics
from modelcompare.resampling.weights import BootstrapWeights

pytestmark = pytest.mark.filterwarnings("ignore::modelcompare.SparseDataWarning")
METRICS = ["accuracy", "f1_macro", "cf1_macro", "precision", "roc_auc"]
N = 300


def world(seed, n=N, n_labels=60, **options):
    """Probabilities of two models, verdicts and labels of some samples, of two classes."""
    rng = np.random.default_rng(seed)
    truth, easy = (rng.random(n) < 0.4).astype(int), rng.normal(size=n)
    outputs = {}
    for model, quality in {"a": 1.2, "b": 0.7}.items():
        score = (2 * truth - 1) * (quality + easy) + rng.normal(size=n)
        p = 1 / (1 + np.exp(-score))
        outputs[model] = np.c_[1 - p, p]
    verdict = np.where(1.2 + easy + rng.normal(size=n) > 0, truth, 1 - truth)
    seen = truth.astype(float)
    seen[rng.permutation(n)[n_labels:]] = np.nan
    return mc.Predictions(seen, outputs, judge=verdict, labels=[0, 1], **options)


def scores(seed, n=N, n_labels=60, *, many=False):
    rng = np.random.default_rng(seed)
    good = rng.normal(size=n)
    noise = {m: good + rng.normal(size=n) for m in "ab"}
    judge = {m: x + 0.5 * rng.normal(size=n) for m, x in noise.items()}
    if not many:
        noise, judge = ({m: (x > 0) * 1.0 for m, x in each.items()} for each in (noise, judge))
    seen = {m: np.where(np.arange(n) % (n // n_labels) == 0, x, np.nan) for m, x in noise.items()}
    return mc.Predictions.from_scores(seen, judge=judge)


def some(*names, n=N):
    rng = np.random.default_rng(7)
    every = {
        "strata": np.arange(n) % 3, "sample_weight": rng.uniform(0.5, 2.0, n),
        "label_weight": rng.uniform(1.0, 4.0, n), "groups": np.arange(n) // 5,
    }  # fmt: skip
    return {name: every[name] for name in names}


DESIGNS = {
    "labels": (), "strata": ("strata",), "weights": ("sample_weight",),
    "probabilities": ("label_weight",), "clusters": ("groups",),
    "strata, weights": ("strata", "sample_weight", "label_weight"),
}  # fmt: skip
WORLDS = {name: world(seed, **some(*given)) for seed, (name, given) in enumerate(DESIGNS.items())}
WORLDS |= {
    "few labels": world(1, n_labels=14), "scores": scores(7),
    "numbers": scores(8, 600, 150, many=True),
}  # fmt: skip


def estimator(preds):
    metrics = METRICS if preds.labels is not None else ["mean_score"]
    evaluation = Evaluation(preds, resolve_metrics(metrics, preds), collapse=False)
    return design_of(preds).estimator(evaluation)


@pytest.mark.parametrize("name", WORLDS)
def test_values_on_a_resample_are_those_of_the_samples_drawn(name):
    preds = WORLDS[name]
    whole, rng = estimator(preds), np.random.default_rng(0)
    n_units = whole.evaluation.units.size
    times = rng.multinomial(n_units, np.full(n_units, 1 / n_units), 12)
    # Of a resample without labels nothing is known.
    unit_of = preds.access.unit_of if preds.groups is not None else np.arange(n_units)
    times[-1, unit_of[preds.access.attachments["judge"].labelled]] = 0
    found, n_refused = whole.values(times.astype(float)), 0
    for values, of_units in zip(found, times, strict=True):
        try:
            expected = estimator(
                preds.subset(np.repeat(np.arange(len(preds)), of_units[unit_of]))
            ).point
        except ValueError:
            expected, n_refused = np.nan, n_refused + 1
        np.testing.assert_allclose(values, np.broadcast_to(expected, values.shape), rtol=1e-9)
    assert n_refused > 0


@pytest.mark.parametrize("name", WORLDS)
def test_influences_are_derivatives_by_the_weights_of_samples(name):
    preds = WORLDS[name]
    whole = estimator(preds)
    (influences,), n = [*whole.influences()], whole.evaluation.units.size
    assert influences.shape == (n, *whole.point.shape)
    units = np.arange(0, n, 7)
    if name == "numbers":
        # Their weights are whole.
        return _check_numbers(preds, influences)
    step = 1e-5
    more = np.ones((len(units), n))
    more[np.arange(len(units)), units] += step
    # With less weight a cell of just enough labels would have too few.
    slope = (whole.values(more) - whole.values(np.ones((1, n)))) / step
    np.testing.assert_allclose(influences[units], n * slope, atol=3e-2, rtol=2e-3)
    return None


def _check_numbers(preds, influences):
    variance = estimator(preds).layers(None).variance[0]
    n = len(preds)
    np.testing.assert_allclose((influences**2).sum(axis=0) / n**2, variance, rtol=0.01)


@pytest.mark.parametrize("name", [*DESIGNS, "numbers"])
def test_squared_influences_and_resamples_have_the_variance_of_the_design(name):
    n = 3000
    if name == "numbers":
        whole = estimator(scores(8, n, 1500, many=True))
    else:
        whole = estimator(world(8, n, 1500, **some(*DESIGNS[name], n=n)))
    n_units, variance = whole.evaluation.units.size, whole.layers(None).variance[0]
    (influences,) = whole.influences()
    # So many labels that those added to the cells hardly matter.
    np.testing.assert_allclose((influences**2).sum(axis=0) / n_units**2, variance, rtol=0.06)
    weights = BootstrapWeights(whole.evaluation.units, 1000, np.random.SeedSequence(1))
    drawn = whole.drawn(weights)
    assert np.isfinite(drawn).all()
    np.testing.assert_allclose(drawn.var(axis=0), variance, rtol=0.2)
