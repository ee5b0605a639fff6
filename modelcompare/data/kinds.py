"""Output types: what a model gave for each sample, and what can be done with it.

A kind is a row of `all_kinds`; plugins add theirs. Nothing slow is imported here: functions are
named by their place, "module:function", and loaded when they are used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache

from modelcompare.near_choices import choices_meant
from modelcompare.plugs import needed, rows
from modelcompare.words import shown

# Modules of the functions.
_OUTPUTS = "modelcompare.data.outputs"
_CELLS = "modelcompare.readers.cell_types"
_LOSSES = "modelcompare.metrics.losses"
_N = "array-like of shape (n_samples,)"


@dataclass(frozen=True, eq=False, repr=False)
class Kind:
    """An output type.

    Parameters
    ----------
    name, title : str
        Value of the option `kind`, and heading in lists of metrics.
    task : str
        Task of such models, in the vocabulary of model cards.
    arguments : tuple of (str, str, str)
        Name, type and meaning of the arrays that a metric's plain function takes.
    has_classes, real, scored, free_text : bool
        Form of the truth: a class of each sample; a real number, or one of two classes, of which
        the outputs are raw scores; none, as outputs are scores; free texts. `read` reads
        others.
    truth : tuple of str
        Columns of the test set that a truth is which `read` returns: ``true_distribution`` too if
        it has a number for each label, of which a sample has any number.
    soft, measured, proportions : bool
        Whether outputs are probabilities, not decisions; real numbers on any scale; and, of means
        of 0 and 1 over samples, whether these are proportions, with the intervals of such.
    axis : str
        Name of the numbers that the output's columns are of, such as "times"; empty for classes.
    bounded : bool
        Whether values with missing results have bounds.
    cells, check, read, fits : str
        Places of the functions that convert cells of a table of texts; that check an array of
        outputs (`outputs.checked_output`); that read the truth and outputs together, if arrays by
        themselves are not enough; and that recognise such a truth.
    loss, disagreements, counted, hits : str
        Places of functions that give a loss of each sample; a frame of samples on which two models
        disagree, if the form of the truth does not show how; columns of marks of the samples that
        count, if not all do, by the truth; and what is right of the output of each label, if it is
        not the product of output and truth.
    signed : str
        Place of a function that returns a metric which needs this kind, its signature complete:
        ``f(metric, y_true)``.
    intervals, thresholds, check_metric : str
        Places of a function that gives intervals in closed form of metrics of counts; of a pair of
        functions that choose thresholds, and decide at them, if they are not of two classes; and of
        a function that refuses metrics which have no meaning here, of a metric and a kind.
    columns : tuple of str
        Roles of columns that tables of no other type have.
    views : mapping of str to str
        Other kinds that the outputs can be read as, for metrics of these, and the place of the
        function that does so; empty if the array is the same.
    default_metrics, of_two_classes : tuple of str
        Metrics to compare by when none are named; of two classes, if they differ.
    twin, twin_variant : str
        Kind that the soft twin of a metric needs; and how twins that need this kind differ.
    alone : str
        Why a single row shows nothing, and what to ask instead; empty where it shows something.
    """

    name: str
    title: str
    task: str
    arguments: tuple[tuple[str, str, str], ...] = ()
    has_classes: bool = False
    real: bool = False
    scored: bool = False
    free_text: bool = False
    truth: tuple[str, ...] = ("y_true",)
    soft: bool = False
    measured: bool = False
    proportions: bool = False
    axis: str = ""
    bounded: bool = False
    cells: str = f"{_CELLS}:names"
    check: str = ""
    read: str = ""
    fits: str = ""
    loss: str = ""
    disagreements: str = ""
    counted: str = ""
    hits: str = ""
    signed: str = ""
    intervals: str = "modelcompare.intervals.counts:of_counts"
    thresholds: str = ""
    check_metric: str = ""
    columns: tuple[str, ...] = ()
    views: Mapping[str, str] = field(default_factory=dict)
    default_metrics: tuple[str, ...] = ()
    of_two_classes: tuple[str, ...] = ()
    twin: str = ""
    twin_variant: str = ""
    alone: str = ""

    def __eq__(self, other: object) -> bool:
        """Return whether the other is this kind or its name, as for dtypes of numpy."""
        return self.name == (other.name if isinstance(other, Kind) else other)

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return self.name

    @property
    def coded(self) -> bool:
        """True for labels: arrays hold codes of classes."""
        return self.has_classes and not self.soft

    @property
    def single_text(self) -> bool:
        """True for texts, one of each sample."""
        return self.free_text and not self.soft

    @property
    def distribution(self) -> bool:
        """True for probabilities of all classes."""
        return self.has_classes and self.soft

    def default_metrics_of(self, n_classes: int) -> tuple[str, ...]:
        """Return the metrics to compare by; of a single label, its average is no other value."""
        if n_classes == 2 and self.of_two_classes:
            return self.of_two_classes
        return tuple(each for each in self.default_metrics if n_classes != 1 or each != "f1_macro")

    @property
    def exclusive(self) -> bool:
        """True where a sample has one of the classes, if there are any."""
        return self.has_classes or self.real

    @property
    def labelled(self) -> bool:
        """True where `labels` name the classes, or the numbers, of which a model gave outputs."""
        return self.has_classes or bool(self.axis) or "true_distribution" in self.truth

    def serves(self, name: str) -> bool:
        """Return whether metrics that need a kind can be computed from these outputs."""
        return name == self.name or name in self.views


LABELS = Kind(
    "labels", "labels", "classification",
    (("y_true", _N, "True labels."), ("y_pred", _N, "Predicted labels.")),
    has_classes=True, bounded=True, check=f"{_OUTPUTS}:class_codes",
    loss=f"{_LOSSES}:of_labels",
    default_metrics=("accuracy", "f1_macro"), twin="probabilities",
)  # fmt: skip
PROBABILITIES = Kind(
    "probabilities", "probabilities", "classification",
    (
        ("y_true", f"{_N} or (n_samples, n_classes)", "True labels, or soft labels."),
        ("y_prob", "array-like of shape (n_samples, n_classes)",
         "Probabilities; of shape (n_samples,) that of the positive one of two classes."),
    ),
    has_classes=True, soft=True, cells=f"{_CELLS}:numbers",
    check=f"{_OUTPUTS}:class_probabilities",
    loss=f"{_LOSSES}:of_probabilities",
    views={"labels": f"{_OUTPUTS}:likeliest_classes"},
    default_metrics=("accuracy", "f1_macro", "log_loss"),
    twin_variant="the soft twin: probabilities instead of decisions",
)  # fmt: skip
VALUES = Kind(
    "values", "real values", "regression",
    (("y_true", _N, "True values."), ("y_pred", _N, "Predicted values.")),
    real=True, measured=True, cells=f"{_CELLS}:numbers", check=f"{_OUTPUTS}:real_numbers",
    loss=f"{_LOSSES}:of_values",
    default_metrics=("rmse", "mae", "r2"), of_two_classes=("roc_auc", "average_precision"),
)  # fmt: skip
SCORES = Kind(
    "scores", "scores", "evaluation", (("scores", _N, "Score of each sample."),),
    scored=True, proportions=True, bounded=True, cells=f"{_CELLS}:numbers",
    check=f"{_OUTPUTS}:example_scores", loss=f"{_LOSSES}:of_scores",
    default_metrics=("mean_score",),
)  # fmt: skip
_KINDS = (LABELS, PROBABILITIES, VALUES, SCORES)
UNDECLARED = Kind("auto", "", "", cells=f"{_CELLS}:names_or_numbers")
"""Outputs of which no type is declared, without any properties."""


@cache
def all_kinds() -> Mapping[str, Kind]:
    """Return all kinds by name, those of plugins included."""
    return {each.name: each for each in (*_KINDS, *rows("kinds"))}


def kind_declared(option: str | Kind) -> Kind:
    """Return the kind that an option is or names, or `UNDECLARED`."""
    return option if isinstance(option, Kind) else all_kinds().get(option, UNDECLARED)


def check_kind(argument: str, value: object) -> None:
    """Refuse what is neither a kind nor the name of one, and list the names."""
    known = (UNDECLARED.name, *all_kinds())
    if isinstance(value, Kind) or (isinstance(value, str) and value in known):
        return
    absent = needed(f"{argument}={value!r}")
    hint = choices_meant(value, known, {})
    end = hint if hint.endswith("?") else "."
    raise ValueError(
        absent or f"`{argument}` must be one of {', '.join(known)}, got {shown(value)}{end}"
    )


def shared_kind(kinds: Iterable[Kind]) -> Kind:
    """Return the kind that all outputs can be read as: labels, of labels and probabilities.

    Raw scores of two classes cannot be read as labels: they are the kind where some models gave
    them.

    Examples
    --------
    >>> shared_kind([PROBABILITIES, LABELS]), shared_kind([PROBABILITIES])
    (labels, probabilities)
    """
    given = dict.fromkeys(kinds)
    common = (kind for kind in given if all(each.serves(kind.name) for each in given))
    return next(common, VALUES)
