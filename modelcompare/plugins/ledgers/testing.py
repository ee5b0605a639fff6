"""Assertion about one of many candidates, for the test suite of a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from os import PathLike
from typing import Any

from modelcompare.plugins.ledgers.keep import KeepResult, keep
from modelcompare.plugins.ledgers.ledger import Ledger
from modelcompare.questions.assertions import ask_in_test
from modelcompare.words import OnInconclusive


def assert_kept(
    predictions: Any,
    baseline: str,
    candidate: str,
    rules: str | Iterable[str | Mapping[str, Any]],
    *,
    ledger: Ledger | str | PathLike[str],
    positive: Any = None,
    on_inconclusive: OnInconclusive = "fail",
    **options: Any,
) -> KeepResult:
    """Fail a test unless one of many candidates, asked about on the same samples, may be kept.

    Parameters
    ----------
    predictions : Predictions, mapping of str to Predictions, path, sequence of paths or DataFrame
        As in `assert_not_worse`.
    baseline, candidate : str
        The model to replace, and the one that would replace it.
    rules : str, mapping or iterable
        As in `modelcompare.gate`: ``"f1_macro:+0"`` keeps what is better.
    ledger : Ledger or path
        Ledger of candidates, which records every question; see `modelcompare.keep`.
    positive : optional
        As in `assert_not_worse`.
    on_inconclusive : {"fail", "pass", "skip"}
        Outcome of the test if the candidate is neither to be kept nor to be discarded.
    **options
        Further options of `modelcompare.keep`.

    Returns
    -------
    KeepResult
        The word and its reason.

    Raises
    ------
    AssertionError
        If the candidate is not kept; with the word, the reason and the head of the ledger.
    unittest.SkipTest
        If it is undecided and `on_inconclusive` is "skip"; pytest handles it too.

    Examples
    --------
    >>> import tempfile, modelcompare as mc
    >>> preds = mc.load_example("snli")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ledger = f"{folder}/ledger.jsonl"
    ...     found = assert_kept(preds, "mlp", "bow_pair", "accuracy:+0", ledger=ledger)
    >>> found.word
    'keep'
    """
    __tracebackhide__ = True
    ask = partial(keep, ledger=ledger, **options)
    return ask_in_test(ask, predictions, (baseline, candidate), rules, positive, on_inconclusive)
