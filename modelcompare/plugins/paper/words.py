"""Choices of options."""

from typing import Literal

from modelcompare.words import PairsTest

AgreementTest = Literal["t", "paired-t", PairsTest]
VarianceTest = Literal["f", "bartlett", "levene", "brown-forsythe", "fligner", "pitman-morgan"]
CardFormat = Literal["markdown", "text", "json", "eval-results"]
