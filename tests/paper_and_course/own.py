"""Formulas of the paper and the course in plain numpy; nothing here uses the package."""

import numpy as np
from scipy import stats


def counts(y, p, n_classes=None):
    """Hits, sums of columns and sums of rows of the probabilistic confusion matrix."""
    true = np.eye(n_classes or p.shape[-1])[y]
    return (true * p).sum(axis=0), p.sum(axis=0), true.sum(axis=0)


def decided(p):
    """Probabilities of 1 for the first class of the highest."""
    return np.eye(p.shape[-1])[p.argmax(axis=-1)]


def f1(y, p):
    """Twice the hits, divided by the sums of column and row."""
    hits, columns, rows = counts(y, p)
    return 2 * hits / (columns + rows)


def precision(y, p):
    """Hits by column."""
    hits, columns, _ = counts(y, p)
    return hits / columns


def recall(y, p):
    """Hits by row."""
    hits, _, rows = counts(y, p)
    return hits / rows


def confusion_entropy(y, p):
    """Wei et al. (2010), on the probabilistic confusion matrix, as Wang et al. (2013) do."""
    matrix = np.array([p[y == c].sum(axis=0) for c in range(p.shape[1])])
    k = len(matrix)
    total, base = matrix.sum(), 2 * (k - 1)
    value = 0.0
    for j in range(k):
        of_j = matrix[j].sum() + matrix[:, j].sum()
        for i in range(k):
            if i != j:
                for cell in (matrix[j, i] / of_j, matrix[i, j] / of_j):
                    value -= (
                        of_j / (2 * total) * (cell * np.log(cell) / np.log(base) if cell else 0)
                    )
    return value


def auc(y, s):
    """Share of positives above negatives, ties counting half."""
    up, down = s[y == 1][:, None], s[y == 0]
    return ((up > down) + 0.5 * (up == down)).mean()


def hand_till(y, p):
    """Mean over pairs of classes of both areas."""
    k = p.shape[1]
    areas = []
    for i in range(k):
        for j in range(i):
            both = np.isin(y, (i, j))
            areas += [auc((y[both] == c).astype(int), p[both, c]) for c in (i, j)]
    return np.mean(areas)


def partial_auc(y, s, most):
    """Area under steps of the ROC curve up to a false positive rate; McClish's standardization."""
    thresholds = np.unique(s)[::-1]
    fpr = np.array([0, *((s[y == 0] >= t).mean() for t in thresholds)])
    tpr = np.array([0, *((s[y == 1] >= t).mean() for t in thresholds)])
    x = np.unique([*fpr[fpr <= most], most])
    last = np.array([tpr[fpr == each].max() if (fpr == each).any() else np.interp(each, fpr, tpr)
                     for each in x])  # fmt: skip
    first = np.array([tpr[fpr == each].min() if (fpr == each).any() else np.interp(each, fpr, tpr)
                      for each in x])  # fmt: skip
    area = ((last[:-1] + first[1:]) / 2 * np.diff(x)).sum()
    least = most**2 / 2
    return 0.5 * (1 + (area - least) / (most - least))


def ece(y, p, n_bins=15):
    """Mean gap of confidence and accuracy over bins of the highest probability."""
    top, hit = p.max(axis=1), p.argmax(axis=1) == y
    bins = np.minimum((top * n_bins + 1e-12).astype(int), n_bins - 1)
    return sum(abs((hit[bins == b] - top[bins == b]).sum()) for b in np.unique(bins)) / len(y)


def delta_variances(y, p):
    """Variances of F1 of each class by its first derivatives, on the whole test set."""
    hits, columns, rows = counts(y, p)
    true = np.eye(p.shape[1])[y]
    value = 2 * hits / (columns + rows)
    influence = (2 * true * p - value * (p + true)) / (columns + rows)
    return (influence**2).sum(axis=0)


def replicates(y, p, n_resamples=1000, seed=5):
    """Six metrics of each model and class on resamples: names to (n_resamples, models, classes)."""
    n, k = len(y), p.shape[2]
    rng = np.random.default_rng(seed)
    weights = rng.multinomial(n, np.full(n, 1 / n), size=n_resamples).astype(np.float32)
    true = np.eye(k, dtype=np.float32)[y]
    rows = (weights @ true)[:, None]
    values = {}
    for letter, q in (("", decided(p)), ("c", p)):
        hits, columns = (
            np.stack([weights @ np.asarray(each, np.float32) for each in stack], axis=1)
            for stack in (true * q, q)
        )
        values[f"{letter}f1"] = 2 * hits / (columns + rows)
        values[f"{letter}precision"] = hits / columns
        values[f"{letter}recall"] = hits / rows
    return values


