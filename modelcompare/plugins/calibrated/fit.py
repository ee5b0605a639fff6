"""Calibrated predictions: maps fitted on other samples, or across folds of the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn

import numpy as np

from modelcompare.arguments import checked
from modelcompare.arrays import FloatArray, IntArray
from modelcompare.data.attachments import Attachment
from modelcompare.data.predictions import Predictions
from modelcompare.data.variants import with_attachment, with_probabilities
from modelcompare.engine.design import design_of
from modelcompare.plugins.calibrated.methods import Map, Method, fitted
from modelcompare.words import check_choice, check_count, giving

# Steps around a circle, by whose order units are dealt to folds, and to groups that are left out:
# irrational ones, which no pattern of a file follows.
OF_FOLDS, OF_GROUPS = (np.sqrt(5) - 1) / 2, np.sqrt(2) - 1


@dataclass(frozen=True)
class Fit(Attachment):
    """Fit of maps across folds, of a whole test set of which some samples are at hand.

    Parameters
    ----------
    raw : Predictions
        The whole test set as it was given.
    method : str
        Name of the maps.
    fold : ndarray of int of shape (n_samples,)
        Fold of each sample of the whole.
    at : ndarray of int of shape (n_rows,)
        Samples at hand.
    """

    raw: Predictions
    method: Method
    fold: IntArray
    at: IntArray
    name: ClassVar[str] = "calibrated"

    def rows(self, index: Any) -> Fit:
        return Fit(self.raw, self.method, self.fold, self.at[index])

    def of_models(self, models: Sequence[str]) -> Fit:  # noqa: ARG002  each has its own maps
        return self

    def check_known(self, argument: str) -> NoReturn:
        raise ValueError(
            f"`{argument}` was calibrated on its own samples, and its maps vary with them, as "
            "compare, decide and gate know; calibrate it on other samples (on=, --calibrate-on)."
        )

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return int(self.fold.max()) + 1

    def maps(self, model: str, weights: FloatArray, like: Sequence[Map] | None = None) -> list[Map]:
        """Fit the map of each fold on the others, whose samples have weights."""
        p, codes = self.raw.probabilities(model), codes_of(self.raw)
        starts = like or (None,) * self.n_folds
        return [
            fitted(self.method, p, codes, weights * (self.fold != fold), start)
            for fold, start in enumerate(starts)
        ]

    def mapped(self, model: str, maps: Sequence[Map]) -> FloatArray:
        """Return the probabilities of the samples at hand, each by the map of its fold."""
        p, fold = self.raw.probabilities(model)[self.at], self.fold[self.at]
        out = np.empty(p.shape)
        for place, one in enumerate(maps):
            out[fold == place] = one(p[fold == place])
        return out


def codes_of(predictions: Predictions) -> IntArray:
    """Return the true classes as indices into the labels."""
    codes = predictions.access.codes
    assert codes is not None  # noqa: S101  checked
    return codes


def dealt(n_units: int, n_parts: int, step: float) -> IntArray:
    """Deal units to parts of equal numbers, or one less, by the order of steps around a circle."""
    part = np.empty(n_units, dtype=np.intp)
    part[np.argsort(np.arange(n_units) * step % 1)] = np.arange(n_units) % n_parts
    return part


@checked(predictions=giving("rows"), on=None)
def calibrated(
    predictions: Predictions, method: Method = "temperature", *, on: Predictions | None = None,
    folds: int | None = None,
) -> Predictions:  # fmt: skip
    """Calibrate the probabilities of every model, which keeps its decisions.

    Soft metrics such as `cf1_macro` reward confidence, so that an overconfident model may lead for
    no other reason. Each model has one map, fitted by log loss:

    - "temperature": one exponent of all probabilities, which changes no order of the classes.
    - "vector": a slope and an offset for each class's logarithm.
    - "beta": ``a log p - b log(1 - p) + c`` for each class against the rest, a and b from 0 up.
    - "isotonic": a rising function for each class against the rest, fitted by squares. It has many
      parameters: for thousands of samples.

    Metrics of decisions, such as accuracy and F1, are those of the decisions that were made.

    Parameters
    ----------
    predictions : Predictions
        Probabilities of at least one model. Clusters (`groups`) are whole in a fold.
    method : {"temperature", "vector", "isotonic", "beta"}
        The map.
    on : Predictions, optional
        Other samples with the same models and labels, on which it is fitted. Answers are then about
        the models with these maps.
    folds : int, optional
        Number of folds of the same samples, of which each is mapped by a fit on the others. Answers
        are then about the procedure: `compare`, `decide` and `gate` allow for the uncertainty of
        the fit, by leaving out parts of the samples from it.

    Returns
    -------
    Predictions
        The same samples and decisions, with other probabilities.

    Raises
    ------
    ValueError
        If neither or both of `on` and `folds` are given, a model has no probabilities, or `on` has
        other labels, other models or the same samples.

    References
    ----------
    .. [1] Guo, Pleiss, Sun & Weinberger (2017), On calibration of modern neural networks, ICML.
    .. [2] Kull, Silva Filho & Flach (2017), Beta calibration, AISTATS.
    .. [3] Zadrozny & Elkan (2002), Transforming classifier scores into accurate multiclass
           probability estimates, KDD.

    Examples
    --------
    >>> import modelcompare as mc
    >>> preds = mc.load_example("snli")[["mlp"]]
    >>> sure = mc.calibrated(preds, folds=5)
    >>> both = [mc.compare(each, "log_loss").scores["estimate"][0] for each in (preds, sure)]
    >>> bool(both[1] < both[0])
    True
    """
    check_choice("method", method, Method)
    if (on is None) == (folds is None):
        raise ValueError(
            "give either on=, other samples on which the maps are fitted, or folds=5, to fit them "
            "across folds of the same samples (--calibrate, with --calibrate-on FILE or not)."
        )
    _check_probabilities("predictions", predictions)
    if on is not None:
        return _by_others(predictions, method, on)
    assert folds is not None  # noqa: S101  one of the two
    check_count("folds", folds, at_least=2)
    return _by_folds(predictions, method, folds)


def _check_probabilities(argument: str, predictions: Predictions) -> None:
    """Refuse models without probabilities that sum to 1, and missing truths."""
    kinds = predictions.access.kinds
    without = [model for model in predictions.models if not kinds[model].distribution]
    if without:
        raise ValueError(
            f"`{argument}` has no probabilities of {', '.join(map(repr, without))}, which are what "
            f"is calibrated; choose other models (--model NAME)."
        )
    if predictions.access.codes is None or predictions.access.true_distribution is not None:
        raise ValueError(f"`{argument}` needs one true class of each sample to calibrate by.")
    if predictions.access.missing_mass:
        raise ValueError(
            f"`{argument}` has probabilities of some classes alone, which no map makes known; give "
            "those of all classes."
        )


def _by_others(predictions: Predictions, method: Method, on: Predictions) -> Predictions:
    """Calibrate by maps that are fitted on other samples."""
    on.access.require("rows", "on")
    lacking = [model for model in predictions.models if model not in on.models]
    if lacking:
        raise ValueError(f"`on` lacks {', '.join(map(repr, lacking))}; it has {on.models}.")
    on = on[[*predictions.models]]
    _check_probabilities("on", on)
    labels, others = (p.labels for p in (predictions, on))
    if labels is None or others is None or not np.array_equal(labels, others):
        raise ValueError(f"`on` has the labels {others}, and `predictions` {labels}.")
    if _shared(predictions, on):
        raise ValueError(
            "`on` has samples of `predictions`, which a fit on them favours; give other samples, "
            "or folds=5."
        )
    codes, weights = codes_of(on), on.access.weights
    maps = {m: fitted(method, on.probabilities(m), codes, weights) for m in predictions.models}
    found = {m: one(predictions.probabilities(m)) for m, one in maps.items()}
    return with_probabilities(predictions, found)


def _shared(predictions: Predictions, on: Predictions) -> bool:
    """Return whether two test sets surely share samples: by ids, or by equal outputs."""
    if predictions.ids is not None and on.ids is not None:
        return bool(np.isin(on.ids, predictions.ids).any())
    first = predictions.models[0]
    return len(on) == len(predictions) and np.array_equal(
        on.probabilities(first), predictions.probabilities(first)
    )


def _by_folds(predictions: Predictions, method: Method, folds: int) -> Predictions:
    """Calibrate each fold by maps that are fitted on the others."""
    access = predictions.access
    if design_of(predictions).scope.parts:
        raise ValueError(
            "samples with more than themselves at hand, such as runs, are not calibrated across "
            "folds; give on= (--calibrate-on FILE)."
        )
    units = access.unit_of if access.unit != "samples" else np.arange(len(predictions))
    n_units = int(units.max()) + 1
    if n_units < folds:
        raise ValueError(f"folds={folds} needs as many {access.unit}, and there are {n_units}.")
    fold = dealt(n_units, folds, OF_FOLDS)[units]
    fit = Fit(predictions, method, fold, np.arange(len(predictions)))
    maps = {m: fit.maps(m, access.weights) for m in predictions.models}
    found = {m: fit.mapped(m, each) for m, each in maps.items()}
    return with_attachment(with_probabilities(predictions, found), fit)
