"""A log format and a metric for modelcompare."""
