"""A log format, a metric and a design for modelcompare."""
