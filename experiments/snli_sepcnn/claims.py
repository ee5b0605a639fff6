"""What the paper claims and what the kept predictions say of it, with a number and its interval.

``paper.py`` calls it and writes ``results/claims.md`` and ``results/claims.csv``. Intervals are
drawn over models, because pairs share them, or, of three models, come from the test set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise

import numpy as np
import pandas as pd

import modelcompare as mc

# Of the paper's ratios: 98, 491, 982, 1,965 and 9,824 pairs.
RATIOS = (1.0, 0.2, 0.1, 0.05, 0.01)
MACRO = (("f1_macro", "cf1_macro"), ("precision_macro", "cprecision_macro"),
         ("recall_macro", "crecall_macro"))  # fmt: skip
N_RESAMPLES, LEVEL = 500, 0.99
# Goes with the macro averages, and is no metric: it knows no truth.
CONFIDENCE = "mean confidence"
NAMES = {"f1": "F1", "precision": "precision", "recall": "recall"}


@dataclass(frozen=True)
class Finding:
    """A claim, how many of its cases hold, and the number that measures it.

    Attributes
    ----------
    claim, what, unit : str
        Claim of the paper, what was counted or measured, and its unit.
    share : float
        Share of the cases in which the claim holds.
    value, low, high : float
        The number and its interval; NaN where every case was counted.
    most : float, optional
        What a claim about the majority needs the number to be above.
    """

    claim: str
    what: str
    share: float
    value: float
    low: float = np.nan
    high: float = np.nan
    unit: str = "%"
    most: float = np.nan

    @property
    def verdict(self) -> str:
        """Whether all cases hold, most, or fewer; or that the interval leaves the majority open."""
        if self.low <= self.most <= self.high:
            return "too few models to say"
        if self.share == 1:
            return "confirmed"
        return "confirmed with a limit" if self.share > 0.5 else "refuted"


def over_models(
    frame: pd.DataFrame, column: str, statistic: Callable[[np.ndarray], float] = np.median
) -> tuple[float, float, float]:
    """A statistic of a column, and its percentile interval, models drawn with replacement.

    A row of a pair of models counts as often as its two models were drawn together.
    """
    frame = frame.dropna(subset=[column])
    of_models = [name for name in ("model", "model_a", "model_b") if name in frame]
    names = sorted({*frame[of_models].to_numpy().ravel()})
    codes = [pd.Categorical(frame[name], names).codes for name in of_models]
    values = frame[column].to_numpy(float)
    drawn = []
    for rng in map(np.random.default_rng, np.random.SeedSequence(0).spawn(N_RESAMPLES)):
        times = rng.multinomial(len(names), np.full(len(names), 1 / len(names)))
        rows = np.prod([times[code] for code in codes], axis=0)
        # Copies of one model make no pair.
        if rows.any():
            drawn.append(statistic(np.repeat(values, rows)))
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return float(statistic(values)), float(low), float(high)


def lower_variance(study: mc.studies.VarianceStudy, who: str) -> Iterator[Finding]:
    """Hypothesis C: the probabilistic metric varies less, by its variance ratio."""
    for metric, part in study.variance_ratios.groupby("metric_a", sort=False):
        part = part.assign(above=part["variance_ratio"] > 1)
        yield Finding(
            "C. lower variance",
            f"{who}: variance of {NAMES[metric]} over its counterpart's, median of "
            f"{len(part):,} (models x classes x sizes)",
            float(part["above"].mean()), *over_models(part, "variance_ratio"), unit="",
        )  # fmt: skip


def rejected(study: mc.studies.VarianceStudy, who: str) -> Iterator[Finding]:
    """Hypothesis C: F, Bartlett and Levene reject equal variances, as published, on replicates."""
    below = study.tests["p_value"] < 0.05
    yield Finding(
        "C. significant in all cases",
        f"{who}: F, Bartlett and Levene on replicates below 0.05, of {len(below):,}",
        float(below.mean()), 100 * float(below.mean()),
    )  # fmt: skip
    frame = study.variance_ratios
    above = frame["ci_low"] > 1
    yield Finding(
        "C. significant in all cases",
        f"{who}: interval of the variance ratio above 1, of {len(above):,}",
        float(above.mean()), 100 * float(above.mean()),
    )  # fmt: skip


def fewer_samples(study: mc.studies.VarianceStudy, who: str) -> Iterator[Finding]:
    """Hypothesis C: how many samples the counterpart needs to distinguish two models."""
    for metric, part in study.relative_efficiency.groupby("metric_a", sort=False):
        part = part.assign(pct=100 * part["samples_ratio"])
        yield Finding(
            "C. better discrimination",
            f"{who}: samples that the counterpart of {NAMES[metric]} needs for the same "
            f"separation, median of {len(part):,}",
            float((part["pct"] < 100).mean()), *over_models(part, "pct"),
        )  # fmt: skip


def separated(preds: mc.Predictions, who: str, n_subsamples: int = 200) -> Iterator[Finding]:
    """Hypothesis C: pairs distinguished on a hundredth of the test set, by the default test.

    It holds where cF1 distinguishes more of them than F1. The interval is that of the mean over
    sub-samples of the test set.
    """
    n = round(0.01 * len(preds))
    shares = []
    for rng in map(np.random.default_rng, np.random.SeedSequence(1).spawn(n_subsamples)):
        part = preds.subset(np.sort(rng.choice(len(preds), n, replace=False)))
        pairs = mc.studies.agreement_study(
            part, ["f1"], alpha=0.05, test="studentized-permutation", n_resamples=499, rng=rng
        ).pairs
        shares.append(100 * (pairs[["p_value_a", "p_value_b"]] < 0.05).mean().to_numpy())
    share = np.array(shares)
    error = share.std(axis=0, ddof=1) / np.sqrt(n_subsamples)
    mean = share.mean(axis=0)
    low, high = mean - 1.96 * error, mean + 1.96 * error
    yield Finding(
        "C. better discrimination",
        f"{who}: pairs x classes that cF1 distinguishes on {n} pairs of sentences (default test, "
        f"5 %), mean of {n_subsamples} sub-samples; F1 {written(mean[0], low[0], high[0])}",
        float((share[:, 1] > share[:, 0]).mean()), float(mean[1]), float(low[1]), float(high[1]),
    )  # fmt: skip


def same_ranking(ranked: pd.DataFrame, who: str) -> Iterator[Finding]:
    """Hypothesis D, figure 2: identical rankings on the whole test set (`ranking`)."""
    alike = ranked["alike"]
    yield Finding(
        "D. the same ranking on the whole test set",
        f"{who}: metrics x classes with the same ranking, of {len(alike)}",
        float(alike.mean()), 100 * float(alike.mean()),
    )  # fmt: skip


def ranking(preds: mc.Predictions) -> pd.DataFrame:
    """Models from the best down under each metric, class and counterpart, on the whole test set.

    Models that the default test does not distinguish (Holm, 5 %) stand with ``=`` between them.
    """
    names = [name for pair in mc.studies.PAPER_PAIRS for name in pair]
    result = mc.compare(preds, names)
    apart = {
        (row.metric, row.label, frozenset((row.model_a, row.model_b))): row.p_adjusted < 0.05
        for row in result.differences.itertuples()
    }
    orders: dict[tuple[str, str], tuple[list[str], str]] = {}
    for (metric, label), part in result.scores.groupby(["metric", "label"], sort=False):
        models = part.sort_values("estimate", ascending=False)["model"].tolist()
        shown = models[0]
        for one, other in pairwise(models):
            shown += " > " if apart[metric, label, frozenset((one, other))] else " = "
            shown += other
        orders[metric, label] = models, shown
    rows = []
    for a, b in mc.studies.PAPER_PAIRS:
        for label in preds.labels:
            (first, shown_a), (second, shown_b) = orders[a, label], orders[b, label]
            rows.append({
                "metric": a, "class": label, "by_metric": shown_a, "by_counterpart": shown_b,
                "alike": first == second,
            })  # fmt: skip
    return pd.DataFrame(rows)


def ranking_markdown(rankings: dict[str, tuple[mc.Predictions, pd.DataFrame]]) -> str:
    """Rankings of several sets of models side by side, models numbered as in section 6.1.

    Under each set its accuracies; where metric and counterpart differ, both rankings.
    """
    frames, headers = [], []
    for name, (preds, frame) in rankings.items():
        accuracy = [np.mean(preds.predicted(m) == preds.access.codes) for m in preds.models]
        headers.append(f"{name} (accuracy {', '.join(f'{a:.3f}' for a in accuracy)})")
        numbers = {model: str(place) for place, model in enumerate(preds.models, start=1)}
        frames.append(frame.replace(numbers, regex=True))
    lines = [["metric", "class", *headers], ["---", "---", *["---"] * len(headers)]]
    for rows in zip(*(frame.to_dict("records") for frame in frames), strict=True):
        cells = [
            row["by_metric"] if row["alike"] and row["by_metric"] == row["by_counterpart"]
            else f"{row['by_metric']}; c{row['metric']}: {row['by_counterpart']}"
            for row in rows
        ]  # fmt: skip
        lines.append([rows[0]["metric"], rows[0]["class"], *cells])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def agreement(study: mc.studies.AgreementStudy, who: str, test: str) -> Iterator[Finding]:
    """Hypothesis D, table 1: significant pairs on which both metrics agree, the least of nine."""
    table = study.table
    least = table.loc[table["pct_agree"].idxmin()]
    yield Finding(
        "D. agreement in the majority of cases",
        f"{who}: agree among significant pairs ({test}), the least of {len(table)}: "
        f"(c){least['metric_a']} of {least['label']}",
        float((table["pct_agree"] > 50).mean()), *least[["pct_agree", "ci_low", "ci_high"]],
        most=50,
    )  # fmt: skip


def population(preds: mc.Predictions, n_subsamples: int = 200) -> pd.DataFrame:
    """Hypothesis D as it is worded: order on a part against the counterpart's on the whole."""
    study = mc.studies.agreement_study(preds, [*mc.studies.PAPER_PAIRS, *MACRO], test="wald")
    return study.population(RATIOS, n_subsamples=n_subsamples)


