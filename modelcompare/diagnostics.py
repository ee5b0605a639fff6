"""Diagnostics: confusion matrices, and those that plugins add."""

from modelcompare import plugs
from modelcompare.metrics.confusion import confusion_matrix as confusion_matrix
from modelcompare.metrics.confusion import (
    probabilistic_confusion_matrix as probabilistic_confusion_matrix,
)

__getattr__, __dir__ = plugs.room(__name__)
