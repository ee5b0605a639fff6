"""A search of 200 changes of which 5 are real: what three ways to keep changes believe.

Usage: python -m experiments.keep_search

Of 8,000 samples with three classes a first model answers 0.72 correctly. Each change answers 4 % of
the samples otherwise. Five changes raise accuracy by 0.015, all others lower it by 0.0005. A change
is made of the model that was kept last, and kept by the sign of the difference in macro F1, by a
test at the level 0.05, or by `modelcompare.keep`. What is true is macro F1 on 400,000 more samples.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

import modelcompare as mc
from experiments.validity.results import markdown
from modelcompare.report.figures.layout import Caption, draw_panels
from modelcompare.report.figures.style import LEADING, MUTED, OTHER, Look, plain_axes
from modelcompare.report.figures.types import Axes, Figure

Array = np.ndarray
# Answers a question about a test set with a baseline and a candidate, by their names.
Ask = Callable[[mc.Predictions, str, str], bool]
N_CHANGES, N_SAMPLES, N_MORE = 200, 8_000, 400_000
SHARES, ACCURACY, CHANGED = (0.5, 0.3, 0.2), 0.72, 0.04
REAL, COST = 0.015, -0.0005
METRIC = "f1_macro"


def changed(rng: np.random.Generator, truth: Array, answers: Array, gain: float) -> Array:
    """Return answers of which a few are changed, so that accuracy grows by a gain."""
    right = answers == truth
    # Shares of all samples that become right or wrong, of the model as it is on many samples.
    wins, losses = (CHANGED + gain) / 2, (CHANGED - gain) / 2
    share = right[N_SAMPLES:].mean()
    moved = rng.random(len(truth)) < np.where(right, losses / share, wins / (1 - share))
    other = (truth + rng.integers(1, len(SHARES), len(truth))) % len(SHARES)
    return np.where(moved, np.where(right, other, truth), answers)


def f1_macro(truth: Array, answers: Array) -> float:
    """Return macro F1."""
    table = np.bincount(truth * len(SHARES) + answers, minlength=len(SHARES) ** 2)
    table = table.reshape(len(SHARES), -1)
    return float((2 * np.diag(table) / (table.sum(0) + table.sum(1))).mean())


def search(ask: Ask, seed: int = 0) -> pd.DataFrame:
    """Search by one way to keep changes.

    Returns
    -------
    DataFrame
        A row for each change: `number`, `real`, `kept`, and the progress until then, as measured on
        the samples of the search (`believed`) and on the others (`true`).
    """
    rng = np.random.default_rng(seed)
    truth = rng.choice(len(SHARES), N_SAMPLES + N_MORE, p=SHARES)
    wrong = (truth + rng.integers(1, len(SHARES), len(truth))) % len(SHARES)
    best = np.where(rng.random(len(truth)) < ACCURACY, truth, wrong)
    real = np.isin(np.arange(N_CHANGES), rng.permutation(N_CHANGES)[:5])
    name, believed, rows = "start", 0.0, []
    seen, more = slice(N_SAMPLES), slice(N_SAMPLES, None)
    start = now = f1_macro(truth[more], best[more])
    for k in range(N_CHANGES):
        # The same change in all searches, but for the model that it is a change of.
        tried = changed(np.random.default_rng([seed, k]), truth, best, REAL if real[k] else COST)
        candidate = f"change {k + 1}"
        preds = mc.Predictions(truth[seen], {name: best[seen], candidate: tried[seen]})
        kept = ask(preds, name, candidate)
        if kept:
            believed += f1_macro(truth[seen], tried[seen]) - f1_macro(truth[seen], best[seen])
            best, name, now = tried, candidate, f1_macro(truth[more], tried[more])
        rows.append({
            "number": k + 1, "real": real[k], "kept": kept, "believed": believed,
            "true": now - start,
        })  # fmt: skip
    return pd.DataFrame(rows)


def by_sign(preds: mc.Predictions, baseline: str, candidate: str) -> bool:
    """Keep what is better on the samples."""
    values = [f1_macro(preds.y_true, preds.predicted(m)) for m in (baseline, candidate)]
    return values[1] > values[0]


def by_test(preds: mc.Predictions, baseline: str, candidate: str) -> bool:
    """Keep what is significantly better, p < 0.05."""
    return mc.decide(preds, baseline, candidate, METRIC, kind="superior").passed


def by_keep(ledger: Path, **options: object) -> Ask:
    """Keep what `modelcompare.keep` keeps, with a ledger."""

    def ask(preds: mc.Predictions, baseline: str, candidate: str) -> bool:
        return mc.keep(preds, baseline, candidate, f"{METRIC}:+0", ledger=ledger, **options).passed

    return ask


def searches(ledger: Path, seed: int = 0) -> dict[str, pd.DataFrame]:
    """Search in three ways, the last of which writes a ledger."""
    ways: dict[str, Ask] = {
        "sign of the difference": by_sign, "p < 0.05": by_test, "keep": by_keep(ledger),
    }  # fmt: skip
    return {name: search(ask, seed) for name, ask in ways.items()}


def table(found: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return how many changes each way kept, and its progress: as believed, and true."""
    return pd.DataFrame({
        name: {
            "kept": int(each["kept"].sum()),
            "of these real": int((each["kept"] & each["real"]).sum()),
            "believed": each["believed"].iloc[-1], "true": each["true"].iloc[-1],
        }
        for name, each in found.items()
    }).T.astype({"kept": int, "of these real": int})  # fmt: skip


def draw(found: Mapping[str, pd.DataFrame]) -> Figure:
    """Draw believed and true progress of each way."""
    believed, true = Look(OTHER), Look(LEADING)
    reaches = max(each["believed"].max() for each in found.values())

    def panel(name: str, each: pd.DataFrame) -> Callable[[Axes], None]:
        def draw_into(axes: Axes) -> None:
            plain_axes(axes, f"{name}: {each['kept'].sum()} kept")
            for number in each.loc[each["real"], "number"]:
                axes.axvline(number, color=MUTED, linewidth=0.6, linestyle=":")
            for column, look in (("believed", believed), ("true", true)):
                axes.step(each["number"], each[column], where="post", **look.options())
                axes.annotate(
                    f"{each[column].iloc[-1]:+.3f}", (N_CHANGES, each[column].iloc[-1]),
                    (3, 5 if column == "believed" else -5), textcoords="offset points",
                    va="center", fontsize=8,
                    color=look.colour, annotation_clip=False,
                )  # fmt: skip
            axes.set_ylim(min(-0.005, min(e["true"].min() for e in found.values())), 1.08 * reaches)
            axes.set_xlabel("change")

        return draw_into

    caption = Caption(
        f"A search of {N_CHANGES} changes of which 5 are real",
        f"n={N_SAMPLES} metric={METRIC} changed={CHANGED}",
        keys=[("progress as believed", believed), ("true progress", true),
              ("a real change", Look(MUTED, line=":"))], y_label="macro F1 gained",
    )  # fmt: skip
    panels = [panel(*each) for each in found.items()]
    return draw_panels(caption, [panels], (2.9, 2.6))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        print(markdown(table(searches(Path(folder) / "ledger.jsonl")).reset_index()))
