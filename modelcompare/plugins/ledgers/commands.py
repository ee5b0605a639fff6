"""The command `keep`, and options by which gates are asked again, as rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from modelcompare.cli.commands import Addition, Command
from modelcompare.cli.gates import CANDIDATE, INCONCLUSIVE, LABEL, RULE, question
from modelcompare.cli.options import (
    GENERALIZE_TO,
    RESAMPLING,
    WHOLE,
    change_option,
    flag,
    metric,
    named_option,
    output_with_figure,
)
from modelcompare.options import OPTIONS, REQUIRED, Option
from modelcompare.plugins.ledgers.words import Control, Spending


def _looks(text: str) -> int | str:
    """Read a number of looks, or any."""
    if text != "any" and not text.isdecimal():
        raise ValueError(f"--looks must be a whole number or any, got {text!r}.")
    return text if text == "any" else int(text)


LEDGER = Option(
    name="ledger", type=Path | None, metavar="FILE.jsonl",
    help="File that records all that was asked of these samples.",
)  # fmt: skip
EXPECT_HEAD = Option(
    name="expect_head", type=str | None, metavar="HASH", advanced=True,
    help="Head of the ledger after the answer before; another one is refused.",
)  # fmt: skip
LOOKS = (
    LEDGER,
    Option(
        name="looks", metavar="N|any", parse=_looks,
        help="Planned number of times to ask while samples are added, with --ledger; any: bounds "
        "that hold however often they are asked for.",
    ),
    Option(
        name="spending", type=Spending | None, metavar="NAME", advanced=True,
        help="Spending of alpha over N looks, obrien-fleming by default: {choices}",
    ),
    EXPECT_HEAD,
)  # fmt: skip
CANDIDATES = (
    Option(
        name="control", type=Control | None, metavar="NAME", advanced=True,
        help="Alpha of keeping any wrongly (the default), or as the share of wrong ones among "
        "those kept: {choices}",
    ),
    Option(
        name="candidates", type=int | None, metavar="N", advanced=True,
        help="Planned number of candidates, at equal levels.",
    ),
    EXPECT_HEAD,
)  # fmt: skip
COMMANDS = (
    Command(
        "keep",
        "run:keep",
        (
            change_option(WHOLE, "files", default=()),
            question(
                Option(name="baseline", metavar="MODEL", help="Model kept last, or the first one."),
                CANDIDATE, metric(panel=None),
                replace(OPTIONS["margin"], help="Gain that must be exceeded; 0 by default."),
                LABEL, RULE,
            ),
            named_option("alpha", "One-sided level of all candidates together.", panel=None),
            GENERALIZE_TO, INCONCLUSIVE, replace(LEDGER, type=Path, default=REQUIRED), *CANDIDATES,
            flag(name="report", help="Report what was kept, and how much of it is luck."),
            OPTIONS["zero_division"], *RESAMPLING,
            output_with_figure("With --report, draw the history: .png, .pdf or .svg."),
        ),
        """Keep or discard one of many candidates, in a word.

        Candidates are asked about on the same samples, and a ledger counts them. The code is 0 to
        keep, 1 to discard, as --inconclusive-exit gives if it is undecided, and 2 if the input is
        bad. An answer contains no estimate: to read estimates before the next candidate is made
        voids the level.
        """,
        (
            "a.csv b.csv --baseline a --candidate b --ledger runs.jsonl",
            "--report --ledger runs.jsonl --plot history.png",
        ),
        alone={"report": ("ledger", "margin")}, package=__package__,
    ),
)  # fmt: skip
ADDITIONS = (
    *(Addition("gate", (option,), "run:gate", __package__) for option in LOOKS),
    Addition(
        "sample-size",
        (replace(LEDGER, help="Of keep or gate: how many candidates or looks are left."),),
        "run:left",
        __package__,
        used=("margin", "power"),
    ),
)  # fmt: skip
