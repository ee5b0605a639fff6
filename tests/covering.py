"""Covering arrays: few rows of many factors in which every pair of values meets.

Most faults need one value of one option or two values of two; a full product tries these again and
again. The rows follow from the factors alone.
"""

from itertools import combinations, product


def pairwise(*factors):
    """Return rows with a value of each factor, so that all values of any two factors meet.

    >>> pairwise("ab", "xy", [1, 2])
    [('a', 'x', 1), ('a', 'y', 2), ('b', 'x', 2), ('b', 'y', 1)]
    """
    factors = [list(factor) for factor in factors]
    rows = list(product(*(range(len(factor)) for factor in factors)))
    missing = {pair for row in rows for pair in _pairs(row)}
    chosen = []
    while missing:
        best = max(rows, key=lambda row: len(missing & _pairs(row)))
        missing -= _pairs(best)
        chosen.append(best)
    return [
        tuple(factor[place] for factor, place in zip(factors, row, strict=True)) for row in chosen
    ]


def _pairs(row):
    """The pairs of values that meet in a row, by the places of the factors and of the values."""
    return {(a, b, row[a], row[b]) for a, b in combinations(range(len(row)), 2)}
