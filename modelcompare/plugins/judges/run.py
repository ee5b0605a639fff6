"""The question of the command line about labels to buy beside a judge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from modelcompare.cli.ask import answer_of_two
from modelcompare.cli.output import Output, check_paths
from modelcompare.cli.reading import Reading
from modelcompare.cli.streams import say
from modelcompare.report.writers.files import write_text
from modelcompare.report.writers.formats import frame_csv


def queue(
    reading: Reading, output: Output, *, n_labels: int | None = None, queue: Path | None = None,
    **options: Any,
) -> None:  # fmt: skip
    """Compute the number of labels that a difference needs, and draw those to give next."""
    if n_labels is None or queue is None:
        raise ValueError("--labels and --queue go together: how many to label, and their file.")
    check_paths([each for each in (queue, output.output) if each is not None], reading.files)
    result = answer_of_two(reading, output, **options)
    drawn = result.queue(n_labels)
    output.emit(result, inputs=reading.files)
    say(f"wrote {write_text(queue, frame_csv(drawn))}")
