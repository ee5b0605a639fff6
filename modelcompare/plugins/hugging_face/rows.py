"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="hugging_face",
    package=__package__,
    objects="datasets:OBJECTS",
    folder_files="datasets:FOLDER_FILES",
    documents={
        "sources": (
            "a `Dataset` of Hugging Face, or a folder of its `save_to_disk` | "
            '`mc.read_predictions(dataset["test"])`, or the folder in place of a file',
        ),
    },
)
