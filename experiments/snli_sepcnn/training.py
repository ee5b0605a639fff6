"""Why the networks are weak, and what more pairs would change: a learning curve and variants.

Usage: python -m experiments.snli_sepcnn.training [-o results/training]

From the models of the plans "curve" and "variants" that ``pack.py`` has kept. ``curve.csv``,
``curve.md`` and ``curve.png`` follow ten architectures from 1,000 to 29,842 pairs: accuracy, what
of it is lost with the premises of other pairs, the percentages of table 1, confidence and
calibration, and what a power law predicts of SNLI's 549,367 pairs. ``variants.csv`` and
``variants.md`` have the middle model with one thing changed at a time.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.optimize import least_squares

import modelcompare as mc
from experiments.snli_sepcnn import paper, plans
from modelcompare.report.figures.style import COLOURS
from modelcompare.report.writers.files import write_figure, write_text

HERE = Path(__file__).resolve().parent
PREDICTIONS = HERE / "predictions"
PUBLISHED_PAIRS = 549_367
N_RESAMPLES = 500
RECORDED = ("test_accuracy", "accuracy_of_swapped_premises", "n_training_pairs", "seconds")
VARIANT_COLUMNS = ("test_accuracy", "accuracy_of_swapped_premises", "best_epoch", "epochs")
VARIANTS_SAID = {
    "as_trained": "as trained", "pool_tokens": "mean over tokens, not over padding",
    "pool_sentences": "mean of each sentence by itself",
    "pool_interaction": "... with their differences and products",
    "embedding_wide": "embedding starts in ±0.5", "embedding_narrow": "embedding starts in ±0.005",
    "rate_3e-4": "learning rate 3e-4", "rate_3e-3": "learning rate 3e-3",
    "stop_on_accuracy": "early stopping on accuracy", "wide_kernel": "kernel of 15",
    "small": "1 block, 32 filters, embedding of 64", "dropout_half": "dropout 0.5",
}  # fmt: skip
# Colour, marker, and the test's name in the legend.
LOOKS = {
    "t": (COLOURS[1], "s", "t"), "studentized-permutation": (COLOURS[2], "^", "default test"),
}  # fmt: skip


def kept(stem: str) -> pd.DataFrame:
    """What was recorded with the models of a plan, a row each."""
    lines = (PREDICTIONS / f"{stem}.jsonl").read_text(encoding="utf-8").splitlines()
    rows = []
    for model in map(json.loads, lines):
        costs = [
            epoch["validation_loss"] if model["settings"].get("stop_on", "loss") == "loss"
            else -epoch["validation_accuracy"]
            for epoch in model["curve"]
        ]  # fmt: skip
        rows.append({
            **model["settings"], **{name: model.get(name, np.nan) for name in RECORDED},
            "epochs": len(costs), "best_epoch": 1 + int(np.argmin(costs)),
        })  # fmt: skip
    return pd.DataFrame(rows)


def learning_curve() -> tuple[pd.DataFrame, dict[str, np.ndarray], mc.Predictions]:
    """Models of the curve, their probabilities, and a test set like theirs.

    At all pairs the first repetition is the hundred's own training: same seed and pairs, on another
    processor. The hundred were not asked about other premises.
    """
    models = kept("curve")
    curve = mc.read_predictions(PREDICTIONS / "curve.npz", normalize=True)
    outputs = {name: curve.probabilities(name) for name in curve.models}
    whole = max(plans.CURVE_PAIRS)
    planned = {settings.name for settings in plans.curve()}
    names = {s.name: f"curve_{whole:05d}_{s.name}_0" for s in plans.section_62()}
    twins = {own: name for own, name in names.items() if name in planned - set(outputs)}
    if not twins:
        return models, outputs, curve
    archives = paper.load(*(f"section62_{part}" for part in range(1, 5)))
    outputs |= {name: archives.probabilities(own) for own, name in twins.items()}
    hundred = kept("models").query("name in @twins")
    hundred = hundred.assign(name=hundred["name"].map(twins), n_pairs=whole)
    return pd.concat([models, hundred], ignore_index=True), outputs, curve


def by_architecture(models: pd.DataFrame) -> pd.Series[float]:
    """Mean accuracy of each architecture, which may have been trained more or less often."""
    return models.groupby(models["name"].str.split("_").str[2])["test_accuracy"].mean()


def by_size(
    models: pd.DataFrame, outputs: dict[str, np.ndarray], like: mc.Predictions
) -> pd.DataFrame:
    """Accuracy, confidence, calibration, and the percentages of table 1, for each size."""
    rows = []
    for n_pairs, part in models.groupby("n_pairs"):
        chosen = {name: outputs[name] for name in part["name"]}
        preds = mc.Predictions(like.y_true, chosen, labels=like.labels)
        found = {}
        for test in LOOKS:
            table = mc.studies.agreement_study(preds, ["f1"], test=test).table
            found[f"pct_significant_{test}"] = table["pct_significant"].mean()
            found[f"pct_agree_{test}"] = table["pct_agree"].mean()
        confident = [preds.probabilities(model).max(axis=1).mean() for model in preds.models]
        ece = [
            mc.metrics.debiased_ece(preds.y_true, preds.probabilities(model), labels=preds.labels)
            for model in preds.models
        ]
        rows.append({
            "n_pairs": int(n_pairs), "n_models": len(part),
            "accuracy": by_architecture(part).mean(), "lowest": part["test_accuracy"].min(),
            "highest": part["test_accuracy"].max(),
            "lost": (part["test_accuracy"] - part["accuracy_of_swapped_premises"]).mean(),
            **found,
            "confidence": np.mean(confident), "debiased_ece": np.mean(ece),
        })  # fmt: skip
    return pd.DataFrame(rows)


def power_law(n_pairs: np.ndarray, error: np.ndarray) -> np.ndarray:
    """Floor, scale and exponent of ``error = floor + scale (n / 1000) ** -exponent``."""
    x = n_pairs / 1000

    def residual(p: np.ndarray) -> np.ndarray:
        return p[0] + p[1] * x ** -p[2] - error

    return least_squares(residual, [0.2, 0.4, 0.3], bounds=([0, 0, 0.01], [0.6, 2, 2])).x


def predicted(models: pd.DataFrame, sizes: Sequence[int]) -> pd.DataFrame:
    """Accuracy that a power law predicts at sizes, architectures drawn with replacement."""
    models = models.assign(architecture=models["name"].str.split("_").str[2])
    wide = models.pivot_table(index="architecture", columns="n_pairs", values="test_accuracy")
    x, sizes = wide.columns.to_numpy(float), np.asarray(sizes, float)

    def at(rows: np.ndarray) -> np.ndarray:
        floor, scale, exponent = power_law(x, 1 - wide.to_numpy()[rows].mean(axis=0))
        return 1 - floor - scale * (sizes / 1000) ** -exponent

    rng, n = np.random.default_rng(0), len(wide)
    drawn = [at(rng.integers(0, n, n)) for _ in range(N_RESAMPLES)]
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    return pd.DataFrame({
        "n_pairs": sizes.astype(int), "accuracy": at(np.arange(n)), "low": low, "high": high,
    })  # fmt: skip


def by_start(models: pd.DataFrame, size: int) -> dict[int, float]:
    """Accuracy at a size by where the fit begins: lines in logarithms through three means or more.

    A floor is left out. Fits of four sizes and more put it at 0, and three sizes do not determine
    it.
    """
    models = models.assign(architecture=models["name"].str.split("_").str[2])
    wide = models.pivot_table(index="architecture", columns="n_pairs", values="test_accuracy")
    x, error = wide.columns.to_numpy(float), 1 - wide.to_numpy().mean(axis=0)
    logs = np.log(x), np.log(error)
    return {
        int(x[first]): float(1 - np.exp(np.polyval(
            np.polyfit(*(log[first:] for log in logs), 1), np.log(size)
        )))
        for first in range(len(x) - 2)
    }  # fmt: skip


def draw(table: pd.DataFrame, curve: pd.DataFrame, path: Path) -> None:
    """Draw all against the number of training pairs."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.6, 3.4), layout="constrained")
    panels = figure.subplots(1, 3)
    accuracy, percentages, confidence = panels
    blue, n, mean = COLOURS[0], table["n_pairs"], table["accuracy"]
    accuracy.fill_between(curve["n_pairs"], curve["low"], curve["high"], color=blue, alpha=0.2)
    accuracy.plot(curve["n_pairs"], curve["accuracy"], color=blue, linestyle="--")
    accuracy.errorbar(
        n, mean, [mean - table["lowest"], table["highest"] - mean], color=blue, fmt="o"
    )
    accuracy.plot(n, mean - table["lost"], "x", color=COLOURS[1], zorder=3, label="other premises")
    accuracy.axvline(PUBLISHED_PAIRS, color="grey", linestyle=":", label="SNLI, whole")
    accuracy.set_title("test accuracy", loc="left")
    for test, (colour, marker, name) in LOOKS.items():
        for what, line in (("significant", "-"), ("agree", "--")):
            percentages.plot(
                n, table[f"pct_{what}_{test}"], color=colour, marker=marker, linestyle=line,
                label=f"% {what}, {name}",
            )  # fmt: skip
    percentages.set_title("table 1 (F1 and cF1)", loc="left")
    for what, line, colour in zip(
        ("confidence", "accuracy", "debiased_ece"), ("o-", "s--", "^:"), COLOURS, strict=False
    ):
        confidence.plot(n, table[what], line, color=colour, label=what.replace("_ece", " ECE"))
    confidence.set_title("confidence and calibration", loc="left")
    for axes in panels:
        axes.set_xscale("log")
        axes.set_xlabel("training pairs")
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    for axes in panels:
        axes.legend(fontsize=8, frameon=False)
    write_figure(path, figure)


