"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="texts",
    package=__package__,
    public={"metrics.text_signature": "scores:text_signature"},
    kinds="kinds:KINDS",
    metrics="metrics:METRICS",
    choices={"kind": ("texts",)},
    terms={
        "bleu": "corpus bleu",
        "cer": "character error rate",
        "chrfpp": "chrf++, chrf plus plus",
        "exact_match": "em, sentence accuracy",
        "slot_error_rate": "ser",
        "ter": "translation edit rate, translation error rate",
        "wer": "word error rate",
        "word_accuracy": "word accuracy rate, wacc",
    },
)
