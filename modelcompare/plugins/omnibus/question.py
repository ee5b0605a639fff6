"""Omnibus tests of all models of a test set, to run before the pairs are tested."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from modelcompare.arguments import checked
from modelcompare.arrays import FloatArray
from modelcompare.data.alone import refuse_pseudo_values
from modelcompare.data.predictions import Predictions
from modelcompare.engine.evaluation import Evaluation
from modelcompare.metrics import resolve_metrics
from modelcompare.metrics.registry import MetricLike
from modelcompare.report.document import Document
from modelcompare.report.fields import value
from modelcompare.report.result import Result
from modelcompare.report.tables import column
from modelcompare.significance.omnibus import friedman
from modelcompare.significance.samples import (
    require_plain,
    right_or_wrong,
    sample_contributions,
)
from modelcompare.words import signature

OmnibusTest = Literal["cochran-q", "friedman"]


@dataclass(frozen=True, kw_only=True)
class OmnibusResult(Result, stem="omnibus", row="omnibus"):
    """Outcome of a test that all models are equal.

    Attributes
    ----------
    metric, method : str
        The metric, and the test that was used.
    statistic, p_value : float
        Chi-square statistic, with one degree of freedom less than the number of models, and its
        p-value.
    n_models : int
        Number of models.
    """

    metric: str
    method: str
    statistic: float
    p_value: float
    n_models: int = field(metadata=value(kind="count"))

    @property
    def signature(self) -> str:
        return signature("omnibus_test", models=self.n_models, test=self.method)

    def document(self) -> Document:
        columns = ("metric", column("test", "method"), "n_models", "statistic", "p_value")
        table = self._table("Are all models equal?", self._row, *columns)
        return self._document({"omnibus": table})


@checked()
def omnibus_test(
    predictions: Predictions,
    metric: MetricLike = "accuracy",
    *,
    method: OmnibusTest = "cochran-q",
) -> OmnibusResult:
    """Test whether the models differ in a metric that is a mean of per-sample numbers.

    Parameters
    ----------
    predictions : Predictions
        Test set and at least three models.
    metric : str or metric
        Accuracy, or mean_score of scores 0 and 1, for Cochran's Q; for Friedman's test any mean of
        per-sample numbers (accuracy, mean_score, log_loss, brier_score, caccuracy).
    method : {"cochran-q", "friedman"}
        Cochran's Q on right and wrong, or Friedman's test on ranks within samples.

    Returns
    -------
    OmnibusResult

    Raises
    ------
    ValueError
        If there are fewer than three models, the metric is not such a mean, or scores are of
        battles.

    Examples
    --------
    >>> import modelcompare as mc
    >>> result = mc.inference.omnibus_test(mc.load_example("snli"))
    >>> print(f"Q = {result.statistic:.1f}, p = {result.p_value:.1g}")
    Q = 591.1, p = 8e-128
    """
    if len(predictions.models) < 3:
        raise ValueError(
            f"there are {len(predictions.models)} models, an omnibus test needs 3; use paired_test."
        )
    refuse_pseudo_values(predictions.access, "an omnibus test")
    (found,) = resolve_metrics([metric], predictions)
    require_plain(predictions.access, "an omnibus test")
    if method == "cochran-q":
        right = right_or_wrong(predictions, found)
        if right is None:
            raise ValueError(
                f"Cochran's Q is of accuracy, or of scores that are 0 or 1, not of {found.name}; "
                "use method='friedman'."
            )
        statistic, p_value = cochran_q(right.T.astype(float))
    else:
        evaluation = Evaluation(predictions, (found,), collapse=False)
        statistic, p_value = friedman(sample_contributions(evaluation, found).T.round(12))
    return OmnibusResult(
        metric=found.name, method=method, statistic=statistic, p_value=p_value,
        n_models=len(predictions.models),
    )  # fmt: skip


def cochran_q(right: FloatArray) -> tuple[float, float]:
    """Test equal accuracy by Cochran's Q on 0/1 outcomes of shape (n_samples, n_models).

    Samples on which all models agree do not count; if there are no others, p is 1.
    """
    from statsmodels.stats.contingency_tables import cochrans_q

    if (right == right[:, :1]).all():
        return 0.0, 1.0
    found = cochrans_q(right)
    return float(found.statistic), float(found.pvalue)
