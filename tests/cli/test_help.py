"""Help on one screen, all of it on request, and names that do not exist."""

import pytest

from modelcompare.cli import application
from modelcompare.cli.options import READING, key_of
from modelcompare.cli.table import COMMANDS
from modelcompare.readers.messages import KEYS


def test_there_are_at_most_twelve_commands_and_twenty_options_of_compare():
    program = application()
    assert len(program.commands) <= 12
    shown = [
        param
        for param in program.commands["compare"].params
        if param.param_type_name == "option" and not param.hidden
    ]
    assert len(shown) == 20


def test_a_list_of_commands_declares_no_options(run):
    application.cache_clear()
    assert run("--help").code == 0
    command = application().commands["compare"]
    assert not command._params
    assert command.params is command.params


def test_help_all_shows_every_option_and_every_key(run):
    brief, whole = run("compare", "--help"), run("compare", "--help-all")
    assert brief.code == whole.code == 0
    for option in ("--alpha", "--family", "--slice", "--kind"):
        assert option not in brief.out
        assert option in whole.out
    assert "percentile, ..." in brief.out
    assert "studentized, logit, wilson" in " ".join(whole.out.split())
    for key in READING.keys:
        assert f"  {key_of(key)}" in whole.out.partition("Keys of --read:")[2]


@pytest.mark.parametrize("row", COMMANDS, ids=lambda row: row.name)
@pytest.mark.parametrize("flag", ["--help", "--help-all"])
def test_help_fits_the_width_of_a_terminal_and_has_no_gap(run, row, flag):
    page = run(*row.name.split(), flag).out
    assert max(map(len, page.splitlines())) <= 80
    assert "{choices}" not in page
    for line in page.splitlines():
        assert not line.rstrip().endswith("rection:")


def test_the_list_of_commands_is_not_cut(run):
    groups = {row.name.split()[0] for row in COMMANDS if " " in row.name}
    for page in (run("--help").out, *(run(group, "--help").out for group in groups)):
        assert "..." not in page.partition("Commands:")[2]


def test_messages_of_the_readers_know_the_keys():
    assert {key.name for key in READING.keys} >= KEYS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("modle-column=x", "--read has no key 'modle-column'; did you mean model-column?"),
        (
            "zzz=1",
            "--read has no key 'zzz'; it has event, pred, model-column, run, set, filter, strata,",
        ),
        ("run", "--read run: write --read run=COLUMN."),
        ("normalize=yes", "--read normalize=yes: write --read normalize."),
        ("ids=some", "`--read ids` must be one of same, intersect, got 'some'."),
        ("range=0", "--read range must be LOW,HIGH, as in range=0,1; got '0'."),
    ],
)
def test_a_wrong_key_of_read_is_refused(run, wide_csv, text, expected):
    done = run("compare", wide_csv, "--read", text)
    assert (done.code, done.out) == (2, "")
    assert expected in done.err


def test_a_key_with_one_value_is_given_once(run, wide_csv):
    done = run("compare", wide_csv, "--read", "strata=a", "--read", "strata=b")
    assert (done.code, done.err) == (
        2, "modelcompare: error: --read strata is given 2 times; give it once.\n"
    )  # fmt: skip


def test_keys_are_what_the_library_calls_them(run, tmp_path):
    rows = [f"{i % 2},{i % 3 // 2},{i % 5 // 3},{i % 4}" for i in range(80)]
    (tmp_path / "t.csv").write_text("\n".join(["y_true,a,b,site", *rows]) + "\n")
    done = run("compare", "t.csv", "-m", "accuracy", "--resamples", "99", "--read", "strata=site")
    assert done.code == 0, done.err
    assert "stratified" in done.out


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        ("decide", "use modelcompare gate (--non-inferior, --superior, --equivalent)."),
        ("schema", "use modelcompare metrics --schema."),
        ("slices", "use modelcompare groups --by COLUMN."), ("sets", "use modelcompare groups."),
        ("folds", "use modelcompare ranks."), ("card", "use modelcompare report --card MODEL."),
        ("comapre", "did you mean compare?"),
        ("sample_size", "use modelcompare sample-size."),
        ("zzzz", "commands: compare, demo, "),
    ],
)  # fmt: skip
def test_an_unknown_command_is_answered_with_the_one_that_is_meant(run, command, meant):
    done = run(command, "x.csv")
    assert (done.code, done.out) == (2, "")
    assert f"there is no command {command!r}; " in done.err
    assert meant in done.err


def test_groups_refuse_a_smallest_size_without_subgroups(run, wide_csv):
    done = run("groups", wide_csv, "--min-size", "5")
    assert (done.code, done.out) == (2, "")
    assert "--min-size is for subgroups; name their column with --by." in done.err
