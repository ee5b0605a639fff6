"""Metrics of real-valued outputs as plain functions, with scikit-learn's signatures.

See `modelcompare.metrics.functions`.
"""

from __future__ import annotations

from numpy.typing import ArrayLike

from modelcompare.metrics.plain import single_value


def mse(y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Mean squared error.

    Values the absence of large errors: one error of ten counts as a hundred errors of one, so an
    outlier can decide it. In squared units of the target; it means something beside a baseline
    only.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted values.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each sample.

    Examples
    --------
    >>> mse([1.0, 2.0, 4.0], [1.0, 2.0, 1.0])
    3.0
    """
    return single_value("mse", y_true, y_pred, sample_weight=sample_weight)


def rmse(y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Root of the mean squared error.

    Values the same as `mse` and orders models as it does, in units of the target.

    Parameters
    ----------
    y_true, y_pred, sample_weight
        As in `mse`.

    Examples
    --------
    >>> rmse([0.0, 0.0], [3.0, 3.0])
    3.0
    """
    return single_value("rmse", y_true, y_pred, sample_weight=sample_weight)


def mae(y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Mean absolute error.

    Values every unit of error alike; the best constant prediction is the median. In units of the
    target, and less at the mercy of outliers than `mse`.

    Parameters
    ----------
    y_true, y_pred, sample_weight
        As in `mse`.

    Examples
    --------
    >>> mae([1.0, 2.0, 4.0], [1.0, 2.0, 1.0])
    1.0
    """
    return single_value("mae", y_true, y_pred, sample_weight=sample_weight)


def msle(y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Mean squared error of log(1 + value).

    Values ratios instead of differences, for targets that grow by factors; predicting too little
    costs more than predicting too much by as much. For values above -1.

    Parameters
    ----------
    y_true, y_pred, sample_weight
        As in `mse`.

    Examples
    --------
    >>> round(msle([0.0, 9.0], [0.0, 99.0]), 4)
    2.6509
    """
    return single_value("msle", y_true, y_pred, sample_weight=sample_weight)


def median_absolute_error(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Median of the absolute errors.

    Values the typical sample: up to half of the errors may be arbitrarily bad. It has no smooth
    derivative, so its standard errors are the bootstrap's.

    Parameters
    ----------
    y_true, y_pred, sample_weight
        As in `mse`.

    Examples
    --------
    >>> median_absolute_error([1.0, 2.0, 4.0], [1.5, 2.0, 1.0])
    0.5
    """
    return single_value("median_absolute_error", y_true, y_pred, sample_weight=sample_weight)


def r2(y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Share of the variance of the truth that the prediction takes away (R squared).

    Values accuracy beside the mean as a baseline: 1 is perfect, 0 no better than the mean, below 0
    worse. It depends on how much this test set varies, so values of different test sets do not
    compare, and it hides how large the errors are.

    Parameters
    ----------
    y_true, y_pred, sample_weight
        As in `mse`.

    Examples
    --------
    >>> r2([1.0, 2.0, 3.0], [1.0, 2.0, 4.0])
    0.5
    """
    return single_value("r2", y_true, y_pred, sample_weight=sample_weight)


def explained_variance(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """One minus the variance of the errors over the variance of the truth.

    Values what `r2` does, but forgives a constant error: a prediction that is always ten too high
    scores 1.

    Parameters
    ----------
    y_true, y_pred, sample_weight
        As in `mse`.

    Examples
    --------
    >>> explained_variance([1.0, 2.0, 3.0], [11.0, 12.0, 13.0])
    1.0
    """
    return single_value("explained_variance", y_true, y_pred, sample_weight=sample_weight)


def pearson(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Linear correlation of prediction and truth.

    Values moving together; scale and offset of the prediction do not count, so a high correlation
    may go with large errors. A few extreme samples can make it or break it.

    Parameters
    ----------
    y_true, y_pred, sample_weight
        As in `mse`.

    References
    ----------
    .. [1] Pearson (1895), Proceedings of the Royal Society of London 58, 240-242.

    Examples
    --------
    >>> round(pearson([1.0, 2.0, 3.0], [10.0, 20.0, 40.0]), 4)
    0.982
    """
    return single_value("pearson", y_true, y_pred, sample_weight=sample_weight)


def spearman(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Pearson correlation of the ranks of prediction and truth; tied values share their mean rank.

    Values order alone: no increasing change of the prediction matters, nor how far off it is.

    Parameters
    ----------
    y_true, y_pred, sample_weight
        As in `mse`; weights act as repeats.

    References
    ----------
    .. [1] Spearman (1904), American Journal of Psychology 15, 72-101.

    Examples
    --------
    >>> spearman([1.0, 2.0, 3.0], [10.0, 20.0, 40.0])
    1.0
    """
    return single_value("spearman", y_true, y_pred, sample_weight=sample_weight)


def kendall(
    y_true: ArrayLike, y_pred: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Concordant less discordant pairs of samples, over all untied pairs (tau-b).

    Values order, pair by pair: tau is the chance that a random pair is ordered rightly less the
    chance that it is ordered wrongly. Counted anew on each resample, so it is the slowest of the
    correlations; weights must be whole numbers.

    Parameters
    ----------
    y_true, y_pred, sample_weight
        As in `mse`.

    References
    ----------
    .. [1] Kendall (1945), Biometrika 33, 239-251.

    Examples
    --------
    >>> round(kendall([1.0, 2.0, 3.0], [10.0, 40.0, 20.0]), 4)
    0.3333
    """
    return single_value("kendall", y_true, y_pred, sample_weight=sample_weight)


def perplexity(
    n_tokens: ArrayLike, log_probability: ArrayLike, *, sample_weight: ArrayLike | None = None
) -> float:
    """Exponential of the mean negative log-probability of a token, over the whole corpus.

    Values probability on text that people wrote. It depends on the vocabulary and on what a token
    is, so models with different tokenizers do not compare; mapping rare words to one unknown token
    improves it and helps nobody. Long texts weigh more; ``perplexity_of_texts`` takes each text's
    own perplexity and their geometric mean.

    Parameters
    ----------
    n_tokens : array-like of shape (n_texts,)
        Length of each text.
    log_probability : array-like of shape (n_texts,)
        Natural logarithm of the probability that the model gave each text.
    sample_weight : array-like of shape (n_texts,), optional
        Weight of each text.

    Examples
    --------
    >>> import math
    >>> round(perplexity([2, 3], [2 * math.log(0.25), 3 * math.log(0.25)]), 6)
    4.0
    """
    return single_value("perplexity", n_tokens, log_probability, sample_weight=sample_weight)


def mean_score(scores: ArrayLike, *, sample_weight: ArrayLike | None = None) -> float:
    """Mean of per-example scores that were made elsewhere: judged 0 or 1, or real.

    Values whatever the scores value, every sample alike. Which direction is better comes with the
    predictions (``greater_is_better``).

    Parameters
    ----------
    scores : array-like of shape (n_samples,)
        What each sample scored.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each sample.

    Examples
    --------
    >>> mean_score([1, 0, 1, 1])
    0.75
    """
    return single_value("mean_score", None, scores, sample_weight=sample_weight)
