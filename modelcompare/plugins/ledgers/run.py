"""Commands about ledgers: ``keep``, ``gate`` that is asked again, and what is left."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from modelcompare.cli import gate as gates
from modelcompare.cli.gate import Question, print_answers, stop_unless_passed
from modelcompare.cli.output import Output
from modelcompare.cli.reading import Reading
from modelcompare.plugins.ledgers.budget import budget
from modelcompare.plugins.ledgers.keep import keep as ask_keep
from modelcompare.plugins.ledgers.ledger import Ledger
from modelcompare.plugins.ledgers.report import keep_report
from modelcompare.plugins.ledgers.words import Spending
from modelcompare.questions.gate import gate as ask_gate
from modelcompare.questions.gate_result import GateAnswer


def keep(
    reading: Reading, output: Output, question: Question, *, ledger: Path, report: bool,
    inconclusive_exit: int, **options: Any,
) -> None:  # fmt: skip
    """Keep a candidate or not, or report what was kept."""
    output.check([ledger, *reading.files])
    if report:
        output.emit(keep_report(ledger, margin=question.margin), inputs=[ledger])
        return
    if output.plot is not None:
        raise ValueError("--plot draws the history; add --report.")
    if not (reading.files and question.baseline and question.candidate):
        raise ValueError(
            "keep needs files of predictions, --baseline MODEL and --candidate MODEL; or --report."
        )
    names = ("candidates", "control", "expect_head")
    settings = {name: options.pop(name) for name in names if name in options}
    options["ledger"] = Ledger(ledger, **settings)
    found = question.ask(ask_keep, reading, by_blocks=False, otherwise="superior", **options)
    if output.form == "table" and output.output is None:
        print_answers(found, "text", several=True)
    else:
        output.emit(found, inputs=[ledger])
    stop_unless_passed(found, inconclusive_exit)


def gate(
    reading: Reading, *, ledger: Path | None = None, looks: int | Literal["any"] | None = None,
    spending: Spending | None = None, expect_head: str | None = None, **options: Any,
) -> None:  # fmt: skip
    """Ask a gate again: at a look, at any time, or about one of many candidates."""
    ask, more = _asked(ledger, looks, spending=spending, expect_head=expect_head)
    gates.gate(reading, ask=ask, by_blocks=ledger is None, **options, **more)


def _asked(
    file: Path | None, looks: int | Literal["any"] | None, **settings: Any
) -> tuple[Callable[..., GateAnswer], dict[str, Any]]:
    """Return the function that asks, with arguments: `keep` with a ledger of candidates."""
    if file is None:
        if looks not in (None, "any") or any(value is not None for value in settings.values()):
            raise ValueError(
                "--looks N, --spending and --expect-head are of a ledger; name it (--ledger FILE)."
            )
        return ask_gate, {"method": "any-time"}
    ledger = Ledger(file, looks=looks, **settings)
    return (ask_gate if ledger.kind == "looks" else ask_keep), {"ledger": ledger}


def left(reading: Reading, output: Output, *, ledger: Path, **options: Any) -> None:
    """Compute how many candidates or looks a ledger can still bear."""
    output.check([ledger, *reading.files])
    used = {name: options[name] for name in ("margin", "power") if name in options}
    output.emit(budget(ledger, **used), inputs=[ledger])
