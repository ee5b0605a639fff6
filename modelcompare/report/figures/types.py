"""Types of matplotlib, which is slow to load, for annotations; type checkers read the stub."""

from typing import Any

Artist = Axes = Axis = Figure = Any
