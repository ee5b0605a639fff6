"""Samples in time: blocks of consecutive samples, and the test of two forecasts."""
