"""Plugins: the folders here, by name, of which the first answers first."""

from pkgutil import iter_modules

PLUGINS = tuple(folder.name for folder in iter_modules(__path__) if folder.ispkg)
# Names, commands and flags by the plugin that adds them, for the error where it is absent.
NAMES = {
    "agreement": (
        "diagnostics.annotator_agreement", "diagnostics.model_agreement",
        "diagnostics.Disagreements", "diagnostics.disagreements", "disagreements",
    ),
    "annotators": ("`annotators`",),
    "answers": (
        "metrics.pass_at_k", "metrics.pass_hat_k", "metrics.best_of_k", "metrics.majority_of_k",
        "metric 'pass_at_{}'", "metric 'pass_hat_{}'", "metric 'best_of_{}'",
        "metric 'majority_of_{}'", "metric 'pass@{}'", "metric 'pass^{}'",
    ),
    "any_time": ("`method='any-time'`",),
    "battles": ("`battles`", "from_battles"),
    "bounds": ("results.BoundedComparison", "`missing='bounds'`"),
    "calibrated": ("`calibrated`", "calibrated", "--calibrate", "--calibrate-on"),
    "calibration": (
        "diagnostics.Reliability", "diagnostics.reliability", "diagnostics.calibration_line",
        "inference.CalibrationTest", "inference.calibration_test",
        *(
            f"metric '{name}{ending}'"
            for name in ("ece", "mce", "debiased_ece", "rms_calibration_error")
            for ending in ("", "_mass", "_classwise", "_classwise_mass", "_{}", "_mass_{}")
        ),
        *(f"metric 'brier_{term}'" for term in ("reliability", "resolution", "uncertainty")),
    ),
    "catalogue": ("metrics",),
    "charts": (
        "plot.raincloud", "plot.heatmap", "plot.classes", "plot.confusion", "--figure raincloud",
        "--figure heatmap", "--figure classes", "--figure confusion",
    ),
    "class_report": (
        "diagnostics.ClassReport", "diagnostics.class_tables", "diagnostics.classification_report",
        "--classes",
    ),
    "classical": tuple(
        f"test '{name}'"
        for name in (
            "mcnemar-exact", "mcnemar-midp", "mcnemar-chi2", "mcnemar-chi2-corrected", "delong",
            "t", "wilcoxon", "sign",
        )
    ),
    "confidences": ("io.bin_values", "io.from_bins", "io.from_nbest", "io.missing_mass"),
    "curves": (
        "diagnostics.CurveResult", "diagnostics.curve", "diagnostics.operating_point",
        "diagnostics.choose_thresholds", "diagnostics.at_thresholds", "--threshold",
        "--threshold-from", "--threshold-for", "plot.roc", "plot.pr", "--figure roc", "--figure pr",
    ),
    "custom": ("metrics.cost", "metrics.load_metric", "`metric_from`", "--metric-from"),
    "detection": (
        "io.from_coco", "kind='label_detections'", "metric 'map'", "metric 'map_50'",
        "metric 'map_75'",
    ),
    "folds": ("crossval", "--n-train", "--n-test", "--rope"),
    "gaps": ("diagnostics.Gaps", "diagnostics.gaps", "--gaps"),
    "hugging_face": ("a data set of Hugging Face",),
    "judges": (
        "diagnostics.JudgeReport", "diagnostics.judge_report", "`judge`", "`label_weight`",
        "--labels", "--queue",
    ),
    "label_sets": (
        "a truth of lists of labels", "io.from_item_counts", "--kind label_sets",
        "kind='label_sets'", "kind='label_probabilities'", "kind='label_counts'",
        "metric 'subset_accuracy'", "metric 'hamming_loss'", "metric 'lrap'",
        *(
            f"metric '{soft}{name}_samples'"
            for name in ("precision", "recall", "f1", "jaccard") for soft in ("", "c")
        ),
    ),
    "large": (
        "io.ScannedPredictions", "io.scan_predictions", "io.read_sketch", "io.Sketch", "io.sketch",
        "sketch", "--read scan",
    ),
    "latex": ("--format latex", "form 'latex'", "a .tex file"),
    "ledgers": (
        "`ledger`", "Ledger", "keep", "results.KeepResult", "diagnostics.Budget",
        "diagnostics.budget", "diagnostics.KeepReport", "diagnostics.keep_report",
        "testing.assert_kept", "--ledger", "--looks", "--spending", "--expect-head",
        "--model-ledger",
    ),
    "likelihoods": (
        "metric 'lr_positive'", "metric 'lr_negative'", "metric 'positive_likelihood_ratio'",
        "metric 'neg_negative_likelihood_ratio'",
    ),
    "logs": ("a log of a tool",),
    "omnibus": ("inference.OmnibusResult", "inference.omnibus_test"),
    "page": ("report", "--format html", "form 'html'", "a .htm file", "a .html file"),
    "paper": (
        "inference.variance_tests", "io.quantize", "studies", "study", "--card",
        "test 'replicate-t'", "test 'replicate-paired-t'",
    ),
    "pareto": ("`pareto`", "plot.pareto", "--figure pareto"),
    "plan": ("plan", "`plan`", "--plan"),
    "published": (
        "io.from_counts", "io.from_results", "inference.critical_difference",
        "inference.RankComparison", "`friedman`", "`table`", "a table of results",
        "a confusion matrix",
    ),
    "runs": (
        "`runs`", "diagnostics.variance_components", "generalize_to='items+runs'",
        "test 'run-permutation'",
    ),
    "selfcheck": ("diagnostics.selfcheck",),
    "soft_auc": (
        "metric 'probabilistic_auc'", "metric 'scored_auc'", "metric 'soft_auc'",
        "metric 'soft_auc_{}'",
    ),
    "suites": (
        "io.read_sets", "results.SuiteComparison", "a question about several test sets",
        "--weights", "--generalize-to sets", "--generalize-to sets+runs",
    ),
    "survival": (
        "`event`", "--kind risks", "kind='risks'", "kind='survival_probabilities'",
        "metric 'c_index'", "metric 'c_index_ipcw'", "metric 'integrated_brier_score'",
    ),
    "texts": (
        "metrics.text_signature", "--kind texts", "kind='texts'", "kind='text_lists'",
        *(
            f"metric '{name}'"
            for name in (
                "wer", "word_accuracy", "cer", "wer_per_text", "wer_substitutions", "wer_deletions",
                "wer_insertions", "exact_match", "bleu", "sentence_bleu", "chrf", "chrfpp", "ter",
                "perplexity", "perplexity_of_texts", "slot_error_rate", "cslot_error_rate",
                "span_f1", "cspan_f1",
            )
        ),
    ),
    "time": ("inference.diebold_mariano", "io.in_time_blocks", "--time"),
    "unpaired": ("inference.unpaired_test",),
    "workflows": (
        "--format github", "--format pr-comment", "`format='github'`", "`format='pr-comment'`",
    ),
}  # fmt: skip
# Usual names of columns that a plugin alone reads: where it is absent, a table that has one of each
# tuple is refused.
COLUMNS = {
    "battles": (("winner", "g1_winner"),),
    "folds": (("fold", "fold_id", "cv_fold"),),
    "logs": (
        ("query_id", "qid", "query", "topic_id", "topic"),
        (
            "doc_id", "docid", "docno", "document_id", "passage_id", "pid", "doc", "document",
            "passage",
        ),
        ("relevance", "rel", "qrel", "relevance_grade", "relevance_label", "relevance_judgment"),
    ),
    "survival": (
        (
            "time", "duration", "survival_time", "time_to_event", "event_time", "follow_up",
            "followup", "follow_up_time", "futime", "os_time", "pfs_time",
        ),
        (
            "event", "status", "event_observed", "event_indicator", "event_occurred", "died",
            "death", "dead", "deceased", "os_event", "pfs_event", "fustat",
        ),
    ),
}  # fmt: skip
_RUN = r"(.+[-_ ])?(seed|run|rep|repeat|trial)[-_ ]?[0-9]+|epoch[-_ ]?[0-9]+"
# Names of files, and of the folders in a folder, likewise.
PATHS = {"runs": (_RUN, rf"{_RUN}|[0-9]{{1,3}}")}
