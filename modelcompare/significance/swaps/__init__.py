"""Swaps of two models' outputs: one studentized statistic, and the ways to its distribution."""
