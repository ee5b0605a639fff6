"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="custom",
    package=__package__,
    public={"metrics.cost": "costs:cost", "metrics.load_metric": "files:load_metric"},
    options={"metric_from": "files:load_metric"},
    additions="commands:ADDITIONS",
    failures="files:FAILURES",
)
