"""The result of `compare`: two long frames, a verdict, a signature, and ways to show them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import ClassVar

import pandas as pd

from modelcompare.comparison import plots
from modelcompare.comparison.compared import Compared
from modelcompare.comparison.correction import max_t_bounds, simultaneous_scores
from modelcompare.comparison.disagreements import disagreements
from modelcompare.comparison.forest import plot_comparison
from modelcompare.comparison.method import comparison_code, comparison_method
from modelcompare.comparison.tables import comparison_tables, printed_tables
from modelcompare.comparison.verdict import findings
from modelcompare.engine.axis import score_frame
from modelcompare.engine.parallel import one_blas_thread
from modelcompare.report.document import Document, Finding
from modelcompare.report.figures.plots import Plots
from modelcompare.report.figures.types import Figure
from modelcompare.report.numbers import joined
from modelcompare.report.result import Result
from modelcompare.words import Simultaneous, check_choice

# Characters of the models' names in the title of a page.
_LONGEST_NAMES = 50


@dataclass(frozen=True)
class Comparison(Compared, Result):
    """Scores and paired differences of models on one test set: `Evidence`, as frames and texts."""

    stem: ClassVar[str] = "compare"
    page_title: ClassVar[str] = "Scores and differences"
    _members: ClassVar[str] = """
        name:text_or_none n_samples n_resamples confidence_level alpha method test correction models
        verdict=_sentences signature
        scores: model metric label estimate standard_error ci_low ci_high n_undefined rank rank_low
          rank_high method
        differences: model_a model_b metric label difference standard_error ci_low ci_high p_value
          p_adjusted better method test
    """
    plot = Plots(
        forest=plots.forest, ranks=plots.ranks, differences=plots.differences,
        heatmap=plots.heatmap, raincloud=plots.of_replicates, classes=plots.classes,
        confusion=plots.confusion, roc=plots.roc, pr=plots.pr,
    )  # fmt: skip

    @one_blas_thread()
    def simultaneous_intervals(self, of: Simultaneous = "differences") -> pd.DataFrame:
        """Intervals that cover all differences, or all scores, of a metric at once.

        Parameters
        ----------
        of : {"differences", "scores"}
            Of differences every half-width is the same multiple of its standard error: the quantile
            of the largest studentized deviation of the replicates over all pairs and classes of the
            metric (max-t). A resample on which one of them has no value counts as an infinite
            deviation, so where these are more than 1 - confidence_level nothing is excluded.

            Of scores they are intervals of the comparison's method at the level of this quantile,
            or of Bonferroni's correction where that asks for less. Whichever model is then looked
            at, the best one too, is covered; the interval of the best of 20 equal models in
            `scores` covers its value in 0.75 of all test sets, as it is best by luck too.

        Returns
        -------
        DataFrame
            Columns model_a, model_b, metric, label, difference, ci_low, ci_high; of scores model,
            metric, label, estimate, ci_low, ci_high, method.
        """
        check_choice("of", of, Simultaneous)
        if of == "scores":
            found = simultaneous_scores(self)
            return score_frame(
                self.models, self.keys, estimate=self.point,
                ci_low=found.low, ci_high=found.high, method=found.method,
            )  # fmt: skip
        low, high = max_t_bounds(self)
        frame = self.differences[["model_a", "model_b", "metric", "label", "difference"]].copy()
        return frame.assign(ci_low=low.ravel(), ci_high=high.ravel())

    def disagreements(self, model_a: str, model_b: str) -> pd.DataFrame:
        """Samples on which two models disagree, largest disagreement first.

        Columns: id (or the row's number, from 0), y_true (not of scores), said_a and said_b (what
        each gave, or held the likeliest), p_a and p_b (of its own label, where it gave
        probabilities), right (the model that is right, nearer to the truth, or better by its score;
        missing where neither is), apart (of labels the distance of the distributions in total
        variation, of texts the share of words not in both, else the difference).
        """
        return disagreements(self.bootstrap.evaluation.predictions, model_a, model_b).table

    def verdict(self) -> str:
        """One honest sentence per metric: who leads, who is tied with whom, what would settle it.

        Metrics per class get one sentence per class.
        """
        return "\n".join(self._sentences)

    @cached_property
    def _findings(self) -> list[Finding]:
        return [*findings(self), *map(Finding, self.notes)]

    @property
    def _sentences(self) -> list[str]:
        return [finding.text for finding in self._findings]

    @property
    def _heading(self) -> str:
        """Title of a page: the names of the models if they are few and short."""
        names = joined(self.models)
        if len(self.models) == 1:
            return f"Scores of {names}"
        short = len(names) <= _LONGEST_NAMES
        return f"Comparison of {names if short else f'{len(self.models)} models'}"

    def document(self) -> Document:
        tables = comparison_tables(self)
        method, references = comparison_method(self)
        figures: dict[str, Callable[[], Figure]] = {
            name: partial(plot_comparison, self, ("differences" if table.detail else "scores",),
                          metrics=[table.metric])
            for name, table in tables.items()
        }  # fmt: skip
        if plots.of_classes(self):
            figures |= {"classes": self.plot.classes, "confusion": self.plot.confusion}
        return self._document(
            tables, figures=figures, heading=self._heading, headline=self.headline,
            findings=self._findings, printed=lambda: printed_tables(self), notes=self.warned,
            method=method, references=references, reproduce=comparison_code(self),
        )  # fmt: skip
