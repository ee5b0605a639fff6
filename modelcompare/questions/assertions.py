"""Assertions about models in test suites, and what others of them need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar
from unittest import SkipTest

from modelcompare.data.test_set import TestSet
from modelcompare.metrics.classes import ValueLike
from modelcompare.metrics.registry import kind_asked
from modelcompare.plugs import by_name, several
from modelcompare.questions.gate import gate
from modelcompare.questions.gate_result import GateAnswer, GateResult
from modelcompare.questions.rules import read_asked
from modelcompare.readers import read_predictions
from modelcompare.words import OnInconclusive, check_choice

Answered = TypeVar("Answered", bound=GateAnswer)


def assert_not_worse(
    predictions: Any,
    baseline: str,
    candidate: str,
    metric: ValueLike | None = None,
    *,
    margin: float | None = None,
    positive: Any = None,
    rules: Iterable[str | Mapping[str, Any]] | None = None,
    alpha: float = 0.05,
    on_inconclusive: OnInconclusive = "fail",
    **options: Any,
) -> GateResult:
    """Fail a test unless a candidate is non-inferior to a baseline.

    Parameters
    ----------
    predictions : Predictions, mapping of str to Predictions, path, sequence of paths or DataFrame
        One test set with both models, several by name, or a source for
        `modelcompare.read_predictions`.
    baseline, candidate : str
        The models.
    metric : str, metric or callable, or a pair of it and a class
        Metric to compare by, as in `modelcompare.decide`.
    margin : float
        Smallest loss that matters, in units of the metric.
    positive : optional
        As for `modelcompare.read_predictions`, where `predictions` is a source for it.
    rules : iterable of str or mapping
        Instead of `metric` and `margin`, as for `modelcompare.gate`; all must hold:
        ``["f1_macro:-0.005", "recall[toxic]:+0"]``.
    alpha : float
        One-sided level: the probability to pass a candidate that is worse by the margin.
    on_inconclusive : {"fail", "pass", "skip"}
        Outcome of the test where there are not enough data to decide.
    **options
        Further options of `modelcompare.gate`, such as `n_resamples` and `ledger`.

    Returns
    -------
    GateResult
        The decisions, one for each rule.

    Raises
    ------
    AssertionError
        If the candidate is worse, or there are not enough data to decide; with the sentences of
        the rules that do not hold.
    unittest.SkipTest
        If there are not enough data and `on_inconclusive` is "skip"; pytest handles it too.
    ValueError
        If neither metric and margin nor rules are given, or both.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.load_example("snli")
    >>> found = assert_not_worse(preds, "naive_bayes", "bow_pair", "f1_macro", margin=0.005)
    >>> found.answer
    'shown'
    >>> assert_not_worse(preds, "bow_pair", "naive_bayes", "accuracy", margin=0.005)
    Traceback (most recent call last):
        ...
    AssertionError: naive_bayes is inferior to bow_pair (margin 0.005) in accuracy:
    gain -0.0182, 90 % CI -0.0250 to -0.0115, p = 1.00 (9,824 samples, one-sided alpha 0.05).
    """
    __tracebackhide__ = True
    if rules is None:
        if metric is None or margin is None:
            raise ValueError("give `metric` and `margin`, or `rules`, to say what must hold.")
        rules = [{"metric": metric, "margin": margin}]
    elif not (metric is None and margin is None):
        raise ValueError("`rules` contains metric and margin; leave their options out.")
    ask = partial(gate, alpha=alpha, **options)
    return ask_in_test(ask, predictions, (baseline, candidate), rules, positive, on_inconclusive)


def ask_in_test(
    ask: Callable[..., Answered], predictions: Any, models: tuple[str, str],
    rules: str | Iterable[str | Mapping[str, Any]], positive: Any, on_inconclusive: OnInconclusive,
) -> Answered:  # fmt: skip
    """Return an answer; end a test that does not pass, with the sentences of what is not shown."""
    __tracebackhide__ = True
    check_choice("on_inconclusive", on_inconclusive, OnInconclusive)
    rules = [rules] if isinstance(rules, str | Mapping) else [*rules]
    found = ask(_read(predictions, models, rules, positive), *models, rules)
    inconclusive = found.answer == "not enough data"
    if found.passed or (inconclusive and on_inconclusive == "pass"):
        return found
    failed = [sentence for answer, sentence in found.answered if answer != "shown"]
    raise (SkipTest if inconclusive and on_inconclusive == "skip" else AssertionError)(
        "\n".join(filter(None, [*failed, found.ledger]))
    )


def _read(
    predictions: Any, models: Sequence[str], rules: Sequence[str | Mapping[str, Any]], positive: Any
) -> Any:
    """Return test sets as they are, and read any other source as the command ``gate`` does."""
    if all(isinstance(each, TestSet) for each in by_name(predictions).values()):
        if positive is not None:
            raise ValueError("`positive` is for files; pass it where the predictions are made.")
        return predictions
    asked = [*map(read_asked, rules)]
    kind = kind_asked(rule.get("metric") for rule in asked)
    read = several("assertions") if any("over" in rule for rule in asked) else read_predictions
    options = {"models": [*models], "kind": kind, "positive": positive}
    return read(predictions, **options)
