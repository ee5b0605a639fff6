"""What the package promises, as data, and what of it a simulation does not bear out.

A row of the results falls short only beyond 2.5 standard errors of the simulation. Warnings excuse
nothing by themselves: trials without one must keep the promise alone, and where an interval covers
nearly all is well without them, so that few trials may have one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

ERRORS = 2.5
LEAST_POWER = 0.03
# Share of trials that may warn of a value that covers so much, and share of trials without a
# warning from which on these are judged: a cell that warns more often than that is warned of.
MOST_WARNED, WELL_COVERED, LEAST_SILENT = 0.1, 0.945, 0.1
# Among trials without a warning: the new measure, that of all trials, and whether it counts what
# happens in trials without a warning, or what happens there or in any with one.
SILENT = (
    ("covered, silent", "covered or warned", False),
    ("rejected, silent", "rejected, unwarned", True),
    ("found, silent", "found, unwarned", True),
)
_ONE = ["cell", "metric", "quantity"]


@dataclass(frozen=True)
class Promise:
    """One promise.

    Parameters
    ----------
    what : str
        In words.
    measure : str
        Which share is limited.
    where : str
        The rows it is for, as a query.
    limit : float
        See `at_most`.
    at_most : bool
        Whether the limit is from above.
    """

    what: str
    measure: str
    where: str
    limit: float
    at_most: bool = True


_BEYOND = "kind == 'beyond_labels'"
_COVERS = "clusters == 0 and n >= 50 and kind != 'beyond_labels'"
_CLUSTERS = "clusters >= 5 and expected >= 5"
PROMISES = (
    Promise("family-wise error", "false finding", "kind == 'families'", 0.06),
    Promise("size", "rejected", "kind == 'tests' and gap == 0 and expected >= 50", 0.06),
    Promise("size", "rejected", "kind == 'tests' and gap == 0 and 20 <= expected < 50", 0.075),
    Promise("size where units swap in groups", "rejected", "kind == 'joined_units'", 0.06),
    Promise("family-wise error", "false finding", "kind == 'agreement'", 0.06),
    Promise("coverage", "covered", f"{_COVERS} and expected >= 5", 0.935, at_most=False),
    Promise("coverage", "covered", f"{_COVERS} and 2 <= expected < 5", 0.92, at_most=False),
    Promise("coverage", "covered", f"{_CLUSTERS} and sizes in ('equal', 'lognormal')", 0.925,
            at_most=False),
    Promise("coverage", "covered", f"{_CLUSTERS} and sizes in ('pareto', 'half')", 0.90,
            at_most=False),
    Promise("no interval has width 0", "width 0", "kind == 'intervals'", 0.0),
    Promise("an interval holds its estimate", "estimate left out", "kind == 'intervals'", 0.0),
    Promise("no default is refused", "refused", "n >= 20", 0.0),
    Promise("debiased ECE's interval", "covered", "kind == 'calibration'", 0.93, at_most=False),
    Promise("size of the calibration test", "rejected", "kind == 'calibration'", 0.06),
    Promise("gate at the margin", "passed", f"(kind == 'gates' or {_BEYOND}) and n >= 30", 0.06),
    Promise("family-wise error of silent trials", "found, silent", _BEYOND, 0.06),
    Promise("size of silent trials", "rejected, silent", _BEYOND, 0.06),
    Promise("coverage of silent trials", "covered, silent", _BEYOND, 0.92, at_most=False),
    Promise("an interval stays in its range", "outside its range", _BEYOND, 0.0),
    Promise("no interval has width 0", "width 0", _BEYOND, 0.0),
)  # fmt: skip


def silent(results: pd.DataFrame) -> pd.DataFrame:
    """What holds among the trials without a warning, where these are a tenth or more."""
    part = results.query("method == 'default'").drop_duplicates([*_ONE, "measure"])
    wide = part.pivot(index=_ONE, columns="measure", values="value")
    if "warned" not in wide:
        return part.iloc[:0]
    alone = 1 - wide["warned"]
    alone = alone[alone >= LEAST_SILENT]
    rows = []
    for measure, of_all, bad in SILENT:
        if of_all not in wide:
            continue
        share = wide.loc[alone.index, of_all].dropna()
        share = share / alone if bad else 1 - (1 - share) / alone
        known = part[part["measure"] == of_all].set_index(_ONE).loc[share.dropna().index]
        trials = (known["trials"] * alone[known.index]).round().astype(int)
        found = known.assign(measure=measure, value=share.dropna(), trials=trials)
        rows.append(found.reset_index())
    return pd.concat(rows, ignore_index=True) if rows else part.iloc[:0]


def with_limits(results: pd.DataFrame) -> pd.DataFrame:
    """The results with columns promise, limit, and by how much a default falls short."""
    out = pd.concat([results, silent(results)], ignore_index=True)
    out = out.assign(promise="", limit=np.nan, short=np.nan)
    for promise in PROMISES:
        rows = out.query(f"method == 'default' and measure == @promise.measure and {promise.where}")
        sign = 1 if promise.at_most else -1
        out.loc[rows.index, "promise"] = promise.what
        out.loc[rows.index, "limit"] = promise.limit
        out.loc[rows.index, "short"] = sign * (rows["value"] - promise.limit)
    return out


def falls_short(results: pd.DataFrame) -> pd.DataFrame:
    """Every default that breaks its promise, worst first.

    Parameters
    ----------
    results : DataFrame
        As `results.table_of` makes it.

    Returns
    -------
    DataFrame
        Columns promise, limit, value, error (one standard error), trials, metric, quantity, cell.
    """
    limited = with_limits(results).dropna(subset=["limit"])
    error = np.sqrt(limited["limit"] * (1 - limited["limit"]) / limited["trials"])
    shares = limited.assign(error=error)
    others = [_needless_warnings(results), _too_weak(results)]
    found = pd.concat([shares, *others], ignore_index=True)
    broken = found[found["short"] > ERRORS * found["error"] + 1e-9]
    order = (broken["short"] / broken["limit"].clip(lower=0.01)).sort_values(ascending=False).index
    columns = ["promise", "limit", "value", "error", "trials", "metric", "quantity", "cell"]
    return broken.loc[order, columns].reset_index(drop=True)


def _needless_warnings(results: pd.DataFrame) -> pd.DataFrame:
    """The values that cover well of which more trials than few carry a warning."""
    part = results.query("kind == 'beyond_labels' and measure in ('covered', 'warned')")
    if part["measure"].nunique() < 2:
        return part.iloc[:0]
    table = part.pivot(index=_ONE, columns="measure", values=["value", "trials"]).dropna()
    table = table[table["value", "covered"] >= WELL_COVERED]
    value, trials = (table[name, "warned"].rename(name) for name in ("value", "trials"))
    error = np.sqrt(MOST_WARNED * (1 - MOST_WARNED) / trials)
    found = pd.concat([value, trials, error.rename("error")], axis=1).reset_index()
    short = found["value"] - MOST_WARNED
    return found.assign(promise="warnings where intervals hold", limit=MOST_WARNED, short=short)


def _too_weak(results: pd.DataFrame) -> pd.DataFrame:
    """Power of the defaults beside the best test that holds its size in the same cell."""
    tests = results[results["measure"] == "rejected"]
    rows = []
    for key, part in tests[tests["gap"] > 0].groupby(_ONE, sort=False):
        power = part.set_index("method")
        null = tests[
            (tests["cell"] == power["null_cell"].iloc[0]) & (tests["metric"] == key[1])
        ].set_index("method")
        slack = ERRORS * np.sqrt(0.06 * 0.94 / null["trials"])
        valid = null.index[null["value"] <= 0.06 + slack].intersection(power.index)
        if valid.empty or "default" not in power.index:
            continue
        best = power.loc[valid, "value"].idxmax()
        value, most = power.loc["default", "value"], power.loc[best, "value"]
        rows.append(
            dict(zip(_ONE, key, strict=True))
            | {
                "promise": f"power beside {best}",
                "limit": most - LEAST_POWER,
                "value": value,
                "short": most - LEAST_POWER - value,
                "error": float(np.hypot(power.loc["default", "error"], power.loc[best, "error"])),
                "trials": power.loc["default", "trials"],
            }
        )
    return pd.DataFrame(rows)
