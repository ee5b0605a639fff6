"""What each study shows: short tables to read, made from its long frames."""

from __future__ import annotations

import numpy as np
import pandas as pd

from modelcompare.report import shapes
from modelcompare.report.numbers import decimals_for, format_percent
from modelcompare.report.tables import ESTIMATE, VALUE, Column, Table, interval_column, rows_at
from modelcompare.words import value_name

_SHORT = {
    "f": "F", "bartlett": "Bartl.", "levene": "Lev.", "brown-forsythe": "Br.-F.",
    "fligner": "Fl.-K.", "pitman-morgan": "P.-M.",
}  # fmt: skip
_KEY = (
    "sd: standard deviation, var: ratio of variances a / b, medians over models and classes. CI>1: "
    "share whose interval of the variance ratio lies above 1. F, Bartlett and so on: share with "
    "p < 0.05. sep: share of model pairs separated (p < 0.05). Shares in %. "
)
_SUMMARY = {
    "ratio": Column("ratio", "setting"),
    "n": Column("n", "count"),
    "sd a": Column("sd a", "size"),
    "sd b": Column("sd b", "size"),
    "var": Column("var", "estimate", decimals=2),
}
_MOVED = Column("moved by", "difference", ["difference"])
_RAREST = 8


def variance_tables(study: shapes.VarianceShape) -> dict[str, Table]:
    """Summaries over models and classes, then the relative efficiencies."""
    tables = {}
    for a, b in study.pairs:
        frame = _variance_summary(study, (a, b))
        columns = [_SUMMARY.get(name, Column(name, "estimate", decimals=0)) for name in frame]
        notes = [_KEY + study.note] if (a, b) == study.pairs[-1] else []
        tables[f"{a}, {b}"] = Table(f"{a} (a) and {b} (b)", columns, frame, notes=notes)
    if len(study.models) > 1:
        tables["efficiency"] = _efficiency_table(study)
    return tables


def _variance_summary(study: shapes.VarianceShape, pair: tuple[str, str]) -> pd.DataFrame:
    """Make one row for each part of the test set; shares in percent."""
    sides = {"metric_a": pair[0], "metric_b": pair[1]}
    ratios = rows_at(study.variance_ratios, **sides)
    tests = rows_at(study.tests, **sides) if len(study.tests) else study.tests
    shown = study.separated() if len(study.models) > 1 else None
    rows = []
    for ratio in study.ratios:
        here = rows_at(study.distribution, ratio=ratio)
        of_ratio = rows_at(ratios, ratio=ratio)
        row = {"ratio": ratio, "n": here["n_samples"].iloc[0]}
        for side, name in zip("ab", pair, strict=True):
            row[f"sd {side}"] = np.sqrt(rows_at(here, metric=name)["variance"].median())
        row["var"] = of_ratio["variance_ratio"].median()
        row["CI>1"] = 100 * (of_ratio["ci_low"] > 1).mean()
        for test in dict.fromkeys(tests["test"]) if len(tests) else ():
            p = rows_at(tests, ratio=ratio, test=test)["p_value"]
            row[_SHORT[test]] = 100 * (p < 0.05).mean()
        for side, name in zip("ab", pair, strict=True):
            if shown is not None:
                part = rows_at(shown, ratio=ratio, metric=name)
                row[f"sep {side}"] = 100 * part["n_separated"].sum() / part["n_pairs"].sum()
        rows.append(row)
    return pd.DataFrame(rows)


def _efficiency_table(study: shapes.VarianceShape) -> Table:
    frame = study.relative_efficiency.dropna(subset=["samples_ratio"])
    frame = frame.assign(
        fewer=frame["ci_high"] < 1, more=frame["ci_low"] > 1, disagree=~frame["agree"]
    )
    names = {"a": "metric_a", "b": "metric_b", "class": "label"}
    shares = ["fewer", "more", "disagree"]
    columns = [
        *(Column(title, of=[name]) for title, name in names.items()),
        Column("pairs", "count"),
        Column("median", "estimate", decimals=2),
        *(Column(name, "share") for name in shares),
    ]
    grouped = frame.groupby(list(names.values()), sort=False, dropna=False)
    ratios = {"pairs": ("samples_ratio", "size"), "median": ("samples_ratio", "median")}
    level = format_percent(study.confidence_level)
    return Table(
        "Samples that b needs for each sample of a, for the same separation of two models",
        columns,
        grouped.agg(**ratios, **{name: (name, "mean") for name in shares}).reset_index(),
        notes=[
            f"fewer, more: share of model pairs whose {level} interval lies below 1, above 1. "
            "disagree: pairs that the two metrics order differently."
        ],
    )


