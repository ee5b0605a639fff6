"""Share of samples whose class is right, or next to the right one in the order of the classes."""

import numpy as np

from modelcompare.metrics import Metric
from modelcompare.metrics.base import Outcomes, Statistic
from modelcompare.metrics.scoring import COUNT


def _near(outcomes: Outcomes) -> np.ndarray:
    """Return 1 for each sample that is right or nearly so, of shape (n_samples, 1)."""
    return (np.abs(outcomes.predicted - outcomes.codes) <= 1)[:, None].astype(float)


def _share(near: np.ndarray, count: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return near[..., 0], count[..., 0]


METRICS = (
    Metric(
        name="near_miss", statistics=(Statistic("near", _near), COUNT), ratio=_share,
        bounds=(0.0, 1.0),
        description="Share of samples that are right, or one class away from it.",
    ),
)  # fmt: skip
