"""Models side by side on the same samples: replicates, scores, differences, ranks, a verdict."""
