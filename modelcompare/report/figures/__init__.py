"""Figures with matplotlib, one way to lay them out."""
