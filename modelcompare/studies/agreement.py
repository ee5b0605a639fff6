"""Whether two metrics prefer the same models (Yacouby & Axman 2020, section 6.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import pandas as pd

from modelcompare.arrays import BoolArray, FloatArray, IntArray
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.influence import influence_moments
from modelcompare.intervals import check_confidence_level
from modelcompare.metrics.counts import ZeroDivision
from modelcompare.predictions import Predictions
from modelcompare.resampling import (
    BootstrapWeights,
    RngLike,
    SwapMasks,
    Units,
    child_seed,
    rng_label,
    seed_sequence,
)
from modelcompare.significance.pairwise import (
    all_pairs,
    bootstrap_p_values,
    check_smooth,
    pair_differences,
    permutation_p_values,
    sign_flip_p_values,
    wald_p_values,
)
from modelcompare.significance.replicate_t import replicate_t_p_values
from modelcompare.studies.pairs import (
    PAPER_PAIRS,
    PAPER_RATIOS,
    MetricPairs,
    Pair,
    check_ratios,
    part_rows,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

AgreementTest = Literal["t", "paired-t", "permutation", "sign-flip", "bootstrap", "wald"]
AGREEMENT_TESTS: tuple[AgreementTest, ...] = get_args(AgreementTest)
ON_REPLICATES = ("t", "paired-t")

T_NOTE = (
    "The t-test runs on bootstrap replicates, as the paper's does: its p-values shrink as "
    "resamples are added, so % significant measures the effort of the simulation. permutation, "
    "sign-flip, bootstrap and wald are valid tests."
)
_N_MODEL_RESAMPLES = 2000


@dataclass(frozen=True)
class AgreementStudy:
    """Agreement of pairs of metrics over all pairs of models.

    Attributes
    ----------
    predictions : Predictions
        Test set and models.
    metric_pairs : MetricPairs
        Metrics that are compared.
    alpha, test, n_resamples, confidence_level
        As given to `agreement_study`.
    table : DataFrame
        The paper's table 1, a row for each pair of metrics and class: metric_a, metric_b, label,
        n_pairs, n_significant (under both metrics), pct_significant, n_agree, pct_agree (of the
        significant ones), ci_low, ci_high (of pct_agree, by resampling models).
    pairs : DataFrame
        A row for each pair of models, pair of metrics and class: model_a, model_b, metric_a,
        metric_b, label, difference_a, difference_b, p_value_a, p_value_b, significant, agree.
    """

    predictions: Predictions = field(repr=False)
    metric_pairs: MetricPairs = field(repr=False)
    alpha: float
    test: AgreementTest
    n_resamples: int
    confidence_level: float
    table: pd.DataFrame = field(repr=False)
    pairs: pd.DataFrame = field(repr=False)
    seed: np.random.SeedSequence = field(repr=False)
    seed_label: str = field(repr=False)

    @property
    def signature(self) -> str:
        """How the numbers were made, in one line."""
        from modelcompare import __version__

        return (
            f"modelcompare:{__version__}|agreement_study|n:{len(self.predictions)}|"
            f"models:{len(self.predictions.models)}|B:{self.n_resamples}|test:{self.test}|"
            f"alpha:{self.alpha:g}|rng:{self.seed_label}"
        )

    def population(
        self, ratios: Sequence[float] = PAPER_RATIOS, *, n_subsamples: int = 200
    ) -> pd.DataFrame:
        """How often a part of the test set orders two models as the whole does.

        Parameters
        ----------
        ratios : sequence of float
            Parts of the test set.
        n_subsamples : int
            Down-samplings without replacement at each ratio.

        Returns
        -------
        DataFrame
            A row for each metric, class and ratio: metric, label, ratio, n_samples, pct_agree (mean
            over pairs of models and down-samplings), low, high (range of 95 % of the
            down-samplings). A value that is undefined orders nothing and so disagrees.
        """
        if n_subsamples < 1:
            raise ValueError(f"`n_subsamples` must be at least 1, got {n_subsamples}.")
        sizes = check_ratios(ratios, len(self.predictions))
        evaluation = Evaluation(self.predictions, self.metric_pairs.metrics, collapse=False)
        model_a, model_b = all_pairs(len(self.predictions.models))
        full = evaluation.estimate()
        order = np.sign(pair_differences(full, model_a, model_b))
        frames = []
        for ratio in sizes:
            samples = [
                part_rows(self.predictions, ratio, self.seed, index=index)
                for index in range(1 if ratio == 1 else n_subsamples)
            ]
            weights = np.zeros((len(samples), len(self.predictions)))
            for row, chosen in zip(weights, samples, strict=True):
                row[chosen] = 1.0
            values = _values_of_rows(self.predictions, evaluation, weights)
            same = np.array(
                [
                    (np.sign(pair_differences(v, model_a, model_b)) == order).mean(axis=0)
                    for v in values
                ]
            )
            low, high = np.quantile(same, [0.025, 0.975], axis=0)
            frames.append(
                pd.DataFrame(
                    {
                        "metric": [key.metric for key in evaluation.keys],
                        "label": pd.Series([key.label for key in evaluation.keys], dtype=object),
                        "ratio": ratio,
                        "n_samples": int(weights[0].sum()),
                        "pct_agree": 100 * same.mean(axis=0),
                        "low": 100 * low,
                        "high": 100 * high,
                    }
                )
            )
        return pd.concat(frames, ignore_index=True)

    def to_latex(self) -> str:
        """Table 1 of the paper, for these models (packages booktabs)."""
        from modelcompare.report.study_contents import agreement_latex

        return agreement_latex(self)

    def to_markdown(self) -> str:
        """Table 1 of the paper, for these models, as Markdown."""
        from modelcompare.report.study_contents import agreement_markdown

        return agreement_markdown(self)

    def plot(self) -> Figure:
        """Scatter of the models' differences under both metrics, with quadrants of agreement."""
        from modelcompare.report.agreement_plots import plot_agreement

        return plot_agreement(self)

    def plot_population(
        self, ratios: Sequence[float] = PAPER_RATIOS, *, n_subsamples: int = 200
    ) -> Figure:
        """Agreement with the order of the whole test set, against the ratio."""
        from modelcompare.report.agreement_plots import plot_population

        return plot_population(self, self.population(ratios, n_subsamples=n_subsamples))


