"""Choices of options."""

from typing import Literal

FoldTest = Literal["corrected-t", "5x2cv-t", "5x2cv-f"]
