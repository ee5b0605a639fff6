"""Cross-validation: estimators, folds and scikit-learn's scorers."""

from modelcompare.plugins.folds.estimators import compare_estimators as compare_estimators
from modelcompare.plugins.folds.fold_comparison import FoldComparison as FoldComparison
from modelcompare.plugins.folds.fold_scores import compare_folds as compare_folds
from modelcompare.plugins.folds.scorers import compare_scorers as compare_scorers
