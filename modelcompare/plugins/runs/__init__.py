"""Runs: several trainings, or repeated answers, of the same procedures on the same items."""
