import pytest


def test_a_page_and_a_card(run, wide_csv, tmp_path):
    page, card = tmp_path / "page.html", tmp_path / "card.md"
    found = run("report", wide_csv, "-o", page, "--resamples", "499")
    assert found.code == 0
    assert "<html" in page.read_text(encoding="utf-8")
    assert (
        run("report", wide_csv, "--card", "good", "-o", card, "-m", "f1", "--resamples", "499").code
        == 0
    )
    assert card.read_text(encoding="utf-8").startswith('---\nmodel-index:\n- name: "good"')


@pytest.mark.parametrize(
    ("name", "start"),
    [("README", "---\nmodel-index:"), ("a.MD", "---\nmodel-index:"), ("a.txt", "# Model card: good"),
     ("a.json", '{\n  "model-index": [')],
)  # fmt: skip
def test_a_card_is_what_its_name_says(run, wide_csv, tmp_path, name, start):
    path = tmp_path / name
    found = run(
        "report", wide_csv, "--card", "good", "-o", path, "-m", "accuracy", "--resamples", "99"
    )
    assert found.code == 0
    assert path.read_text(encoding="utf-8").startswith(start)


def test_an_unknown_model_leaves_no_file(run, wide_csv, tmp_path):
    card = tmp_path / "card.md"
    found = run("report", wide_csv, "--card", "nobody", "-o", card)
    assert found.code == 2
    assert "unknown model 'nobody'" in found.err
    assert not card.exists()
