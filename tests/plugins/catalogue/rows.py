"""Rows of the tables of other tests."""

COMPLETED = {"metrics": ("metrics",)}
