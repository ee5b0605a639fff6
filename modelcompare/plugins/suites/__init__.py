"""Several test sets compared together: means over them, for these sets or for new ones."""
