"""Reports of promptfoo, SWE-bench, WMT and TREC that do not hold what they must."""

import json

import modelcompare as mc
from modelcompare.plugins.logs import promptfoo, swebench, trec, wmt
from tests.bad_input.case import Call
from tests.readers.opening import opened

RESULT = {
    "provider": {"id": "gpt"}, "prompt": {"label": "p"}, "vars": {"a": 1}, "testIdx": 0,
    "success": True, "score": 1, "namedScores": {},
}  # fmt: skip
RUN = "1 Q0 d1 1 0.5 bm25\n1 Q0 d2 2 0.4 bm25\n"
QRELS = "1 0 d1 1\n1 0 d2 0\n"


def _read(format, kind, **files):
    """A call that writes files, whose names have their dots as double underscores."""

    def call(folder):
        paths = [folder / name.replace("__", ".") for name in files]
        for path, content in zip(paths, files.values(), strict=True):
            path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
        return format.FORMAT.read([opened(path, kind) for path in paths])

    return call


def _promptfoo(**changes):
    return _read(promptfoo, "json", r__json={"results": {"results": [RESULT, RESULT | changes]}})


def _swebench(**lists):
    report = {"resolved_ids": ["x__y-1"], "unresolved_ids": []}
    return _read(swebench, "json", m__r__json=report | lists)


def _two_outcomes(folder):
    report = {"resolved_ids": ["x__y-1"], "unresolved_ids": ["x__y-1"]}
    (folder / "m.r.json").write_text(json.dumps(report), "utf-8")
    return mc.read_predictions(folder / "m.r.json")


def _trec(**files):
    return _read(trec, "text", **files)


def _wmt(**files):
    return _read(wmt, "text", **files)


CASES = [
    Call(
        "a promptfoo result without a field", _read(
            promptfoo, "json", r__json=[RESULT, {"provider": {"id": "gpt"}}],
        ),
        "r.json: result 2 lacks one of provider, vars, success, score, namedScores; write the "
        "results again with promptfoo.",
    ),
    Call(
        "a promptfoo result whose score is a text", _promptfoo(score="good"),
        "r.json: score of gpt in test 0 is \"good\", which is no number; correct it, or run promptfoo "
        "again.",
    ),
    Call(
        "a promptfoo result whose named score is null", _promptfoo(namedScores={"exact": None}),
        "r.json: exact of gpt in test 0 is null, which is no number; correct it, or run promptfoo "
        "again.",
    ),
    Call(
        "an instance of SWE-bench with two outcomes", _two_outcomes,
        "the file of model 'm' repeats 1 ids (x__y-1); keep one result of each sample.",
    ),
    Call(
        "a list of SWE-bench that is a number", _swebench(error_ids=3),
        "m.r.json: error_ids must be a list of instance ids.",
    ),
    Call(
        "a SWE-bench report of no predictions",
        _swebench(resolved_ids=[], incomplete_ids=["x__y-1"]),
        "m.r.json: the report has no instance with a prediction; name a report of a run that has "
        "some.",
    ),
    Call(
        "scores of systems where WMT has those of segments", _wmt(BLEU__sys__score="a\t1\nb\t2\n"),
        "BLEU.sys.score: every system has a single score; name the file of the segments' scores "
        "(.seg.score).",
    ),
    Call(
        "a line of WMT scores that is none", _wmt(BLEU__seg__score="a\t1\na\t2\na\n"),
        "BLEU.seg.score: line 3 is not a system and its score, or None for a missing one.",
    ),
    Call(
        "WMT systems of different numbers of segments",
        _wmt(BLEU__seg__score="a\t1\na\t2\nb\t3\n"),
        "BLEU.seg.score: a has 2 scores and b has 1; write None for those that are missing.",
    ),
    Call(
        "WMT scores of different numbers of segments",
        _wmt(BLEU__seg__score="a\t1\na\t2\n", chrF__seg__score="a\t1\na\t2\na\t3\n"),
        "BLEU scores 2 segments and chrF 3; name files of one test set.",
    ),
    Call(
        "the same WMT scores of two test sets",
        _wmt(BLEU__seg__score="a\t1\na\t2\n", BLEU__doc__score="a\t1\na\t2\n"),
        "BLEU.doc.score: several files give BLEU of one test set; name one test set at a time.",
    ),
    Call(
        "WMT scores of an unknown one of two language pairs",
        _wmt(**{"en-de__mqm__seg__score": "a 1\na 2\n", "cs-uk__mqm__seg__score": "a 1\na 2\n",
                "BLEU__seg__score": "a 1\na 2\n"}),
        "BLEU.seg.score does not name its language pair (cs-uk, en-de); keep it in a folder of that "
        "name.",
    ),
    Call(
        "WMT scores that are all missing", _wmt(BLEU__seg__score="a\tNone\na\tNone\n"),
        "no segment of the test set has all scores; name one file of scores.",
    ),
    Call(
        "a TREC run without its judgements", _trec(a__run=RUN),
        "a.run is a TREC run, which is scored by relevance judgements; name the qrels file too.",
    ),
    Call(
        "TREC judgements without a run", _trec(qrels__txt=QRELS),
        "qrels.txt has relevance judgements; name the files of runs too.",
    ),
    Call(
        "two files of TREC judgements", _trec(a__run=RUN, dev__qrels=QRELS, test__qrels=QRELS),
        "dev.qrels and test.qrels have relevance judgements; name one of them.",
    ),
    Call(
        "a TREC run of other queries", _trec(a__run=RUN.replace("1 Q0", "q1 Q0"), qrels__txt=QRELS),
        "a.run and qrels.txt have no query in common (q1 and 1); name the qrels file of this run.",
    ),
    Call(
        "a document that a TREC run names twice", _trec(a__run=RUN * 2, qrels__txt=QRELS),
        "a.run: line 3 names document d1 of query 1 again; keep one.",
    ),
    Call(
        "a document whose relevance TREC judgements have by subtopic",
        _trec(a__run=RUN, qrels__txt="1 1 d1 1\n1 2 d1 2\n"),
        "qrels.txt: line 2 names document d1 of query 1 again; keep one. The judgements are by "
        "subtopic (the second field); `sort -k1,1 -k3,3 -k4,4nr FOLDER/qrels.txt | sort -su "
        "-k1,1 -k3,3 > highest.qrels` keeps the highest of each document.",
    ),
    Call(
        "a line that is not of a TREC run", _trec(a__run=RUN * 0 + "".join(
            f"1 Q0 d{n} {n} 0.5 bm25\n" for n in range(60)) + "1 Q0 d99\n", qrels__txt=QRELS),
        "a.run: line 61 is not like those before it; a run has the fields query, Q0, document, "
        "rank, score, tag, and judgements query, 0, document, relevance.",
    ),
]  # fmt: skip
