"""`compare_groups`: comparisons of models on several test sets, or in each subgroup of one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arguments import checked
from modelcompare.comparison.agreement import agreed
from modelcompare.comparison.compare import compare
from modelcompare.comparison.correction import adjust_metrics
from modelcompare.comparison.groups import GroupComparison
from modelcompare.comparison.result import Comparison
from modelcompare.comparison.warned import held_back
from modelcompare.data.predictions import Predictions
from modelcompare.engine.runs import INSTEAD
from modelcompare.engine.units import for_these_runs
from modelcompare.metrics.registry import MetricLike
from modelcompare.resampling.seeds import RngLike, child_seed, rng_label, seed_sequence
from modelcompare.words import (
    Correction,
    Random,
    check_mapping,
    check_sequence,
    giving,
    warn_caller,
)

# Smaller subgroups are left out.
MIN_SIZE = 30
# Groups that one warning names.
_NAMED = 3

# What identifies a group, its name in warnings, and its samples.
Group = tuple[Any, str, Predictions]


def _check_source(argument: str, value: Any) -> None:
    if isinstance(value, Mapping | list | tuple):
        check_mapping(argument, value, "predictions", kind=Predictions)
    else:
        giving("rows")(argument, value)


@checked(compare, source=_check_source)
def compare_groups(
    source: Predictions | Mapping[str, Predictions],
    metrics: MetricLike | Sequence[MetricLike] | None = None, *,
    by: str | Sequence[str] | None = None, min_size: int = MIN_SIZE,
    correction: Correction = "holm", rng: RngLike = 0, **options: Any,
) -> GroupComparison:  # fmt: skip
    """Compare the same models on several test sets, or in every subgroup of one.

    Parameters
    ----------
    source : mapping of str to Predictions, or Predictions
        Test sets by name, all with the same models; or one test set with `slices`, the variables
        that define subgroups.
    metrics : str, metric, callable, or sequence of these, optional
        As in `compare`.
    by : str or sequence of str, optional
        Slices whose subgroups are compared; all by default. Not for several test sets.
    min_size : int
        Smaller subgroups are left out, and named in `left_out`.
    correction : str
        As in `compare`. Test sets are corrected separately. Subgroups are corrected together: the
        family is all pairs, classes and subgroups of a metric. "max-t" is available for test sets
        only, "min-p" for neither.
    rng, **options
        As in `compare`; each group has its own seed. Answers are for the runs at hand
        (``random="items"``), and other ones are refused.

    Returns
    -------
    GroupComparison
        Scores and differences in each group; for several test sets also their means (macro over
        sets) and ranks over sets. Intervals of means are computed from those of `method`; see
        `GroupComparison.pooled_scores`.

    Raises
    ------
    ValueError
        If there is one test set, models differ between test sets, there are no slices or `by` names
        no slice, or no subgroup is large enough.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.Predictions([0, 1] * 60, {"a": [0, 1] * 40 + [0, 0] * 20, "b": [0, 1] * 60},
    ...                        slices={"year": ["old"] * 80 + ["new"] * 40})
    >>> mc.compare_groups(preds, "accuracy", n_resamples=99).scores[
    ...     ["value", "model", "estimate"]].head(2)
      value model  estimate
    0   new     a       0.5
    1   new     b       1.0
    """
    if correction == "min-p":
        raise ValueError("min-p steps down within one test set; for groups use 'holm'.")
    nothing = pd.DataFrame(columns=["slice", "value", "n_samples"])
    if isinstance(source, Mapping):
        if by is not None:
            raise ValueError("`by` names slices of one test set; of several leave it out.")
        results = _compare_each(
            _sets(source), metrics, what="sets", rng=rng, correction=correction, **options
        )
        n_samples = sum(map(len, source.values()))
        notes = [
            f"{name}: {note}" for name, each in results.items() for note in each.evidence.notes
        ]
        return GroupComparison(results, rng_label(rng), n_samples, nothing, tuple(notes))
    if correction == "max-t":
        raise ValueError("max-t needs one set of resamples; across subgroups use 'holm'.")
    groups, left_out = _subgroups(source, _slices(source, by), min_size)
    if not groups:
        raise ValueError(f"no subgroup has {min_size} samples; lower `min_size`.")
    results = _compare_each(
        groups, metrics, what="subgroups", rng=rng, correction="none", **options
    )
    return GroupComparison(
        _correct_together(results, correction), rng_label(rng), len(source),
        pd.DataFrame(left_out, columns=nothing.columns), for_these_runs(source),
    )  # fmt: skip


def _sets(sets: Mapping[str, Predictions]) -> Iterator[Group]:
    """Yield the test sets, with the models in the order of the first."""
    if len(sets) < 2:
        raise ValueError("`source` holds one test set; compare_groups needs 2, use compare.")
    first_name, first = next(iter(sets.items()))
    for name, predictions in sets.items():
        if differ := sorted({*predictions.models} ^ {*first.models}):
            raise ValueError(
                f"test sets {first_name!r} and {name!r} hold different models ({differ[0]!r})."
            )
    for name, predictions in sets.items():
        yield name, name, predictions[list(first.models)]


def _slices(predictions: Predictions, by: str | Sequence[str] | None) -> pd.DataFrame:
    """Return the columns of the requested slices."""
    frame = predictions.slices
    if frame is None:
        raise ValueError("the predictions have no `slices`; give them, e.g. slices={'lang': lang}.")
    if by is None:
        return frame
    chosen: list[Any] = [by] if isinstance(by, str) else [*check_sequence("by", by, "names")]
    for name in chosen:
        if name not in frame.columns.tolist():
            raise ValueError(
                f"`by` names no slice variable: {name!r}; there are {', '.join(frame.columns)}."
            )
    return frame[chosen]


def _subgroups(
    predictions: Predictions, slices: pd.DataFrame, min_size: int
) -> tuple[list[Group], list[tuple[str, Any, int]]]:
    """Return subgroups by slice and value, and the sizes of those that are left out."""
    groups: list[Group] = []
    left_out: list[tuple[str, Any, int]] = []
    for name in slices:
        if n_missing := int(slices[name].isna().sum()):
            left_out.append((name, None, n_missing))
        for value, rows in slices.groupby(name, sort=True).indices.items():
            if len(rows) < min_size:
                left_out.append((name, value, len(rows)))
            else:
                plain = value.item() if isinstance(value, np.generic) else value
                group = predictions.subset(np.asarray(rows))
                groups.append(((name, plain), f"{name} = {value}", group))
    return groups, left_out


def _compare_each(
    groups: Iterable[Group], metrics: MetricLike | Sequence[MetricLike] | None, *, what: str,
    rng: RngLike, random: Random = "items", **options: Any,
) -> dict[Any, Comparison]:  # fmt: skip
    """Compare the models in each group with independent seeds; warn once per category."""
    if random == "items+runs":
        raise ValueError(f"groups are compared on the runs that they have; {INSTEAD}.")
    seed = seed_sequence(rng)
    results: dict[Any, Comparison] = {}
    warned: dict[type[Warning], list[str]] = {}
    for place, (key, name, predictions) in enumerate(groups):
        with held_back() as caught:
            results[key] = compare(
                predictions, metrics, random="items", rng=child_seed(seed, place), **options
            )
        for each in caught:
            warned.setdefault(each.category, []).append(f"{name}: {each.message}")
    for category, texts in warned.items():
        more = len(texts) - _NAMED
        rest = f" (and {more:,} more like this in {what})" if more > 0 else ""
        warn_caller(" ".join(texts[:_NAMED]) + rest, category)
    return results


def _correct_together(
    results: Mapping[Any, Comparison], correction: Correction
) -> dict[Any, Comparison]:
    """Correct p-values for all pairs, classes and groups of a metric together."""
    members = [each.evidence for each in results.values()]
    adjusted = adjust_metrics(
        np.stack([each.p_values for each in members]), members[0].keys, correction
    )
    return {
        key: Comparison(agreed(replace(each, p_adjusted=p, correction=correction)))
        for key, each, p in zip(results, members, adjusted, strict=True)
    }
