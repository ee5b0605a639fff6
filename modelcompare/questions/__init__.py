"""One question, one answer: two models, many at once, a decision, the size of a test set."""
