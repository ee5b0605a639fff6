"""What tables and figures are made from: results as this room sees them, by what they hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import pandas as pd


class _Signed(Protocol):
    @property
    def signature(self) -> str: ...


class _Levelled(Protocol):
    @property
    def confidence_level(self) -> float: ...


class _Labelled(Protocol):
    @property
    def label(self) -> Any: ...


class _Tabled(Protocol):
    @property
    def table(self) -> pd.DataFrame: ...


class _Compared(_Levelled, Protocol):
    @property
    def scores(self) -> pd.DataFrame: ...
    @property
    def differences(self) -> pd.DataFrame: ...
    @property
    def correction(self) -> str: ...


class ComparisonShape(_Signed, _Compared, Protocol):
    """Scores and paired differences of models on one test set."""

    @property
    def metric_info(self) -> Mapping[str, Any]: ...
    @property
    def alpha(self) -> float: ...
    @property
    def method(self) -> str: ...
    @property
    def test(self) -> str: ...
    @property
    def n_resamples(self) -> int: ...
    @property
    def baseline(self) -> str | None: ...
    @property
    def leads(self) -> pd.DataFrame: ...
    @property
    def all_leads(self) -> pd.DataFrame: ...
    @property
    def remarks(self) -> Mapping[str, Sequence[str]]: ...
    def n_tests(self, metric: str) -> int: ...
    def decimals(self, metric: str) -> int: ...
    @property
    def headline(self) -> str: ...


class EstimatorShape(_Compared, Protocol):
    """Estimators over the folds of a cross-validation."""

    @property
    def rope(self) -> float: ...


class MetricPairsShape(Protocol):
    """Pairs of metrics by name."""

    @property
    def pairs(self) -> Sequence[tuple[str, str]]: ...


class VarianceShape(_Signed, _Levelled, Protocol):
    """Distributions of metrics at several sizes of the test set."""

    @property
    def distribution(self) -> pd.DataFrame: ...
    @property
    def tests(self) -> pd.DataFrame: ...
    @property
    def variance_ratios(self) -> pd.DataFrame: ...
    @property
    def relative_efficiency(self) -> pd.DataFrame: ...
    @property
    def models(self) -> Sequence[str]: ...
    @property
    def pairs(self) -> Sequence[tuple[str, str]]: ...
    @property
    def ratios(self) -> Sequence[float]: ...
    @property
    def n_resamples(self) -> int: ...
    @property
    def note(self) -> str: ...
    def separated(self, alpha: float = ...) -> pd.DataFrame: ...


class AgreementShape(_Signed, _Levelled, _Tabled, Protocol):
    """Agreement of pairs of metrics over all pairs of models."""

    @property
    def pairs(self) -> pd.DataFrame: ...
    @property
    def metric_pairs(self) -> MetricPairsShape: ...
    @property
    def alpha(self) -> float: ...
    @property
    def test(self) -> str: ...
    @property
    def note(self) -> str: ...


class UndefinedShape(_Signed, _Tabled, Protocol):
    """Shares of undefined values at several sizes of the test set."""

    @property
    def summary(self) -> pd.DataFrame: ...
    @property
    def metric_pairs(self) -> MetricPairsShape: ...
    @property
    def ratios(self) -> Sequence[float]: ...


class SensitivityShape(_Signed, _Levelled, _Tabled, Protocol):
    """Changes of metrics under other confidences."""


class QuantizationShape(_Levelled, Protocol):
    """Metrics on rounded confidences, beside the raw ones."""

    @property
    def values(self) -> pd.DataFrame: ...
    @property
    def summary(self) -> pd.DataFrame: ...


class SampleSizeShape(_Labelled, Protocol):
    """What a comparison of two models needs."""

    @property
    def model_a(self) -> str: ...
    @property
    def model_b(self) -> str: ...
    @property
    def metric(self) -> str: ...
    @property
    def difference(self) -> float: ...
    @property
    def n_samples(self) -> int: ...
    @property
    def alpha(self) -> float: ...
    @property
    def power(self) -> float: ...
    @property
    def unit(self) -> str: ...
    def curve(self, n_samples: Sequence[int] | None = ...) -> pd.DataFrame: ...


class CurveShape(_Levelled, _Labelled, Protocol):
    """Curves of all models for one class."""

    @property
    def points(self) -> pd.DataFrame: ...
    @property
    def band(self) -> pd.DataFrame: ...
    @property
    def kind(self) -> str: ...
    @property
    def share(self) -> float: ...


class ReliabilityShape(_Levelled, _Labelled, _Tabled, Protocol):
    """Confidence and frequency in bins."""
