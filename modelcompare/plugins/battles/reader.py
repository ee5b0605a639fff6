"""Tables of battles: two models in each row, and which of them won -> Predictions.

A battle's score of a model is a pseudo-value: the model's strength, plus the number of battles
times the battle's influence on it. Its mean over battles is the strength, and the variance of that
mean, by users or items, is the sandwich variance of the fit: intervals, tests, ranks and gates are
those of any scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd

from modelcompare.arguments import ColumnRoles, checked
from modelcompare.arrays import AnyArray, BoolArray, FloatArray
from modelcompare.data.checks import check_model_names, check_models, warn_of_data
from modelcompare.data.columns import Made
from modelcompare.data.predictions import Predictions
from modelcompare.data.variants import with_models, with_source
from modelcompare.plugins.battles.columns import (
    Found,
    are_battles,
    battles_in,
    covariate,
    sides_in,
    with_weight,
    with_winner,
)
from modelcompare.plugins.battles.influences import PseudoValues, crossed
from modelcompare.plugins.battles.strengths import Battles, Strengths, fit_strengths
from modelcompare.readers.content import File
from modelcompare.readers.formats import lone_table
from modelcompare.readers.messages import as_options
from modelcompare.readers.opening import all_opened
from modelcompare.readers.options import Columns
from modelcompare.readers.reading import Reading
from modelcompare.spelling import chosen
from modelcompare.words import check_names, shown

SCORES = (
    Made(
        "strength", "battles",
        """Strength in log-odds: a model stronger by 1 wins 73 % of battles without ties.

    The maximum of the likelihood of Bradley and Terry's model, with ties Davidson's; strengths sum
    to 0. Of two models that differ by d, the stronger one wins 1 / (1 + exp(-d)) of the battles
    that are no ties. If users differ in taste, strengths are closer to each other than those of any
    user.""",
    ),
    Made(
        "win_rate", "battles",
        "Share of battles against the baseline that a model wins; a tie counts half.",
    ),
)  # fmt: skip
# Options of reading that battles have.
_USED = {
    "id", "groups", "strata", "weight", "models", "battles", "directs_functions", "described",
}  # fmt: skip


@checked(columns=ColumnRoles(("model_a", "model_b", "winner", "item", "user", "strata", "weight")))
def from_battles(
    table: Any, *, columns: Mapping[str, str | None] | None = None, position: bool = False,
    covariates: Sequence[str] = (), baseline: str | None = None,
) -> Predictions:  # fmt: skip
    """Make predictions from battles: rows with two models, and which of them won.

    The score, ``strength``, is in log-odds: of two models whose strengths differ by 1, the stronger
    one wins 73 % of the battles that are no ties. Strengths are the maximum of the likelihood of
    Bradley and Terry's model, with ties of Davidson's, and sum to 0. Each battle is a sample; its
    scores are pseudo-values, the strengths plus the number of battles times the battle's influence
    on them, at the fit without its cluster. Their means are the strengths, and their variances
    those of the sandwich, so `compare`, `decide`, `gate` and `sample_size` answer as for any
    scores, whether or not the model of the battles holds.

    Parameters
    ----------
    table : path or DataFrame
        A row for each battle.
    columns : mapping of str to str, optional
        The column of each role. ``model_a``, ``model_b`` and ``winner`` are the two models and the
        winner; by default the columns called ``model_a`` and ``model_b``, or ``model_1`` and
        ``model_2``, and ``winner``. The winner is ``model_a`` or ``a``, ``model_b`` or ``b``,
        ``tie``, ``tie (bothbad)`` or ``both_bad``, the name of one of the two models, or 1 if it is
        model a, 0 if it is model b, 0.5 for a tie. MT-Bench's ``g1_winner`` and ``g2_winner`` are a
        tie unless one model won both games. ``item`` and ``user`` are the question and the person
        or judge that decided. Battles of a user are one cluster, and those of an item; errors
        contain both where both repeat. By default users are found by their name (``judge``,
        ``user``, ``annotator``) if there are several, and items (``question_id``, ``item``,
        ``prompt``) if they repeat; ``item`` alone leaves users out. ``strata`` and ``weight`` are
        those of `read_predictions`: battles of a larger weight, in any unit, count more in the fit
        and its sandwich.
    position : bool
        Whether being model a is an effect, to be estimated and removed.
    covariates : sequence of str
        Columns of numbers that may decide beside the models, such as the difference in length,
        model a minus model b; or the common name of two columns, as ``length`` for ``length_a`` and
        ``length_b``. Strengths are then those at a difference of 0. The effects are in the name of
        the predictions, in log-odds, of covariates per standard deviation.
    baseline : str, optional
        Model whose battles alone count: the score of each other model is then its ``win_rate``
        against this one, a tie counting half, and items are the samples.

    Returns
    -------
    Predictions
        Scores named strength, or win_rate.

    Raises
    ------
    ValueError
        If a column is not found, a winner is not known, or some models never met, directly or
        through others.

    Warns
    -----
    DataWarning
        If a model never lost or never won, so that half wins were added; if battles of weight 0 are
        left out; or if users and items
        repeat, and either are fewer than twice the models: users are then the clusters.

    Notes
    -----
    Strengths of a mixed population are those of the marginal fit: if users differ in taste, they
    are closer to each other than those of any user, as the probabilities of winning are. Questions
    about some battles need a fit to these: keep the rows of the table, not of the predictions.

    References
    ----------
    .. [1] Bradley & Terry (1952), Biometrika 39, 324-345.
    .. [2] Davidson (1970), Journal of the American Statistical Association 65, 317-328.

    Examples
    --------
    >>> import modelcompare as mc
    >>> import pandas as pd
    >>> table = pd.DataFrame({
    ...     "model_a": ["gpt"] * 8 + ["llama"] * 8,
    ...     "model_b": ["llama"] * 8 + ["yi"] * 8,
    ...     "winner": ["a"] * 6 + ["b"] * 2 + ["a"] * 5 + ["b"] * 3,
    ... })
    >>> preds = mc.from_battles(table)
    >>> preds.models, mc.bootstrap(preds).estimate.round(3).tolist()
    (('gpt', 'llama', 'yi'), [0.903, -0.196, -0.707])
    """
    given = columns or {}
    wanted = check_names("covariates", (covariates,) if isinstance(covariates, str) else covariates)
    if not isinstance(table, str | PathLike) and not hasattr(table, "columns"):
        raise TypeError(f"`table` must be a path or a DataFrame, got {shown(table)}.")
    with all_opened(table) as files:
        where = files[0].name or "`table`"
        if len(files) > 1 or not isinstance(files[0].payload, pd.DataFrame):
            raise ValueError(f"{where}: battles must be one table; put all of them into one.")
        frame = with_winner(files[0].payload, where)
    of = Columns(
        id=given.get("item"), groups=given.get("user"), strata=given.get("strata"),
        weight=given.get("weight"),
    )  # fmt: skip
    frame = with_weight(frame, of, where)
    sides = sides_in(frame, [given.get(side) for side in ("model_a", "model_b", "winner")], where)
    found = battles_in(frame, sides, of, where)
    if baseline is None:
        effects = {"position (model a)": np.ones(len(frame))} if position else {}
        effects |= {name: covariate(frame, name, where) for name in wanted}
        return _strengths(found, effects, files[0].name or None).predictions
    if position or wanted:
        raise ValueError("`baseline` gives win rates, which have no `position` or `covariates`.")
    return _win_rates(found, baseline)


def battle_reading(files: Sequence[File], columns: Columns) -> Reading | None:
    """Read a table of battles, found by its columns or named by an option; None for others."""
    frame, name = lone_table(files), files[0].name or None
    if frame is None:
        return None
    where = name or "the table"
    if columns.battles is None and not are_battles(frame, columns, where):
        return None
    frame = with_winner(frame, where)
    sides = sides_in(frame, columns.battles or (None, None, None), where)
    of_judge = as_options(groups=columns.judge or "")
    subgroups = tuple(name for name in columns.slices if name not in columns.described)
    replace(columns, slices=subgroups).refuse_beside(
        _USED, f"{where} has battles (columns {', '.join(sides)})",
        {"slices": "a subgroup needs a separate fit, so keep its rows in a file",
         "judge": f"battles of one judge are a cluster: {of_judge}"},
    )  # fmt: skip
    found = battles_in(with_weight(frame, columns, where), sides, columns, where)
    reading = _strengths(found, {}, name)
    models = chosen(found.battles.models, columns.models, where)
    return Reading(reading.predictions[models], reading.parts)


def _strengths(found: Found, effects: Mapping[str, FloatArray], name: str | None = None) -> Reading:
    """Return pseudo-values of the strengths, with a line on the effects."""
    battles = replace(found.battles, effects=effects)
    fit = fit_strengths(battles)
    if len(found.clusters) > 1:
        both = found.clusters[0] * (found.clusters[1].max() + 1) + found.clusters[1]
        parts = (fit.influences.covariance(c, battles.weights) for c in (*found.clusters, both))
        fit = replace(fit, influences=fit.influences.mapped(crossed(*parts)))
    scores = {
        model: PseudoValues(fit.influences, at, fit.strength[at])
        for at, model in enumerate(battles.models)
    }
    check_model_names(scores)
    about = f"{name or 'battles'}; {_effects(fit, battles)}" if effects else name
    beside: dict[str, Any] = {**found.beside}
    first = battles.models[0]
    predictions = Predictions.from_scores(
        {first: {"strength": scores[first][:][:, 0]}}, greater_is_better=True, name=about,
        groups=battles.cluster, **beside,
    )  # fmt: skip
    predictions = with_models(predictions, scores, predictions.kind)
    predictions = with_source(predictions, "battles", made=SCORES, pseudo=True)
    return Reading(predictions, found.parts)


def _effects(fit: Strengths, battles: Battles) -> str:
    """Write effects, with their standard errors by clusters."""
    share = battles.weights / battles.weights.sum()
    columns = range(len(fit.strength), len(fit.strength) + len(fit.effects))
    moved = pd.DataFrame({at: share * fit.influences.of(at) for at in columns})
    if battles.cluster is not None:
        moved = moved.groupby(battles.cluster).sum()
    errors = np.sqrt((moved**2).sum() * len(moved) / (len(moved) - 1))
    written = zip(battles.effects, fit.effects, errors, strict=True)
    return ", ".join(f"{name} {value:+.3g} (standard error {e:.2g})" for name, value, e in written)


def _win_rates(found: Found, baseline: str) -> Predictions:
    """Return the share of battles against one model that each other one won, by items."""
    battles = found.battles
    check_models(battles.models, baseline=baseline)
    if found.item is None or found.item.isna().any():
        raise ValueError(
            f"{found.where}: win rates are compared item by item, but no column names the item of "
            "each battle; name it with columns={'item': ...}."
        )
    of = battles.models.index(baseline)
    against = np.where(battles.first == of, battles.second, battles.first)
    won = np.array([0.0, 1.0, 0.5])[battles.outcome]
    won = np.where(battles.first == of, won, 1 - won)
    here = (battles.first == of) | (battles.second == of)
    if not here.all():
        n_left = np.count_nonzero(~here)
        warn_of_data(f"{n_left:,} battles without {baseline!r} were left out.")
    keys = {"item": found.item} | ({} if found.user is None else {"user": found.user})
    frame = pd.DataFrame({**keys, "model": against, "won": won})[here]
    table = frame.pivot_table("won", [*keys], "model", sort=False)
    for model in table.columns[table.isna().any()][:1]:
        n_lacking, whose = int(table[model].isna().sum()), " by a user" if "user" in keys else ""
        raise ValueError(
            f"{found.where}: {battles.models[model]!r} has no battle against {baseline!r} on "
            f"{n_lacking:,} of {len(table):,} items{whose}; "
            "leave these items out, name the items alone (columns={'item': ...}) if users differ, "
            "or compare strengths, without `baseline`."
        )
    beside = _of_items(found, frame[[*keys]], here, table.index)
    items = table.index.get_level_values(0).to_numpy()
    users = None if found.user is None else table.index.get_level_values(1).to_numpy()
    predictions = Predictions.from_scores(
        {battles.models[model]: {"win_rate": table[model].to_numpy()} for model in table},
        greater_is_better=True, bounds={"win_rate": (0.0, 1.0)},
        ids=items if users is None else None, groups=users, **beside,
    )  # fmt: skip
    return with_source(predictions, made=SCORES)


def _of_items(
    found: Found, keys: pd.DataFrame, here: BoolArray, index: pd.Index[Any]
) -> dict[str, AnyArray]:
    """Return strata and weights of items, or of users' items; refuse those that battles differ in.

    `keys` are those of the battles `here`, `index` is of the items.
    """
    out = {}
    for name, column in found.beside.items():
        of = pd.Series(column[here]).groupby([keys[key].to_numpy() for key in keys])
        if (differ := of.nunique() > 1).any():
            item = differ.index[differ.to_numpy()][0]
            raise ValueError(
                f"{found.where}: win rates have a sample for each item, and battles of item {item} "
                f"differ in `{name}`; give each item one, or compare strengths, without `baseline`."
            )
        out[name] = of.first().reindex(index).to_numpy()
    return out


READERS = (battle_reading,)
