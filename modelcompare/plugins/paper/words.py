"""Choices of options."""

from typing import Literal

from modelcompare.words import PairsTest

AgreementTest = Literal["t", "paired-t", PairsTest]
CardFormat = Literal["markdown", "text", "json", "eval-results"]
