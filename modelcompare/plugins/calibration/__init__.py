"""Calibration: diagrams of reliability, the test of a model's errors, slope and intercept."""
