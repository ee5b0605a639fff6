"""Formats of the logs of evaluation tools: a module and a row below for each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from modelcompare.plugs import rows_of_others
from modelcompare.readers.content import File
from modelcompare.readers.formats import (
    every_eval_ever,
    helm,
    inspect,
    judged,
    lighteval,
    lines,
    lm_eval,
    mlflow,
    model_vs_human,
    mqm,
    nemo,
    opencompass,
    programs,
    promptfoo,
    swebench,
    trec,
    trn,
    wmt,
)
from modelcompare.readers.formats.base import Format

__all__ = ["FORMATS", "Format", "format_of", "lone_table"]

# Tried in this order; the first that recognises a file reads it.
FORMATS: tuple[Format, ...] = (
    inspect.FORMAT,
    lm_eval.FORMAT,
    lighteval.FORMAT,
    every_eval_ever.FORMAT,
    promptfoo.FORMAT,
    swebench.FORMAT,
    helm.FORMAT,
    opencompass.FORMAT,
    judged.ALPACA_EVAL,
    judged.MT_BENCH,
    judged.DEEP_EVAL,
    programs.EVAL_PLUS,
    programs.BIG_CODE_BENCH,
    programs.HUMAN_EVAL,
    programs.BIG_CODE,
    mlflow.FORMAT,
    mqm.FORMAT,
    model_vs_human.FORMAT,
    wmt.FORMAT,
    trec.FORMAT,
    nemo.FORMAT,
    trn.FORMAT,
    lines.FORMAT,
)


def lone_table(files: Sequence[File]) -> pd.DataFrame | None:
    """Return the table of a source that is one table of any models; None for others."""
    first = files[0]
    is_lone = len(files) == 1 and isinstance(first.payload, pd.DataFrame) and not first.is_named
    return first.payload if is_lone and format_of(first) is None else None


def format_of(opened: File) -> Format | None:
    """Return the format of a log, or None for a plain table."""
    return _first(FORMATS, opened) or _first(rows_of_others("formats"), opened)


def _first(formats: Iterable[Format], opened: File) -> Format | None:
    """Return the first format that recognises a file."""
    return next((each for each in formats if each.recognises(opened)), None)
