"""Predictions that are not in memory: sketches of them."""
