"""Sentences that fit a screen."""

from modelcompare.report.document import Document, Finding


def sentences(**lengths):
    findings = [
        Finding(f"{metric} {k}", metric, (float(k), 0.0))
        for metric, length in lengths.items()
        for k in range(length)
    ]
    return Document(
        stem="x", title="x", schema="x", signature="x", tables={}, printed=tuple, frames=dict,
        findings=findings,
    )  # fmt: skip


def test_as_many_sentences_as_fit_are_all_shown():
    document = sentences(accuracy=2, f1=4)
    assert document.top_sentences(6) == [finding.text for finding in document.findings]


def test_of_more_sentences_each_metric_keeps_those_where_models_differ_most():
    # 5 sentences for 2 metrics of several classes: 2 of each, by the order of their classes.
    assert sentences(accuracy=2, f1=4).top_sentences(5) == [
        "accuracy 0", "accuracy 1", "f1 0", "f1 1",
    ]  # fmt: skip
