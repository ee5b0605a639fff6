"""Every table and figure of the replication from the kept predictions, in under two minutes.

Usage: python -m experiments.snli_sepcnn.paper [-o results] [--exact RUNS]

``section61/`` has figures 1 to 6 and the variance tests of the three models, ``section61_apart/``
those of three architectures, ``ranking.md`` their order in every metric and class, ``section62/``
table 1 beside the published one, and ``extra/`` what the paper does not have: valid tests,
separation and relative efficiency, undefined values. ``claims.md`` lists for each claim how far it
holds. The same seed writes the same bytes. ``--exact`` takes the unrounded probabilities of the
runs and prints by how much the kept half precision changes any cell of table 1.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import pandas as pd

import modelcompare as mc
from experiments.snli_sepcnn import claims
from modelcompare.report.writers.files import write_all, write_text
from modelcompare.report.writers.formats import contents

HERE = Path(__file__).resolve().parent
PREDICTIONS = HERE / "predictions"
DEFAULT_TEST = "studentized-permutation"
TESTS = ("t", "paired-t", DEFAULT_TEST, "permutation", "sign-flip", "bootstrap", "wald")
# Table 1 of Yacouby & Axman (2020): metric, class, % significant, % agree.
PUBLISHED = (
    ("f1", "entailment", 93.29, 89.19), ("f1", "contradiction", 93.61, 93.75),
    ("f1", "neutral", 90.32, 84.94), ("precision", "entailment", 92.97, 94.52),
    ("precision", "contradiction", 94.20, 92.62), ("precision", "neutral", 89.78, 80.11),
    ("recall", "entailment", 95.84, 75.81), ("recall", "contradiction", 95.75, 84.99),
    ("recall", "neutral", 91.71, 81.13),
)  # fmt: skip


def load(*stems: str) -> mc.Predictions:
    """Models of several archives as one set of predictions, in the order of their names."""
    parts = [mc.read_predictions(PREDICTIONS / f"{stem}.npz", normalize=True) for stem in stems]
    outputs = {model: part.probabilities(model) for part in parts for model in part.models}
    return mc.Predictions(
        parts[0].y_true,
        {model: outputs[model] for model in sorted(outputs)},
        labels=parts[0].labels,
        name="Sep-CNN on SNLI",
    )


def exact(runs: Path, like: mc.Predictions) -> mc.Predictions:
    """The same models, unrounded, from the runs themselves."""
    outputs = {}
    for model in like.models:
        with np.load(runs / f"{model}.npz") as file:
            outputs[model] = file["probabilities"]
    return mc.Predictions(like.y_true, outputs, labels=like.labels, normalize=True)


def table_one(studies: dict[str, mc.studies.AgreementStudy]) -> pd.DataFrame:
    """Published and our percentages, a row for each metric and class, all tests side by side."""
    published = pd.DataFrame(PUBLISHED, columns=["metric", "class", "pub_sig", "pub_agree"])
    for test, study in studies.items():
        table = study.table.rename(columns={"metric_a": "metric", "label": "class"})
        columns = {
            "pct_significant": f"{test}_sig", "pct_agree": f"{test}_agree",
            "ci_low": f"{test}_low", "ci_high": f"{test}_high",
        }  # fmt: skip
        ours = table[["metric", "class", *columns]].rename(columns=columns)
        published = published.merge(ours, on=["metric", "class"])
    return published


def table_markdown(table: pd.DataFrame, notes: list[str]) -> str:
    """Lay table 1 out for a README."""
    header = [
        "Metric", "Class", "% Sig. published", "ours, t", "ours, default test",
        "% Agree published", "ours, t (99 % CI)", "ours, default test (99 % CI)",
    ]  # fmt: skip
    lines = [header, ["---", "---", *["---:"] * 6]]
    for row in table.to_dict("records"):
        by_t, by_default = (
            f"{row[f'{test}_agree']:.2f} ({row[f'{test}_low']:.1f} to {row[f'{test}_high']:.1f})"
            for test in ("t", DEFAULT_TEST)
        )
        lines.append([
            f"(c){row['metric']}", row["class"], f"{row['pub_sig']:.2f}", f"{row['t_sig']:.2f}",
            f"{row[f'{DEFAULT_TEST}_sig']:.2f}", f"{row['pub_agree']:.2f}", by_t, by_default,
        ])  # fmt: skip
    return "\n\n".join(["\n".join(f"| {' | '.join(line)} |" for line in lines), *notes]) + "\n"


def tests_note(table: pd.DataFrame) -> str:
    """What the t-test on replicates finds and the default test does not."""
    only = table["t_sig"] - table[f"{DEFAULT_TEST}_sig"]
    by_t, by_default = (
        100 - table.loc[table["metric"] == "f1", f"{test}_agree"] for test in ("t", DEFAULT_TEST)
    )
    return (
        f"Only the t-test calls {only.min():.0f} to {only.max():.0f} % of all pairs significant. "
        f"Among the significant ones F1 and cF1 disagree on {by_t.min():.0f} to {by_t.max():.0f} % "
        f"by the t-test, on {by_default.min():.0f} to {by_default.max():.0f} % by the default test."
    )


def count_note() -> str:
    """Which published shares are no whole number of pairs."""
    odd = [f"{p[2]:.2f}" for p in PUBLISHED if not is_share_of(p[2], 4950)]
    every = all(is_share_of(p[2], 9900) for p in PUBLISHED)
    return (
        f"Published % Sig. of {', '.join(odd)} are no whole number of 4,950 pairs, rounded to two "
        f"decimals; {'all' if every else 'not all'} nine are of 9,900, the pairs in both orders."
    )


def is_share_of(percentage: float, n: int) -> bool:
    """Whether some whole number of n makes this percentage, rounded to two decimals."""
    nearest = round(percentage * n / 100)
    return any(round(100 * k / n, 2) == percentage for k in (nearest - 1, nearest, nearest + 1))


def settings_note() -> str:
    """How the models were trained, from what was recorded with them."""
    lines = (PREDICTIONS / "models.jsonl").read_text(encoding="utf-8").splitlines()
    models = [json.loads(line) for line in lines]
    hundred = [m for m in models if not m["name"].startswith("model")]
    accuracies = [m["test_accuracy"] for m in hundred]
    minutes = sum(m["seconds"] for m in models) / 60
    epochs = [len(m["curve"]) for m in models]
    return (
        f"Ours: {len(hundred)} models trained on {hundred[0]['n_training_pairs']:,} pairs (plus a "
        f"ninth as many for validation), {hundred[0]['device']}, one thread each, {minutes:.0f} "
        f"minutes together, {min(epochs)} to {max(epochs)} epochs; test accuracy "
        f"{min(accuracies):.3f} to {max(accuracies):.3f}."
    )


def write_section_61(
    preds: mc.Predictions, folder: Path
) -> tuple[mc.studies.VarianceStudy, pd.DataFrame]:
    """Figures 1 to 6, the variance tests, and how both metrics rank the three models."""
    study = mc.studies.variance_study(preds)
    write_all(folder, contents(study.document()))
    ranked = claims.ranking(preds)
    ranked.to_csv(folder / "ranking.csv", index=False)
    return study, ranked


def write_section_62(preds: mc.Predictions, folder: Path) -> dict[str, mc.studies.AgreementStudy]:
    """Table 1 under the paper's t-test and under the others, figures, the order by size."""
    studies = {test: mc.studies.agreement_study(preds, test=test) for test in TESTS}
    write_all(folder / "section62", contents(studies["t"].document()))
    table = table_one(studies)
    table.to_csv(folder / "table1.csv", index=False, float_format="%.6g")
    notes = [settings_note(), tests_note(table), count_note()]
    write_text(folder / "table1.md", table_markdown(table, notes))
    by_test = pd.concat({name: s.table for name, s in studies.items()}, names=["test"])
    extra = folder / "extra"
    extra.mkdir(exist_ok=True)
    by_test.reset_index(level="test").to_csv(
        extra / "agreement_by_test.csv", index=False, float_format="%.6g"
    )
    return studies


