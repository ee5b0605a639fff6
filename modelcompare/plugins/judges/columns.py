"""Columns of a table that has labels by people on some samples, and a judge of all."""

from modelcompare.readers.beside import Beside

BESIDE = (
    Beside(option="judge", argument="judge", substitutes=True),
    Beside(option="label_weight", argument="label_weight", numbers=True),
)
