"""One-sided level of a question that is asked at any number of samples."""

from __future__ import annotations

import math

from scipy.special import ndtr

# Samples at which a normal mixture has half of its weight; at the level 0.05 its bounds are then
# narrowest at 1,000 samples.
_MIXTURE = 158


def level_at_any_time(n: float, alpha: float) -> float:
    """Return the one-sided level at n samples of an asymptotic confidence sequence.

    Bounds at this level hold for all n together, in the limit of many samples (Robbins' normal
    mixture); they are narrowest at about 1,000 samples.

    References
    ----------
    .. [1] Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas (2024), Annals of Statistics 52, 2613-2640.

    Examples
    --------
    >>> [f"{level_at_any_time(n, 0.05):.4f}" for n in (100, 1000, 10_000)]
    ['0.0001', '0.0027', '0.0014']
    """
    t = n / _MIXTURE
    return float(ndtr(-math.sqrt(2 * (t + 1) / t * math.log1p(math.sqrt(t + 1) / (2 * alpha)))))
