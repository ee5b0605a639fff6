"""Counts, precision, recall and F1 of each class."""