def confidence(preds: mc.Predictions, n_subsamples: int = 200) -> pd.DataFrame:
    """Order models by mean confidence on a part, without a label, and by macro metrics on all.

    Columns as those of `population`; parts are drawn again, and intervals are over models.
    """
    names = [a for a, _ in MACRO]
    values = mc.bootstrap(preds, names, n_resamples=2).point
    certain = np.array([preds.probabilities(model).max(axis=1) for model in preds.models])
    a, b = np.triu_indices(len(preds.models), 1)
    pairs = pd.DataFrame({"model_a": a, "model_b": b})
    rows = []
    for ratio in RATIOS:
        n = round(ratio * len(preds))
        drawn = np.zeros((n_subsamples if n < len(preds) else 1, len(preds)))
        for part, rng in zip(drawn, map(np.random.default_rng, range(len(drawn))), strict=True):
            part[rng.choice(len(preds), n, replace=False)] = 1
        means = drawn @ certain.T
        order = np.sign(means[:, a] - means[:, b])
        for place, name in enumerate(names):
            alike = order == np.sign(values[a, place] - values[b, place])
            cells = over_models(pairs.assign(alike=100 * alike.mean(axis=0)), "alike", np.mean)
            found = dict(zip(("pct_agree", "ci_low", "ci_high"), cells, strict=True))
            rows.append(
                {"metric_small": CONFIDENCE, "metric_whole": name, "ratio": ratio, "n_samples": n}
                | found
            )
    return pd.DataFrame(rows)


