"""Figures of a comparison in squares: pairs of models, values by class, confusion matrices."""