def write_extra(preds: mc.Predictions, folder: Path) -> mc.studies.VarianceStudy:
    """Separation, relative efficiency and undefined values of the hundred models."""
    extra = folder / "extra"
    variance = mc.studies.variance_study(preds, n_resamples=200)
    variance.separated().to_csv(extra / "separated.csv", index=False, float_format="%.6g")
    efficiency = variance.relative_efficiency
    rows = []
    for (a, b, label), part in efficiency.groupby(["metric_a", "metric_b", "label"], sort=False):
        clear = part[(part["separation_a"].abs() > 2) & (part["separation_b"].abs() > 2)]
        rows.append(
            {
                "metric_a": a, "metric_b": b, "label": label, "n_pairs": len(part),
                "median_samples_ratio": part["samples_ratio"].median(),
                "pct_fewer": 100 * (part["ci_high"] < 1).mean(),
                "pct_more": 100 * (part["ci_low"] > 1).mean(),
                "pct_disagree": 100 * (~part["agree"]).mean(),
                "n_clear": len(clear), "median_clear": clear["samples_ratio"].median(),
            }
        )  # fmt: skip
    pd.DataFrame(rows).to_csv(extra / "relative_efficiency.csv", index=False, float_format="%.6g")
    ratios = variance.variance_ratios.groupby(["ratio", "metric_a", "label"], sort=False)
    ratios["variance_ratio"].agg(["min", "median", "max"]).reset_index().to_csv(
        extra / "variance_ratios.csv", index=False, float_format="%.6g"
    )
    undefined = mc.studies.undefined_study(preds, n_resamples=100, ratios=(0.01, 0.002, 0.001))
    undefined.summary.to_csv(extra / "undefined.csv", index=False, float_format="%.6g")
    return variance


