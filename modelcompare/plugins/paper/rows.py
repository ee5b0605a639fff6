"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="paper",
    package=__package__,
    public={"studies": "studies"},
    commands="commands:COMMANDS",
    additions="commands:ADDITIONS",
    documents={
        "pages": (
            "[The paper's studies](docs/studies.md): the studies of Yacouby and Axman (2020)",
        ),
    },
)
