"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="agreement",
    package=__package__,
    public={
        "diagnostics.annotator_agreement": "annotators:annotator_agreement",
        "diagnostics.model_agreement": "annotators:model_agreement",
        "diagnostics.Disagreements": "disagreements:Disagreements",
        "diagnostics.disagreements": "disagreements:disagreements",
    },
    commands="commands:COMMANDS",
    pages="run:PAGES",
)
