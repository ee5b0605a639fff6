"""``modelcompare keep``: a word and an exit code for a loop that tries many candidates."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import modelcompare as mc
from modelcompare.cli.gate import print_answers, read_for, stop_unless_passed
from modelcompare.cli.output import Output
from modelcompare.cli.reading import Reading
from modelcompare.words import Control


def keep(
    reading: Reading, output: Output, *, ledger: Path, baseline: str | None = None,
    candidate: str | None = None, metric: str | None = None, margin: float | None = None,
    label: str | None = None, rule: Sequence[str] = (), report: bool, inconclusive_exit: int,
    candidates: int | None = None, control: Control | None = None, expect_head: str | None = None,
    **options: Any,
) -> None:  # fmt: skip
    """Keep a candidate or not, or report what was kept."""
    output.check([ledger, *reading.files])
    if report:
        output.emit(mc.diagnostics.keep_report(ledger, margin=margin), inputs=[ledger])
        return
    if output.plot is not None:
        raise ValueError("--plot draws the history; add --report.")
    if not (reading.files and baseline and candidate):
        raise ValueError(
            "keep needs files of predictions, --baseline MODEL and --candidate MODEL; or --report."
        )
    if rule and not (metric is None and margin is None and label is None):
        raise ValueError("--rule gives metric, class and margin; leave their options out.")
    given = {"metric": metric, "label": label, "kind": "superior", "margin": margin or 0.0}
    reading.compared = baseline, candidate
    predictions, rules, more = read_for(reading, rule, given, by_blocks=False)
    kept = mc.Ledger(ledger, candidates=candidates, control=control, expect_head=expect_head)
    found = mc.keep(predictions, baseline, candidate, rules, ledger=kept, **options, **more)
    if output.form == "table" and output.output is None:
        print_answers(found, "text", several=True)
    else:
        output.emit(found, inputs=[ledger])
    stop_unless_passed(found, inconclusive_exit)
