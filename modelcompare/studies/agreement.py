"""Agreement of two metrics on which model is better (Yacouby & Axman 2020, section 6.2)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.arrays import BoolArray, FloatArray
from modelcompare.data.test_set import TestSet
from modelcompare.engine.axis import long_frame
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.parallel import one_blas_thread
from modelcompare.resampling.seeds import RngLike, rng_label, seed_sequence
from modelcompare.significance import PairView, run_test
from modelcompare.significance.pairwise import all_pairs
from modelcompare.studies.agreement_result import ON_REPLICATES, AgreementStudy
from modelcompare.studies.pairs import (
    PAPER_PAIRS,
    MetricPairs,
    Pair,
)
from modelcompare.studies.ranking_consistency import (
    drawn_pairs,
    never_certain,
    times_drawn,
)
from modelcompare.words import (
    AgreementTest,
    ZeroDivision,
    giving,
    listed,
    written_out,
)


@checked(predictions=giving("blocks"))
@one_blas_thread()
@written_out(tests=listed(AgreementTest))
def agreement_study(
    predictions: TestSet, pairs: Sequence[str | Pair] = PAPER_PAIRS, *, alpha: float = 0.01,
    test: AgreementTest = "t", n_resamples: int = 1000, confidence_level: float = 0.95,
    zero_division: ZeroDivision = "paper", n_jobs: int | None = None, rng: RngLike = 0,
    progress: bool = False,
) -> AgreementStudy:  # fmt: skip
    """Count how often two metrics prefer the same model, over all pairs of models.

    Parameters
    ----------
    predictions : Predictions
        Test set and at least two models.
    pairs : sequence of (str, str) or str
        Pairs of metrics; a single name is paired with its probabilistic twin.
    alpha : float
        Level at which a difference counts as significant, under each of the two metrics.
    test : str
        One of {tests}.
        "t" is Welch's t-test between the two models' bootstrap replicates, "paired-t" the
        paired t-test on them. The paper does not say which of the two it ran. Either takes
        replicates for data, so with more resamples more differences become significant, whatever
        the models: use it to reproduce the paper, and one of the others to learn about the models.
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
    if len(predictions.models) < 2:
        raise ValueError("agreement is over pairs of models; there is 1 model.")
    metric_pairs = MetricPairs.of(pairs, predictions, zero_division)
    seed = seed_sequence(rng)
    evaluation = metric_pairs.evaluate(predictions)
    view = PairView.of(
        evaluation, *all_pairs(len(predictions.models)), n_resamples, seed, n_jobs=n_jobs,
        progress=progress,
    )  # fmt: skip
    p_values = run_test(ON_REPLICATES.get(test, test), view).p_value
    frame, table = _frames(
        evaluation, metric_pairs, view.estimate, p_values, alpha, confidence_level, seed
    )
    return AgreementStudy(
        predictions=predictions, metric_pairs=metric_pairs, alpha=alpha, test=test,
        n_resamples=n_resamples, confidence_level=confidence_level, table=table, pairs=frame,
        seed=seed, seed_label=rng_label(rng),
    )  # fmt: skip


def _frames(
    evaluation: Evaluation, metric_pairs: MetricPairs, difference: FloatArray, p_values: FloatArray,
    alpha: float, confidence_level: float, seed: np.random.SeedSequence,
) -> tuple[pd.DataFrame, pd.DataFrame]:  # fmt: skip
    names = np.array(evaluation.models, dtype=object)
    model_a, model_b = all_pairs(len(names))
    frames, rows = [], []
    drawn = times_drawn(len(names), seed)
    for metrics, a, b in metric_pairs.named(evaluation):
        significant = (p_values[:, a] < alpha) & (p_values[:, b] < alpha)
        sense = metric_pairs.sense((metrics["metric_a"], metrics["metric_b"]))
        agree = np.sign(difference[:, a]) == sense * np.sign(difference[:, b])
        frames.append(long_frame(
            {"model_a": names[model_a], "model_b": names[model_b], **metrics}, evaluation.keys[a],
            difference_a=difference[:, a], difference_b=difference[:, b], p_value_a=p_values[:, a],
            p_value_b=p_values[:, b], significant=significant, agree=agree,
        ))  # fmt: skip
        for place, key in enumerate(evaluation.keys[a]):
            n_significant = int(significant[:, place].sum())
            n_agree = int((significant & agree)[:, place].sum())
            low, high = _share_interval(
                significant[:, place], agree[:, place], drawn, confidence_level
            )
            rows.append({
                **metrics, "label": key.label, "n_pairs": len(model_a),
                "n_significant": n_significant,
                "pct_significant": 100 * n_significant / len(model_a), "n_agree": n_agree,
                "pct_agree": 100 * n_agree / n_significant if n_significant else np.nan,
                "ci_low": low, "ci_high": high,
            })  # fmt: skip
    pairs = pd.concat(frames, ignore_index=True).drop(columns="metric")
    return pairs, pd.DataFrame(rows).astype({"label": object})


def _share_interval(
    significant: BoolArray, agree: BoolArray, drawn: FloatArray, confidence_level: float
) -> tuple[float, float]:
    """Percentile interval of the percentage that agrees, models drawn with replacement.

    `drawn` is how often each model is, of shape (n_resamples, n_models).
    """
    agreeing, all_shown = drawn_pairs(np.stack([significant & agree, significant], axis=1), drawn).T
    defined = all_shown > 0
    if not defined.any():
        return np.nan, np.nan
    shares = 100 * agreeing[defined] / all_shown[defined]
    tail = (1 - confidence_level) / 2
    ends = np.quantile(shares, [tail, 1 - tail])
    share = np.array(100 * (significant & agree).sum() / significant.sum())
    n_apart = min(int(significant.sum()), drawn.shape[1] // 2)
    low, high = never_certain(share, ends[0], ends[1], n_apart, confidence_level)
    return float(low), float(high)
