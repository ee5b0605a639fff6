"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="curves",
    package=__package__,
    public={
        "diagnostics.CurveResult": "empirical:CurveResult",
        "diagnostics.curve": "bands:curve",
        "diagnostics.operating_point": "operating_point:operating_point",
        "diagnostics.choose_thresholds": "thresholds:choose_thresholds",
        "diagnostics.at_thresholds": "thresholds:at_thresholds",
    },
    steps="commands:STEPS",
    figures="of_comparison:FIGURES",
    choices={"figure": ("roc", "pr")},
)
