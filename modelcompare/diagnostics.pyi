from modelcompare.metrics.confusion import confusion_matrix as confusion_matrix
from modelcompare.metrics.confusion import (
    probabilistic_confusion_matrix as probabilistic_confusion_matrix,
)
from modelcompare.plugins.agreement.annotators import annotator_agreement as annotator_agreement
from modelcompare.plugins.agreement.annotators import model_agreement as model_agreement
from modelcompare.plugins.agreement.disagreements import Disagreements as Disagreements
from modelcompare.plugins.agreement.disagreements import disagreements as disagreements
from modelcompare.plugins.calibration.line import calibration_line as calibration_line
from modelcompare.plugins.calibration.reliability import Reliability as Reliability
from modelcompare.plugins.calibration.reliability import reliability as reliability
from modelcompare.plugins.class_report.report import ClassReport as ClassReport
from modelcompare.plugins.class_report.report import classification_report as classification_report
from modelcompare.plugins.class_report.tables import class_tables as class_tables
from modelcompare.plugins.curves.bands import curve as curve
from modelcompare.plugins.curves.empirical import CurveResult as CurveResult
from modelcompare.plugins.curves.operating_point import operating_point as operating_point
from modelcompare.plugins.curves.thresholds import at_thresholds as at_thresholds
from modelcompare.plugins.curves.thresholds import choose_thresholds as choose_thresholds
from modelcompare.plugins.gaps.gaps import Gaps as Gaps
from modelcompare.plugins.gaps.gaps import gaps as gaps
from modelcompare.plugins.judges.report import JudgeReport as JudgeReport
from modelcompare.plugins.judges.report import judge_report as judge_report
from modelcompare.plugins.ledgers.budget import Budget as Budget
from modelcompare.plugins.ledgers.budget import budget as budget
from modelcompare.plugins.ledgers.report import KeepReport as KeepReport
from modelcompare.plugins.ledgers.report import keep_report as keep_report
from modelcompare.plugins.runs.components import variance_components as variance_components
from modelcompare.plugins.selfcheck.selfcheck import selfcheck as selfcheck
