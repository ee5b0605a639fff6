"""Test sets with samples in memory, in files, or summed.

`Predictions` has all rows, `ScannedPredictions` reads them block by block, a `Sketch` has sums over
buckets of them. `TestSet` is what users have in common of them, `Access` what computations ask of
them: each source of samples has its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Generic, NoReturn, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from modelcompare.arrays import AnyArray, FloatArray, Found, IntArray
from modelcompare.data import checks
from modelcompare.data.attachments import Attachment
from modelcompare.data.columns import Source
from modelcompare.data.kinds import Kind, shared_kind
from modelcompare.data.outputs import Output
from modelcompare.data.scores import Scores
from modelcompare.data.sums import Sums
from modelcompare.plugs import load
from modelcompare.words import Need, check_names

Given = TypeVar("Given", bound="TestSet", covariant=True)


class TestSet(ABC):
    """The models' outputs on one test set, in memory or not; immutable.

    Columns of the samples are None if the test set lacks them, and refused if they are not in
    memory.
    """

    __slots__ = (
        "_attachments", "_columns", "_kinds", "_labels", "_missing_mass", "_name", "_positive",
        "_scores", "_source",
    )  # fmt: skip
    __test__ = False  # Not for pytest.

    _attachments: Mapping[str, Attachment]
    _columns: Mapping[str, AnyArray | None]
    _kinds: Mapping[str, Kind]
    _labels: AnyArray | None
    _missing_mass: bool
    _name: str | None
    _positive: Any
    _scores: Scores
    _source: Source

    @property
    @abstractmethod
    def access(self) -> Access[Any]:
        """Access of computations to the samples, wherever they are."""

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of rows: samples, and their runs; models with fewer repeat them."""

    @abstractmethod
    def _of_models(self, models: Sequence[str]) -> TestSet:
        """Return the test set with some of the models."""

    def _share(self, other: TestSet) -> None:
        """Take over the description of another test set."""
        for slot in TestSet.__slots__:
            setattr(self, slot, getattr(other, slot))

    # -- description --------------------------------------------------------------------------

    @property
    def kind(self) -> Kind:
        """Kind that the outputs of all models can be read as."""
        return shared_kind(self._kinds.values())

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models, in the order given."""
        return tuple(self._kinds)

    @property
    def name(self) -> str | None:
        """Name of the source of the predictions."""
        return self._name

    def __getitem__(self, models: str | Sequence[str]) -> Any:
        chosen = (models,) if isinstance(models, str) else check_names("models", models)
        if not chosen:
            raise ValueError("no model named; write preds[['a', 'b']].")
        repeated = sorted({model for model in chosen if chosen.count(model) > 1})
        if repeated:
            raise ValueError(f"model {repeated[0]!r} is named twice; name each once.")
        for model in chosen:
            checks.check_models(self.models, model=model)
        return self._of_models(chosen)

    # -- columns of the samples ---------------------------------------------------------------

    def _column(self, name: str) -> AnyArray | None:
        return self._columns.get(name)

    @property
    def labels(self) -> AnyArray | None:
        """The classes, or None outside classification."""
        return self._labels

    @property
    def y_true(self) -> AnyArray | None:
        """Truth as given: labels, values or texts; None for per-example scores.

        Beside a judge it is None where people gave no label.
        """
        truth = self._column("y_true")
        for each in self._attachments.values():
            truth = None if truth is None else each.given(truth)
        return truth

    @property
    def ids(self) -> AnyArray | None:
        """Name of each sample."""
        return self._column("ids")

    @property
    def groups(self) -> AnyArray | None:
        """Cluster of each sample."""
        return self._column("groups")

    @property
    def strata(self) -> AnyArray | None:
        """Stratum of each sample."""
        return self._column("strata")

    @property
    def runs(self) -> AnyArray | None:
        """Run (seed) that each row belongs to."""
        return self._column("runs")

    @property
    def sample_weight(self) -> FloatArray | None:
        """Weight of each sample."""
        return self._column("sample_weight")

    @property
    def slices(self) -> pd.DataFrame | None:
        """Variables that define subgroups, a column each."""
        return None

    def output(self, model: str) -> Output:
        """Return a model's output."""
        checks.check_models(self.models, model=model)
        self.access.refuse("the outputs of all rows")

    def predicted(self, model: str) -> IntArray:
        """Return the predicted class of each sample, an index into `labels`; the first of ties."""
        checks.check_models(self.models, model=model)
        self.access.refuse("the outputs of all rows")

    def probabilities(self, model: str) -> AnyArray:
        """Return probabilities of shape (n_samples, n_classes); other outputs are refused."""
        output = self.output(model)
        if not output.kind.distribution:
            raise ValueError(f"model {model!r} gave {output.kind}, not probabilities; give those.")
        return output.array

    def subset(self, rows: ArrayLike) -> TestSet:  # noqa: ARG002
        """Return some of the samples, by a mask of shape (n_samples,) or by indices."""
        self.access.refuse("a subset")

    def with_columns(self, **columns: ArrayLike | None) -> TestSet:
        """Return the same test set with other `groups`, `strata`, `runs`, or `items` in groups.

        None takes a column away, also `ids` and `sample_weight`.
        """
        self.access.refuse(f"a column of {' and '.join(columns)}")


