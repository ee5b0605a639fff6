"""Sets of labels, several for each sample or none, and counts of objects of each label."""
