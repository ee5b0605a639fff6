"""Names that would do something where they are shown, in every form a result has."""

import csv
import io
import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pytest
from rich.console import Console

from modelcompare import escape
from modelcompare.comparison.forest import plot_comparison
from modelcompare.plugs import merged
from modelcompare.report.writers.files import figure_bytes
from modelcompare.report.writers.formats import WRITERS, frame_csv, writer
from tests.report.conftest import NAMES
from tests.report.written import (
    as_csv,
    as_json,
    contents,
    fragment,
    screen,
    screen_text,
)

FORMS = [*WRITERS, *merged("writers")]
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def test_no_form_holds_a_control_character(hostile):
    forms = [
        screen_text(hostile, show_all=True), fragment(hostile) or "",
        *(writer(form)(hostile.document()) for form in FORMS),
    ]  # fmt: skip
    assert [found for text in forms for found in CONTROL.findall(text)] == []


def test_no_name_breaks_a_line(make_comparison):
    plain = make_comparison([f"m{place}" for place in range(len(NAMES))])
    made = make_comparison(NAMES)
    for form in {*FORMS} - {"table", "html"}:
        written, expected = (writer(form)(each.document()) for each in (made, plain))
        assert written.count("\n") == expected.count("\n"), form


def test_no_line_on_a_screen_is_an_order_to_a_runner(hostile):
    for line in screen_text(hostile, show_all=True).splitlines():
        assert not line.lstrip().startswith("::")
        assert "##[" not in line


def orders(text):
    """Lines that a GitHub runner obeys: ActionCommand.cs of actions/runner, both versions."""
    within = re.compile(r"##\w*\[")
    return [x for x in text.splitlines() if x.lstrip().startswith("::") or within.search(x)]


# Where a line breaks depends on what stands before.
PADS = range(0, 78, 9)
# A page breaks its lines at its tags and a document at its cells, wherever a name stands.
FILE_PADS = (0, 72)


@pytest.mark.parametrize("pad", PADS)
def test_no_line_of_any_form_is_an_order_to_a_runner(make_comparison, pad):
    names = [f"{'x' * pad}a::error::b", f"{'y ' * (pad // 2)}::set-output name=x::1", "::warning::z",
             f"{'z' * pad}##[error]c", "##vso[task.complete]d"]  # fmt: skip
    made = make_comparison(names, metrics=["f1"], labels={"f1": names})
    made.sentences = [f"f1 of {name}: {name} leads {name}." for name in names]
    made.name, made.signature = names[0], f"modelcompare|baseline:{'|'.join(names)}"
    forms = {
        "screen": screen_text(made), "all": screen_text(made, show_all=True), "text": str(made),
    }  # fmt: skip
    if pad in FILE_PADS:
        forms |= {
            form: writer(form)(replace(made.document(), figures={})) for form in FORMS
        } | {"notebook": fragment(made) or ""} | {name: frame_csv(frame) for name, frame in made.document().frames().items()}  # fmt: skip
        assert {row["model"] for row in json.loads(forms["json"])["scores"]} == {*names}
    assert {name: found for name, text in forms.items() if (found := orders(text))} == {}


@pytest.mark.parametrize("pad", PADS)
def test_a_screen_in_colour_breaks_into_no_order_either(make_comparison, pad):
    made = make_comparison([f"{'x' * pad}a::error::b", "c"])
    made.sentences = [f"accuracy: {made.models[0]} leads."]
    page_ = io.StringIO()
    console = Console(file=page_, width=80, force_terminal=True, color_system="truecolor")
    console.print(screen(made))
    plain = re.sub("\x1b\\[[0-9;]*m", "", page_.getvalue())
    assert orders(plain) == []


@pytest.mark.parametrize(
    "mark", ["\u200b", "\u200f", "\u061c", "\ufeff", "\u2060", "\u202e", "\x1b"]
)
def test_what_cannot_be_seen_is_written_out(mark):
    for write in (escape.terminal, escape.markdown, escape.html, escape.csv):
        assert mark not in write(f"be{mark}rt")
    assert escape.json(json.dumps(f"be{mark}rt", ensure_ascii=mark == "\x1b")).isascii()


def test_a_spreadsheet_sees_no_formula_and_every_number(hostile):
    rows = list(csv.reader(io.StringIO(as_csv(hostile), newline="")))
    header = rows[0]
    assert {len(row) for row in rows} == {len(header)}
    for row in rows[1:]:
        for cell in filter(None, row):
            assert cell[0] not in "=+-@" or float(cell) == float(cell)
    numbers = [row[header.index("estimate")] for row in rows[1:] if row[0] == "scores"]
    assert [float(number) for number in numbers] == pytest.approx(hostile.scores["estimate"])


def test_json_reads_back_to_the_very_names(make_comparison):
    found = json.loads(as_json(make_comparison(NAMES)))
    assert [row["model"] for row in found["scores"]] == NAMES
    assert found["models"] == NAMES


def test_a_markdown_reader_finds_no_markup(hostile):
    text = hostile.to_markdown()
    bare = re.sub(r"\\[\\|*_`<>\[\]#&~$]", "", text)
    body = "\n".join(line for line in bare.splitlines() if not line.startswith(("### ", "`", "|")))
    cells = [line for line in bare.splitlines() if line.startswith("|")]
    assert not re.search(r"[<>\[\]`&$]|^\s*(- )?#", body.removeprefix("\n"), re.M)
    assert not any(re.search(r"[<\[`&$#]", line) for line in cells)
    assert len({line.count("|") for line in cells[:3]}) == 1


def test_the_signature_stays_code(hostile):
    *_, signature = hostile.to_markdown().rstrip("\n").split("\n\n")
    fence = re.match("`+", signature)[0]
    assert signature.endswith(fence)
    assert fence not in signature[len(fence) : -len(fence)]


def test_figures_can_be_drawn_and_read(hostile):
    scores, differences = (plot_comparison(hostile, [kind]) for kind in ("scores", "differences"))
    assert figure_bytes(differences, "pdf").startswith(b"%PDF")
    assert ElementTree.fromstring(figure_bytes(scores, "svg")).tag.endswith("svg")


@pytest.mark.usefixtures("undrawn")
def test_cells_of_a_folder_are_no_formulas(hostile):
    assert b"=cmd" not in contents(hostile)["scores.csv"].replace(b"'=cmd", b"")


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("-1", "-1"), ("+1.5e3", "+1.5e3"), ("-", "'-"), ("@home", "'@home"), ("a=b", "a=b"),
        (" =1+1", "' =1+1"), ("\uff1d1", "'\uff1d1"), ("+1-2", "'+1-2"), ("\t=1", "'\\t=1"),
    ],
)  # fmt: skip
def test_cells_of_csv(text, cell):
    assert escape.csv(text) == cell
