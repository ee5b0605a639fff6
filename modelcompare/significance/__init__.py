"""Replicates and swaps -> p-values and corrections, for all pairs of models at once."""
