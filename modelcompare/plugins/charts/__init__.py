"""Figures of replicates, of pairs of models, of values by class, and of confusion matrices."""
