"""Choices of options."""

from typing import Literal

Listed = Literal["labels", "texts"]
Unlisted = Literal["unassigned", "spread"]
