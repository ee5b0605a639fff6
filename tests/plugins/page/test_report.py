import json

import pytest

from tests.plugged import needs


@needs("agreement", "calibration")
@pytest.mark.usefixtures("undrawn")
def test_a_page_holds_all_that_the_predictions_tell(run, tmp_path):
    rows = [
        f"s{i},{'ab'[i % 2]},{i // 60},{0.1 + 0.8 * (i % 2)},{0.2 + 0.1 * (i % 7)}"
        for i in range(180)
    ]
    probabilities = [
        ",".join([*row.split(",")[:3], *(f"{q}" for p in map(float, row.split(",")[3:]) for q in (1 - p, p))])
        for row in rows
    ]  # fmt: skip
    source, page = tmp_path / "preds.csv", tmp_path / "page.html"
    source.write_text("\n".join(["id,gold,part,m:a,m:b,n:a,n:b", *probabilities]))
    found = run(
        "report", source, "--slice", "part", "-o", page, "--resamples", "199", "-m", "accuracy"
    )
    assert found.code == 0
    text = page.read_text(encoding="utf-8")
    for title in ("Scores and differences", "Subgroups", "Calibration", "Disagreements", "Method"):
        assert f">{title}</h2>" in text
    assert "m and n disagree on" in text
    assert "<td>s3</td>" in text
    assert (
        f"modelcompare report {source} --slice part -o {page} --resamples 199 -m accuracy" in text
    )


@pytest.mark.usefixtures("undrawn")
def test_small_subgroups_are_left_out_of_a_page_and_that_is_reported(run, wide_csv, tmp_path):
    lines = wide_csv.read_text().splitlines()
    source, page = tmp_path / "cut.csv", tmp_path / "page.html"
    cut = [f"{line},{i}" for i, line in enumerate(lines[1:])]
    source.write_text("\n".join([f"{lines[0]},part", *cut]))
    found = run("report", source, "--slice", "part", "-o", page, "--resamples", "99")
    assert found.code == 0
    assert "no subgroup has 30 samples; the page leaves them out." in found.err
    assert ">Subgroups</h2>" not in page.read_text(encoding="utf-8")


def test_a_page(run, wide_csv, tmp_path):
    page = tmp_path / "page.html"
    found = run("report", wide_csv, "-o", page, "--resamples", "499")
    assert found.code == 0
    assert "<html" in page.read_text(encoding="utf-8")


GAPS = "y_true,a,b\n" + "".join(
    f"{i % 2},{'' if i < 3 else i % 3 % 2},{i % 5 % 2}\n" for i in range(60)
)


@pytest.mark.usefixtures("undrawn")
@pytest.mark.filterwarnings("default")
def test_documents_hold_what_was_read_and_warned_of(run, tmp_path):
    (tmp_path / "gaps.csv").write_text(GAPS)
    options = "gaps.csv", "-m", "accuracy", "--missing", "drop", "--resamples", "60"
    left_out = "gaps.csv: left out 3 of 60 rows with missing cells."
    read = "read truth: y_true; models: 2 (a, b); missing: 3 in a; classes: 0, 1 (positive: 1)"

    done = run("compare", *options, "--format", "json")
    assert json.loads(done.out)["messages"][:2] == [f"warning: {left_out}", read]
    gate = ("--baseline", "a", "--candidate", "b", "--margin", "0.1", "--inconclusive-exit", "1")
    asked = run("gate", *options, *gate, "--format", "json")
    assert json.loads(asked.out)["messages"][:2] == [f"warning: {left_out}", read]

    for command in ("compare", "report"):
        run(command, *options, "-o", "page.html")
        page = (tmp_path / "page.html").read_text()
        cautions, _, rest = page.partition('id="cautions"')[2].partition("</section>")
        assert left_out in cautions
        assert read not in cautions
        assert f"R{read[1:]}" in rest


@pytest.mark.filterwarnings("default")
def test_messages_of_one_command_are_not_of_the_next(run, tmp_path):
    (tmp_path / "gaps.csv").write_text(GAPS)
    options = "-m", "accuracy", "--missing", "drop", "--resamples", "60", "--format", "json"
    first, second = (json.loads(run("compare", "gaps.csv", *options).out) for _ in range(2))
    assert first["messages"] == second["messages"]


@needs("runs")
@needs("agreement")
@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("separate", [True, False])
def test_no_run_of_a_model_is_paired_with_one_of_another_on_a_page(run, tmp_path, separate):
    rows = [
        f"{model},q{i},{model * separate}{r},{(i + k * r) % 3 % 2},{'xy'[i < 12]}"
        for k, (model, n_runs) in enumerate((("m", 2), ("n", 2 + separate))) for r in range(n_runs)
        for i in range(22)
    ]  # fmt: skip
    source, page = tmp_path / "runs.csv", tmp_path / "page.html"
    source.write_text("\n".join(["model,item,run,score,part", *rows]))
    found = run("report", source, "-o", page, "--resamples", "99", "--slice", "part")
    assert found.code == 0, found.err
    assert (
        "have several runs, none of which belongs to one of the other; the page leaves" in found.err
    )
    text = page.read_text(encoding="utf-8")
    assert f"22 items x 2{' to 3' * separate} runs" in text
    assert ">Disagreements</h2>" not in text
    if not separate:
        return
    # The part y has 12 items in 2 or 3 runs, and x 10 in up to 3.
    assert ">Subgroups</h2>" in text
    refused = run("disagreements", source, "--model", "m", "--model", "n")
    assert refused.code == 2
    assert "models 'm' and 'n' have separate runs (2 to 3 of each)" in refused.err
