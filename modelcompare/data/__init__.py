"""Predictions of one test set, and all checks of input."""
