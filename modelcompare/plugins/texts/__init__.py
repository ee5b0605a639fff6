"""Texts as outputs: their metrics, lists of them, and tagged sentences."""
