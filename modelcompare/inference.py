"""Tests beside the paired test: unpaired, omnibus, calibration, variances, ranks, corrections."""

from modelcompare import plugs
from modelcompare.questions.adjust import adjust as adjust

__getattr__, __dir__ = plugs.room(__name__)
