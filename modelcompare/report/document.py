"""What a result shows: the record that every writer takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """A sentence that says what was found."""

    text: str
    metric: str = ""  # what it is about, if one of several metrics
    sameness: tuple[float, float] = (0.0, 0.0)  # small where models differ most


def top_findings(findings: Sequence[Finding], most: int) -> list[str]:
    """Choose the sentences that a screen has room for.

    Of metrics with many classes those where models differ most; what is about no metric stays.
    """
    by_metric: dict[str, list[Finding]] = {}
    for finding in findings:
        by_metric.setdefault(finding.metric, []).append(finding)
    others = [finding.text for finding in by_metric.pop("", [])]
    if not by_metric:
        return others[:most]
    if sum(map(len, by_metric.values())) > most:
        of_classes = sum(len(group) > 1 for group in by_metric.values())
        room = max((most - len(by_metric) + of_classes) // max(of_classes, 1), 1)
        by_metric = {
            metric: group if len(group) <= room else sorted(group, key=_sameness)[:room]
            for metric, group in by_metric.items()
        }
    shown = [finding.text for group in by_metric.values() for finding in group]
    return [*shown[:most], *others]


def _sameness(finding: Finding) -> tuple[float, float]:
    return finding.sameness
