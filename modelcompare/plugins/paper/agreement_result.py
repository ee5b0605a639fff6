"""The result of `agreement_study`: table, pairs of models, figures, and orders of parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.data.sizes import n_seen
from modelcompare.data.test_set import TestSet
from modelcompare.engine.parallel import one_blas_thread
from modelcompare.engine.scope import Scope
from modelcompare.plugins.paper.figures import differing_labels, plot_shares
from modelcompare.plugins.paper.pairs import (
    PAPER_RATIOS,
    MetricPairs,
    Pair,
    check_ratios,
)
from modelcompare.plugins.paper.ranking_consistency import orders_kept
from modelcompare.plugins.paper.verdicts import of_agreement, of_rows
from modelcompare.plugins.paper.words import AgreementTest
from modelcompare.report.document import Document
from modelcompare.report.fields import HIDDEN, Field, frame, member
from modelcompare.report.figures.layout import Caption, draw_panels, wrapped
from modelcompare.report.figures.plots import Plots
from modelcompare.report.figures.style import LEADING, OTHER, Look, plain_axes
from modelcompare.report.figures.types import Axes, Figure
from modelcompare.report.result import Result
from modelcompare.report.tables import Table, column, interval_column, rows_at
from modelcompare.words import (
    label_name,
    signature,
    warn_caller,
)

# Classes with a panel each.
_MAX_CLASSES = 6
_AGREE, _DISAGREE, _NEITHER = (
    Look(LEADING, "o", ""),
    Look(OTHER, "X", ""),
    Look("#999999", ".", ""),
)
# Tests of bootstrap replicates, with their names in `modelcompare.significance`.
ON_REPLICATES = {"t": "replicate-t", "paired-t": "replicate-paired-t"}

T_NOTE = (
    "The t-test runs on bootstrap replicates, as the paper's does: its p-values shrink as "
    "resamples are added, so % significant measures the effort of the simulation. permutation, "
    "sign-flip, bootstrap and wald are valid tests."
)


def plot_agreement(study: AgreementStudy, *, label: Any = None, ax: Axes | None = None) -> Figure:
    """Plot the models' differences in one metric against the other; agreement is shaded."""
    pairs = study.metric_pairs.pairs[: None if ax is None else 1]
    part = rows_at(study.pairs, metric_a=pairs[0][0], metric_b=pairs[0][1])
    most = _MAX_CLASSES if ax is None else 1
    labels, shown = differing_labels(part, "difference_a", label, most)
    n_pairs = len(part) // part["label"].nunique(dropna=False)
    title = (
        f"Do both metrics prefer the same model? {study.n_samples:,} samples, {n_pairs:,} "
        f"pair{'s' * (n_pairs != 1)} of models, tests at {study.alpha:g}"
    )
    keys = [
        (f"p < {study.alpha:g} under both, same model", _AGREE),
        (f"p < {study.alpha:g} under both, other model", _DISAGREE),
        ("not significant under both", _NEITHER),
    ]
    note = "shaded: both prefer the same model"
    caption = Caption(title, study.signature, shown, note, keys)

    def draw(names: Pair, of: Any, axes: Axes) -> None:
        rows = rows_at(study.pairs, metric_a=names[0], metric_b=names[1], label=of)
        _scatter(axes, rows, label_name(of) or names[0], study.metric_pairs.sense(*names))
        axes.set_xlabel(f"difference in {names[0]}")
        axes.set_ylabel(f"difference in {names[1]}")

    panels = wrapped([partial(draw, names, of) for names in pairs for of in labels])
    return draw_panels(caption, panels, (2.5, 2.5), ax=ax, least_width=5.0)


def plot_population(
    study: AgreementStudy, ratios: Sequence[float] | None = None, *, n_subsamples: int = 200,
    ax: Axes | None = None,
) -> Figure:  # fmt: skip
    """Plot the agreement with the order on the whole test set against the ratio."""
    sizes = study._usable_ratios() if ratios is None else ratios
    frame = study.population(sizes, n_subsamples=n_subsamples)
    lines = frame.assign(
        line=frame["label"].map(label_name), share=frame["pct_agree"],
        series=list(zip(frame["metric_small"], frame["metric_whole"], strict=True)),
    )  # fmt: skip
    title = f"Same order of models as on the whole test set: {study.n_samples:,} samples"
    caption = Caption(
        title, study.signature, note="thick: mean over classes; thin: each class",
        y_label="% of pairs in the same order",
    )  # fmt: skip
    pairs = study.metric_pairs.pairs
    words = ["metric: its own order", "counterpart: the metric's", "counterpart: its own"]
    if len(pairs) == 1:
        a, b = pairs[0]
        words = [f"{a}: its own order", f"{b}: the order by {a}", f"{b}: its own order"]
    panels = {f"{a} and {b}": [(a, a), (b, a), (b, b)] for a, b in pairs}
    return plot_shares(lines, panels, words, caption, ax=ax)


