"""Ledgers: records of what was asked of a test set, and one level for all answers."""
