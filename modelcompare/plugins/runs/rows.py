"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="runs",
    package=__package__,
    public={"diagnostics.variance_components": "components:variance_components"},
    designs="design:DESIGNS",
    partitions="declared:PARTITIONS",
    summed="declared:SUMMED",
    limits="declared:LIMITS",
    tests="permutation:TESTS",
    phrases="intervals:PHRASES",
)
