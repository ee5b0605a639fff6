"""Test sets with samples in memory, in files, or summed.

`Predictions` has all rows, `ScannedPredictions` reads them block by block, a `Sketch` has sums over
buckets of them. `TestSet` is their common interface. `TestSet.require` compares the needs of a
question with the abilities of a test set.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NoReturn

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from modelcompare.arrays import AnyArray, FloatArray, Found, IntArray
from modelcompare.data import checks
from modelcompare.data.columns import Source
from modelcompare.data.judges import Judge
from modelcompare.data.kinds import Kind, shared_kind
from modelcompare.data.outputs import Output
from modelcompare.data.scores import Scores
from modelcompare.data.sums import About
from modelcompare.words import Need, SampleColumn, check_names


class TestSet(ABC):
    """The models' outputs on one test set, in memory or not; immutable.

    Columns of the samples are None if the test set lacks them, and refused if they are not in
    memory.

    Attributes
    ----------
    abilities : frozenset of {"rows", "blocks", "units", "sums"}
        Available data: all rows at once, blocks of consecutive rows, numbers of all units that are
        resampled, their sums.
    """

    __slots__ = (
        "_columns", "_kinds", "_labels", "_missing_mass", "_name", "_positive", "_scores",
        "_source",
    )  # fmt: skip
    __test__ = False  # Not for pytest.

    abilities: ClassVar[frozenset[Need]]
    _lacking: ClassVar[str]
    _refusal: ClassVar[str]

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
    def n_samples(self) -> int:
        """Number of rows: samples, and their runs; those of models with fewer runs repeat."""

    @abstractmethod
    def _of_models(self, models: Sequence[str]) -> TestSet:
        """Return the test set with some of the models."""

    def _share(self, other: TestSet) -> None:
        """Take over the description of another test set."""
        for slot in TestSet.__slots__:
            setattr(self, slot, getattr(other, slot))

    # -- description --------------------------------------------------------------------------

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """Output type of each model, in the order given."""
        return self._kinds

    @property
    def kind(self) -> Kind:
        """Kind that the outputs of all models can be read as."""
        return shared_kind(self._kinds.values())

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models, in the order given."""
        return tuple(self._kinds)

    def __len__(self) -> int:
        return self.n_samples

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 outside classification."""
        return 0 if self.labels is None else len(self.labels)

    def class_named(self, text: Any) -> Any:
        """Return the class whose text this is, or the text itself if there is none."""
        labels = [] if self.labels is None else self.labels.tolist()
        return next((label for label in labels if str(label) == str(text)), text)

    @property
    def name(self) -> str | None:
        """Name of the source of the predictions."""
        return self._name

    @property
    def greater_is_better(self) -> bool | Mapping[str, bool | None] | None:
        """Direction of per-example scores, None if it is not known; of several, by their names."""
        scores = self._scores
        if isinstance(scores.declared, bool) or not scores.names:
            return scores.direction()[0]
        return {name: scores.direction(name)[0] for name in scores.names}

    @property
    def scores(self) -> Scores:
        """Names of per-example scores, and their directions and ranges as they were declared."""
        return self._scores

    @property
    def source(self) -> Source:
        """Names in the source: of what has a row each, and of columns without a role."""
        return self._source

    @property
    def missing_mass(self) -> bool:
        """True where probabilities may sum to less than 1."""
        return self._missing_mass

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

    @property
    def judge(self) -> Judge | None:
        """Verdicts of a judge, where people labelled some of the samples only; else None."""
        return None

    # -- columns of the samples ---------------------------------------------------------------

    def _column(self, name: str) -> AnyArray | None:
        return self._columns.get(name)

    @property
    def labels(self) -> AnyArray | None:
        """The classes, or None outside classification."""
        return self._labels

    @property
    def positive(self) -> Any:
        """The positive one of two classes, the last; None if it is not known."""
        return self._positive

    @property
    def y_true(self) -> AnyArray | None:
        """Truth as given: labels, values or texts; None for per-example scores.

        Beside a judge it is None where people gave no label.
        """
        truth, judge = self._column("y_true"), self.judge
        if truth is None or judge is None:
            return truth
        return judge.kept("y_true", lambda: judge.known(truth))

    @property
    def codes(self) -> IntArray | None:
        """True class of each sample as an index into `labels`; the likeliest of soft labels."""
        return self._column("codes")

    @property
    def hard_codes(self) -> IntArray | None:
        """True class of each sample; None where labels are soft, and outside classification."""
        return self.codes if self.true_distribution is None else None

    @property
    def true_distribution(self) -> FloatArray | None:
        """Soft labels of shape (n_samples, n_classes), or rows of 0 and 1 of sets of labels."""
        return self._column("true_distribution")

    @property
    def ids(self) -> AnyArray | None:
        """Name of each sample."""
        return self._column("ids")

    @property
    def groups(self) -> AnyArray | None:
        """Cluster of each sample."""
        return self._column("groups")

    @property
    def items(self) -> AnyArray | None:
        """Item that each row is an answer to: the cluster, if these hold several items each."""
        found = self._column("items")
        return found if found is not None and self.groups is not None else self.groups

    @property
    def strata(self) -> AnyArray | None:
        """Stratum of each sample."""
        return self._column("strata")

    @property
    def runs(self) -> AnyArray | None:
        """Run (seed) that each row belongs to."""
        return self._column("runs")

    def runs_of(self, model: str) -> AnyArray | None:
        """Return the run of one model that each row belongs to."""
        checks.check_models(self.models, model=model)
        return self.runs

    @property
    def sample_weight(self) -> FloatArray | None:
        """Weight of each sample."""
        return self._column("sample_weight")

    @property
    def weighted(self) -> bool:
        """True where samples have weights."""
        return self._columns.get("sample_weight") is not None

    @property
    def plain(self) -> bool:
        """True where samples are independent and weigh the same."""
        return self.unit == "samples" and not self.weighted

    @property
    def largest_weight(self) -> float:
        """Largest weight of a sample; 1 where they have none."""
        return 1.0 if self.sample_weight is None else float(self.sample_weight.max())

    @property
    def weights(self) -> FloatArray:
        """Weight of each sample; 1 where they have none."""
        return np.ones(len(self)) if self.sample_weight is None else self.sample_weight

    @property
    def unit_of(self) -> IntArray:
        """Number of each sample's cluster, or of the sample itself without clusters."""
        groups = self.groups
        return np.arange(len(self)) if groups is None else np.unique(groups, return_inverse=True)[1]

    def unit_weights(self, *, by_class: bool = False) -> FloatArray:
        """Return the weight of each unit, by true class or in all; of survival, of its events."""
        codes = self.codes if by_class else None
        truth = self._column("y_true") if self.kind.events else None
        marks = self.true_distribution if by_class and self.kind.multilabel else None
        if truth is not None:
            marks = truth[:, 1:]  # 1 for samples with an event
        rows = self.weights[:, None] if marks is None else marks * self.weights[:, None]
        if codes is None and self.groups is None:
            return rows
        unit_of, k = self.unit_of, self.n_classes
        if codes is None:
            return np.column_stack([np.bincount(unit_of, column) for column in rows.T])
        sums = np.bincount(unit_of * k + codes, self.weights, (int(unit_of.max()) + 1) * k)
        return sums.reshape(-1, k).astype(np.float64, copy=False)

    @property
    def slices(self) -> pd.DataFrame | None:
        """Variables that define subgroups, a column each."""
        return None

    @property
    def sums(self) -> Mapping[tuple[str, str], FloatArray]:
        """Statistics summed in the buckets of a sketch; empty where no samples were summed.

        Keys are names of the statistic and of the model, `EVERY_MODEL` where all share one; arrays
        have shape (n_buckets, n_columns). A sketch has "count", the samples' weight, and of labels
        "support", their weight by true class.
        """
        return {}

    @property
    def about(self) -> About | None:
        """Description of the sums of a sketch; None where samples were not summed."""
        return None

    @property
    def unit(self) -> str:
        """Name of the units that are resampled: samples, clusters, or buckets of a sketch."""
        return "samples" if self.groups is None else "clusters"

    @property
    def unit_sizes(self) -> FloatArray | None:
        """Samples in each bucket, whose sums by stratum the design fixes; None elsewhere."""
        return None

    @property
    def planner(self) -> str:
        """Place of a function that chooses as `comparison.planning.serve` does; empty for none."""
        return ""

    @property
    def head(self) -> TestSet:
        """Samples that show the columns: the first block of a scan, else all."""
        return self

    @property
    def sample(self) -> TestSet:
        """Samples that show every output type: a block of a scan, else all."""
        return self

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
        yield self, None

    def kept(self, key: Hashable, find: Callable[[], Found]) -> Found:  # noqa: ARG002
        """Return `find()`, called only once if samples are not in memory."""
        return find()

    def output(self, model: str) -> Output:
        """Return a model's output."""
        checks.check_models(self.models, model=model)
        self.refuse("the outputs of all rows")

    def predicted(self, model: str) -> IntArray:
        """Return the predicted class of each sample, an index into `labels`; the first of ties."""
        checks.check_models(self.models, model=model)
        self.refuse("the outputs of all rows")

    def probabilities(self, model: str) -> AnyArray:
        """Return probabilities of shape (n_samples, n_classes); other outputs are refused."""
        output = self.output(model)
        if not output.kind.distribution:
            raise ValueError(f"model {model!r} gave {output.kind}, not probabilities.")
        return output.array

    def subset(self, rows: ArrayLike) -> TestSet:  # noqa: ARG002
        """Return some of the samples, by a mask of shape (n_samples,) or by indices."""
        self.refuse("a subset")

    def with_columns(self, **columns: ArrayLike) -> TestSet:
        """Return the same test set with other `groups`, `strata`, `runs`, or `items` in groups."""
        self.refuse(f"a column of {' and '.join(columns)}")

    def without(self, *columns: SampleColumn) -> TestSet:
        """Return the same test set without `ids`, `groups`, `strata`, `runs` or `sample_weight`."""
        self.refuse(f"a column of {' and '.join(columns)}")

    def require(self, need: Need, argument: str) -> None:
        """Refuse a test set, given as `argument`, that lacks an ability, or labels of all rows."""
        if self.judge is not None and need != "judge":
            self.judge.refuse(argument)
        if need not in self.abilities:
            raise ValueError(self._lacking.format(argument))

    def refuse(self, what: str) -> NoReturn:
        """Refuse a request that needs samples which are not in memory, with a remedy."""
        raise ValueError(self._refusal.format(what))
