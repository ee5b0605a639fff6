"""Commands of gates as rows: `gate`, and `keep` for one candidate after another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from modelcompare.cli.commands import Command
from modelcompare.cli.options import (
    LEDGER,
    OF_SETS,
    RESAMPLING,
    WHOLE,
    Texts,
    changed,
    flag,
    metric,
    named,
    plotted,
)
from modelcompare.options import OPTIONS, REQUIRED, Option
from modelcompare.words import Control, GateFormat, Spending, listed

# Exit codes of bad input, errors of the program, an answer that cannot be written, and Ctrl-C.
_TAKEN = (2, 70, 74, 130)


def _exit_code(code: int) -> int:
    """Refuse an exit code that means something else."""
    if not 0 <= code <= 255 or code in _TAKEN:
        raise ValueError(
            f"--inconclusive-exit must be from 0 to 255 and none of {', '.join(map(str, _TAKEN))}, "
            f"which mean other things; got {code}."
        )
    return code


def _looks(text: str) -> int | str:
    """Read a number of looks, or any."""
    if text != "any" and not text.isdecimal():
        raise ValueError(f"--looks must be a whole number or any, got {text!r}.")
    return text if text == "any" else int(text)


RULE = Option(
    name="rule", type=Texts, metavar="RULE",
    help="METRIC:-MARGIN, METRIC:+MARGIN or METRIC:+-MARGIN (repeatable), with a class as in "
    "recall[toxic]:-0.01; all must hold. Of several test sets mean:-MARGIN, each:-MARGIN or "
    "any:+MARGIN, with a metric as in each(f1_macro):-0.02. Replaces --metric and --margin.",
)  # fmt: skip
INCONCLUSIVE = Option(
    name="inconclusive_exit", type=int, default=1, metavar="CODE", parse=_exit_code,
    help="Exit code, 0 to 255, if there are not enough data.",
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
GATES = (
    Command(
        "gate",
        "gate:gate",
        (
            WHOLE,
            named("baseline", "Model in use.", type=str, default=REQUIRED, panel=None),
            Option(
                name="candidate", type=str, default=REQUIRED, metavar="MODEL",
                help="Model that would replace it.",
            ),
            metric(panel=None),
            OPTIONS["margin"],
            flag(name="non_inferior", help="Pass if not worse (the default)."),
            flag(name="superior", help="Pass if better by the margin."),
            flag(name="equivalent", help="Pass if within the margins (TOST)."),
            named("label", panel=None),
            named("alpha", "One-sided level.", panel=None), *OF_SETS, RULE, INCONCLUSIVE,
            Option(
                name="format", type=GateFormat, default="text", metavar="FORM",
                help=f"{listed(GateFormat)}; github annotates a workflow, and adds a table to its "
                "summary and the numbers to the step's outputs; pr-comment is Markdown for a pull "
                "request.",
            ),
            *LOOKS, OPTIONS["zero_division"], *RESAMPLING,
        ),
        """Pass or refuse a candidate model by the exit code.

        The code is 0 if the candidate passes, 1 if it does not, 2 if the input is bad, 74 if the
        answer cannot be written (the pipe is closed or the disk full). The answer is shown, shown
        otherwise, or not enough data (with the number needed).
        """,
        (
            "preds.npz --baseline v1 --candidate v2 --margin 0.005",
            "preds.npz --baseline v1 --candidate v2 --superior",
            "ab.csv --baseline a --candidate b --superior --looks any",
        ),
    ),
    Command(
        "keep",
        "keep:keep",
        (
            changed(WHOLE, "files", default=()),
            Option(name="baseline", metavar="MODEL", help="Model kept last, or the first one."),
            Option(name="candidate", metavar="MODEL", help="Model that would replace it."),
            metric(panel=None),
            replace(OPTIONS["margin"], help="Gain that must be exceeded; 0 by default."),
            named("label", panel=None),
            named("alpha", "One-sided level of all candidates together.", panel=None), *OF_SETS,
            RULE, INCONCLUSIVE, replace(LEDGER, type=Path, default=REQUIRED), *CANDIDATES,
            flag(name="report", help="Report what was kept, and how much of it is luck."),
            OPTIONS["zero_division"], *RESAMPLING,
            plotted("With --report, draw the history: .png, .pdf or .svg."),
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
        alone={"report": ("ledger", "margin")},
    ),
)  # fmt: skip
