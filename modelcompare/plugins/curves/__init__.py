"""Curves of one class against the others, operating points, and thresholds chosen elsewhere."""
