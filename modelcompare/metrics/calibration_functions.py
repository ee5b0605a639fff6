"""Metrics of what probabilities mean, as plain functions.

See `modelcompare.metrics.functions`.
"""

from __future__ import annotations

from typing import Any, Literal

from numpy.typing import ArrayLike

from modelcompare.metrics.plain import single_value

Strategy = Literal["width", "mass"]


def _name(stem: str, classwise: bool, strategy: Strategy, n_bins: int) -> str:
    if strategy not in ("width", "mass"):
        raise ValueError(f"`strategy` must be width or mass, got {strategy!r}.")
    if n_bins < 1:
        raise ValueError(f"`n_bins` must be at least 1, got {n_bins}.")
    parts = [stem, *(["classwise"] if classwise else []), *(["mass"] if strategy == "mass" else [])]
    return "_".join([*parts, str(n_bins)])


def ece(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    n_bins: int = 15,
    strategy: Strategy = "width",
    classwise: bool = False,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean gap between confidence and accuracy over bins (expected calibration error).

    Values confidences that can be read as frequencies, whatever they are worth: a model that always
    says the base rate has an error of 0. It depends on the bins, and it is biased upwards: gaps
    that chance makes count as error, so a calibrated model scores 0.07 on 100 samples, 0.02 on
    1000, and never 0. A bootstrap adds that bias once more, and its interval does not cover: a
    calibrated model's in 0 % of test sets of any size. ``debiased_ece`` takes the bias off, and
    `modelcompare.calibration_test` has a test and an interval that covers. In names the options
    follow: ``ece_classwise`` takes each class's probability instead of the top one's, ``ece_mass``
    bins of equally many samples, ``ece_10`` ten bins. A confidence on an edge belongs to the bin
    above.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or (n_samples, n_classes)
        True labels, or soft labels.
    y_prob : array-like of shape (n_samples, n_classes)
        Probabilities; of shape (n_samples,) that of the second of two classes.
    n_bins : int
        Number of bins.
    strategy : {"width", "mass"}
        Bins of equal width, or of samples of equal weight.
    classwise : bool
        Mean over classes of the error of each class's probability, instead of the top label's.
    labels : array-like, optional
        The classes, in the order of the columns.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each sample.

    References
    ----------
    .. [1] Guo et al. (2017), On calibration of modern neural networks, ICML.
    .. [2] Kull et al. (2019), Beyond temperature scaling, NeurIPS (classwise).

    Examples
    --------
    >>> round(ece([0, 1, 1, 1], [0.75, 0.75, 0.75, 0.75]), 4)
    0.0
    """
    name = _name("ece", classwise, strategy, n_bins)
    return single_value(name, y_true, y_prob, labels=labels, sample_weight=sample_weight)


def debiased_ece(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    n_bins: int = 15,
    strategy: Strategy = "width",
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean gap between confidence and accuracy over bins, less what chance adds to it.

    Values what `ece` does. In each bin the expected absolute value of a normal number with the
    observed gap as its mean, and the gap's standard error, exceeds the observed one; that excess is
    taken off, and a sum below 0 is 0. About half of the plug-in's bias is left where a model is
    calibrated, and next to none where it is not; `rms_calibration_error` has less. Weights count as
    repeats. An interval and a test: `modelcompare.calibration_test`.

    Parameters
    ----------
    y_true, y_prob, n_bins, strategy, labels, sample_weight
        As in `ece`.

    References
    ----------
    .. [1] Roelofs, Cain, Shlens & Mozer (2022), Mitigating bias in calibration error estimation,
       AISTATS.

    Examples
    --------
    >>> truth, said = [0, 1, 1] * 10, [0.6] * 30
    >>> round(ece(truth, said), 4), round(debiased_ece(truth, said), 4)
    (0.0667, 0.0442)
    """
    name = _name("debiased_ece", False, strategy, n_bins)
    return single_value(name, y_true, y_prob, labels=labels, sample_weight=sample_weight)


def rms_calibration_error(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    n_bins: int = 15,
    strategy: Strategy = "width",
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Root of the mean squared gap between confidence and accuracy over bins, debiased.

    Values what `ece` does, and large gaps more. The square of each gap less its squared standard
    error is unbiased, so the square of this metric is, but for the root of a sum below 0, which is
    0. Weights count as repeats.

    Parameters
    ----------
    y_true, y_prob, n_bins, strategy, labels, sample_weight
        As in `ece`.

    References
    ----------
    .. [1] Broecker (2012), Estimating reliability and resolution of probability forecasts through
       decomposition of the empirical score, Climate Dynamics 39.
    .. [2] Kumar, Liang & Ma (2019), Verified uncertainty calibration, NeurIPS.

    Examples
    --------
    >>> round(rms_calibration_error([0, 1, 1, 1] * 25, [0.25] * 100), 4)
    0.4981
    """
    name = _name("rms_calibration_error", False, strategy, n_bins)
    return single_value(name, y_true, y_prob, labels=labels, sample_weight=sample_weight)


def mce(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    n_bins: int = 15,
    strategy: Strategy = "width",
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Largest gap between confidence and accuracy over bins (maximum calibration error).

    Values the worst case. A bin of one sample can decide it, so on bins of equal width it measures
    how small the smallest bin is; ``mce_mass``, bins of equally many samples, is the steadier form.

    Parameters
    ----------
    y_true, y_prob, n_bins, strategy, labels, sample_weight
        As in `ece`.

    References
    ----------
    .. [1] Naeini, Cooper & Hauskrecht (2015), AAAI.

    Examples
    --------
    >>> round(mce([0, 1, 1, 1], [0.75, 0.75, 0.75, 0.25]), 4)
    0.25
    """
    name = _name("mce", False, strategy, n_bins)
    return single_value(name, y_true, y_prob, labels=labels, sample_weight=sample_weight)


def brier_reliability(y_true: ArrayLike, y_prob: ArrayLike, **options: Any) -> float:
    """Squared gap between confidence and frequency over bins: the Brier score's calibration part.

    Brier score = reliability - resolution + uncertainty. Values confidences that are frequencies,
    as `ece` does, but squared, so it is smooth and a term of a proper score. Over 15 bins of equal
    width, classes summed, halved for two classes as the Brier score is.

    Parameters
    ----------
    y_true, y_prob
        As in `ece`.
    **options
        ``labels`` and ``sample_weight``.

    References
    ----------
    .. [1] Murphy (1973), Journal of Applied Meteorology 12, 595-600.
    .. [2] Stephenson, Coelho & Jolliffe (2008), Weather and Forecasting 23, 752-757.

    Examples
    --------
    >>> round(brier_reliability([0, 1, 1, 1], [0.5, 0.5, 0.5, 0.5]), 4)
    0.0625
    """
    return single_value("brier_reliability", y_true, y_prob, **options)


def brier_resolution(y_true: ArrayLike, y_prob: ArrayLike, **options: Any) -> float:
    """Spread of the frequencies between bins: what the confidences tell apart.

    Values forecasts that differ where outcomes do; 0 for a model that always says the same. Taken
    with what the spread of confidences within a bin adds, so that Brier score = reliability -
    resolution + uncertainty holds exactly; it can be slightly negative then.

    Parameters
    ----------
    y_true, y_prob, **options
        As in `brier_reliability`.

    References
    ----------
    .. [1] Stephenson, Coelho & Jolliffe (2008), Weather and Forecasting 23, 752-757.

    Examples
    --------
    >>> round(brier_resolution([0, 0, 1, 1], [0.25, 0.25, 0.75, 0.75]), 4)
    0.25
    """
    return single_value("brier_resolution", y_true, y_prob, **options)


def brier_uncertainty(y_true: ArrayLike, y_prob: ArrayLike, **options: Any) -> float:
    """Variance of the truth: the Brier score of always saying the base rates.

    Values nothing in the model: it says how hard the test set is, and completes the decomposition.

    Parameters
    ----------
    y_true, y_prob, **options
        As in `brier_reliability`.

    References
    ----------
    .. [1] Murphy (1973), Journal of Applied Meteorology 12, 595-600.

    Examples
    --------
    >>> brier_uncertainty([0, 0, 1, 1], [0.25, 0.25, 0.75, 0.75])
    0.25
    """
    return single_value("brier_uncertainty", y_true, y_prob, **options)


def kl_divergence(y_true: ArrayLike, y_prob: ArrayLike, **options: Any) -> float:
    """Mean divergence of the probabilities from the true distributions, in nats.

    Values probabilities that match soft labels (several annotators' shares, say); on hard labels it
    is log loss. One class to which a model gives no probability, and the truth does, outweighs the
    rest, so probabilities are clipped at the precision they were given in.

    Parameters
    ----------
    y_true : array-like of shape (n_samples, n_classes) or (n_samples,)
        Soft labels, or labels.
    y_prob, **options
        As in `brier_reliability`.

    References
    ----------
    .. [1] Kullback & Leibler (1951), Annals of Mathematical Statistics 22, 79-86.

    Examples
    --------
    >>> round(kl_divergence([[0.5, 0.5], [1.0, 0.0]], [[0.5, 0.5], [0.5, 0.5]]), 4)
    0.3466
    """
    return single_value("kl_divergence", y_true, y_prob, **options)


def confusion_entropy(y_true: ArrayLike, y_pred: ArrayLike, **options: Any) -> float:
    """Entropy of how each class is mistaken for the others and they for it.

    Values errors that are few and of one kind: a class that is always mistaken for the same other
    one is better than one that is mistaken for all. 0 for a perfect classifier; on two classes it
    can exceed 1 and order classifiers oddly. The soft twin ``cconfusion_entropy`` (``pcen``), on
    the probabilistic confusion matrix, is the probabilistic confusion entropy of Wang et al.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels.
    **options
        ``labels`` and ``sample_weight``.

    References
    ----------
    .. [1] Wei et al. (2010), Expert Systems with Applications 37, 3799-3809.
    .. [2] Wang et al. (2013), Entropy 15, 4969-4992.

    Examples
    --------
    >>> round(confusion_entropy([0, 1, 2, 2], [0, 1, 2, 1]), 4)
    0.1981
    """
    return single_value("confusion_entropy", y_true, y_pred, **options)
