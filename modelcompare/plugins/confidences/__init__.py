"""Predictions from confidences that are not full distributions: n-best lists, and bins."""