def agreement_study(
    predictions: Predictions,
    pairs: Sequence[str | Pair] = PAPER_PAIRS,
    *,
    alpha: float = 0.01,
    test: AgreementTest = "t",
    n_resamples: int = 1000,
    confidence_level: float = 0.95,
    zero_division: ZeroDivision = "paper",
    n_jobs: int | None = None,
    rng: RngLike = 0,
    progress: bool = False,
) -> AgreementStudy:
    """Count how often two metrics prefer the same model, over all pairs of models.

    Parameters
    ----------
    predictions : Predictions
        Test set and at least two models.
    pairs : sequence of (str, str) or str
        Pairs of metrics; a single name is paired with its probabilistic twin.
    alpha : float
        Level at which a difference counts as significant, under each of the two metrics.
    test : {"t", "paired-t", "permutation", "sign-flip", "bootstrap", "wald"}
        "t" is Welch's t-test between the two models' bootstrap replicates, "paired-t" the paired
        t-test on them. The paper does not say which of the two it ran. Either takes replicates for
        data, so with more resamples more differences become significant, whatever the models: use
        it to reproduce the paper, and one of the others to learn about the models.
    n_resamples : int
        Resamples, swaps or sign flips.
    confidence_level : float
        Of the interval of the percentage that agrees. It resamples models, not pairs, because
        pairs share models.
    zero_division, n_jobs, rng, progress
        As in `variance_study`.

    Returns
    -------
    AgreementStudy
        Frames `table` and `pairs`; `population()` compares with the order of the whole test set.

    Raises
    ------
    ValueError
        If there is a single model, or the test is unknown.

    References
    ----------
    .. [1] Yacouby & Axman (2020), table 1, https://aclanthology.org/2020.eval4nlp-1.9

    Examples
    --------
    >>> import modelcompare as mc
    >>> study = mc.agreement_study(mc.load_example("snli"), ["f1"], test="wald")
    >>> study.table[["label", "n_pairs", "n_significant", "n_agree"]]
               label  n_pairs  n_significant  n_agree
    0     entailment        6              5        4
    1        neutral        6              5        5
    2  contradiction        6              6        5
    """
    if test not in AGREEMENT_TESTS:
        raise ValueError(f"`test` must be one of {', '.join(AGREEMENT_TESTS)}, got {test!r}.")
    if not 0 < alpha < 1:
        raise ValueError(f"`alpha` must be in (0, 1), got {alpha:g}.")
    if len(predictions.models) < 2:
        raise ValueError("agreement is over pairs of models; there is 1 model.")
    check_confidence_level(confidence_level)
    if n_resamples < 2:
        raise ValueError(f"`n_resamples` must be at least 2, got {n_resamples}.")
    metric_pairs = MetricPairs.of(pairs, predictions, zero_division)
    seed = seed_sequence(rng)
    evaluation = Evaluation(predictions, metric_pairs.metrics, collapse=False)
    estimate = evaluation.estimate()
    model_a, model_b = all_pairs(len(predictions.models))
    p_values = _p_values(
        test, evaluation, estimate, model_a, model_b, n_resamples, seed, n_jobs, progress
    )
    difference = pair_differences(estimate, model_a, model_b)
    frame, table = _frames(
        evaluation, metric_pairs, difference, p_values, alpha, confidence_level, seed
    )
    return AgreementStudy(
        predictions=predictions,
        metric_pairs=metric_pairs,
        alpha=alpha,
        test=test,
        n_resamples=n_resamples,
        confidence_level=confidence_level,
        table=table,
        pairs=frame,
        seed=seed,
        seed_label=rng_label(rng),
    )


