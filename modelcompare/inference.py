"""Tests beside the paired test: unpaired, omnibus, calibration, variances, ranks, corrections."""

from modelcompare import plugs
from modelcompare.comparison.ranks import RankComparison as RankComparison
from modelcompare.questions.adjust import adjust as adjust
from modelcompare.questions.omnibus import OmnibusResult as OmnibusResult
from modelcompare.questions.omnibus import omnibus_test as omnibus_test

__getattr__, __dir__ = plugs.room(__name__)
