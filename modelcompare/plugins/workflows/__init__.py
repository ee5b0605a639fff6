"""Answers of gates to workflows: annotations, summaries, outputs, and comments on pull requests."""