def by_variant(models: pd.DataFrame) -> pd.DataFrame:
    """Means over seeds of each variant, and the change from the model as it was trained."""
    names = models["name"].str.removeprefix("variant_").str.rsplit("_", n=1)
    models = models.assign(variant=names.str[0])
    means = models.groupby("variant", sort=False)[list(VARIANT_COLUMNS)].mean()
    of_seed = models.pivot_table(index="seed", columns="variant", values="test_accuracy")
    change = of_seed.sub(of_seed["as_trained"], axis=0)
    return means.assign(
        change=change.mean(), smallest_change=change.min(), largest_change=change.max(),
        n_seeds=change.notna().sum(),
    ).reset_index()  # fmt: skip


def curve_markdown(table: pd.DataFrame, curve: pd.DataFrame, starts: dict[int, float]) -> str:
    """Lay the learning curve out, with what it predicts, and how far that is the fit's choice."""
    lines = [
        ["training pairs", "models", "accuracy (lowest to highest)",
         "lost with other premises", "% Sig., t", "% Agree, t", "% Sig., default test",
         "% Agree, default test", "mean confidence", "debiased ECE"],
        ["---:"] * 10,
    ]  # fmt: skip
    for row in table.to_dict("records"):
        shares = [row[f"pct_{what}_{test}"] for test in LOOKS for what in ("significant", "agree")]
        lines.append([
            f"{row['n_pairs']:,}", str(row["n_models"]),
            f"{row['accuracy']:.3f} ({row['lowest']:.3f} to {row['highest']:.3f})",
            f"{row['lost']:.3f}", *(f"{share:.1f}" for share in shares),
            f"{row['confidence']:.3f}", f"{row['debiased_ece']:.3f}",
        ])  # fmt: skip
    last = curve.iloc[-1]
    text = (
        f"A power law fitted to these means predicts {last['accuracy']:.3f} "
        f"({last['low']:.3f} to {last['high']:.3f}, architectures drawn again) with "
        f"{int(last['n_pairs']):,} pairs: an extrapolation by a factor of "
        f"{last['n_pairs'] / table['n_pairs'].max():.0f}."
    )
    if starts:
        begun = ", ".join(f"{found:.3f} from {first:,} pairs on" for first, found in starts.items())
        text += f" It depends on where the fit begins: without a floor it is {begun}."
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + f"\n\n{text}\n"