_PCT_AGREE = Field("pct_agree", "estimate")
# Columns of `AgreementStudy.population`.
_OF_ORDERS = (
    Field("metric_small"), Field("metric_whole"), Field("label"), Field("ratio"),
    Field("n_samples"), _PCT_AGREE, Field("ci_low"), Field("ci_high"),
    Field("part_low", "estimate"), Field("part_high", "estimate"),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class AgreementStudy(Result, stem="agreement"):
    """Agreement of pairs of metrics over all pairs of models.

    Attributes
    ----------
    predictions : Predictions
        Test set and models.
    metric_pairs : MetricPairs
        Metrics that are compared.
    alpha, test, n_resamples, confidence_level
        As passed to `agreement_study`.
    scope : Scope
        Runs that the tests are about.
    table : DataFrame
        The paper's table 1, a row for each pair of metrics and class: metric_a, metric_b, label,
        n_pairs, n_significant (under both metrics), pct_significant, n_agree, pct_agree (of the
        significant ones), ci_low, ci_high (of pct_agree, by resampling models; if all or none
        agree, Wilson's interval for as many pairs as share no model), consistency and
        discriminancy of the second metric relative to the first (Ling et al. 2003): of the pairs
        that both metrics order, the fraction in the same order; and pairs that it alone orders for
        each pair that the first alone orders, infinite if that orders none alone. Both are of all
        pairs, significant or not, and NaN for 0 / 0.
    pairs : DataFrame
        A row for each pair of models, pair of metrics and class: model_a, model_b, metric_a,
        metric_b, label, difference_a, difference_b, p_value_a, p_value_b, significant, agree.
    """

    predictions: TestSet = field(repr=False, metadata=HIDDEN)
    metric_pairs: MetricPairs = field(repr=False, metadata=HIDDEN)
    alpha: float
    test: AgreementTest
    n_resamples: int
    confidence_level: float
    table: pd.DataFrame = field(repr=False, metadata=frame(
        "metric_a", "metric_b", "label", "n_pairs", Field("n_significant", "count"),
        Field("pct_significant", "estimate"), Field("n_agree", "count"), _PCT_AGREE, "ci_low",
        "ci_high", Field("consistency", "estimate"), Field("discriminancy", "estimate"),
        name="agreement",
    ))  # fmt: skip
    pairs: pd.DataFrame = field(repr=False, metadata=frame(
        "model_a", "model_b", "metric_a", "metric_b", "label", Field("difference_a", "estimate"),
        Field("difference_b", "estimate"), Field("p_value_a", "p-value"),
        Field("p_value_b", "p-value"), Field("significant", "flag"), "agree",
        name="agreement_pairs",
    ))  # fmt: skip
    seed: np.random.SeedSequence = field(repr=False, metadata=HIDDEN)
    seed_label: str = field(repr=False)
    scope: Scope = field(repr=False, metadata=HIDDEN)

    plot = Plots(agreement=plot_agreement, population=plot_population)

    @property
    def n_samples(self) -> int:
        """Size of the whole test set."""
        return n_seen(self.predictions)

    @property
    def notes(self) -> tuple[str, ...]:
        """Note on the runs for which the tests are, if there are several."""
        return self.scope.notes

    @property
    def signature(self) -> str:
        return signature(
            "agreement_study", n=self.n_samples, models=len(self.predictions.models),
            **self.scope.settings,
            B=self.n_resamples, test=self.test, alpha=self.alpha, rng=self.seed_label,
        )  # fmt: skip

    @checked()
    @one_blas_thread()
    def population(
        self, ratios: Sequence[float] = PAPER_RATIOS, *, n_subsamples: int = 200
    ) -> pd.DataFrame:
        """Compare the order of models on parts of the test set with that on the whole.

        At each ratio `n_subsamples` parts are drawn without replacement. For each pair of metrics
        there are three comparisons: the first metric on the part and on the whole, the second on
        the part and the first on the whole (functional consistency, the paper's hypothesis D), and
        the second on both. An undefined value gives no order and counts as disagreement.

        Parameters
        ----------
        ratios : sequence of float
            Parts of the test set, each in (0, 1].
        n_subsamples : int
            Number of parts that are drawn at each ratio.

        Returns
        -------
        DataFrame
            Columns metric_small (metric that orders the models on the part), metric_whole (metric
            that orders them on the whole), label, ratio, n_samples, pct_agree (mean over pairs of
            models and parts), ci_low, ci_high (its interval, by resampling models and parts; for
            two models, which are one pair, by resampling parts only), part_low, part_high
            (quantiles between which a fraction `confidence_level` of the single parts lies).

        Raises
        ------
        ValueError
            If labels of some samples are not known, so that there is no order on the whole test
            set.

        References
        ----------
        .. [1] Yacouby & Axman (2020), hypothesis D, section 6.2.
        """
        self.predictions.access.require("blocks", "predictions", by_design=True)
        return orders_kept(
            self.predictions, self.metric_pairs, check_ratios(ratios, self.n_samples),
            self.seed, n_subsamples=n_subsamples, confidence_level=self.confidence_level,
        )  # fmt: skip

    @property
    def note(self) -> str:
        """Caveat about the p-values of the test; empty if there is none."""
        return T_NOTE if self.test in ON_REPLICATES else ""

    def document(self) -> Document:
        pairs = zip(self.table["metric_a"], self.table["metric_b"], strict=True)
        names = [f"{a}, {b}" for a, b in pairs]
        n_pairs = self.table["n_pairs"].iloc[0]
        title = (
            f"Agreement over {n_pairs:,} pairs of models, test {self.test}, alpha {self.alpha:g}"
        )
        table = Table.of(
            title, self.table.assign(name=names), column("metrics", "name"),
            "label", column("% significant", "pct_significant", kind="estimate", decimals=2),
            column("% agree", "pct_agree", kind="estimate", decimals=2),
            interval_column(self.confidence_level, decimals=1),
            subtitle="table 1 of Yacouby and Axman 2020",
            notes=[of_rows(self.table, self.confidence_level), *filter(None, [self.note])],
        )  # fmt: skip
        plot = self.plot
        figures = {"agreement": plot.agreement, "agreement_population": plot.population}
        notes = [*self.notes, *self.metric_pairs.notes(self.predictions)]
        found = [*self.verdict().splitlines(), *notes]
        heading = "Agreement of metrics on the better model"
        return self._document(
            {"agreement": table}, heading=heading, findings=found, figures=figures
        )

    def verdict(self) -> str:
        """Return one sentence for each pair of metrics: how often both prefer the same model."""
        return "\n".join(of_agreement(self.table, self.test, self.alpha))

    @member(*_OF_ORDERS, name="agreement_population")
    def _population(self) -> pd.DataFrame:
        """Compare at those of the paper's ratios that are usable, and warn of the others."""
        usable = self._usable_ratios()
        if missing := [f"{ratio:g}" for ratio in PAPER_RATIOS if ratio not in usable]:
            warn_caller(
                f"agreement_population leaves out the ratios {', '.join(missing)}, which leave "
                f"less than 2 of {self.n_samples} samples.",
                UserWarning,
            )
        return self.population(usable)

    def _usable_ratios(self) -> list[float]:
        """Return the paper's ratios at which a part has at least two samples."""
        return [ratio for ratio in PAPER_RATIOS if round(ratio * self.n_samples) > 1]


def _scatter(axes: Axes, part: pd.DataFrame, name: str, sense: int) -> None:
    """Draw differences; shade the quadrants in which both metrics prefer the same model."""
    shown, agree = part["significant"], part["agree"]
    share = f"{100 * (shown & agree).sum() / shown.sum():.1f} % agree" if shown.any() else None
    plain_axes(axes, f"{name}\n{share or 'no pair significant'}")
    axes.axhline(0, color="black", linewidth=0.7, zorder=1)
    axes.axvline(0, color="black", linewidth=0.7, zorder=1)
    size = 16 if len(part) < 200 else 4
    for chosen, look in (
        (~shown, _NEITHER), (shown & agree, _AGREE), (shown & ~agree, _DISAGREE),
    ):  # fmt: skip
        axes.scatter(
            part.loc[chosen, "difference_a"], part.loc[chosen, "difference_b"], s=size,
            color=look.colour, marker=look.marker, linewidth=0, alpha=0.7, zorder=2,
            rasterized=len(part) > 500,
        )  # fmt: skip
    furthest = part[["difference_a", "difference_b"]].abs().max().fillna(0.0)
    x, y = 1.08 * furthest.clip(lower=1e-12)
    axes.set(xlim=(-x, x), ylim=(-y, y))
    for left, low in ((0, 0), (-x, -y)) if sense > 0 else ((0, -y), (-x, 0)):
        axes.fill_between(
            [left, left + x], low, low + y, color=_AGREE.colour, alpha=0.06, linewidth=0
        )
    axes.locator_params(nbins=4)
