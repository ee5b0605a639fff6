"""Options of other tools are answered by the option that is meant."""

import pytest

from modelcompare import read_predictions


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("--bootstrap 1000", "--resamples"), ("--n-boot 1000", "--resamples"),
        ("--iterations 1000", "--resamples"), ("--group user", "--groups"),
        ("--models a,b", "--model (repeatable)"), ("--random-state 3", "--seed"),
        ("--truth label", "--true"), ("--adjust holm", "--correction"),
        ("--confidence-levle 0.9", "--confidence-level"),
    ],
)  # fmt: skip
def test_an_option_of_another_name_is_answered(run, given, meant):
    found = run("compare", "t.csv", *given.split())
    assert found.code == 2
    assert f"there is no option {given.split()[0]}; did you mean {meant}?" in found.err


@pytest.mark.parametrize("option", ["metric=accuracy", "groups=user"])
def test_a_key_that_is_an_option_is_answered_by_the_option(run, option):
    found = run("compare", "t.csv", "--read", option)
    assert found.code == 2
    assert f"write --{option.replace('=', ' ')}." in found.err


def test_a_choice_that_is_a_flag_is_answered_by_the_flag(run):
    found = run("gate", "t.csv", "--kind", "superior")
    assert found.code == 2
    assert "did you mean --superior?" in found.err


@pytest.mark.parametrize(("separator", "suffix"), [(",", "csv"), (";", "csv"), ("\t", "tsv")])
def test_a_row_with_fewer_cells_is_named_by_its_line(run, tmp_path, separator, suffix):
    lines = ["id,y_true,a,b", *(f"{k},x,x,y" for k in range(15)), "15,x", "16,y,y,x"]
    path = tmp_path / f"t.{suffix}"
    path.write_text("\n".join(lines).replace(",", separator))
    found = run("compare", path)
    assert found.code == 2
    message = found.err.removeprefix("modelcompare: error: ")
    assert message.startswith(f"t.{suffix}: line 17 has 2 of 4 cells; complete it, or")
    assert len(message.split()) < 25
    with pytest.warns(UserWarning, match="left out 1 of 17 rows"):
        assert len(read_predictions(path, missing="drop")) == 16


def test_a_cell_that_is_empty_is_named_by_its_column(run, tmp_path):
    (tmp_path / "t.csv").write_text("id,y_true,a,b\n1,x,x,y\n2,x,,x\n3,y,x,y\n")
    assert "t.csv has missing cells (a 1; first rows: 1)" in run("compare", "t.csv").err


def test_an_option_like_no_other_leads_to_the_list(run):
    assert "--help-all lists all" in run("compare", "t.csv", "--xyzzy").err


def test_an_option_of_other_commands_names_them(run):
    for given in ("--margin", "--non-inferior"):
        found = run("compare", "x.csv", given, "0.01")
        assert found.code == 2
        assert f"there is no option {given}; it is an option of gate" in found.err
