from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from modelcompare import examples
from modelcompare.plugins.paper.commands import pairs
from tests.plugged import needs

SNLI = Path(examples.__file__).parent / "snli.npz"
FEW = ("--resamples", "50")
COMMANDS = {
    "study variance": ("--pair", "f1", "--ratio", "1", "--ratio", "0.1", *FEW),
    "study agreement": ("--pair", "f1", "--test", "wald", *FEW),
    "study undefined": ("--pair", "precision", "--ratio", "0.1", *FEW),
    "study sensitivity": ("--metric", "f1_macro", "--metric", "cf1_macro", *FEW),
    "study quantization": ("--metric", "cf1_macro", "--bins", "2", "--bins", "5"),
}
FILES = {
    "study variance": ["variance", "variance_tests", "variance_ratios", "separation"],
    "study agreement": ["agreement", "agreement_pairs", "agreement_population"],
    "study undefined": ["undefined"],
    "study sensitivity": ["sensitivity"],
    "study quantization": ["values", "pairs"],
}
FIGURES = {
    "study variance": ["figure1_variances_f1", "figure2_intervals_f1"],
    "study agreement": ["agreement", "agreement_population"],
    "study undefined": ["undefined"],
    "study sensitivity": ["sensitivity"],
    "study quantization": [],
}


# By command what its files hold, of the first run in this process.
WRITTEN = {}


def written(run, command, path, folder):
    """Run a study into a folder; keep what the first run of each has written."""
    done = run(*command.split(), path, *COMMANDS[command], "-o", folder)
    found = {path.name: path.read_bytes() for path in folder.iterdir()}
    WRITTEN.setdefault(command, found)
    return done, found


@pytest.mark.parametrize("command", COMMANDS)
def test_each_study_prints_and_writes_everything(run, small_snli, tmp_path, command, request):
    if command != "study undefined":  # whose figures the next test needs
        request.getfixturevalue("undrawn")
    folder = tmp_path / "out"
    done, files = written(run, command, small_snli, folder)
    assert "modelcompare:0.1.0|" in done.out
    assert max(map(len, done.out.splitlines())) <= 80
    assert f"into {folder}" in done.err
    names = {*files}
    stem = "quantization" if "quantization" in command else FILES[command][0]
    expected = {f"{stem}.md", *(f"{name}.csv" for name in FILES[command])}
    expected |= {f"{n}.{form}" for n in FIGURES[command] for form in ("png", "svg", "pdf")}
    assert expected <= names
    assert not [name for name in names if name.endswith(".tmp")]


def test_the_same_seed_writes_the_same_bytes(run, small_snli, tmp_path):
    if "study undefined" not in WRITTEN:
        written(run, "study undefined", small_snli, tmp_path / "first")
    _, again = written(run, "study undefined", small_snli, tmp_path / "again")
    assert [name for name, data in WRITTEN["study undefined"].items() if again[name] != data] == []


@pytest.mark.parametrize(
    ("form", "start"),
    [
        ("markdown", "- f1 and cf1 both find a difference"),
    ],
)
def test_forms(run, small_snli, form, start):
    done = run("study", "agreement", small_snli, "--pair", "f1", "--format", form, *FEW)
    assert done.out.startswith(start)


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("study", "variance", SNLI, "--pair", "f1:accuracy"), "of which one is per class"),
        (("study", "variance", SNLI, "--ratio", "2"), "`ratios` must lie in (0, 1]"),
        (("study", "variance", SNLI, "--test", "ansari"), "`tests` must be of f, bartlett"),
        (("study", "variance", SNLI, "--pair", "recall[neutral]:recall"),
         "`pairs` holds ('recall[neutral]', 'recall'), which are not of the same classes; name the "
         "same classes of both, and of a metric in all pairs, or none."),
        (("study", "agreement", "nothing.npz"), "nothing.npz"),
        (("study", "undefined", SNLI, "-o", SNLI), "is a file; name a folder"),
    ],
)  # fmt: skip
def test_bad_input_is_reported_in_one_line(run, arguments, part):
    done = run(*arguments)
    assert done.code == 2
    assert part in done.err
    assert done.err.count("\n") == 1


