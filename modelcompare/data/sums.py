"""Statistics of samples that were added up in buckets: what is left of a test set in a sketch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from modelcompare.arrays import FloatArray

# Name of the model in the place of all, whose statistics are one.
EVERY_MODEL = ""
# Headings of a sketch in a table.
COLUMNS = ("bucket", "statistic", "model", "label", "said", "place", "value")


@dataclass(frozen=True)
class Sums:
    """Sums of the statistics over the samples of each bucket; empty where none were added up.

    Parameters
    ----------
    numbers : mapping of (str, str) to ndarray of shape (n_buckets, n_columns)
        By the names of the statistic and of the model (`EVERY_MODEL` where all share one). There
        are "count", the samples' weight, and for labels "support", their weight by true class.
    metrics : tuple of str
        What they were made for.
    judged : frozenset of str
        Statistics of scores that are all 0 or 1.
    soft_truth : bool
        Whether the truth is a distribution over classes.
    several_runs : bool
        Whether samples are of several runs of the models.
    """

    numbers: Mapping[tuple[str, str], FloatArray] = field(default_factory=dict)
    metrics: tuple[str, ...] = ()
    judged: frozenset[str] = frozenset()
    soft_truth: bool = False
    several_runs: bool = False

    @property
    def support(self) -> FloatArray | None:
        """Weight of the samples by bucket and true class; None where the truth is no class."""
        return None if self.soft_truth else self.numbers.get(("support", EVERY_MODEL))

    def check_held(self, metric: str, statistics: Iterable[str]) -> None:
        """Refuse a metric whose statistics were not summed."""
        held = {name for name, _ in self.numbers}
        if not held >= {*statistics}:
            raise ValueError(
                f"the sketch holds no sums for metric {metric!r}, it was made for "
                f"{', '.join(self.metrics)}; sketch the predictions again and name it too."
            )


def is_sketch(columns: Iterable[object]) -> bool:
    """Return whether headings are those of a sketch; some databases give them in capitals."""
    return {*COLUMNS} <= {str(column).lower() for column in columns}
