"""Error rates of a test and coverage of an interval, simulated on the data at hand."""
