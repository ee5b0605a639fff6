"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="hugging_face",
    package=__package__,
    objects="datasets:OBJECTS",
    folder_files="datasets:FOLDER_FILES",
)
