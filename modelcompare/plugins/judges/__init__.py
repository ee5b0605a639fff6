"""Judges: labels by people on some samples, and verdicts of a judge on all."""
