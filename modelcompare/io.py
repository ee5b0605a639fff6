"""Predictions from unusual sources: counts, coarse confidences."""

from modelcompare import plugs

__getattr__, __dir__ = plugs.room(__name__)
