"""Segment scores of three systems and a reference: make.py RATINGS.tsv SCORES.tsv FOLDER.

RATINGS.tsv is ted/ende/mqm_ted_ende.tsv of google/wmt-mqm-human-evaluation; SCORES.tsv is what
``python -m mt_metrics_eval.converters.score_mqm`` writes of it.
"""

import csv
import re
import sys
from pathlib import Path

from sacrebleu import sentence_chrf

SYSTEMS = {
    "Facebook-AI": "Facebook-AI",
    "eTranslation": "eTranslation",
    "Nemo": "Nemo",
    "ref": "refA",
}
TALKS = {"talk.1": 60, "talk.3": 30}
UNRATED = "talk.3"

ratings, scores, folder = sys.argv[1:]
texts, rated = {}, {}
with open(ratings, encoding="utf-8") as file:
    for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
        key = row["system"], row["doc"], int(row["doc_id"])
        texts[key] = re.sub("</?v>", "", row["target"])
with open(scores, encoding="utf-8") as file:
    for system, talk, number, score, *_ in csv.reader(file, delimiter="\t"):
        rated[system, talk, int(number)] = None if talk == UNRATED else float(score)

human = Path(folder, "human-scores", "en-de.mqm.seg.score")
metric = Path(folder, "metric-scores", "en-de", "chrF-refA.seg.score")
for path in (human, metric):
    path.parent.mkdir(parents=True, exist_ok=True)
with human.open("w") as mqm, metric.open("w") as chrf:
    for system, name in SYSTEMS.items():
        for talk, n in TALKS.items():
            for number in range(1, n + 1):
                print(name, rated[system, talk, number], sep="\t", file=mqm)
                if name != "refA":
                    pair = texts[system, talk, number], [texts["ref", talk, number]]
                    print(name, round(sentence_chrf(*pair).score, 4), sep="\t", file=chrf)
