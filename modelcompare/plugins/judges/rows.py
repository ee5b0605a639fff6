"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="judges",
    package=__package__,
    public={
        "diagnostics.JudgeReport": "report:JudgeReport",
        "diagnostics.judge_report": "report:judge_report",
    },
    additions="commands:ADDITIONS",
    beside="columns:BESIDE",
    designs="asked:DESIGNS",
    phrases="intervals:PHRASES",
    options=dict.fromkeys(("judge", "label_weight"), "verdicts:with_verdicts"),
)