def variants_markdown(table: pd.DataFrame) -> str:
    """Lay the variants out, the best first."""
    lines = [
        ["the middle model", "seeds", "accuracy", "change (lowest to highest)",
         "with other premises", "best epoch"],
        ["---", *["---:"] * 5],
    ]  # fmt: skip
    for row in table.sort_values("test_accuracy", ascending=False).to_dict("records"):
        lines.append([
            VARIANTS_SAID[row["variant"]], str(row["n_seeds"]), f"{row['test_accuracy']:.3f}",
            f"{row['change']:+.3f} ({row['smallest_change']:+.3f} to {row['largest_change']:+.3f})",
            f"{row['accuracy_of_swapped_premises']:.3f}", f"{row['best_epoch']:.1f}",
        ])  # fmt: skip
    lost = (table["test_accuracy"] - table["accuracy_of_swapped_premises"]).max()
    text = f"With other premises they lose at most {lost:.3f} of accuracy."
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + f"\n\n{text}\n"


def main() -> None:
    """Parse options; make the tables and the figure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results" / "training")
    folder = parser.parse_args().output
    folder.mkdir(parents=True, exist_ok=True)
    models, outputs, like = learning_curve()
    table = by_size(models, outputs, like)
    curve = predicted(models, [*np.geomspace(1000, PUBLISHED_PAIRS, 40).round()])
    starts = by_start(models, PUBLISHED_PAIRS)
    write_text(folder / "curve.csv", table.to_csv(index=False, float_format="%.5g"))
    write_text(folder / "predicted.csv", curve.to_csv(index=False, float_format="%.5g"))
    write_text(folder / "curve.md", curve_markdown(table, curve, starts))
    draw(table, curve, folder / "curve.png")
    variants = by_variant(kept("variants"))
    write_text(folder / "variants.md", variants_markdown(variants))
    write_text(folder / "variants.csv", variants.to_csv(index=False, float_format="%.5g"))


if __name__ == "__main__":
    main()
