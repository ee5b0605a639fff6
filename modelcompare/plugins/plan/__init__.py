"""Plans of comparisons and decisions that are shown, and not computed."""
