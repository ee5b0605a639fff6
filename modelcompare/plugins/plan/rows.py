"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="plan",
    package=__package__,
    public={"plan": "question:plan"},
    options={
        "plan": "run:of_gate",
        "plan of groups": "run:of_groups",
        "plan of two": "run:of_two",
        "seconds": "duration:warn_of_time",
        "seconds of groups": "duration:warn_of_groups",
    },
    additions="commands:ADDITIONS",
)
