"""The command `gate` as a row."""

from __future__ import annotations

from dataclasses import replace

from modelcompare.cli.commands import Command
from modelcompare.cli.options import (
    GENERALIZE_TO,
    RESAMPLING,
    WHOLE,
    Group,
    Texts,
    flag,
    metric,
    named_option,
)
from modelcompare.options import OPTIONS, REQUIRED, Option
from modelcompare.words import GateFormat, listed

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


def question(*options: Option) -> Group:
    """Models and rules, as one argument of a command."""
    return Group("question", "gate:Question", options)


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
CANDIDATE = Option(
    name="candidate", metavar="MODEL", help="Model that would replace it.",
)  # fmt: skip
LABEL = named_option("label", panel=None)
GATES = (
    Command(
        "gate",
        "gate:gate",
        (
            WHOLE,
            question(
                named_option("baseline", "Model in use.", type=str, default=REQUIRED, panel=None),
                replace(CANDIDATE, type=str, default=REQUIRED), metric(panel=None),
                OPTIONS["margin"],
                flag(name="non_inferior", help="Pass if not worse (the default)."),
                flag(name="superior", help="Pass if better by the margin."),
                flag(name="equivalent", help="Pass if within the margins (TOST)."), LABEL, RULE,
            ),
            named_option("alpha", "One-sided level.", panel=None), GENERALIZE_TO, INCONCLUSIVE,
            Option(
                name="format", type=GateFormat, default="text", metavar="FORM",
                help=listed(GateFormat),
            ),
            OPTIONS["zero_division"], *RESAMPLING,
        ),
        """Pass or refuse a candidate model by the exit code.

        The code is 0 if the candidate passes, 1 if it does not, 2 if the input is bad, 74 if the
        answer cannot be written (the pipe is closed or the disk full). The answer is shown, shown
        otherwise, or not enough data (with the number needed).
        """,
        (
            "preds.npz --baseline v1 --candidate v2 --margin 0.005",
            "preds.npz --baseline v1 --candidate v2 --superior",
        ),
    ),
)  # fmt: skip
