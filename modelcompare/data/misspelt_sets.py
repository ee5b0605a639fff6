"""Labels in sets that are the true ones in another spelling."""

from __future__ import annotations

from collections.abc import Mapping

from modelcompare import spelling
from modelcompare.arrays import AnyArray
from modelcompare.data.kinds import FEW, refuse_mismatch, warn_of_lookalikes, warn_of_twins
from modelcompare.words import Kind


def check_sets(
    true: AnyArray, arrays: Mapping[str, AnyArray], kinds: Mapping[str, Kind], labels: AnyArray
) -> None:
    """Refuse sets of labels that never match the true ones, and warn about misspelt labels.

    Truth and sets are rows of 0 and 1, a column for each label.
    """
    present = true.any(axis=0)
    known = labels[present].tolist()
    warn_of_lookalikes(labels[present])
    columns = dict(zip(labels.tolist(), true.T.astype(bool), strict=True))
    for model in (model for model, kind in kinds.items() if kind == "label_sets"):
        given = arrays[model].astype(bool)
        marks = dict(zip(labels.tolist(), given.T, strict=True))
        unknown = labels[given.any(axis=0) & ~present].tolist()
        twins = spelling.twins(unknown, known)
        always = any(
            not marks[other].any()
            and marks[label].sum() >= FEW
            and 2 * (marks[label] & columns[other]).sum() >= marks[label].sum()
            for label, (other, _) in twins.items()
        )
        if always or (unknown and not given[:, present].any()):
            refuse_mismatch(model, labels[given.any(axis=0)], labels[present], unknown)
        warn_of_twins(model, twins, {label: marks[label].sum() for label in twins})
