"""Cross-validation: estimators, scorers, and scores on folds."""
