"""Verdicts of the studies: what came out, one sentence for each pair of metrics or each metric."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from modelcompare.plugins.paper.pairs import Pair
from modelcompare.report.numbers import format_digits, interval_title, joined
from modelcompare.report.tables import rows_at
from modelcompare.words import label_name


def of_variances(
    pairs: Sequence[Pair], ratios: pd.DataFrame, separated: pd.DataFrame | None
) -> Iterator[str]:
    """Yield which metric of each pair varies less, and which separates more pairs of models.

    Parameters
    ----------
    pairs : sequence of (str, str)
        Pairs of metrics.
    ratios : DataFrame
        Ratios of variances with intervals, as `VarianceStudy.variance_ratios`.
    separated : DataFrame or None
        Pairs of models that are separated, as `VarianceStudy.separated`; None for one model.
    """
    for a, b in pairs:
        rows = rows_at(ratios, metric_a=a, metric_b=b)
        known = rows.dropna(subset=["ci_low", "ci_high"])
        yield _of_variance(a, b, known, len(rows)) + _of_separation(a, b, separated)


def _of_variance(a: str, b: str, known: pd.DataFrame, n_rows: int) -> str:
    lower, higher = int((known["ci_low"] > 1).sum()), int((known["ci_high"] < 1).sum())
    if known.empty:
        return f"The variances of {a} and {b} have no ratio in any of {n_rows:,} cases."
    of = f"of {n_rows:,} cases (models, classes and sizes)"
    times = known["variance_ratio"].median()
    if max(lower, higher) == 0:
        return f"{a} and {b} do not differ in variance in any {of}."
    which, most = ("lower", lower) if lower >= higher else ("higher", higher)
    factor = format_digits(times if which == "lower" else 1 / times)
    text = f"{b} has a {which} variance than {a} in {_share(most, n_rows)} {of}, {factor} times "
    text += f"{which} in the median"
    against, other = min(lower, higher), "higher" if which == "lower" else "lower"
    left = {f"a {other} one in {against:,}": against,
            f"no ratio in {n_rows - len(known):,}": n_rows - len(known)}  # fmt: skip
    parts = [each for each, count in left.items() if count]
    return f"{text}; it has {joined(parts)}." if parts else f"{text}."


def _share(count: int, total: int) -> str:
    return "all" if count == total else f"{count:,}"


def _percent(share: float) -> str:
    return f"{share:.3g} %"


def _of_separation(a: str, b: str, separated: pd.DataFrame | None) -> str:
    """Return which share of the pairs of models each metric separates on the whole test set."""
    if separated is None:
        return ""
    whole = separated[separated["ratio"] == separated["ratio"].max()]
    sums = {name: rows_at(whole, metric=name)[["n_separated", "n_pairs"]].sum() for name in (a, b)}
    own, other = (f"{each['n_separated']:.0f} of {each['n_pairs']:.0f}" for each in sums.values())
    of = "pairs of models and classes" if whole["label"].nunique() > 1 else "pairs of models"
    if not sum(each["n_separated"] for each in sums.values()):
        return f" On the whole test set neither separates any of {sums[a]['n_pairs']:.0f} {of}."
    if own == other:
        return f" On the whole test set both separate {own} {of}."
    return f" On the whole test set {b} separates {other} {of}, {a} {own}."


def of_agreement(table: pd.DataFrame, test: str, alpha: float) -> Iterator[str]:
    """Yield in how many pairs of models both metrics of each pair prefer the same one."""
    for (a, b), rows in table.groupby(["metric_a", "metric_b"], sort=False):
        n_pairs, significant = int(rows["n_pairs"].sum()), int(rows["n_significant"].sum())
        of = f"of {n_pairs:,} pairs of models" + (" and classes" if len(rows) > 1 else "")
        found = f"{a} and {b} both find a difference ({test}, p < {alpha:g})"
        if not significant:
            yield f"{found} in none {of}, so there is nothing to agree about."
            continue
        agree = int(rows["n_agree"].sum())
        same = _share(agree, significant)
        same += "" if agree == significant else f" ({_percent(100 * agree / significant)})"
        yield (
            f"{found} in {_share(significant, n_pairs)} {of}, and prefer the same model in {same} "
            f"of these{_range_of_classes(rows)}."
        )


def of_rows(table: pd.DataFrame, confidence_level: float) -> str:
    """Return in how many rows of a table of agreement the majority of pairs of models agrees."""
    above, surely = (int((table[end] > 50).sum()) for end in ("pct_agree", "ci_low"))
    below = int((table["ci_high"] < 50).sum())
    text = f"% agree is above half in {above} of {len(table)} rows, significantly in {surely}"
    text += f", and significantly below half in {below}" if below else ""
    return f"{text} ({interval_title(confidence_level)}, models resampled)."


def _range_of_classes(rows: pd.DataFrame) -> str:
    shares = rows.dropna(subset=["pct_agree"]).sort_values("pct_agree", kind="stable")
    if len(shares) < 2 or shares["pct_agree"].iloc[0] == shares["pct_agree"].iloc[-1]:
        return ""
    low, high = (
        f"{_percent(row.pct_agree)} of {label_name(row.label)}"
        for row in (shares.iloc[0], shares.iloc[-1])
    )
    return f" (from {low} to {high})"


def of_undefined(table: pd.DataFrame, n_resamples: int) -> Iterator[str]:
    """Yield how often each metric has no value on the smallest test sets, and where most often."""
    ratio, means = table["ratio"].min(), table.groupby("metric", sort=False)["n_undefined"].sum()
    if not means.any():
        yield f"All metrics have a value on each of {n_resamples:,} test sets of every size."
        return
    smallest = rows_at(table, ratio=ratio)
    shares = smallest.groupby("metric", sort=False)["pct_undefined"].mean()
    without = [name for name, count in means.items() if not count]
    n = int(smallest["n_samples"].iloc[0])
    where = f"on test sets of {n:,} samples ({_percent(100 * ratio)} of all)"
    each = [f"{name} in {_percent(share)}" for name, share in shares.items() if share]
    if each:
        worst = smallest.loc[smallest["pct_undefined"].idxmax()]
        label = label_name(worst["label"])
        most = f", most often {worst['metric']}" + (f" of {label}" if label else "")
        most += f" ({_percent(worst['pct_undefined'])})"
        yield f"Without a value {where}: {joined(each)}{most}."
    else:
        yield f"All metrics have a value {where}, and not on all larger ones."
    if without:
        yield f"{joined(without)} always {'has' if len(without) == 1 else 'have'} a value."


def of_sensitivity(table: pd.DataFrame) -> Iterator[str]:
    """Yield which metrics move when confidences change alone, and by how much at most."""
    values = table.drop_duplicates(["model", "metric", "label"])
    known = [*values.dropna(subset="original")["metric"].unique()]
    moves = table.groupby("metric", sort=False)["moves"].any()[known]
    still = [name for name, moved in moves.items() if not moved]
    if still:
        yield f"With the same decisions and other confidences, {joined(still)} did not move."
    each = []
    for name in (name for name, moved in moves.items() if moved):
        rows = rows_at(table, metric=name)
        most = rows.loc[rows["difference"].abs().idxmax()]
        each.append(
            f"{name} by up to {format_digits(abs(most['difference']))} ({most['model']}, "
            f"{most['change']} {most['level']:g})"
        )
    if each:
        yield f"Moved: {joined(each)}."
    lost = []
    for name, rows in values.groupby("metric", sort=False):
        n, what = int(rows["original"].isna().sum()), "values"
        if rows["label"].isna().all():
            what = "models"
        lost += [f"{name} ({n:,} of {len(rows):,} {what})"] if n else []
    if lost:
        yield f"Undefined, so that changes are not known: {joined(lost)}."
