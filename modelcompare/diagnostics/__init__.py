"""Diagnostics: curves, calibration, agreement, disagreements, selfcheck."""

from modelcompare import plugs
from modelcompare.comparison.curves import CurveResult as CurveResult
from modelcompare.diagnostics.agreement import annotator_agreement as annotator_agreement
from modelcompare.diagnostics.agreement import model_agreement as model_agreement
from modelcompare.diagnostics.curves import curve as curve
from modelcompare.diagnostics.disagreements import Disagreements as Disagreements
from modelcompare.diagnostics.disagreements import disagreements as disagreements
from modelcompare.diagnostics.gaps import Gaps as Gaps
from modelcompare.diagnostics.gaps import gaps as gaps
from modelcompare.diagnostics.logistic import calibration_line as calibration_line
from modelcompare.diagnostics.operating_point import operating_point as operating_point
from modelcompare.diagnostics.reliability import Reliability as Reliability
from modelcompare.diagnostics.reliability import reliability as reliability
from modelcompare.diagnostics.thresholds import at_thresholds as at_thresholds
from modelcompare.diagnostics.thresholds import choose_thresholds as choose_thresholds
from modelcompare.metrics.confusion import confusion_matrix as confusion_matrix
from modelcompare.metrics.confusion import (
    probabilistic_confusion_matrix as probabilistic_confusion_matrix,
)
from modelcompare.questions.selfcheck import selfcheck as selfcheck

__getattr__, __dir__ = plugs.room(__name__)
