"""Times until an event, of which some are censored: risks, probabilities to survive, c-indices."""
