"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="omnibus",
    package=__package__,
    public={
        "inference.OmnibusResult": "question:OmnibusResult",
        "inference.omnibus_test": "question:omnibus_test",
    },
)
