"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="runs",
    package=__package__,
    public={"diagnostics.variance_components": "components:variance_components"},
    paths="paths:PATHS",
    records="separate:RECORDS",
    designs="design:DESIGNS",
    partitions="declared:PARTITIONS",
    summed="declared:SUMMED",
    limits="declared:LIMITS",
    tests="permutation:TESTS",
    phrases="intervals:PHRASES",
)