def table1(y, p, alpha=0.01, **options):
    """% significant under both metrics by Welch's t on replicates, and % agree, by metric and class."""
    n_models = len(p)
    values = replicates(y, p, **options)
    hard = decided(p)
    a, b = np.triu_indices(n_models, 1)
    found = []
    for name, value in (("f1", f1), ("precision", precision), ("recall", recall)):
        signs, apart = [], []
        for letter, outputs in (("", hard), ("c", p)):
            point = np.array([value(y, each) for each in outputs])
            signs.append(np.sign(point[a] - point[b]))
            draws = values[letter + name].astype(float)
            n, mean, square = len(draws), draws.mean(axis=0), draws.var(axis=0, ddof=1)
            test = stats.ttest_ind_from_stats(
                mean[a], square[a] ** 0.5, n, mean[b], square[b] ** 0.5, n, equal_var=False
            )
            apart.append(test.pvalue < alpha)
        both = apart[0] & apart[1]
        share = 100 * (both & (signs[0] == signs[1])).sum(axis=0) / both.sum(axis=0)
        found += [*zip(100 * both.mean(axis=0), share, strict=True)]
    return found


def edits(a, b):
    """Levenshtein's distance of two sequences."""
    row = [*range(len(b) + 1)]
    for i, left in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, right in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (left != right))
    return row[-1]


def average_precision(y, s):
    """Precision at each threshold, weighted by the step of recall."""
    recalls = [*((s[y == 1] >= t).mean() for t in sorted(set(s))), 0.0]
    precisions = [*(y[s >= t].mean() for t in sorted(set(s))), 1.0]
    steps = zip(recalls[:-1], recalls[1:], precisions, strict=False)
    return sum((now - after) * value for now, after, value in steps)


def separations(y, *models):
    """Differences of F1 and of cF1 of two models over their standard errors, by class."""
    found = []
    for change in (decided, np.asarray):
        values, parts = [], []
        for p in models:
            hits, columns, rows = counts(y, change(p))
            value, true = 2 * hits / (columns + rows), np.eye(p.shape[1])[y]
            values.append(value)
            parts.append((2 * true * change(p) - value * (change(p) + true)) / (columns + rows))
        n = len(y)
        error = (((parts[0] - parts[1]) ** 2).sum(axis=0) * n / (n - 1)) ** 0.5
        found += [*abs(values[0] - values[1]) / error]
    return found


def population(y, p, size, n_parts, seed=3):
    """% of pairs of models that cF1 of a part orders as F1 of the whole does, by class."""
    rng = np.random.default_rng(seed)
    a, b = np.triu_indices(len(p), 1)
    whole = np.array([f1(y, decided(each)) for each in p])
    order, shares = np.sign(whole[a] - whole[b]), []
    for _ in range(n_parts):
        rows = rng.choice(len(y), size, replace=False)
        part = np.array([f1(y[rows], each) for each in p[:, rows]])
        shares.append((np.sign(part[a] - part[b]) == order).mean(axis=0))
    return 100 * np.mean(shares, axis=0)


def paired_bootstrap(differences, n_resamples=20_000, seed=4):
    """Share of resamples with a mean of at least twice that of the sample."""
    rng = np.random.default_rng(seed)
    n = len(differences)
    draws = [differences[rng.integers(0, n, n)].mean() for _ in range(n_resamples)]
    return np.mean(np.array(draws) >= 2 * differences.mean() - 1e-12)


def consistency(y, p):
    """Of the pairs of models that F1 and cF1 both order, the fraction in the same order, by class."""
    a, b = np.triu_indices(len(p), 1)
    hard, soft = (np.array([f1(y, change(each)) for each in p]) for change in (decided, np.asarray))
    product = np.sign(hard[a] - hard[b]) * np.sign(soft[a] - soft[b])
    return (product > 0).sum(axis=0) / (product != 0).sum(axis=0)
