import pytest

from tests.report.written import metric_blocks


def test_models_come_best_first(make_comparison):
    (block,) = metric_blocks(make_comparison())["accuracy"]
    assert list(block.scores["model"]) == ["lstm", "cnn", "bow"]
    assert block.label is None
    assert block.title == "accuracy"


def test_each_class_has_its_block(make_comparison):
    result = make_comparison(metrics=["f1", "accuracy"], labels={"f1": [3, 7]})
    blocks = metric_blocks(result)
    assert [block.title for block in blocks["f1"]] == ["f1 of 3", "f1 of 7"]
    assert all(len(block.scores) == len(block.differences) == 3 for block in blocks["f1"])


def test_metrics_are_chosen_in_the_order_asked_for(make_comparison):
    result = make_comparison(metrics=["accuracy", "recall", "f1"])
    assert list(metric_blocks(result, ["f1", "accuracy"])) == ["f1", "accuracy"]


def test_a_metric_that_was_not_compared_is_refused(make_comparison):
    message = "`metrics` names bleu, not compared here; compared were accuracy."
    with pytest.raises(ValueError, match=message):
        metric_blocks(make_comparison(), ["bleu"])


def test_what_a_screen_has_no_room_for_is_left_out_of_a_shortened_table(make_comparison):
    table = make_comparison([f"m{i:02d}" for i in range(30)]).document().tables["accuracy"]
    assert table.shortened().texts(table.columns[1]) == [f"m{i:02d}" for i in range(29, 9, -1)]
