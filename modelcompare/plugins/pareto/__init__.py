"""Models that no other one dominates in several metrics, such as quality and cost."""
