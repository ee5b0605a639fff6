"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="suites",
    package=__package__,
    public={
        "io.read_sets": "readings:read_sets",
        "results.SuiteComparison": "result:SuiteComparison",
    },
    several={
        "assertions": "readings:read_sets",
        "check": "checks:check_sets",
        "compare_groups": "comparing:compare_sets",
        "decide": "gains:mean_gain",
        "files": "reading:read_asked",
        "gate": "gates:answer_rule",
        "in_order": "checks:in_order",
        "paired_test": "paired:test_means",
        "plan": "comparing:sets_to_plan",
        "plan of a decision": "comparing:refuse_plan",
        "rules": "rules:read_rule",
        "sample_size": "pilots:mean_difference",
    },
    rules="rules:RULES",
    additions="commands:ADDITIONS",
    advice="readings:ADVICE",
    sources="reading:SOURCES",
    set_results="reading:SET_RESULTS",
)
