"""The formats of all modules here, in one table."""

from modelcompare.readers.formats import formats_in

FORMATS = formats_in(__package__)
