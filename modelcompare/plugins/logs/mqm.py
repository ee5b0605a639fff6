"""Ratings of translations by error, as WMT publishes them: a row for each error of a segment.

google/wmt-mqm-human-evaluation 7fadea2, README.md (weights of errors) and its
``avg_seg_scores.tsv``: a segment's score is the negative sum of its errors' weights, averaged over
the raters.

## logs

- [WMT MQM](https://github.com/google/wmt-mqm-human-evaluation) | `mqm_*.tsv` | `system`, `doc`,
  `seg_id`, `rater`, `category`, `severity` | `system` | one | segment; the document is the cluster
  | `mqm`: minus the weights of the errors, averaged over the raters, as published | `modelcompare
  compare formats/mqm/mqm_ted_ende.tsv`
"""

from __future__ import annotations

import pandas as pd

from modelcompare.readers.content import File
from modelcompare.readers.formats.base import Format
from modelcompare.readers.formats.rows import of_rows, scores_of
from modelcompare.readers.records import SCORE

_WEIGHTS = {
    "major": 5.0, "critical": 5.0, "minor": 1.0, "trivial": 0.1, "neutral": 0.0, "no-error": 0.0,
}  # fmt: skip
_NON_TRANSLATION, _PUNCTUATION = 25.0, 0.1


def _segments(file: File) -> pd.DataFrame:
    table = file.payload
    category = table["category"].fillna("").str.casefold()
    severity = table["severity"].str.casefold()
    weights = pd.Series(scores_of(severity, _WEIGHTS, "severity", file.name), index=table.index)
    major = severity == "major"
    weights = weights.mask(major & category.str.startswith("non-translation"), _NON_TRANSLATION)
    weights = weights.mask(
        (severity == "minor") & (category == "fluency/punctuation"), _PUNCTUATION
    )
    # 0 - x: no segment scores -0.
    keys = ["system", "doc", "seg_id"]
    of_raters = (0 - weights).groupby([table[key] for key in [*keys, "rater"]]).sum()
    found = of_raters.groupby(level=keys).mean().rename(SCORE + "mqm").reset_index()
    is_unique = (found.groupby("seg_id")["doc"].nunique() == 1).all()
    ids = found["seg_id"] if is_unique else found["doc"] + " " + found["seg_id"]
    return found.assign(model=found["system"], id=ids, group=found["doc"])


FORMAT = Format(
    "WMT MQM ratings", kinds=frozenset({"tsv"}), read=of_rows(_segments, up=True),
    fields=frozenset({"system", "doc", "seg_id", "rater", "category", "severity"}),
)  # fmt: skip
