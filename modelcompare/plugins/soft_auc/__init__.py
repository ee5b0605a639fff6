"""Variants of the area under the ROC curve that use the differences of probabilities."""
