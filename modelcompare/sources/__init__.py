"""Predictions that are not in memory: scans, read block by block, and sketches, their sums."""
