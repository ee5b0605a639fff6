"""Options of the command line: labels to buy beside a judge."""

from __future__ import annotations

from pathlib import Path

from modelcompare.cli.commands import Addition
from modelcompare.options import Option

# Each of them asks for a queue; one without the other is refused.
_QUEUE = (
    Option(
        name="n_labels", flags="--labels", type=int | None, default=None, metavar="N",
        at_least=1, help="Beside a judge: number of samples to label next; see --queue.",
    ),
    Option(
        name="queue", flags="--queue", type=Path | None, default=None, metavar="FILE.csv",
        help="File of the samples to label next, and the stratum of each.",
    ),
)  # fmt: skip
ADDITIONS = (*(Addition("sample-size", (each,), "run:queue", __package__) for each in _QUEUE),)
