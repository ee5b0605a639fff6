"""Metrics of repeated answers to an item: pass@k and others."""
