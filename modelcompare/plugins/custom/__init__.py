"""Metrics of users: from Python files, and from tables of the costs of mistakes."""
