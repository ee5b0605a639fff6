"""Whether two metrics prefer the same models (Yacouby & Axman 2020, section 6.2)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.arrays import BoolArray, FloatArray
from modelcompare.data.predictions import Predictions
from modelcompare.engine.axis import long_frame
from modelcompare.engine.evaluation import Evaluation
from modelcompare.engine.parallel import one_blas_thread
from modelcompare.report.document import Document
from modelcompare.report.figures.plots import AgreementPlots
from modelcompare.report.figures.studies import Agreements
from modelcompare.report.result import Result
from modelcompare.report.tables import Column, Table, interval_column
from modelcompare.resampling.seeds import RngLike, rng_label, seed_sequence
from modelcompare.significance import PairView, run_test
from modelcompare.significance.pairwise import all_pairs
from modelcompare.studies.pairs import (
    PAPER_PAIRS,
    PAPER_RATIOS,
    MetricPairs,
    Pair,
    check_ratios,
)
from modelcompare.studies.ranking_consistency import (
    drawn_pairs,
    never_certain,
    orders_kept,
    times_drawn,
)
from modelcompare.words import (
    AgreementTest,
    ZeroDivision,
    signature,
)

# Tests of replicates, which other rooms call by the samples they run on.
ON_REPLICATES = {"t": "replicate-t", "paired-t": "replicate-paired-t"}

T_NOTE = (
    "The t-test runs on bootstrap replicates, as the paper's does: its p-values shrink as "
    "resamples are added, so % significant measures the effort of the simulation. permutation, "
    "sign-flip, bootstrap and wald are valid tests."
)


@dataclass(frozen=True)
class AgreementStudy(Result):
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
        significant ones), ci_low, ci_high (of pct_agree, by resampling models; where all or none
        agree Wilson's, of as many pairs as share no model).
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

    stem: ClassVar[str] = "agreement"

    @property
    def n_samples(self) -> int:
        """Size of the whole test set."""
        return len(self.predictions)

    @property
    def signature(self) -> str:
        made = {
            "n": len(self.predictions), "models": len(self.predictions.models),
            "B": self.n_resamples, "test": self.test, "alpha": f"{self.alpha:g}",
            "rng": self.seed_label,
        }  # fmt: skip
        return signature("agreement_study", made)

    @checked()
    @one_blas_thread()
    def population(
        self, ratios: Sequence[float] = PAPER_RATIOS, *, n_subsamples: int = 200
    ) -> pd.DataFrame:
        """How often a part of the test set orders two models as the whole does.

        At each ratio as many parts as `n_subsamples` are drawn without replacement. Of each pair
        of metrics there are three answers: the first on the part and on the whole, the second on
        the part and the first on the whole (functional consistency, the paper's hypothesis D), and
        the second on both. A value that is undefined orders nothing and so disagrees.

        Parameters
        ----------
        ratios : sequence of float
            Parts of the test set, each in (0, 1].
        n_subsamples : int
            Parts that are drawn at each ratio.

        Returns
        -------
        DataFrame
            Columns metric_small (that orders the models on the part), metric_whole (that orders
            them on the whole), label, ratio, n_samples, pct_agree (mean over pairs of models and
            parts), ci_low, ci_high (its interval, by resampling models and parts; of two
            models, which are one pair, over parts alone), part_low, part_high (between which
            `confidence_level` of the single parts lie).

        References
        ----------
        .. [1] Yacouby & Axman (2020), hypothesis D, section 6.2.
        """
        return orders_kept(
            self.predictions, self.metric_pairs, check_ratios(ratios, len(self.predictions)),
            self.seed, n_subsamples=n_subsamples, confidence_level=self.confidence_level,
        )  # fmt: skip

    @property
    def note(self) -> str:
        """What a reader of its p-values must know."""
        return T_NOTE if self.test in ON_REPLICATES else ""

    def document(self) -> Document:
        pairs = zip(self.table["metric_a"], self.table["metric_b"], strict=True)
        names = [
            f"(c){a}" if b == f"c{a}" else f"{a}, {b}" for a, b in pairs
        ]  # as the paper heads it
        n_pairs = self.table["n_pairs"].iloc[0]
        title = (
            f"Agreement over {n_pairs:,} pairs of models, test {self.test}, alpha {self.alpha:g}"
        )
        columns = [
            Column("Metric", of=["name"]),
            Column("Class", of=["label"]),
            Column("% Sig.", "estimate", ["pct_significant"], decimals=2),
            Column("% Agree", "estimate", ["pct_agree"], decimals=2),
            interval_column(self.confidence_level, decimals=1),
        ]
        notes = [self.note] if self.note else []
        table = Table(title, columns, self.table.assign(name=names), notes=notes)
        plot = self.plot
        return self._document(
            {"agreement": table}, frames=self._frames,
            figures={"agreement": plot.agreement, "agreement_population": plot.population},
        )  # fmt: skip

    def _frames(self) -> dict[str, pd.DataFrame]:
        if missing := [f"{ratio:g}" for ratio in PAPER_RATIOS if ratio not in self.usable_ratios()]:
            warnings.warn(
                f"agreement_population leaves out the ratios {', '.join(missing)}, which leave "
                f"less than 2 of {len(self.predictions)} samples.",
                stacklevel=2,
            )
        return {
            "agreement": self.table,
            "agreement_pairs": self.pairs,
            "agreement_population": self.population(self.usable_ratios()),
        }

    def usable_ratios(self) -> list[float]:
        """The paper's ratios that leave two samples of this test set."""
        return [ratio for ratio in PAPER_RATIOS if round(ratio * len(self.predictions)) > 1]

    @property
    def plot(self) -> AgreementPlots:
        """Figures: `plot()` and `plot.agreement()`, `plot.population()`."""
        senses = {pair: self.metric_pairs.sense(pair) for pair in self.metric_pairs.pairs}
        return AgreementPlots(Agreements.of(self, senses=senses))


@checked()
@one_blas_thread()
def agreement_study(
    predictions: Predictions, pairs: Sequence[str | Pair] = PAPER_PAIRS, *, alpha: float = 0.01,
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
        "t", "paired-t", "studentized-permutation", "permutation", "sign-flip", "bootstrap" or
        "wald". "t" is Welch's t-test between the two models' bootstrap replicates, "paired-t" the
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
    view = PairView(
        evaluation, *all_pairs(len(predictions.models)), n_resamples, seed, n_jobs=n_jobs,
        progress=progress,
    )  # fmt: skip
    p_values = run_test(ON_REPLICATES.get(test, test), view).p_value
    frame, table = _frames(
        evaluation, metric_pairs, view.difference, p_values, alpha, confidence_level, seed
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
