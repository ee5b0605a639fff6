"""``modelcompare gate``: an exit code that a release pipeline can act on."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from modelcompare.cli.options import (
    ReadingOptions,
    ResamplingOptions,
    Text,
    Texts,
    option,
)
from modelcompare.cli.output import answer
from modelcompare.report import escape
from modelcompare.words import Decision, GateFormat, listed

if TYPE_CHECKING:
    from modelcompare.questions.decide import DecisionResult
    from modelcompare.questions.rules import GateResult

# Exit codes of bad input, errors of the program, an answer that cannot be written, and Ctrl-C.
_TAKEN = (2, 70, 74, 130)


def gate(
    reading: ReadingOptions,
    *,
    baseline: Annotated[str, option("MODEL", "What is in use.")],
    candidate: Annotated[str, option("MODEL", "What would replace it.")],
    metric: Annotated[
        Text,
        option(
            "NAME",
            "What counts; by default f1_macro, mean_score of scores, rmse of real values.",
            "--metric",
            "-m",
        ),
    ] = None,
    margin: Annotated[
        float | None,
        option(
            "NUMBER",
            "Smallest difference that matters, in units of the metric; needed unless --superior.",
        ),
    ] = None,
    non_inferior: Annotated[
        bool, option("", "Pass if not worse (the default).", "--non-inferior")
    ] = False,
    superior: Annotated[bool, option("", "Pass if better by the margin.", "--superior")] = False,
    equivalent: Annotated[
        bool, option("", "Pass if within the margins (TOST).", "--equivalent")
    ] = False,
    label: Annotated[Text, option("CLASS", "The class, for a metric per class.")] = None,
    alpha: Annotated[float, option("FRACTION", "One-sided level.")] = 0.05,
    rule: Annotated[
        Texts,
        option(
            "RULE",
            "METRIC:-MARGIN, METRIC:+MARGIN or METRIC:+-MARGIN (repeatable), with a class as in "
            "recall[toxic]:-0.01; all must hold. Takes the place of --metric and --margin.",
            "--rule",
        ),
    ] = None,
    inconclusive_exit: Annotated[
        int, option("CODE", "Exit code, 0 to 255, where there are not enough data to say.")
    ] = 1,
    format: Annotated[
        GateFormat, option("FORM", f"{listed(GateFormat)}; github is a workflow annotation.")
    ] = "text",
    resampling: ResamplingOptions,
) -> None:
    """Exit with 0 if the candidate passes, 1 if it does not, 2 if the input is bad.

    There are three answers: shown, shown otherwise, not enough data (and how many would be). The
    exit code is 74 if the answer cannot be written: its reader has gone, or the disk is full.
    """
    kind = _kind({"non-inferior": non_inferior, "superior": superior, "equivalent": equivalent})
    if baseline == candidate:
        raise ValueError(f"--baseline and --candidate are both {baseline!r}; name two models.")
    if rule and (kind or margin is not None or label is not None or metric is not None):
        raise ValueError("--rule says metric, class, margin and kind; leave their options out.")
    if not rule and margin is None and kind != "superior":
        raise ValueError(
            f"--margin is needed to ask for {kind or 'non-inferior'}: how much worse would matter?"
        )
    if not 0 <= inconclusive_exit <= 255 or inconclusive_exit in _TAKEN:
        raise ValueError(
            f"--inconclusive-exit must be from 0 to 255 and none of {', '.join(map(str, _TAKEN))}, "
            f"which mean other things; got {inconclusive_exit}."
        )
    options = resampling.options()
    predictions = reading.read()
    from modelcompare.metrics.registry import default_metric
    from modelcompare.questions.decide import decide
    from modelcompare.questions.rules import GateResult
    from modelcompare.questions.rules import gate as by_rules

    if rule:
        found = by_rules(predictions, baseline, candidate, rule, alpha=alpha, **options)
    else:
        one = decide(
            predictions, baseline, candidate, metric or default_metric(predictions),
            kind=kind or "non-inferior", margin=margin or 0.0,
            label=predictions.class_named(label), alpha=alpha, **options,
        )  # fmt: skip
        found = GateResult((one,))
    _print(found, format, several=bool(rule))
    if not found.passed:
        raise typer.Exit(1 if found.answer == "shown otherwise" else inconclusive_exit)


def _kind(asked: Mapping[Decision, bool]) -> Decision | None:
    """Which of the three flags was given, if any."""
    chosen = [kind for kind, wanted in asked.items() if wanted]
    if len(chosen) > 1:
        raise ValueError(f"--{chosen[0]} and --{chosen[1]} exclude each other; ask for one.")
    return chosen[0] if chosen else None


def _print(found: GateResult, format: GateFormat, *, several: bool) -> None:
    if format == "json":
        documents = [_document(decision) for decision in found.decisions]
        document = {"answer": found.answer, "passed": found.passed, "decisions": documents}
        answer(json.dumps(document if several else documents[0], indent=2, default=str))
        return
    levels = {"shown": "notice", "shown otherwise": "error", "not enough data": "warning"}
    for decision in found.decisions:
        level = levels[decision.answer]
        if format == "github":
            answer(f"::{level} title=modelcompare gate::{escape.github(decision.sentence())}")
        else:
            answer(escape.terminal(decision.sentence()))


def _document(decision: DecisionResult) -> Mapping[str, Any]:
    """What JSON can hold of a decision: it has no NaN."""
    values = {"passed": decision.passed, **vars(decision)}
    finite = {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in values.items()
    }
    return {**finite, "sentence": decision.sentence()}
