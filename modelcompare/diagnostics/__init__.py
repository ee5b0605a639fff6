"""Curves, reliability, calibration, agreement, and components of variance."""
