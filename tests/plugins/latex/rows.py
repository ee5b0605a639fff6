"""Rows of the tables of other tests."""

SUFFIXES = {".tex": "latex"}
FORMS = {"latex": (".tex", "% Preamble: \\usepackage{booktabs")}