def confidence_note(preds: mc.Predictions) -> str:
    """How far the order by macro cF1 is that by mean confidence."""
    soft = pd.Series(mc.bootstrap(preds, "cf1_macro", n_resamples=2).point[:, 0])
    certain = pd.Series([preds.probabilities(m).max(axis=1).mean() for m in preds.models])
    rank, linear = (soft.corr(certain, method=how) for how in ("spearman", "pearson"))
    return (
        f"Mean confidence uses no label, and on these {len(preds.models)} models macro cF1 "
        f"goes with it: rank correlation {rank:.3f}, linear correlation {linear:.3f}."
    )


def predicted(frame: pd.DataFrame) -> Iterator[Finding]:
    """The order of the models on the smallest part, by macro averages."""
    smallest = frame[frame["n_samples"] == frame["n_samples"].min()]
    rows = {(row.metric_small, row.metric_whole): row for row in smallest.itertuples()}
    for a, b in MACRO:
        own, other, unlabelled = rows[a, a], rows[b, a], rows.get((CONFIDENCE, a))
        name = NAMES[a.removesuffix("_macro")]
        beside = "" if unlabelled is None else (
            ", mean confidence, which needs no label, "
            f"{written(unlabelled.pct_agree, unlabelled.ci_low, unlabelled.ci_high)}"
        )  # fmt: skip
        yield Finding(
            "D. the ranking of the counterpart's population value",
            f"pairs of models that the counterpart orders on {other.n_samples} pairs of sentences "
            f"as macro {name} does on all; macro {name} itself "
            f"{written(own.pct_agree, own.ci_low, own.ci_high)}{beside}",
            other.pct_agree / 100, other.pct_agree, other.ci_low, other.ci_high, most=50,
        )  # fmt: skip


