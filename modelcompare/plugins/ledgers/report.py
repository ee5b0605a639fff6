"""The history of a ledger of candidates: gains that were kept, and how much of them was luck."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.escape import terminal
from modelcompare.options import check_positive
from modelcompare.plugins.ledgers.budget import Budget, budget, error_of, read_existing
from modelcompare.plugins.ledgers.chosen import of_chosen
from modelcompare.plugins.ledgers.history import n_of
from modelcompare.plugins.ledgers.keep import WORDS
from modelcompare.plugins.ledgers.ledger import Ledger, check_ledger
from modelcompare.questions.claims import claims_of
from modelcompare.report.document import Document
from modelcompare.report.fields import HIDDEN, Field, frame, member, value
from modelcompare.report.figures.layout import Caption, draw_panels
from modelcompare.report.figures.plots import Plots
from modelcompare.report.figures.style import LEADING, MUTED, OTHER, Look, plain_axes
from modelcompare.report.figures.types import Axes, Figure
from modelcompare.report.numbers import decimals_for, format_number
from modelcompare.report.result import Result
from modelcompare.report.tables import interval_column
from modelcompare.words import signature, value_name

_KEPT, _OTHERS, _CORRECTED = Look(LEADING, "o", ""), Look(MUTED, "o", ""), Look(OTHER, "D", "")


def plot_history(report: KeepReport, ax: Axes | None = None) -> Figure:
    """Draw the gain of every candidate, and the progress: as measured, and corrected."""
    frame, kept = report.history, report._kept
    others = frame.drop(kept.index)

    def candidates(axes: Axes) -> None:
        plain_axes(axes, "gain of each candidate")
        axes.axhline(0, color="black", linewidth=0.8)
        axes.plot(others["number"], others["gain"], **_OTHERS.options(markersize=2.5))
        axes.plot(kept["number"], kept["gain"], **_KEPT.options())
        axes.vlines(kept["number"], kept["ci_low"], kept["ci_high"], colors=OTHER, lw=1.2)
        axes.plot(kept["number"], kept["corrected"], **_CORRECTED.options())
        # An interval without an end would hide the others.
        low, high = frame["gain"].min(), frame[["gain", "ci_high"]].max(axis=None)
        room = 0.1 * (high - low) + 1e-9
        axes.set_ylim(low - room, high + room)
        axes.set_xlabel("candidate")

    def progress(axes: Axes) -> None:
        plain_axes(axes, "sum of the gains that were kept")
        for name, colour in (("gain", LEADING), ("corrected", OTHER)):
            sums = kept[name].reindex(frame.index, fill_value=0.0).cumsum()
            axes.step(frame["number"], sums, where="post", **Look(colour).options())
        axes.set_xlabel("candidate")

    title = f"{report.what}: {report.n_asked:,} candidates, {report.n_kept} kept"
    keys = [
        ("not kept", _OTHERS), ("kept, as measured", _KEPT),
        ("corrected, 95 % interval", _CORRECTED),
    ]  # fmt: skip
    caption = Caption(title, report.signature, keys=keys)
    return draw_panels(caption, [[candidates, progress]], (3.9, 3.0), ax=ax)


@dataclass(frozen=True, kw_only=True)
class KeepReport(Result, stem="keep_report", title="Candidates that were kept"):
    """History of a ledger of candidates.

    Attributes
    ----------
    history : DataFrame
        A row for each candidate: its number, names, level and word, its `gain` in the first rule,
        and of those kept the `corrected` gain with its interval of 95 %.
    what : str
        Metric of the gains.
    budget : Budget
        What may still be asked.
    plan : mapping
        Settings of the ledger, for the signature.
    head : str
        Head of the ledger.
    """

    history: pd.DataFrame = field(repr=False, metadata=frame(
        Field("number", json="count"), "when", "candidate", "baseline", "level", "word", "gain",
        Field("corrected", "difference"), "ci_low", "ci_high",
    ))  # fmt: skip
    what: str
    budget: Budget = field(repr=False, metadata=HIDDEN)
    plan: Mapping[str, object] = field(metadata=HIDDEN)
    head: str = field(metadata=value(after="luck"))

    plot = Plots(history=plot_history)

    @property
    @member()
    def n_asked(self) -> int:
        """Number of candidates."""
        return len(self.history)

    @property
    def _kept(self) -> pd.DataFrame:
        return self.history[self.history["word"] == "keep"]

    @property
    @member()
    def n_kept(self) -> int:
        """Number of candidates that were kept."""
        return len(self._kept)

    @property
    @member()
    def measured(self) -> float:
        """Sum of the gains that were kept, as measured when they were chosen."""
        return float(self._kept["gain"].sum())

    @property
    @member()
    def corrected(self) -> float:
        """Sum of the corrected gains."""
        return float(self._kept["corrected"].sum())

    @property
    @member()
    def luck(self) -> float:
        """Part of the measured progress that is due to the choice."""
        return self.measured - self.corrected

    @property
    def signature(self) -> str:
        return signature("keep_report", **self.plan)

    def document(self) -> Document:
        # Gains are rounded by the width of a typical interval.
        widths = (self.history["ci_high"] - self.history["ci_low"]).replace(np.inf, np.nan)
        table = self._table(
            f"Candidates in {self.what}", self.history, "number", "candidate", "word", "gain",
            "corrected", interval_column(0.95),
            decimals=decimals_for([widths.median() / 4]),
            notes=[f"Ledger head {self.head}.",
                   "Corrected: given that the gain was large enough to be kept."],
        )  # fmt: skip
        return self._document(
            {"history": table, **self.budget.tables}, findings=[self.sentence()],
        )  # fmt: skip

    def sentence(self) -> str:
        """Write how much progress there is, and how much of it is luck."""
        if not self.n_kept:
            return f"None of {self.n_asked:,} candidates was kept. {self.budget.sentence()}"
        measured, corrected, luck = (
            format_number(each, 4, signed=True)
            for each in (self.measured, self.corrected, self.luck)
        )
        return terminal(
            f"{self.n_kept} of {self.n_asked:,} candidates were kept. Their gains in {self.what} "
            f"sum to {measured} as measured, and to {corrected} corrected for having been chosen: "
            f"{luck} is luck. {self.budget.sentence()}"
        )


@checked(ledger=check_ledger, margin=check_positive)
def keep_report(
    ledger: Ledger | str | os.PathLike[str], *, margin: float | None = None, power: float = 0.8
) -> KeepReport:
    """Report what a search kept: gains as measured and corrected, and what may still be asked.

    Read it when the search is over: estimates that are read before void the level of `keep`.

    Parameters
    ----------
    ledger : Ledger or path
        That of `keep`.
    margin : float, optional
        Gain that further candidates should be able to show; by default the median of those kept.
    power : float
        Probability with which they should show it.

    Returns
    -------
    KeepReport

    Raises
    ------
    ValueError
        If the file was edited, or is a ledger of looks.

    Examples
    --------
    >>> import tempfile, modelcompare as mc
    >>> preds = mc.load_example("snli")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = f"{folder}/ledger.jsonl"
    ...     _ = mc.keep(preds, "naive_bayes", "bow_pair", "accuracy:+0", ledger=path)
    ...     report = mc.diagnostics.keep_report(path)
    >>> round(report.measured, 4), round(report.corrected, 4)
    (0.0182, 0.0182)
    """
    known = read_existing(ledger)
    if known.plan["kind"] != "candidates":
        raise ValueError(f"{known.path} is a ledger of looks; `keep_report` is of candidates.")
    rows = [_row(entry) for entry in known.entries]
    first = known.plan["rules"][0]
    return KeepReport(
        history=pd.DataFrame(rows), what=value_name(first["metric"], first["label"]),
        budget=budget(ledger, margin=margin, power=power),
        plan={"n": n_of(known.entries[0]), "alpha": known.plan["alpha"],
         "control": known.plan["control"], "candidates": known.plan["n_candidates"]},
        head=known.head,
    )  # fmt: skip


def _row(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return a candidate's row of the history; corrections are of those kept."""
    first, word = entry["found"][0], WORDS[entry["answer"]]
    corrected: Sequence[float] = (np.nan,) * 3
    if word == "keep" and first["kind"] != "equivalent":
        ((_, threshold),) = claims_of(first["kind"], first["margin"])
        least = threshold + first["gain"] - first["ci_low"]
        corrected = of_chosen(first["gain"], error_of(entry), least)
        # A candidate is kept if its gain is significantly above the threshold.
        corrected = (max(corrected[0], threshold), *corrected[1:])
    return {
        "number": entry["number"], "when": entry["when"], "candidate": entry["candidate"]["name"],
        "baseline": entry["baseline"]["name"], "level": entry["level"], "word": word,
        "gain": first["gain"],
        **dict(zip(("corrected", "ci_low", "ci_high"), corrected, strict=True)),
    }  # fmt: skip
