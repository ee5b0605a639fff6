"""Curves, reliability, calibration, agreement, disagreements, and components of variance."""
