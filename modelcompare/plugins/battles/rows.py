"""Rows that the plugin adds to the tables of the core."""

from modelcompare.plugs import Plugin

PLUGIN = Plugin(
    name="battles",
    package=__package__,
    public={"from_battles": "reader:from_battles"},
    readers="reader:READERS",
    refusals="columns:REFUSALS",
    scores="reader:SCORES",
    documents={
        "sources": (
            "battles of two models, and the winner | `model_a, model_b, winner, [user], "
            "[question_id]`: [battles](battles.md)",
        ),
        "logs": (
            "[MT-Bench](https://github.com/lm-sys/FastChat), pairs | `gpt-4_pair.jsonl` | "
            "`model_1`, `model_2`, `g1_winner`, `g2_winner` | `model_1`, `model_2` | one | each "
            "row is a [battle](battles.md); the question is the cluster | `strength`; a model "
            "wins if it wins both games; battles in which the judge failed are left out | "
            "`modelcompare compare formats/mt_bench/gpt-4_pair.jsonl`",
        ),
        "pages": (
            "[Battles and preferences](docs/battles.md): pairwise preferences, arenas, win rates "
            "against a baseline",
        ),
    },
)
