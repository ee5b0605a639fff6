"""Views of pairs of models, each on a separate sample."""

from modelcompare.engine.contrasts import Sample
from modelcompare.engine.design import design_of
from modelcompare.resampling.weights import BootstrapWeights
from modelcompare.significance import PairView


def pair_view(
    evaluation, pairs, n_resamples, seed, alternative="two-sided", *, enumerate_swaps=False,
):  # fmt: skip
    weights = BootstrapWeights(evaluation.units, n_resamples, seed)
    sample = Sample(evaluation, weights, design_of(evaluation.predictions))
    return PairView(sample, pairs, n_resamples, alternative, enumerate_swaps)
