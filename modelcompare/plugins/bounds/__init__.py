"""Bounds of comparisons for all values that missing results may have."""
