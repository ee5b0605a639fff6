import json

import jsonschema
import pytest

from modelcompare.cli import application
from modelcompare.plugins.catalogue.documents import whole_schema
from modelcompare.plugs import can_answer
from tests.plugged import plugged
from tests.test_public_api import every_command

FEW = ("--resamples", "60")
UNDECIDED = ("--inconclusive-exit", "0")
MODELS = ("--baseline", "naive_bayes", "--candidate", "bow_pair")
HALVES = "y_true,a,b,half\n" + "".join(
    f"{i % 2},{i % 3 // 2},{i % 5 // 3},{'lower' if i < 40 else 'upper'}\n" for i in range(80)
)
FOLDS = "fold,a,b,c\n" + "".join(f"{i},0.{80 + i},0.{70 + i * 2},0.6{i}\n" for i in range(8))
# By command what is asked, and the document that answers.
ASKED = [
    ("compare", ("snli.npz", "-m", "accuracy", *FEW), "compare"),
    ("gate", ("snli.npz", *MODELS, "--margin", "0.1", *FEW), "decision"),
    ("gate", ("snli.npz", *MODELS, "--rule", "f1[neutral]:-0.1", *FEW), "gate"),
    ("sample-size", ("snli.npz", "--model", "mlp", "--model", "bow_pair"), "sample_size"),
    ("metrics", (), "metrics"),
    ("metrics", ("f1",), "metrics"),
    ("demo", FEW, "compare"),
    ("groups", ("halves.csv", "--by", "half", "-m", "accuracy", *FEW), "groups"),
    *((name.partition(":")[0], *asked) for name, asked in plugged("ASKED").items()),
]


SCHEMA = whole_schema()
KINDS = [kind["$ref"].rpartition("/")[2] for kind in SCHEMA["oneOf"]]
NAMES = {kind: SCHEMA["$defs"][kind]["properties"]["schema"]["const"] for kind in KINDS}


def test_the_printed_schema_is_a_schema(run):
    done = run("metrics", "--schema")
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out) == SCHEMA
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_every_document_has_a_name_of_its_own():
    """So that a document is of one kind alone."""
    assert len({*NAMES.values()}) == len(NAMES)
    assert all("schema" in SCHEMA["$defs"][kind]["required"] for kind in NAMES)


def test_every_command_that_writes_json_is_asked():
    writing = [
        name
        for name, command in every_command(application())
        if "format" in {parameter.name for parameter in command.params}
    ]
    # A plugin reads tables of scores.
    idle = set() if can_answer("table") else {"ranks"}
    assert {name for name, *_ in ASKED} == {*writing} - idle


@pytest.mark.usefixtures("undrawn")
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(("command", "arguments", "kind"), ASKED, ids=lambda part: str(part)[:12])
def test_what_a_command_writes_as_json_is_as_the_printed_schema_says(
    run, tmp_path, small_snli, command, arguments, kind
):
    (tmp_path / "snli.npz").symlink_to(small_snli)
    (tmp_path / "other.npz").symlink_to(small_snli)
    (tmp_path / "halves.csv").write_text(HALVES)
    (tmp_path / "folds.csv").write_text(FOLDS)
    (tmp_path / "sets.csv").write_text(FOLDS.replace("fold", "dataset"))
    for write in plugged("FILES").values():
        write(tmp_path)
    done = run(*command.split(), *arguments, "--format", "json")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    assert document["schema"] == NAMES[kind]
    of_kind = {**SCHEMA, "oneOf": [{"$ref": f"#/$defs/{kind}"}]}
    jsonschema.Draft202012Validator(of_kind).validate(document)