class Access(Generic[Given]):
    """Access of computations to the samples of a test set, wherever they are.

    Parameters
    ----------
    test_set : TestSet
        The test set.

    Attributes
    ----------
    abilities : frozenset of {"rows", "blocks", "units", "sums"}
        Available data: all rows at once, blocks of consecutive rows, numbers of all units that are
        resampled, their sums.
    """

    __slots__ = ("test_set",)

    abilities: ClassVar[frozenset[Need]]
    _lacking: ClassVar[str]
    _refusal: ClassVar[str]

    def __init__(self, test_set: Given) -> None:
        self.test_set = test_set

    # -- description --------------------------------------------------------------------------

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """Output type of each model, in the order given."""
        return self.test_set._kinds

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 outside classification."""
        return 0 if self.test_set.labels is None else len(self.test_set.labels)

    def class_named(self, text: Any) -> Any:
        """Return the class whose text this is, or the text itself if there is none."""
        labels = [] if self.test_set.labels is None else self.test_set.labels.tolist()
        return next((label for label in labels if str(label) == str(text)), text)

    @property
    def positive(self) -> Any:
        """The positive one of two classes, the last; None if it is not known."""
        return self.test_set._positive

    @property
    def scores(self) -> Scores:
        """Names of per-example scores, and their directions and ranges as they were declared."""
        return self.test_set._scores

    @property
    def source(self) -> Source:
        """Names in the source: of what has a row each, and of columns without a role."""
        return self.test_set._source

    @property
    def missing_mass(self) -> bool:
        """True where probabilities may sum to less than 1."""
        return self.test_set._missing_mass

    @property
    def attachments(self) -> Mapping[str, Attachment]:
        """Attachments of plugins to the samples, by name."""
        return self.test_set._attachments

    @property
    def labelled(self) -> Given:
        """The samples that people labelled, with the labels' weights; all without a judge."""
        test_set = self.test_set
        for each in self.attachments.values():
            test_set = each.complete_samples(test_set)
        return test_set

    # -- columns of the samples ---------------------------------------------------------------

    @property
    def codes(self) -> IntArray | None:
        """True class of each sample as an index into `labels`; the likeliest of soft labels."""
        return self.test_set._column("codes")

    @property
    def hard_codes(self) -> IntArray | None:
        """True class of each sample; None where labels are soft, and outside classification."""
        return self.codes if self.true_distribution is None else None

    @property
    def true_distribution(self) -> FloatArray | None:
        """Soft labels of shape (n_samples, n_classes), or rows of 0 and 1 of sets of labels."""
        return self.test_set._column("true_distribution")

    @property
    def true_marks(self) -> FloatArray | None:
        """Numbers of each label of samples that may have several; None where they have a class."""
        return self.true_distribution if self.codes is None else None

    @property
    def items(self) -> AnyArray | None:
        """Item that each row is an answer to: the cluster, if these hold several items each."""
        found = self.test_set._column("items")
        groups = self.test_set.groups
        return groups if found is None or groups is None else found

    def runs_of(self, model: str) -> AnyArray | None:
        """Return the run of one model that each row belongs to."""
        checks.check_models(self.test_set.models, model=model)
        return self.test_set.runs

    @property
    def weighted(self) -> bool:
        """True where samples have weights."""
        return self.test_set._columns.get("sample_weight") is not None

    @property
    def plain(self) -> bool:
        """True where samples are independent and weigh the same."""
        return self.unit == "samples" and not self.weighted

    @property
    def weights(self) -> FloatArray:
        """Weight of each sample; 1 where they have none."""
        weight = self.test_set.sample_weight
        return np.ones(len(self.test_set)) if weight is None else weight

    # -- units --------------------------------------------------------------------------------

    @property
    def unit(self) -> str:
        """Name of the units that are resampled: samples, clusters, or buckets of them."""
        return "samples" if self.test_set.groups is None else "clusters"

    @property
    def unit_of(self) -> IntArray:
        """Number of each sample's cluster, or of the sample itself without clusters."""
        groups = self.test_set.groups
        if groups is None:
            return np.arange(len(self.test_set))
        return np.unique(groups, return_inverse=True)[1]

    def unit_weights(self, *, by_class: bool = False) -> FloatArray:
        """Return the weight of each unit, by true class or in all, or of what counts in it."""
        codes = self.codes if by_class else None
        marks = self.true_marks if by_class else None
        if counted := self.test_set.kind.counted:
            marks = load(counted)(self.test_set._column("y_true"))
        rows = self.weights[:, None] if marks is None else marks * self.weights[:, None]
        if codes is None and self.test_set.groups is None:
            return rows
        unit_of, k = self.unit_of, self.n_classes
        if codes is None:
            return np.column_stack([np.bincount(unit_of, column) for column in rows.T])
        sums = np.bincount(unit_of * k + codes, self.weights, (int(unit_of.max()) + 1) * k)
        return sums.reshape(-1, k).astype(np.float64, copy=False)

    @property
    def largest_weight(self) -> float:
        """Largest weight of a unit."""
        clustered = self.test_set.groups is not None
        return float((self.unit_weights() if clustered else self.weights).max())

    @property
    def sums(self) -> Sums | None:
        """Statistics that were summed by unit; None where samples are available."""
        return None

    def check_metric(self, metric: Any) -> None:
        """Refuse a metric that cannot be computed from these data."""

    # -- samples ------------------------------------------------------------------------------

    @property
    def planner(self) -> str:
        """Place of a function of `comparison.planning.prepare` that chooses; empty for none."""
        return ""

    @property
    def head(self) -> TestSet:
        """Samples that show the columns: the first block of a scan, else all."""
        return self.test_set

    @property
    def sample(self) -> TestSet:
        """Samples that show every output type: a block of a scan, else all."""
        return self.test_set

    @property
    def checkpointed(self) -> tuple[Path, Mapping[str, object], Mapping[str, object]] | None:
        """Folder of totals, and fingerprints of the rows and of their reading; None without one."""
        return None

    def blocks(self, start: int = 0) -> Iterator[TestSet]:  # noqa: ARG002
        """Return predictions of 65,536 rows at a time, with all classes, from block `start` on."""
        self.refuse("blocks of rows")

    def named_blocks(self) -> Iterator[tuple[TestSet, AnyArray | None]]:
        """Return all blocks with the names of their samples, if they have names."""
        yield from ((block, block.ids) for block in self.blocks())

    def blocks_of_distinct(self) -> Iterator[tuple[TestSet, IntArray | None]]:
        """Return blocks that contain every distinct row, and the multiplicity of each row."""
        yield self.test_set, None

    def kept(self, key: Hashable, find: Callable[[], Found]) -> Found:  # noqa: ARG002
        """Return `find()`, called only once if samples are not in memory."""
        return find()

    def require(self, need: Need, argument: str, *, by_design: bool = False) -> None:
        """Refuse a test set, given as `argument`, that lacks an ability, or labels of all rows.

        These need not be known where values and their errors are asked `by_design`.
        """
        for each in () if by_design else self.attachments.values():
            each.check_known(argument)
        if need not in self.abilities:
            raise ValueError(self._lacking.format(argument))

    def refuse(self, what: str) -> NoReturn:
        """Refuse a request that needs samples which are not in memory, with a remedy."""
        raise ValueError(self._refusal.format(what))
