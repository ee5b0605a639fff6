"""Responses of people and networks to images: ``raw-data/DATASET/DATASET_SUBJECT_session_N.csv``.

bethgelab/model-vs-human 79ed7cd, evaluation/evaluate.py (print_predictions_to_csv),
plotting/analyses.py (accuracy is the share of responses that are the category, and na is a wrong
one) and helper/plotting_helper.py (get_short_imagename: the end of an image's name; its beginning
is the trial and the subject).

## logs

- [model-vs-human](https://github.com/bethgelab/model-vs-human) | `DATASET_*_session_*.csv` |
  `subj`, `object_response`, `category`, `imagename` | `subj`, a person or a network | start of the
  file's name | end of the image's name, with the condition if there are several | response beside
  category; no response is a wrong one | `modelcompare compare formats/model_vs_human/colour`
"""

from __future__ import annotations

import pandas as pd

from modelcompare.readers.content import File
from modelcompare.readers.formats.base import Format
from modelcompare.readers.formats.rows import of_rows

_IMAGE = r"(?:^|_)((?:n0\d+_)?[^_]+)$"
_NO_RESPONSE = "no response"


def _responses(file: File) -> pd.DataFrame:
    table = file.payload.rename(columns=str.lower)
    answers = table["object_response"]
    answers = answers.where(answers.str.casefold() != "na", _NO_RESPONSE)
    images = table["imagename"].str.extract(_IMAGE, expand=False)
    if "condition" in table and table["condition"].nunique() > 1:
        images = images + " " + table["condition"]
    return table.assign(object_response=answers, id=images, set=file.path.name.partition("_")[0])


FORMAT = Format(
    "model-vs-human responses", kinds=frozenset({"csv"}),
    fields=frozenset({"subj", "object_response", "category", "imagename"}),
    read=of_rows(
        _responses, kind="labels",
        roles={"model": "subj", "y_true": "category", "y_pred": "object_response"},
    ),
)  # fmt: skip