def write_claims(findings: list[claims.Finding], notes: list[str], folder: Path) -> None:
    """The claims of the paper, and how far each holds."""
    table = claims.table_of(findings)
    table.to_csv(folder / "claims.csv", index=False, float_format="%.6g")
    write_text(folder / "claims.md", claims.markdown(findings, notes))


def main() -> None:
    """Parse options; make everything."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("-o", "--output", type=Path, default=HERE / "results")
    parser.add_argument("--exact", type=Path, metavar="RUNS")
    options = parser.parse_args()
    three = load("section61")
    hundred = load(*(f"section62_{part}" for part in (1, 2, 3, 4)))
    if options.exact is not None:
        kept, unrounded = (
            mc.studies.agreement_study(p).table for p in (hundred, exact(options.exact, hundred))
        )
        for column in ("pct_significant", "pct_agree"):
            change = (kept[column] - unrounded[column]).abs().max()
            print(f"{column}: half precision changes a cell by at most {change:.3f}")
        return
    options.output.mkdir(parents=True, exist_ok=True)
    of_three, ranked = write_section_61(three, options.output / "section61")
    apart = load("section61_apart")
    _, ranked_apart = write_section_61(apart, options.output / "section61_apart")
    rankings = {"one architecture": (three, ranked), "three": (apart, ranked_apart)}
    write_text(options.output / "ranking.md", claims.ranking_markdown(rankings))
    studies = write_section_62(hundred, options.output)
    of_hundred = write_extra(hundred, options.output)
    orders = pd.concat([claims.population(hundred), claims.confidence(hundred)], ignore_index=True)
    orders.to_csv(options.output / "extra/population.csv", index=False, float_format="%.6g")
    write_text(options.output / "population.md", "\n".join([
        claims.orders_markdown(orders), claims.confidence_note(hundred), "",
    ]))  # fmt: skip
    findings = [
        *claims.fewer_undefined(hundred),
        *claims.sensitivity(three),
        *claims.lower_variance(of_hundred, "100 models"),
        *claims.rejected(of_three, "3 models"),
        *claims.fewer_samples(of_hundred, "100 models"),
        *claims.separated(three, "3 models"),
        *claims.same_ranking(ranked, "3 models"),
        *claims.same_ranking(ranked_apart, "3 models of 3 architectures"),
        *claims.agreement(studies["t"], "100 models", "t-test, 1 %"),
        *claims.agreement(studies[DEFAULT_TEST], "100 models", "default test, 1 %"),
        *claims.predicted(orders),
    ]
    write_claims(findings, [claims.overtaken(orders)], options.output)
    print(f"{options.output}: section 6.1 with 3 models, section 6.2 with {len(hundred.models)}")


if __name__ == "__main__":
    main()
