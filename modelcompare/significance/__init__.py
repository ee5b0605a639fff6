"""Paired tests of all pairs of models, and corrections for many tests."""

from modelcompare.significance.corrections import CORRECTIONS, adjust, max_t
from modelcompare.significance.pairwise import (
    TESTS,
    all_pairs,
    bootstrap_p_values,
    pair_differences,
    pairwise_p_values,
    permutation_p_values,
    sign_flip_p_values,
    wald_p_values,
)
from modelcompare.significance.variances import variance_tests

__all__ = [
    "CORRECTIONS",
    "TESTS",
    "adjust",
    "all_pairs",
    "bootstrap_p_values",
    "max_t",
    "pair_differences",
    "pairwise_p_values",
    "permutation_p_values",
    "sign_flip_p_values",
    "variance_tests",
    "wald_p_values",
]
