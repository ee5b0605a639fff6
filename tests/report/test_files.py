import re
from xml.etree import ElementTree

import pytest
from matplotlib.figure import Figure
from PIL import Image

from modelcompare.comparison.forest import plot_comparison
from modelcompare.paths import check_writable
from modelcompare.report.writers.files import figure_format, write_figure, write_text
from modelcompare.report.writers.formats import suffixes, writer


def test_a_text_is_written_and_nothing_is_left_beside_it(tmp_path):
    path = write_text(tmp_path / "scores.md", "é\n")
    assert path.read_text(encoding="utf-8") == "é\n"
    assert list(tmp_path.iterdir()) == [path]


def test_an_existing_file_survives_a_failure(tmp_path, monkeypatch):
    path = tmp_path / "scores.md"
    path.write_text("old")
    monkeypatch.setattr("pathlib.Path.replace", _fail)
    with pytest.raises(OSError, match="disk full"):
        write_text(path, "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def _fail(_path, _target):
    raise OSError("disk full")


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"the folder .*nowhere does not exist; create it first."):
        write_text(tmp_path / "nowhere" / "scores.md", "")


def test_a_folder_is_not_a_file(tmp_path):
    with pytest.raises(ValueError, match=r"is a folder; name a file in it."):
        check_writable(tmp_path)


@pytest.mark.parametrize(
    ("name", "start"), [("a.png", b"\x89PNG"), ("a.PDF", b"%PDF"), ("a.svg", b"<?xml")]
)
def test_the_suffix_chooses_the_format(tmp_path, name, start):
    figure = Figure()
    figure.subplots().plot([1, 2])
    first = write_figure(tmp_path / name, figure).read_bytes()
    assert first.startswith(start)
    assert write_figure(tmp_path / name, figure).read_bytes() == first


@pytest.mark.parametrize("form", ["png", "svg", "pdf"])
def test_a_saved_figure_holds_its_title_and_signature(tmp_path, make_comparison, form):
    result = make_comparison(["<b>&\x07", "cnn"])
    figure = plot_comparison(result)
    data = figure.save(tmp_path / f"forest.{form}").read_bytes()
    if form == "png":
        with Image.open(tmp_path / "forest.png") as image:
            held = image.text["Title"], image.text["Description"]
    elif form == "svg":
        title, signature = (
            ElementTree.fromstring(data).find(f".//{{http://purl.org/dc/elements/1.1/}}{name}").text
            for name in ("title", "description")
        )
        held = title, signature
    else:
        held = tuple(
            re.search(rb"/%s \(([^)]*)\)" % name, data)[1].decode()
            for name in (b"Title", b"Subject")
        )
    assert held == (figure.title, result.signature)
    assert result.signature.startswith("modelcompare:")


def test_another_suffix_is_refused():
    message = r"plot.gif: a figure is written as .pdf, .png, .svg; choose such a name."
    with pytest.raises(ValueError, match=message):
        figure_format("plot.gif")


@pytest.mark.parametrize("suffix", [suffix for suffix in suffixes() if suffix])
def test_a_result_is_saved_in_the_form_that_the_name_implies(suffix, tmp_path, make_comparison):
    result = make_comparison(["cnn", "lstm"])
    result.save(tmp_path / f"table{suffix.upper()}")
    written = (tmp_path / f"table{suffix.upper()}").read_text("utf-8")
    assert written == writer(suffixes()[suffix])(result.document())


def test_a_name_that_implies_no_form_is_refused_and_nothing_is_written(tmp_path, make_comparison):
    with pytest.raises(
        ValueError, match=r"table\.xlsx: \.xlsx names no form; write \.csv, .*\.txt\."
    ):
        make_comparison(["cnn", "lstm"]).save(str(tmp_path / "table.xlsx"))
    assert [*tmp_path.iterdir()] == []
