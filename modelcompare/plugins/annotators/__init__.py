"""Labels by several people of each item, as one truth."""
