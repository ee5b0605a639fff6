"""Likelihood ratios of a class, as of a diagnostic test."""
