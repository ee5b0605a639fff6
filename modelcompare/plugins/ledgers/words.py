"""Choices of ledgers."""

from typing import Literal

Spending = Literal["obrien-fleming", "pocock"]
Control = Literal["any", "share"]
Word = Literal["keep", "discard", "undecided"]
