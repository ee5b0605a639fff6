"""Weights of resamples and their seeds; the only room that draws random numbers."""
