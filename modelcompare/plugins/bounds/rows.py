"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="bounds",
    package=__package__,
    public={"results.BoundedComparison": "ends:BoundedComparison"},
    options={"missing='bounds'": "ends:compare_bounds"},
)
