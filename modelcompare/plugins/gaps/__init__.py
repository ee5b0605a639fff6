"""Gaps of a metric between subgroups."""