def orders_markdown(frame: pd.DataFrame) -> str:
    """% of pairs in the same order by macro averages, with intervals, a column for each size."""
    macro = frame[frame["label"].isna()]
    sizes = sorted({*macro["n_samples"]})
    lines = [["on the part", "on all", *(f"{n:,}" for n in sizes)]]
    lines.append(["---", "---", *["---:"] * len(sizes)])
    for (small, whole), part in macro.groupby(["metric_small", "metric_whole"], sort=False):
        rows = part.set_index("n_samples")
        cells = [
            f"{rows.pct_agree[n]:.1f} ({rows.ci_low[n]:.1f} to {rows.ci_high[n]:.1f})"
            if rows.pct_agree[n] < 100 else "100"
            for n in sizes
        ]  # fmt: skip
        lines.append([small, whole, *cells])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def overtaken(frame: pd.DataFrame) -> str:
    """Between which sizes each metric begins to predict its own order better."""
    parts = []
    for kind, pairs in (("mean over classes", mc.studies.PAPER_PAIRS), ("macro averages", MACRO)):
        found = []
        for a, b in pairs:
            part = frame[frame["metric_whole"] == a]
            wide = part.pivot_table(index="n_samples", columns="metric_small", values="pct_agree")
            behind = wide.index[wide[b] <= wide[a]].min()
            ahead = wide.index[wide.index < behind].max()
            found.append(f"{NAMES[a.removesuffix('_macro')]} between {ahead:,} and {behind:,}")
        parts.append(f"{kind}: {', '.join(found)}")
    return (
        "A metric begins to predict its own order better than its counterpart does at so many "
        f"pairs of sentences ({'; '.join(parts)}). From there on the counterpart stalls."
    )


def fewer_undefined(preds: mc.Predictions) -> Iterator[Finding]:
    """Benefit A: how often the metric and its counterpart have no value on ten pairs."""
    study = mc.studies.undefined_study(preds, n_resamples=100, ratios=(0.001,))
    wide = study.table.groupby(["model", "metric"])["pct_undefined"].mean().unstack("metric")
    for a, b in mc.studies.PAPER_PAIRS:
        frame = pd.DataFrame({"less": wide[a] - wide[b]}).reset_index()
        yield Finding(
            "A. no more undefined values",
            f"percentage points by which {NAMES[a]} is undefined more often on "
            f"{round(0.001 * len(preds))} pairs of sentences, mean of {len(frame)} models",
            float((frame["less"] >= 0).mean()), *over_models(frame, "less", np.mean), unit="points",
        )  # fmt: skip


def sensitivity(preds: mc.Predictions) -> Iterator[Finding]:
    """Benefit B: other confidences at the same decisions move the counterpart alone."""
    study = mc.studies.sensitivity_study(
        preds, ("f1_macro", "cf1_macro"), temperatures=(0.5,), noises=()
    )
    moved = study.table.set_index(["metric", "model"])
    soft = moved.loc["cf1_macro"]
    still = bool((moved.loc["f1_macro", "difference"] == 0).all())
    least = soft.loc[soft["difference"].abs().idxmin()]
    yield Finding(
        "B. sensitive to confidences",
        "change of macro cF1 when temperature halves and no decision changes, the least of "
        f"{len(soft)} models; macro F1 does not move",
        float(soft["moves"].mean()) if still else 0.0,
        *(100 * least[["difference", "ci_low", "ci_high"]]), unit="points",
    )  # fmt: skip


def written(value: float, low: float, high: float, unit: str = "%") -> str:
    """A number with its unit and its interval, if it has one."""
    number = f"{value:.1f} {unit}".rstrip()
    return number if np.isnan(low) else f"{number} ({low:.1f} to {high:.1f})"


def table_of(findings: list[Finding]) -> pd.DataFrame:
    """A row for each finding."""
    return pd.DataFrame([{**asdict(one), "verdict": one.verdict} for one in findings])


def markdown(findings: list[Finding], notes: list[str]) -> str:
    """Lay the findings out for a README."""
    lines = [["claim", "what was measured", "result (99 % interval)", "holds in", "verdict"]]
    lines.append(["---", "---", "---:", "---:", "---"])
    last = ""
    for one in findings:
        claim = "" if one.claim == last else one.claim
        last = one.claim
        lines.append([
            claim, one.what, written(one.value, one.low, one.high, one.unit),
            f"{100 * one.share:.3g} %", one.verdict,
        ])  # fmt: skip
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return "\n\n".join([table, *notes]) + "\n"
