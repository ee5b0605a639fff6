"""Calibrated probabilities: maps that are fitted on other samples, or across folds of the same."""
