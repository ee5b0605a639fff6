"""Tables of what the chunks have found."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from experiments.validity.catalogue import Cell, cell_id
from experiments.validity.cells import MEASURES, expected_samples
from experiments.validity.promises import PROMISES, falls_short, with_limits
from experiments.validity.worlds import samples_of

# Measures of modules that are numbers, not shares of the trials.
NO_SHARES = (
    "bias", "error over that of all", "spread of it", "spread that is promised", "width",
    "width over that of all", "width over that of the former", "width of the narrow one, over it",
    "width over the least",
)  # fmt: skip
KEYS = ["cell", "metric", "quantity", "method", "measure"]


def table_of(chunks: Iterable[dict[str, Any]], cells: Iterable[Cell]) -> pd.DataFrame:
    """One row for each cell, metric, quantity, method and measure.

    Columns beside these: what the promises ask of a cell (kind, n, expected, clusters, sizes, gap,
    null_cell), trials (that had a value), value (their mean), error (its standard error) and code
    (the fingerprints of what made it).
    """
    chunks = list(chunks)
    about = {cell_id(cell): cell for cell in cells}
    rows = [
        (chunk["cell"], *row) for chunk in chunks if chunk["cell"] in about for row in chunk["rows"]
    ]
    raw = pd.DataFrame(rows, columns=[*KEYS, "trials", "total", "squares"])
    table = raw.groupby(KEYS, sort=False, as_index=False)[["trials", "total", "squares"]].sum()
    table["value"] = table["total"] / table["trials"]
    spread = (table["squares"] / table["trials"] - table["value"] ** 2).clip(lower=0)
    table["error"] = np.sqrt(spread / table["trials"])
    means = ~table["cell"].map(lambda name: about[name]["kind"]).isin(MEASURES)
    table.loc[means, "error"] = _error_of_means(table[means])
    order = {name: place for place, name in enumerate(about)}
    table = table.sort_values(
        KEYS, key=lambda c: c.map(order) if c.name == "cell" else c, ignore_index=True
    ).drop(columns=["total", "squares"])
    facts = [
        _facts(about[cell], metric)
        for cell, metric in zip(table["cell"], table["metric"], strict=True)
    ]
    codes: dict[str, list[str]] = {}
    for chunk in chunks:
        codes.setdefault(chunk["cell"], []).append(chunk["code"])
    table["code"] = [" ".join(dict.fromkeys(codes[cell])) for cell in table["cell"]]
    return pd.concat([table, pd.DataFrame(facts, index=table.index)], axis=1)


def _error_of_means(table: pd.DataFrame) -> pd.Series:
    """Standard error of what modules give as means over trials: known of shares alone."""
    share = table["value"].clip(0, 1)
    error = np.sqrt(share * (1 - share) / table["trials"])
    return error.where(~table["measure"].isin(NO_SHARES))


def _facts(cell: Cell, metric: str) -> dict[str, Any]:
    """What the promises ask of a cell."""
    without = {key: value for key, value in cell.items() if not key.startswith("gap")}
    return {
        "kind": cell["kind"],
        "n": samples_of(cell),
        "expected": expected_samples(cell, metric),
        "clusters": cell.get("clusters", 0),
        "sizes": cell.get("sizes", ""),
        "gap": cell.get("gap", 0),
        "null_cell": cell_id(without),
    }


def by_cell(results: pd.DataFrame) -> pd.DataFrame:
    """Coverage of the default intervals in each cell: over its values, and the lowest of them."""
    covered = results.query("method == 'default' and measure == 'covered'")
    rows = []
    for (cell, quantity), part in covered.groupby(["cell", "quantity"], sort=False):
        lowest = part.loc[part["value"].idxmin()]
        rows.append({
            "cell": cell, "quantity": quantity, "values": len(part), "mean": part["value"].mean(),
            "lowest": lowest["value"], "metric": lowest["metric"], "trials": lowest["trials"],
            "code": lowest["code"],
        })  # fmt: skip
    return pd.DataFrame(rows)


def announcement(results: pd.DataFrame, most: int = 8) -> str:
    """What falls short, the worst of each promise first; or that nothing does."""
    broken = falls_short(results)
    n_judged = int(with_limits(results)["limit"].notna().sum())
    if broken.empty:
        return f"Nothing falls short: {n_judged:,} shares judged."
    lines = [f"{len(broken):,} values fall short of what is promised ({n_judged:,} shares judged)."]
    for promise, part in broken.groupby("promise", sort=False):
        lines.append(f"{promise}: {len(part):,} fall short")
        lines += [
            f"  {row.value:.3f} for {row.limit:.3f} (error {row.error:.3f}, {row.trials:,.0f} "
            f"trials) {row.metric} {row.quantity}: {row.cell}"
            for row in part.head(most).itertuples()
        ]
        if len(part) > most:
            lines.append(f"  and {len(part) - most:,} more in short.csv")
    return "\n".join(lines)


def summary(results: pd.DataFrame) -> str:
    """What falls short, then every promise, then the tables, as Markdown."""
    broken = falls_short(results)
    trials = results.groupby("cell")["trials"].max()
    n_trials = " to ".join(f"{number:,}" for number in sorted({trials.min(), trials.max()}))
    parts = [
        "# Validity on sparse data, simulated",
        f"{len(trials):,} cells, {n_trials} trials each; the defaults of the package through its "
        "public functions. See README.md for the populations.",
        "## What falls short",
        markdown(broken.set_index("promise")) if len(broken) else "Nothing.",
        "## The promises",
        markdown(_by_promise(results)),
        "## Intervals",
        "Over all cells of a metric, sparse ones too: coverage of the default intervals, and the "
        "median of their width over BCa's.",
        markdown(_by_metric(results)),
        "## Coverage, cell by cell",
        "Quantiles over cells of the coverage of the default intervals, where a promise judges "
        "them. Values of one cell come from the same test sets and are not independent.",
        markdown(coverage_quantiles(results)),
        "## Families",
        markdown(highest_family_error(results)),
    ]
    shares = {"families": "false finding", "tests": "rejected", "gates": "passed"}
    for kind, measure in shares.items():
        part = results.query("kind == @kind and measure == @measure")
        if len(part):
            table = part.pivot(index=["cell", "metric"], columns="method", values="value")
            table = table[["default", *table.columns.difference(["default"])]]
            table.index = [f"{cell}: {metric}" for cell, metric in table.index]
            parts += [f"## {kind.capitalize()}: share {measure}", markdown(table)]
    return "\n\n".join(parts) + "\n"


def _by_promise(results: pd.DataFrame) -> pd.DataFrame:
    """Rows judged and rows short of each promise, and the worst of them."""
    limited, short = with_limits(results), falls_short(results)
    rows = {}
    for promise in PROMISES:
        part = limited.query("promise == @promise.what and limit == @promise.limit")
        if len(part):
            broken = short.query("promise == @promise.what and limit == @promise.limit")
            worst = part["value"].max() if promise.at_most else part["value"].min()
            sign = "at most" if promise.at_most else "at least"
            rows[f"{promise.what}, {sign} {promise.limit:g}: {promise.where}"] = {
                "judged": str(len(part)), "short": str(len(broken)), "worst": worst,
            }  # fmt: skip
    return pd.DataFrame.from_dict(rows, orient="index")


def _by_metric(results: pd.DataFrame) -> pd.DataFrame:
    """Coverage of the default over the cells, and its width beside BCa's."""
    part = results.query("measure in ('covered', 'width')")
    names = [name.partition("[")[0] for name in part["metric"]]
    part = part.assign(place=part["metric"], metric=names)
    wide = part.pivot(
        index=["metric", "quantity", "cell", "place"], columns=["measure", "method"], values="value"
    )
    rows = {}
    for key, cells in wide.groupby(level=["metric", "quantity"]):
        covered = cells["covered", "default"].dropna()
        rows[", ".join(key)] = {
            "cells": str(len(covered)),
            "lowest": covered.min(),
            "median": covered.median(),
            "width": _over_bca(cells["width"]),
        }
    return pd.DataFrame.from_dict(rows, orient="index")


