"""Adjusted p-values of tests that were made elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from modelcompare.arguments import checked
from modelcompare.arrays import FloatArray
from modelcompare.data.checks import as_array
from modelcompare.significance import corrections
from modelcompare.words import Correction, shown


@checked()
def adjust(p_values: ArrayLike | pd.DataFrame, method: Correction = "holm") -> Any:
    """Adjust the p-values of one family of tests for their number.

    Parameters
    ----------
    p_values : array-like, Series or DataFrame
        p-values of any shape, all of one family; missing ones do not count, and stay missing.
    method : {"holm", "hochberg", "hommel", "bonferroni", "sidak", "fdr_bh", "fdr_by", "none"}
        Holm's, Hochberg's, Hommel's, Bonferroni's and Sidak's methods bound the probability of any
        false finding; Benjamini and Hochberg's, and Yekutieli's for any dependence, the expected
        share of false ones among the findings. Hochberg's, Hommel's, Sidak's and "fdr_bh" need
        independence or positive dependence.

    Returns
    -------
    ndarray, Series or DataFrame
        As given: the same shape, index and columns.

    Raises
    ------
    ValueError
        If these are no p-values, or the method needs more than p-values ("max-t", "min-p").

    Examples
    --------
    >>> import modelcompare as mc
    >>> mc.inference.adjust([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    if method in ("max-t", "min-p"):
        raise ValueError(f"`method='{method}'` needs resamples of the tests; use 'holm'.")
    found = corrections.adjust(_checked(p_values), method)
    if isinstance(p_values, pd.DataFrame):
        return pd.DataFrame(found, p_values.index, p_values.columns)
    if isinstance(p_values, pd.Series):
        return pd.Series(found, p_values.index, name=p_values.name)
    return found


def _checked(p_values: Any) -> FloatArray:
    if np.ndim(p_values) == 0 or isinstance(p_values, Mapping):
        raise TypeError(
            "`p_values` must be an array, list, Series or DataFrame of p-values, got "
            f"{shown(p_values)}."
        )
    array = as_array(p_values, "`p_values`")
    try:
        if array.dtype.kind == "b":
            raise TypeError
        found = np.where(pd.isna(array), np.nan, array).astype(np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"`p_values` must hold numbers, got {shown(p_values)}.") from None
    outside = found[(found < 0) | (found > 1)]
    if outside.size:
        raise ValueError(f"`p_values` must lie in [0, 1], got {outside[0]:g}.")
    return found
