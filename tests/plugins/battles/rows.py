"""Rows of the tables of other tests."""

import pandas as pd

import modelcompare as mc
from tests.senseless import COLUMN, FLAG, NAMES, NAN, Door

DOORS = {
    "from_battles": Door(
        mc.from_battles,
        {"table": pd.DataFrame({"model_a": [*"xxy"], "model_b": [*"yyx"], "winner": [*"aba"]})},
        instead={
            "columns": [
                {role: bad}
                for role in ("model_a", "model_b", "winner", "item", "user")
                for bad in COLUMN
            ],
            "table": [5, [], {}, [5], NAN, True, b"x", object()],
            "position": FLAG,
            "covariates": NAMES,
        },
    ),
}
