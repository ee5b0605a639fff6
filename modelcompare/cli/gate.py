"""``modelcompare gate``: an exit code that a release pipeline can act on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, get_args

import click

from modelcompare import plugs
from modelcompare.cli.output import document_of
from modelcompare.cli.reading import Reading
from modelcompare.cli.streams import answer, answer_document, say
from modelcompare.questions.gate import gate as ask_gate
from modelcompare.questions.gate_result import GateAnswer, GateResult
from modelcompare.questions.rules import read_asked, read_rules
from modelcompare.report.result import Result
from modelcompare.report.writers.formats import WRITERS
from modelcompare.words import Decision

Answer = TypeVar("Answer", bound=Result)


@dataclass(frozen=True, kw_only=True)
class Question:
    """Two models, and the rules about them: given as such, or the options of one."""

    baseline: str
    candidate: str
    metric: str | None
    margin: float | None
    label: str | None
    rule: Sequence[str] | None
    non_inferior: bool = False
    superior: bool = False
    equivalent: bool = False

    @property
    def kind(self) -> Decision | None:
        """The decision whose flag was given, or None."""
        kinds: tuple[Decision, ...] = get_args(Decision)
        chosen = [kind for kind in kinds if getattr(self, kind.replace("-", "_"))]
        if len(chosen) > 1:
            raise ValueError(f"--{chosen[0]} and --{chosen[1]} exclude each other; ask for one.")
        return chosen[0] if chosen else None

    def ask(
        self, ask: Callable[..., Answer], reading: Reading, *, by_blocks: bool,
        otherwise: Decision = "non-inferior", **options: Any,
    ) -> Answer:  # fmt: skip
        """Read a test set, or those of rules of several, and ask; a ledger needs all rows."""
        kind, rule = self.kind, self.rule or ()
        asked = [*map(read_asked, rule)]
        if rule and (kind, self.metric, self.margin, self.label) != (None,) * 4:
            example = self.metric or "f1_macro"
            over = asked[0].get("over")
            example = f"{over}({example})" if over else example
            raise ValueError(
                f"--rule gives metric, class, margin and type of decision, as in {example}:-0.01; "
                "leave their options out."
            )
        reading.compared = self.baseline, self.candidate
        if rule:
            reading.asked = [each["metric"] for each in asked]
        if any("over" in each for each in asked):
            predictions, more = plugs.several("files")(reading)
        else:
            predictions, more = reading.read(by_blocks=by_blocks), {}
        one = {
            "metric": self.metric, "label": self.label, "kind": kind or otherwise,
            "margin": self.margin or 0.0,
        }  # fmt: skip
        rules = read_rules(rule or one, predictions)
        return ask(predictions, self.baseline, self.candidate, rules, **options, **more)


def gate(
    reading: Reading, question: Question, *, inconclusive_exit: int, format: str,
    ask: Callable[..., GateAnswer] = ask_gate, by_blocks: bool = True, plan: bool = False,
    **options: Any,
) -> None:  # fmt: skip
    """Pass a candidate, or exit with a code that gives the reason."""
    kind, rule = question.kind, question.rule
    if question.baseline == question.candidate:
        raise ValueError(
            f"--baseline and --candidate are both {question.baseline!r}; name two models."
        )
    if not rule and question.margin is None and kind != "superior":
        raise ValueError(
            f"--margin is needed to ask for {kind or 'non-inferior'}: how much worse would matter?"
        )
    if plan:
        shown = question.ask(plugs.behind("plan"), reading, by_blocks=by_blocks, **options)
        answer_document(WRITERS["json" if format == "json" else "table"](document_of(shown)))
        return
    found = question.ask(ask, reading, by_blocks=by_blocks, **options)
    print_answers(found, format, several=bool(rule))
    stop_unless_passed(found, inconclusive_exit)


def stop_unless_passed(found: GateAnswer, inconclusive_exit: int) -> None:
    """End the program with the code of an answer that is not a pass."""
    if not found.passed:
        raise click.exceptions.Exit(1 if found.answer == "shown otherwise" else inconclusive_exit)


def print_answers(found: GateAnswer, format: str, *, several: bool) -> None:
    """Print answers, or their numbers; those of a single rule are not in a list."""
    result: Result = found
    if isinstance(found, GateResult) and not (several or found.ledger):
        result = found.decisions[0]
    numbers = WRITERS["json"](document_of(result))
    if format == "json":
        answer_document(numbers)
    elif format != "text":
        plugs.behind(f"format='{format}'")(found, numbers)
    for line in found.lines if format == "text" else ():
        answer(line)
    if found.ledger:
        say(f"modelcompare: {found.ledger}")
