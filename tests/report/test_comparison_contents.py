import pytest

from modelcompare.report.comparison_contents import headline, metric_blocks


def test_models_come_best_first(make_comparison):
    (block,) = metric_blocks(make_comparison())["accuracy"]
    assert list(block.scores["model"]) == ["lstm", "cnn", "bow"]
    assert block.label is None
    assert block.title == "accuracy"


def test_pairs_of_the_leader_come_first(make_comparison):
    (block,) = metric_blocks(make_comparison(["a", "b", "c", "d"]))["accuracy"]
    pairs = list(zip(block.differences["model_a"], block.differences["model_b"], strict=True))
    assert pairs == [("c", "d"), ("b", "d"), ("a", "d"), ("b", "c"), ("a", "c"), ("a", "b")]


def test_each_class_has_its_block(make_comparison):
    result = make_comparison(metrics=["f1", "accuracy"], labels={"f1": [3, 7]})
    blocks = metric_blocks(result)
    assert [block.title for block in blocks["f1"]] == ["f1, class 3", "f1, class 7"]
    assert all(len(block.scores) == len(block.differences) == 3 for block in blocks["f1"])


def test_metrics_are_chosen_in_the_order_asked_for(make_comparison):
    result = make_comparison(metrics=["accuracy", "recall", "f1"])
    assert list(metric_blocks(result, ["f1", "accuracy"])) == ["f1", "accuracy"]


def test_a_metric_that_was_not_compared_is_refused(make_comparison):
    message = "`metrics` names bleu, not compared here; compared were accuracy."
    with pytest.raises(ValueError, match=message):
        metric_blocks(make_comparison(), ["bleu"])


def test_hidden_rows_are_counted(make_comparison):
    (block,) = metric_blocks(make_comparison(["a", "b", "c", "d"]))["accuracy"]
    limited = block.limit(scores=3, differences=2)
    assert (limited.hidden_scores, limited.hidden_differences) == (1, 4)
    assert list(limited.scores["model"]) == ["d", "c", "b"]


def test_the_headline_counts(make_comparison):
    assert headline(make_comparison()) == "made.npz: 3 models, 9,824 samples"
    single = make_comparison(["only"])
    single.name = None
    assert headline(single) == "1 model, 9,824 samples"
