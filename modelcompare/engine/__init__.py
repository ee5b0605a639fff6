"""Weights x statistics -> totals -> values: every metric of every model, block by block."""