def _p_values(
    test: AgreementTest,
    evaluation: Evaluation,
    estimate: FloatArray,
    model_a: IntArray,
    model_b: IntArray,
    n_resamples: int,
    seed: np.random.SeedSequence,
    n_jobs: int | None,
    progress: bool,
) -> FloatArray:
    if test == "wald":
        for metric in evaluation.metrics:
            check_smooth(metric, "test='permutation' or 'bootstrap'")
        moments = influence_moments(evaluation, estimate)
        return wald_p_values(evaluation, estimate, moments, model_a, model_b)
    if test in ("permutation", "sign-flip"):
        masks = SwapMasks(evaluation.units, n_resamples, seed)
        worker = permutation_p_values if test == "permutation" else sign_flip_p_values
        return worker(evaluation, estimate, masks, model_a, model_b, n_jobs=n_jobs)
    weights = BootstrapWeights(evaluation.units, n_resamples, seed)
    replicates = evaluation.replicates(weights, n_jobs=n_jobs, progress=progress)
    if test == "bootstrap":
        n_units = evaluation.units.size
        return bootstrap_p_values(
            replicates, estimate, model_a, model_b, n_units=n_units, n_jobs=n_jobs
        )
    kind: Literal["welch", "paired"] = "welch" if test == "t" else "paired"
    return replicate_t_p_values(replicates, model_a, model_b, kind=kind)


def _frames(
    evaluation: Evaluation,
    metric_pairs: MetricPairs,
    difference: FloatArray,
    p_values: FloatArray,
    alpha: float,
    confidence_level: float,
    seed: np.random.SeedSequence,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    names = np.array(evaluation.models, dtype=object)
    model_a, model_b = all_pairs(len(names))
    frames, rows = [], []
    for (name_a, name_b), (a, b) in zip(
        metric_pairs.pairs, metric_pairs.positions(evaluation), strict=True
    ):
        labels = [key.label for key in evaluation.keys[a]]
        significant = (p_values[:, a] < alpha) & (p_values[:, b] < alpha)
        agree = np.sign(difference[:, a]) == np.sign(difference[:, b])
        frames.append(
            pd.DataFrame(
                {
                    "model_a": np.repeat(names[model_a], len(labels)),
                    "model_b": np.repeat(names[model_b], len(labels)),
                    "metric_a": name_a,
                    "metric_b": name_b,
                    "label": pd.Series(labels * len(model_a), dtype=object),
                    "difference_a": difference[:, a].ravel(),
                    "difference_b": difference[:, b].ravel(),
                    "p_value_a": p_values[:, a].ravel(),
                    "p_value_b": p_values[:, b].ravel(),
                    "significant": significant.ravel(),
                    "agree": agree.ravel(),
                }
            )
        )
        for place, label in enumerate(labels):
            n_significant = int(significant[:, place].sum())
            n_agree = int((significant & agree)[:, place].sum())
            low, high = _share_interval(
                significant[:, place], agree[:, place], len(names), confidence_level, seed
            )
            rows.append(
                {
                    "metric_a": name_a, "metric_b": name_b, "label": label,
                    "n_pairs": len(model_a), "n_significant": n_significant,
                    "pct_significant": 100 * n_significant / len(model_a), "n_agree": n_agree,
                    "pct_agree": 100 * n_agree / n_significant if n_significant else np.nan,
                    "ci_low": low, "ci_high": high,
                }
            )  # fmt: skip
    table = pd.DataFrame(rows).astype({"label": object})
    return pd.concat(frames, ignore_index=True), table


def _share_interval(
    significant: BoolArray,
    agree: BoolArray,
    n_models: int,
    confidence_level: float,
    seed: np.random.SeedSequence,
) -> tuple[float, float]:
    """Percentile interval of the share that agrees, models drawn with replacement.

    A pair counts as often as its two models were drawn together; two copies of one model make no
    pair.
    """
    model_a, model_b = all_pairs(n_models)
    weights = BootstrapWeights(Units(n_models), _N_MODEL_RESAMPLES, child_seed(seed, 2**16))
    drawn = np.vstack([weights.draw_all(block) for block in range(weights.n_blocks)])
    counts = []
    for shown in (significant & agree, significant):
        matrix = np.zeros((n_models, n_models))
        matrix[model_a, model_b] = shown
        counts.append(np.einsum("ij,ij->i", drawn @ matrix, drawn))
    defined = counts[1] > 0
    if not defined.any():
        return np.nan, np.nan
    share = 100 * counts[0][defined] / counts[1][defined]
    tail = (1 - confidence_level) / 2
    low, high = np.quantile(share, [tail, 1 - tail])
    return float(low), float(high)


def _values_of_rows(
    predictions: Predictions, evaluation: Evaluation, weights: FloatArray
) -> FloatArray:
    """Values on parts of the test set, given as 0/1 weights of samples."""
    if predictions.groups is None:
        return evaluation.values(weights)
    cluster = np.unique(predictions.groups, return_index=True)[1]
    return evaluation.values(weights[:, cluster])
