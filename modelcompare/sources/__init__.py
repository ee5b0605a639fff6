"""Predictions that are not in memory: read block by block, for the same numbers."""