@pytest.mark.usefixtures("undrawn")
@pytest.mark.filterwarnings("default")
def test_agreement_on_a_small_set_leaves_out_what_cannot_be_made_and_says_so(run, tmp_path):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 100)
    models = {name: rng.dirichlet([1, 1, 1], 100) for name in "abc"}
    np.savez(tmp_path / "small.npz", y_true=truth, labels=np.arange(3), **models)
    done = run("study", "agreement", "small.npz", "--pair", "f1", *FEW, "-o", "out")
    assert done.code == 0
    assert (
        "agreement_population leaves out the ratios 0.01, which leave less than 2 of 100"
        in done.err
    )
    found = pd.read_csv(tmp_path / "out" / "agreement_population.csv")
    assert sorted({*found["ratio"]}) == [0.02, 0.05, 0.1, 0.2, 0.5, 1.0]


def test_pairs_of_metrics_name_classes():
    read = ["f1", "f1:log_loss", "f1[a:b]", "f1[a]:recall[a]", "f1[a:b]:recall[a:b]"]
    assert pairs(read) == [
        "f1", ("f1", "log_loss"), "f1[a:b]", ("f1[a]", "recall[a]"), ("f1[a:b]", "recall[a:b]"),
    ]  # fmt: skip
    with pytest.raises(ValueError, match=r"--pair f1\[a\]:f1\[a\] is one metric twice"):
        pairs(["f1[a]:f1[a]"])


@needs("page")
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


@needs("page")
def test_a_card_names_its_model(run, wide_csv, tmp_path):
    card = tmp_path / "card.md"
    arguments = ("--card", "good", "-o", card, "-m", "f1", "--resamples", "499")
    assert run("report", wide_csv, *arguments).code == 0
    assert card.read_text(encoding="utf-8").startswith('---\nmodel-index:\n- name: "good"')


@needs("page")
def test_an_unknown_model_leaves_no_file(run, wide_csv, tmp_path):
    card = tmp_path / "card.md"
    found = run("report", wide_csv, "--card", "nobody", "-o", card)
    assert found.code == 2
    assert "unknown model 'nobody'" in found.err
    assert not card.exists()


@needs("page")
def test_subgroups_reach_the_card(run, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"y_true": rng.integers(0, 2, 120)})
    frame["m"] = np.where(rng.random(120) < 0.8, frame.y_true, 1 - frame.y_true)
    frame["lang"] = np.repeat(["en", "de"], 60)
    path, card = tmp_path / "labels.csv", tmp_path / "card.md"
    frame.to_csv(path, index=False)
    done = run("report", path, "--slice", "lang", "--card", "m", "-o", card, "--resamples", "199")
    assert done.code == 0, done.err
    assert "lang = de" in card.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        ("variance", "use modelcompare study variance."),
        ("agreement_study", "use modelcompare study agreement."),
    ],
)
def test_an_unknown_command_is_answered_with_the_study_that_is_meant(run, command, meant):
    done = run(command, "x.csv")
    assert (done.code, done.out) == (2, "")
    assert done.err == f"modelcompare: error: there is no command {command!r}; {meant}\n"


@needs("page")
def test_no_name_in_a_message_about_a_card_reaches_a_terminal_as_an_order(run, wide_csv):
    done = run("report", wide_csv, "--card", "\x1b]0;title\x07\r")
    assert (done.code, done.out) == (2, "")
    assert not set(done.err) & set("\x1b\x07\r")


@needs("page")
def test_a_card_needs_the_name_of_a_model(run):
    found = run("report", "digits.csv", "--card", "-o", "card.md")
    assert found.code == 2
    assert "--card needs the name of a model before -o" in found.err