def coverage_quantiles(results: pd.DataFrame) -> pd.DataFrame:
    """Return quantiles over cells of the default's coverage, by metric and quantity."""
    judged = with_limits(results).query("measure in ('covered', 'covered or warned')")
    judged = judged.dropna(subset=["limit"]).drop_duplicates(["cell", "metric", "quantity"])
    names = [name.partition("[")[0] for name in judged["metric"]]
    rows = {}
    for key, part in judged.assign(metric=names).groupby(["metric", "quantity"])["value"]:
        found = part.quantile([0, 0.05, 0.25, 0.5])
        rows[", ".join(key)] = {"values": str(len(part))} | {
            name: found[at] for name, at in
            (("lowest", 0), ("5 %", 0.05), ("25 %", 0.25), ("median", 0.5))
        }  # fmt: skip
    return pd.DataFrame.from_dict(rows, orient="index")


def highest_family_error(results: pd.DataFrame, level: float = 0.95) -> pd.DataFrame:
    """Return the highest family-wise error, and an upper bound that holds for all families at once.

    Clopper and Pearson's upper limit of each family at the level that Bonferroni asks of it.
    """
    families = results.query("measure == 'false finding' and method == 'default'")
    if families.empty:
        return pd.DataFrame()
    alone = (1 - level) / len(families)
    found = families["value"] * families["trials"]
    upper = stats.beta.ppf(1 - alone, found + 1, families["trials"] - found)
    row = {
        "families": str(len(families)), "mean": families["value"].mean(),
        "highest": families["value"].max(), f"below, all at {level:.0%}": float(np.max(upper)),
    }  # fmt: skip
    return pd.DataFrame.from_dict({"false findings": row}, orient="index")


def _over_bca(width: pd.DataFrame) -> float:
    return float((width["default"] / width["BCa"]).median()) if "BCa" in width else float("nan")


def markdown(table: pd.DataFrame) -> str:
    """Write a table of shares and words."""
    lines = [["", *map(str, table.columns)], ["---", *["---:"] * table.shape[1]]]
    for name, row in table.iterrows():
        lines.append([str(name), *map(_written, row)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _written(value: Any) -> str:
    if isinstance(value, str):
        return value
    if pd.isna(value):
        return ""
    return f"{value:,.0f}" if value >= 2 and float(value).is_integer() else f"{value:.3f}"
