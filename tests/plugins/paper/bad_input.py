"""Arguments and options of studies and cards that make no sense."""

import math

import modelcompare as mc
from modelcompare.plugs import plugins
from tests.bad_input.case import Call, Run
from tests.bad_input.commands import ALPHA, JOBS, SLICE
from tests.bad_input.commands import PREDS as FILE
from tests.bad_input.functions import NAN, PREDS

# fmt: off
CASES: list[Call | Run] = [
    Call("an unknown test of variances", lambda _: mc.inference.variance_tests([1, 2], [3, 4], tests=["anova"]), "`tests` must be of f, bartlett, levene, brown-forsythe, fligner, got 'anova'."),
    Call("a test of pairs without pairs", lambda _: mc.inference.variance_tests([1, 2], [3, 4], tests=["pitman-morgan"]), "`tests` must be of f, bartlett, levene, brown-forsythe, fligner, got 'pitman-morgan'; it needs paired=True."),
    Call("no test of variances", lambda _: mc.inference.variance_tests([1, 2], [3, 4], tests=[]), "`tests` is empty; name at least one, e.g. tests=['levene']."),
    Call("a test of variances of infinite numbers", lambda _: mc.inference.variance_tests([1.0, math.inf], [1.0, 2.0]), "`x` contains infinite numbers; remove them."),
    Call("pairs of unequal length", lambda _: mc.inference.variance_tests([1.0, 2.0, 4.0], [1.0, 2.0], paired=True), "`x` has 3 numbers and `y` 2; pairs need equal ones."),
    Call("a test of variances of constants", lambda _: mc.inference.variance_tests([0.1] * 9, [0.3] * 9), "`x` is constant; tests of equal variances need numbers that vary."),
    Call("a test of variances of texts", lambda _: mc.inference.variance_tests(["a", "b"], [1, 2]), "`x` must hold numbers, got ['a', 'b']."),
    Call("an alpha in per cent", lambda _: mc.studies.agreement_study(PREDS, alpha=5), "`alpha` must be in (0, 1), got 5; for 5 % pass 0.05."),
    Call("an unknown test of an agreement study", lambda _: mc.studies.agreement_study(PREDS, test="welch"), "`test` must be one of t, paired-t, studentized-permutation, sign-flip, permutation, bootstrap, wald, got 'welch'."),
    Call("tests of variances in one text", lambda _: mc.studies.variance_study(PREDS, tests="levene"), "`tests` must be a sequence of names, got 'levene'.", TypeError),
    Call("no ratios", lambda _: mc.studies.variance_study(PREDS, ratios=[]), "`ratios` is empty; give at least one, e.g. [1.0, 0.1]."),
    Call("one ratio where several can be", lambda _: mc.studies.variance_study(PREDS, ratios=0.5), "`ratios` must be a sequence of numbers, got 0.5.", TypeError),
    Call("a ratio above one", lambda _: mc.studies.variance_study(PREDS, ratios=[2]), "`ratios` must lie in (0, 1], got 2."),
    Call("a ratio that is not a number", lambda _: mc.studies.undefined_study(PREDS, ratios=[NAN]), "`ratios` must be finite, got nan."),
    Call("a ratio in a text", lambda _: mc.studies.undefined_study(PREDS, ratios=["half"]), "`ratios` must be a number, got 'half'.", TypeError),
    Call("a ratio twice", lambda _: mc.studies.variance_study(PREDS, ratios=[0.5, 0.5]), "`ratios` must be distinct."),
    Call("no pairs", lambda _: mc.studies.variance_study(PREDS, []), "`pairs` is empty; give at least one, e.g. [('f1', 'cf1')]."),
    Call("a number for pairs", lambda _: mc.studies.variance_study(PREDS, 5), "`pairs` must be a sequence of pairs, got 5.", TypeError),
    Call("a pair of one", lambda _: mc.studies.variance_study(PREDS, [("f1",)]), "`pairs` holds ('f1',); a pair names two metrics."),
    Call("a pair of numbers", lambda _: mc.studies.variance_study(PREDS, [(1, 2)]), "`pairs` holds (1, 2); a pair names two metrics."),
    Call("a pair of a value of classes and an average", lambda _: mc.studies.variance_study(PREDS, [("f1", "cf1_macro")]), "`pairs` holds ('f1', 'cf1_macro'), of which one is per class and the other is not; average both or neither."),
    Call("no bins to quantize to", lambda _: mc.studies.quantization_study(PREDS, n_bins=[]), "`n_bins` is empty; name at least one number, e.g. n_bins=[3]."),
    Call("one number of bins where several can be", lambda _: mc.studies.quantization_study(PREDS, n_bins=3), "`n_bins` must be a sequence of whole numbers, got 3.", TypeError),
    Call("no temperature and no noise", lambda _: mc.studies.sensitivity_study(PREDS, temperatures=[], noises=[]), "`temperatures` and `noises` are both empty; give one at least."),
    Call("a temperature of zero", lambda _: mc.studies.sensitivity_study(PREDS, temperatures=[0]), "`temperatures` must be above 0, got 0."),
    Call("no sub-sample", lambda _: mc.studies.variance_study(PREDS, n_subsamples=0), "`n_subsamples` must be at least 1, got 0."),
    Call("a stratification that is no truth value", lambda _: mc.studies.variance_study(PREDS, stratify="yes"), "`stratify` must be True or False, got 'yes'.", TypeError),
    Call("an agreement study of a single model", lambda _: mc.studies.agreement_study(PREDS["a"]), "agreement is over pairs of models; there is 1 model."),
    Run(
        "study variance: the folder is a file",
        "study variance preds.csv -o preds.csv",
        "preds.csv is a file; name a folder.",
        FILE,
    ),
    Run("study agreement: --slice", "study agreement preds.csv --slice b", SLICE, FILE),
    Run(
        "study variance: --stratify of the whole set",
        "study variance preds.csv --ratio 1 --stratify",
        "--stratify and --subsamples are for subsets of the samples; --ratio 1 is all.",
        FILE,
    ),
    Run(
        "study variance: --subsamples of the whole set",
        "study variance preds.csv --ratio 1 --subsamples 3",
        "--stratify and --subsamples are for subsets of the samples; --ratio 1 is all.",
        FILE,
    ),
    Run(
        "study undefined: a pair of one metric",
        "study undefined preds.csv --pair f1:f1",
        "--pair f1:f1 is one metric twice; name two.",
        FILE,
    ),
    Run("study variance: a ratio twice", "study variance preds.csv --ratio 0.5 --ratio .5", "--ratio is given '0.5' twice; give each once.", FILE),
    Run("study variance: a test twice", "study variance preds.csv --test f --test f", "--test is given 'f' twice; give each once.", FILE),
    Run("study agreement: a pair twice", "study agreement preds.csv --pair f1 --pair f1", "--pair is given 'f1' twice; give each once.", FILE),
    Run("study variance: too many threads", "study variance preds.csv --jobs 5000", f"{JOBS} 5000.", FILE),
    Run("study agreement: a level of nothing", "study agreement preds.csv --alpha 1e-300", ALPHA, FILE),
    Run("study agreement: a level of 1", "study agreement preds.csv --alpha 1", "`alpha` must be in (0, 1), got 1.", FILE),
    Call("n_boot of a study", lambda _: mc.studies.variance_study(PREDS, n_boot=9), "variance_study() has no argument `n_boot`; did you mean `n_resamples`?", TypeError),
]
# The command, and the form, of another plugin.
if "page" in plugins():
    CASES += [
        Run(
            "report: a card is no page",
            "report preds.csv --card a -o card.html",
            "card.html: .md, .markdown, .txt or .json is written here; choose such a name.",
            FILE,
        ),
        Run(
            "report: the card of a model whose name leads elsewhere",
            "report preds.csv --card ../a",
            "'../a' cannot be a file name; give the card's path with -o.",
            FILE,
        ),
        Run(
            "study variance: a folder named like a file",
            "study variance preds.csv -o page.html",
            "page.html is named like a file, and all tables and figures are written into a folder; "
            "name a folder, or print one form with --format html > page.html.",
            FILE,
        ),
        Run("report: a subgroup twice", "report preds.csv --card a --slice b --slice b", "--slice is given 'b' twice; give each once.", FILE),
    ]
