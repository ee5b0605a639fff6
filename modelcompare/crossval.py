"""Cross-validation: estimators, folds and scikit-learn's scorers."""

from modelcompare.comparison.estimators import compare_estimators as compare_estimators
from modelcompare.comparison.fold_scores import compare_folds as compare_folds
from modelcompare.comparison.folds import FoldComparison as FoldComparison
from modelcompare.comparison.scorers import compare_scorers as compare_scorers
