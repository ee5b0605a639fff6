"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="ledgers",
    package=__package__,
    public={
        "Ledger": "ledger:Ledger",
        "keep": "keep:keep",
        "diagnostics.Budget": "budget:Budget",
        "diagnostics.budget": "budget:budget",
        "diagnostics.KeepReport": "report:KeepReport",
        "diagnostics.keep_report": "report:keep_report",
        "results.KeepResult": "keep:KeepResult",
        "testing.assert_kept": "testing:assert_kept",
    },
    commands="commands:COMMANDS",
    additions="commands:ADDITIONS",
    options={"ledger": "looks:at_look"},
    pytest="in_pytest:HOOKS",
)
