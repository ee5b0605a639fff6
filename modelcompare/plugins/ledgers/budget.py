"""Number of candidates or looks that a ledger can still bear, and of samples that renew it."""

from __future__ import annotations

import math
import os
from bisect import bisect_left
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from modelcompare.arguments import checked
from modelcompare.arrays import FloatArray
from modelcompare.options import check_positive
from modelcompare.plugins.ledgers.history import History, n_of
from modelcompare.plugins.ledgers.keep import next_level
from modelcompare.plugins.ledgers.ledger import Ledger, check_ledger
from modelcompare.plugins.ledgers.looks import levels_at
from modelcompare.questions.claims import claims_of
from modelcompare.report.document import Document
from modelcompare.report.fields import Field, frame
from modelcompare.report.result import Result
from modelcompare.report.tables import Table, column
from modelcompare.words import signature

_FURTHER = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000)
_MOST = 100_000


@dataclass(frozen=True, kw_only=True)
class Budget(Result, stem="budget"):
    """Questions that may still be asked of a test set.

    Attributes
    ----------
    kind : {"candidates", "looks"}
        What is asked.
    n_asked, left : int
        Number of questions until now, and of further ones that have the power for `margin`.
    margin, power : float
        Gain to show, beyond that of the rule, and the probability of showing it.
    n_samples, n_fresh : float
        Number of samples, and of a fresh test set on which as many candidates, or looks, again
        have that power.
    ahead : DataFrame
        Further questions: `level`, `detectable` gain at that power, and `power` for the gain.
    """

    kind: str
    n_asked: int
    left: int
    margin: float
    power: float
    n_samples: int
    n_fresh: float
    ahead: pd.DataFrame = field(repr=False, metadata=frame(
        Field("further", "count"), "level", "detectable", "power",
    ))  # fmt: skip

    @property
    def signature(self) -> str:
        return signature(
            "budget", kind=self.kind, n=self.n_samples, margin=self.margin, power=self.power
        )

    @property
    def tables(self) -> dict[str, Table]:
        """Further questions as a table; none if there are no further ones."""
        table = Table.of(
            f"Further {self.kind} on these samples", self.ahead,
            column(f"further {self.kind}", "further", kind="count"), column("level", "level"),
            "detectable", column(f"power for {self.margin:.3g}", "power"),
        )  # fmt: skip
        return {"ahead": table} if len(self.ahead) else {}

    def sentence(self) -> str:
        """Write how many questions are left, and what renews them."""
        left = f"{self.left:,}" if self.left else "no"
        if self.left >= _MOST:
            left = f"more than {left}"
        elif self.left and self.kind == "candidates":
            # Looks are planned, candidates predicted.
            left = f"about {format_size(self.left)}"
        one = self.kind[:-1] if self.left == 1 else self.kind
        return (
            f"These {self.n_samples:,} samples can bear {left} further {one} with a power of "
            f"{self.power:g} for a gain of {self.margin:.3g}; a fresh test set of about "
            f"{format_size(self.n_fresh)} samples can bear {max(self.n_asked, 1):,} again."
        )

    def document(self) -> Document:
        # A page needs a title where there is no table.
        heading = f"Further {self.kind} on these samples"
        return self._document(self.tables, findings=[self.sentence()], heading=heading)


def read_existing(ledger: Ledger | str | os.PathLike[str]) -> History:
    """Read a ledger with at least one question."""
    known = History.read(Ledger.of(ledger).path, full=True)
    if not known.entries:
        raise ValueError(
            f"nothing was asked yet in the `ledger` {known.path}, or it does not exist."
        )
    return known


