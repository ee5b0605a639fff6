"""Rows of the tables of other tests."""

SUFFIXES = {".htm": "html", ".html": "html"}
FORMS = {"html": (".html", "<!DOCTYPE html>")}
COMPLETED = {"report": ("report", "-m")}
PROPOSED = {"report": ("-m", "f1", "--resamples", "99", "--output", "x.html")}
