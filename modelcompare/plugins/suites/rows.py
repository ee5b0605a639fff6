"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="suites",
    package=__package__,
    public={"io.read_sets": "readings:read_sets"},
    several={
        "assertions": "readings:read_sets",
        "files": "reading:read_asked",
    },
    advice="readings:ADVICE",
    sources="reading:SOURCES",
    set_results="reading:SET_RESULTS",
)