@checked(ledger=check_ledger, margin=check_positive)
def budget(
    ledger: Ledger | str | os.PathLike[str], *, margin: float | None = None, power: float = 0.8
) -> Budget:
    """Compute how many candidates or looks a test set can still bear, and what renews it.

    Parameters
    ----------
    ledger : Ledger or path
        That of `keep`, or of looks of `gate`.
    margin : float, optional
        Gain to show, beyond that of the rule; by default the median of those kept, or what the next
        candidate can show.
    power : float
        Probability of showing it.

    Returns
    -------
    Budget

    Raises
    ------
    ValueError
        If nothing was asked yet, no question had an interval, or the file was edited.

    Notes
    -----
    Errors are those of the median candidate, or of the last look; further candidates are taken as
    discarded, which is when levels fall fastest.

    Examples
    --------
    >>> import tempfile, modelcompare as mc
    >>> preds = mc.load_example("snli")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = f"{folder}/ledger.jsonl"
    ...     _ = mc.keep(preds, "naive_bayes", "bow_pair", "accuracy:+0", ledger=path)
    ...     found = mc.diagnostics.budget(path, margin=0.02)
    >>> found.left
    12
    """
    known = read_existing(ledger)
    entries, of_looks = known.entries, known.plan["kind"] == "looks"
    errors = [each for each in map(error_of, entries) if 0 < each < math.inf]
    if not errors:
        raise ValueError(
            f"the metric has no interval in {known.path}, so what may still be asked is unknown; "
            "begin another ledger, with more samples or another metric."
        )
    error = errors[-1] if of_looks else float(np.median(errors))
    most = left = _MOST if known.planned is None else known.planned - len(entries)
    if of_looks and entries[-1]["answer"] != "not enough data":
        most = left = 0
    steps = [k for k in _FURTHER if k <= most]
    level_of: Callable[[int], float] = partial(next_level, known)
    if of_looks:
        level_of = _levels_ahead(known, max(steps, default=1))
    # On fresh samples: alpha for the same looks, or the level of the last candidate, none kept.
    begun = replace(known, lines=known.lines.first())
    fresh = known.plan["alpha"] if of_looks else next_level(begun, len(entries))

    def detectable(level: FloatArray | float) -> Any:
        return (ndtri(power) - ndtri(level)) * error

    def power_at(level: FloatArray | float) -> Any:
        return ndtr(wanted / error + ndtri(level))

    shown = [*map(_beyond, known.kept)]
    wanted = margin or float(np.median(shown) if shown else detectable(level_of(1)))
    if not of_looks:
        left = bisect_left(range(1, most + 1), True, key=lambda k: power_at(level_of(k)) < power)
    levels, n = np.array([*map(level_of, steps)]), n_of(entries[-1])
    return Budget(
        kind=known.plan["kind"], n_asked=len(entries), left=left, margin=wanted, power=power,
        n_samples=n, n_fresh=math.ceil(n * (detectable(fresh) / wanted) ** 2),
        ahead=pd.DataFrame({
            "further": steps, "level": levels, "detectable": detectable(levels),
            "power": power_at(levels),
        }),
    )  # fmt: skip


def error_of(entry: Mapping[str, Any]) -> float:
    """Return the standard error of the gain of the first rule."""
    first = entry["found"][0]
    return float((first["gain"] - first["ci_low"]) / -ndtri(first["alpha"]))


def _beyond(entry: Mapping[str, Any]) -> float:
    """Return the gain beyond what the first rule asks for."""
    first = entry["found"][0]
    return float(first["gain"] - claims_of(first["kind"], first["margin"])[0][1])


def _levels_ahead(known: History, most: int) -> Callable[[int], float]:
    """Return the level of a further look by its number, after equal numbers of samples."""
    sizes = [n_of(entry) for entry in known.entries]
    step = sizes[-1] / len(sizes)
    later = [sizes[-1] + step * k for k in range(1, most + 1)]
    # The levels of fewer looks are the first ones of many.
    levels = levels_at(known.plan, [*sizes, *later])[len(sizes) :]
    return lambda further: levels[further - 1]


def format_size(n_samples: float) -> str:
    """Write a number of samples that was estimated, with two digits.

    >>> format_size(46231.5)
    '46,000'
    """
    return f"{round(n_samples, 2 - math.ceil(math.log10(n_samples))):,.0f}"
