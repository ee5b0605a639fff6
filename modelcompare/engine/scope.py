"""Scope of an answer: which runs, labels and test sets it is about."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Self

from modelcompare.data.sizes import run_counts, written_range
from modelcompare.data.test_set import TestSet
from modelcompare.engine.labels_drawn import p_at_random
from modelcompare.engine.units import has_several_runs

# The name in a signature.
THESE_RUNS = "for these runs"


@dataclass(frozen=True)
class Scope:
    """Runs, labels and test sets that an answer is about; notes and signatures follow from it.

    Attributes
    ----------
    n_samples : int
        Number of rows.
    n_runs : tuple of int
        Numbers of runs of the models, in ascending order; empty if they are unknown.
    these_runs : bool
        Whether the answer is for the runs at hand, of which there are several.
    new_runs : bool
        Whether the answer is for new runs of the training procedures.
    n_labels : int
        Number of labels by people beside a judge; 0 without a judge.
    p_labels : float
        P-value of the test of whether these labels were drawn at random.
    n_sets : int
        Number of test sets.
    new_sets : bool
        Whether the answer is for new test sets.
    any_time : bool
        Whether the answer holds for all numbers of samples together.
    """

    n_samples: int
    n_runs: tuple[int, ...] = (1,)
    these_runs: bool = False
    new_runs: bool = False
    n_labels: int = 0
    p_labels: float = 1.0
    n_sets: int = 1
    new_sets: bool = False
    any_time: bool = False

    @classmethod
    def of(cls, predictions: TestSet, *, new_runs: bool = False) -> Self:
        """Return the scope of answers about one test set."""
        judge = predictions.access.judge
        if judge is not None:
            p = p_at_random(predictions)
            return cls(len(predictions), n_labels=judge.n_labels, p_labels=p)
        these_runs = not new_runs and has_several_runs(predictions)
        # Sums do not know how many runs there were.
        summed = predictions.access.sums is not None
        counts = {1} if summed else {*run_counts(predictions)}
        unknown = summed and these_runs
        n_runs = () if unknown else (*sorted(counts),)
        return cls(len(predictions), n_runs, these_runs=these_runs, new_runs=new_runs)

    @classmethod
    def of_sets(
        cls, scopes: Iterable[Scope], *, new_sets: bool = False, any_time: bool = False
    ) -> Scope:
        """Return the scope of answers about several test sets together; that of one alone."""
        first, *others = scopes
        found = first
        for each in others:
            found = replace(
                found,
                n_samples=found.n_samples + each.n_samples,
                n_runs=_together(found.n_runs, each.n_runs),
                these_runs=found.these_runs or each.these_runs,
                new_runs=found.new_runs or each.new_runs,
                n_labels=found.n_labels + each.n_labels,
                p_labels=min(found.p_labels, each.p_labels),
            )
        return replace(found, n_sets=1 + len(others), new_sets=new_sets, any_time=any_time)

    @property
    def generalize_to(self) -> str | None:
        """Names of what varies, as in `compare_groups`; None if only the items do."""
        what = [name for name, new in (("sets", self.new_sets), ("runs", self.new_runs)) if new]
        return "+".join(["items", *what]) if what else None

    @property
    def settings(self) -> dict[str, object]:
        """Settings in a signature."""
        labels = self.n_labels or None
        return {THESE_RUNS: self.these_runs, "labels": labels, "generalize_to": self.generalize_to}

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the runs, or the labels, for which an answer holds."""
        runs = f"{written_range(self.n_runs)} runs" if self.n_runs else "runs"
        if self.n_labels:
            return (_of_labels(self),)
        if self.new_runs:
            return (f"For the training procedures, seen in {runs} each: new runs are allowed for.",)
        if self.these_runs:
            return (f"For these {runs}: others of the same models would vary more.",)
        return ()

    @property
    def notes_of_sets(self) -> tuple[str, ...]:
        """Note on a mean for new test sets.

        Where a model loses 0.5 on a tenth of all sets, intervals of 5 and 15 sets cover 0.60 and
        0.80 (`experiments.validity.suites`); the share is that of the rule of three.
        """
        if not self.new_sets:
            return ()
        return (
            f"For test sets like these {self.n_sets}: new ones are allowed for, but sets of a kind "
            f"rarer than {min(3, self.n_sets)} in {self.n_sets} would not have been seen.",
        )


def _together(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    """Return the numbers of runs of two test sets; they are unknown if those of one are."""
    return (*sorted({*a, *b}),) if a and b else ()


def _of_labels(scope: Scope) -> str:
    """Return the note on answers that rest on labels of some samples and a judge of all."""
    shown = f"= {scope.p_labels:.2f}" if scope.p_labels >= 0.005 else "< 0.005"
    return (
        f"Labels by people on {scope.n_labels:,} of {scope.n_samples:,} samples, a judge on all: "
        "valid if the labels were drawn at random (answers and verdicts there against those on "
        f"the other samples: p {shown}) and did not tune the judge."
    )