def agreement_tables(study: shapes.AgreementShape) -> dict[str, Table]:
    """Table 1 of the paper."""
    pairs = zip(study.table["metric_a"], study.table["metric_b"], strict=True)
    names = [f"(c){a}" if b == f"c{a}" else f"{a}, {b}" for a, b in pairs]  # as the paper heads it
    n_pairs = study.table["n_pairs"].iloc[0]
    title = f"Agreement over {n_pairs:,} pairs of models, test {study.test}, alpha {study.alpha:g}"
    columns = [
        Column("Metric", of=["name"]),
        Column("Class", of=["label"]),
        Column("% Sig.", "estimate", ["pct_significant"], decimals=2),
        Column("% Agree", "estimate", ["pct_agree"], decimals=2),
        interval_column(study.confidence_level, decimals=1),
    ]
    notes = [study.note] if study.note else []
    return {"agreement": Table(title, columns, study.table.assign(name=names), notes=notes)}


def undefined_tables(study: shapes.UndefinedShape) -> dict[str, Table]:
    """Mean share of undefined values by metric and size; then the rarest classes."""
    summary = study.summary.pivot(index="metric", columns="ratio", values="pct_undefined")
    summary = summary[list(study.ratios)].reindex(dict.fromkeys(study.table["metric"]))
    summary.columns = [f"{ratio:g}" for ratio in study.ratios]
    tables = {
        "by size": Table(
            "% undefined, mean over models and classes, by part of the test set",
            [Column("metric"), *map(_percent, summary)],
            summary.reset_index(),
        )
    }
    rarest = _rarest_classes(study)
    if len(rarest):
        metrics = [name for name in rarest if name not in ("label", "support")]
        tables["by class"] = Table(
            f"% undefined at ratio {study.ratios[-1]:g}, rarest classes, mean over models",
            [Column("class", of=["label"]), Column("support", "count"), *map(_percent, metrics)],
            rarest,
        )
    return tables


def _percent(name: str) -> Column:
    return Column(name, "estimate", decimals=1)


def _rarest_classes(study: shapes.UndefinedShape) -> pd.DataFrame:
    """Make a row for each rare class at the smallest size, a column for each metric of a pair."""
    smallest = rows_at(study.table, ratio=study.ratios[-1]).dropna(subset=["label"])
    of_classes = set(smallest["metric"])
    pair = next((pair for pair in study.metric_pairs.pairs if pair[0] in of_classes), None)
    if pair is None:
        return pd.DataFrame()
    means = {
        name: rows_at(smallest, metric=name).groupby("label", sort=False)["pct_undefined"].mean()
        for name in pair
    }
    support = smallest.groupby("label", sort=False)["support"].first()
    frame = pd.DataFrame({"support": support, **means}).sort_values("support", kind="stable")
    return frame.head(_RAREST).rename_axis("label").reset_index()


def sensitivity_tables(study: shapes.SensitivityShape) -> dict[str, Table]:
    """Changes of each metric, a table for each model."""
    table = study.table
    # What did not move at all has no interval.
    moved = table["difference"] != 0
    frame = table.assign(
        what=table["change"] + [f" {level:g}" for level in table["level"]],
        ci_low=table["ci_low"].where(moved),
        ci_high=table["ci_high"].where(moved),
    )
    columns = [Column("change", of=["what"]), VALUE, ESTIMATE, _MOVED]
    columns.append(interval_column(study.confidence_level))
    return {
        str(model): Table(f"{model}: same decisions, other confidences", columns, part)
        for model, part in frame.groupby("model", sort=False)
    }


def quantization_tables(study: shapes.QuantizationShape) -> dict[str, Table]:
    """What rounding costs in samples, and how it moves the values."""
    bins, pairs = Column("bins", "count", ["n_bins"]), Column("pairs", "count", ["n_pairs"])
    ratio = Column("median", "estimate", ["samples_ratio"], decimals=2)
    sides = [Column("raw", "estimate"), Column("rounded", "estimate", ["quantized"])]
    interval = interval_column(study.confidence_level)
    return {
        "cost": Table(
            "Samples that rounded confidences need for each sample of raw ones",
            [bins, Column("metric"), pairs, ratio],
            study.summary,
            subtitle="median over pairs of models that raw confidences tell apart",
        ),
        "values": Table(
            "Values on raw and on rounded confidences",
            [bins, VALUE, Column("model"), *sides, _MOVED, interval],
            study.values,
            decimals=[decimals_for([error]) for error in study.values["standard_error"]],
        ),
    }


def sample_size_tables(size: shapes.SampleSizeShape) -> dict[str, Table]:
    """Round sizes of a test set, and what they can show."""
    sizes = sorted({size.n_samples, *(m * 10**k for k in range(2, 6) for m in (1, 2, 5))})
    frame = size.curve(sizes)
    texts = [f"{n:,}{' (here)' if n == size.n_samples else ''}" for n in frame["n_samples"]]
    title = f"{value_name(size.metric, size.label)}, {size.model_a} - {size.model_b}"
    columns = [
        Column(size.unit, of=["size"]),
        Column("shows differences from", "size", ["detectable"]),
        Column("width of CI", "size", ["interval_width"]),
        Column("power", "share"),
    ]
    observed = f"the observed difference of {size.difference:+.4g} (alpha {size.alpha:g})"
    note = f"Power: probability of showing {observed}."
    return {"sample_size": Table(title, columns, frame.assign(size=texts), notes=[note])}
