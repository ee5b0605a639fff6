"""Bounds of a gain that hold however often they are computed while samples are added."""
