"""Options of several test sets, which commands have more."""

from __future__ import annotations

from typing import Literal

from modelcompare.cli.commands import Addition
from modelcompare.cli.options import statistics
from modelcompare.options import Option
from modelcompare.words import WeightsOfSets

_NEW_SETS = Option(
    name="generalize_to", type=Literal["sets", "sets+runs"],
    help="of several test sets, sets is for new ones",
)  # fmt: skip
_WEIGHTS = statistics(
    name="weights", type=WeightsOfSets, default="equal",
    help="Of test sets in their mean: {choices}; samples pools them.",
)  # fmt: skip
ADDITIONS = (
    Addition("gate", (_NEW_SETS, _WEIGHTS)),
    Addition(
        "groups",
        (_NEW_SETS, _WEIGHTS),
        help="Several sets are files of all models, folders, or long tables.",
        examples=("news.csv tweets.csv mails.csv --metric accuracy",),
    ),
    Addition("keep", (_NEW_SETS, _WEIGHTS)),
    Addition("sample-size", (_NEW_SETS,)),
)
