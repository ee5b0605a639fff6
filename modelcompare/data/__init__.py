"""The door: predictions of one test set, and every check that input must pass."""
