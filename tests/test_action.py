"""The Action: its steps, run in bash as a runner does."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import modelcompare
from modelcompare.cli import main
from tests.cli.conftest import beyond_reading
from tests.cli.workflow import outputs
from tests.plugged import needs

pytestmark = [pytest.mark.slow, needs("workflows")]

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
# A clear difference: a is right in 90 of 100, b in 60, c as a but for one sample.
ROWS = [
    ("x", "x" if i < 90 else "y", "x" if i < 60 else "y", "x" if i < 89 else "y")
    for i in range(100)
]
TABLE = "y_true,a,b,c\n" + "".join(f"{','.join(row)}\n" for row in [*ROWS, ("y", "y", "y", "y")])
WANTED = {"files": "preds.csv", "baseline": "b", "candidate": "a", "metric": "accuracy", "margin": "0.01",
          "resamples": "99"}  # fmt: skip


def _expanded(value, given, temp):
    """Put what ``${{ }}`` names in its place, as a runner does before it starts a step."""
    known = {"runner.temp": str(temp), "github.action_path": "/the/action", "github.token": "secret",
             "github.repository": "the/project", "github.event.pull_request.number": "7"}  # fmt: skip
    inputs = {name: about.get("default", "") for name, about in ACTION["inputs"].items()}
    known |= {f"inputs.{name}": text for name, text in (inputs | given).items()}
    return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: known[found[1]], value)


class Runner:
    """Runs one step of the action in an empty workspace."""

    def __init__(self, folder):
        self.work, self.temp = folder / "work", folder / "temp"
        for each in (self.work, self.temp / "bin", self.temp / "modelcompare-packages"):
            each.mkdir(parents=True)
        package = Path(modelcompare.__file__).parent
        (self.temp / "modelcompare-packages" / "modelcompare").symlink_to(package)
        self.python(f'exec "{sys.executable}" "$@"')
        (self.work / "preds.csv").write_text(TABLE)

    def python(self, command):
        self.program("python", f"#!/bin/sh\n{command}\n")

    def program(self, name, text):
        path = self.temp / "bin" / name
        path.write_text(text)
        path.chmod(0o755)

    def __call__(self, step, **given):
        names = {
            "GITHUB_OUTPUT": self.temp / "output",
            "GITHUB_STEP_SUMMARY": self.temp / "summary",
        }
        for path in names.values():
            path.write_text("")
        script = self.temp / "script.sh"
        script.write_text(STEPS[step]["run"])
        given = {name.replace("_", "-"): text for name, text in given.items()}
        environment = {
            name: given.pop(name) if name in given else _expanded(text, given, self.temp)
            for name, text in STEPS[step]["env"].items()
        }
        path = f"{self.temp / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", script], cwd=self.work,
            env={**os.environ, **environment, **{k: str(v) for k, v in names.items()}, "PATH": path},
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    @property
    def outputs(self):
        return outputs((self.temp / "output").read_text())

    def compare(self, **given):
        return self("Compare", **{**WANTED, **given})

    def words(self, step="Compare", **given):
        """What a step gives to Python."""
        self.python(f"""printf '%s\\0' "$@" > "{self.temp}/arguments"; exit 7""")
        assert self(step, **{**WANTED, **given}).returncode == 7
        return (self.temp / "arguments").read_text().split("\0")[:-1]


@pytest.fixture
def runner(tmp_path):
    return Runner(tmp_path)


@pytest.fixture
def gate(runner, monkeypatch, capsys):
    """Run the program with the words of the step, in the test's own process."""

    def _gate(**given):
        program, *words = runner.words(**given)[2:]
        assert program == "modelcompare"
        monkeypatch.chdir(runner.work)
        monkeypatch.setenv("GITHUB_OUTPUT", str(runner.temp / "output"))
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(runner.temp / "summary"))
        code = main(words)
        return code, *capsys.readouterr()

    return _gate


def test_no_script_holds_an_expression_that_a_runner_would_put_text_into():
    scripts = [step["run"] for step in STEPS.values() if "run" in step]
    assert len(scripts) == 3
    assert not any("${{" in script for script in scripts)


def test_a_passing_candidate_leaves_an_annotation_a_summary_and_every_output(runner):
    done = runner.compare()
    assert (done.returncode, beyond_reading(done.stderr)) == (0, "")
    assert done.stdout.startswith("::notice title=modelcompare gate::a is non-inferior to b")
    assert set(runner.outputs) == set(ACTION["outputs"])
    assert {key: about["value"] for key, about in ACTION["outputs"].items()} == {
        key: f"${{{{ steps.gate.outputs.{key} }}}}" for key in ACTION["outputs"]
    }
    assert (runner.outputs["answer"], runner.outputs["passed"]) == ("shown", "true")
    assert float(runner.outputs["gain"]) == pytest.approx(30 / 101)
    assert runner.outputs["n_needed"] == ""
    assert "| accuracy | non-inferior | 0.01 | +0.297 |" in (runner.temp / "summary").read_text()


def test_a_failing_candidate_fails_the_step_and_no_module_of_the_workspace_is_imported(runner):
    (runner.work / "numpy.py").write_text("raise SystemExit(0)")
    (runner.work / "modelcompare.py").write_text("raise SystemExit(0)")
    done = runner.compare(baseline="a", candidate="b")
    assert done.returncode == 1
    assert done.stdout.startswith("::error title=modelcompare gate::b is inferior to a")
    assert runner.outputs["answer"] == "shown otherwise"


def test_too_few_data_fail_the_step_unless_they_may_pass(runner, gate):
    little = {"baseline": "a", "candidate": "c"}
    code, *_ = gate(**little)
    assert code == 1
    code, out, _ = gate(**little, inconclusive="pass")
    assert code == 0
    assert out.startswith("::warning ")
    assert (runner.outputs["answer"], runner.outputs["passed"]) == ("not enough data", "false")
    assert int(runner.outputs["n_needed"]) > 101


def test_rules_files_and_options_stand_one_a_line(runner, gate):
    _, *rows = TABLE.splitlines()
    (runner.work / "preds.csv").unlink()
    for place, model in enumerate("ab", start=1):
        cells = [row.split(",") for row in rows]
        lines = [f"{i},{row[0]},{row[place]}" for i, row in enumerate(cells)]
        (runner.work / f"{model}.csv").write_text("my id,gold,y_pred\n" + "\n".join(lines) + "\n")
    rules = "accuracy:-0.01\n\n  recall[x]:+0.1  \n"
    code, _, err = gate(
        files="*.csv\n",
        metric="",
        margin="",
        rules=rules,
        args="--true gold\n--id my id\n--read\nnormalize",
    )
    assert (code, beyond_reading(err)) == (0, "")
    gains = [float(gain) for gain in runner.outputs["gain"].split("\n")]
    assert gains == pytest.approx([30 / 101, 0.3])
    assert len(runner.outputs["sentence"].split("\n")) == 2


HOSTILE = """x"; touch hacked; '; touch hacked; $(touch hacked) `touch hacked` [$(touch hacked)]*"""


@pytest.mark.parametrize("name", ["files", "baseline", "candidate", "metric", "margin", "rules", "alpha", "seed",
                                  "resamples"])  # fmt: skip
def test_an_input_is_one_word_and_never_run(runner, name):
    words = runner.words(**{name: HOSTILE})
    assert HOSTILE in words
    assert [path.name for path in runner.work.iterdir()] == ["preds.csv"]


def test_an_option_is_a_word_and_what_follows_it_another(runner):
    option, _, value = HOSTILE.partition(" ")
    words = runner.words(args=HOSTILE)
    assert words[words.index(option) + 1] == value
    assert [path.name for path in runner.work.iterdir()] == ["preds.csv"]


@pytest.mark.parametrize("name", ["kind", "inconclusive", "comment"])
def test_a_choice_that_is_not_there_is_refused(runner, name):
    done = runner.compare(**{name: "help"})
    assert done.returncode == 2
    assert done.stdout.startswith(f"::error title=modelcompare gate::The input {name} must be ")


@pytest.mark.parametrize("name", ["files", "baseline", "metric", "rules"])
def test_what_follows_an_option_is_no_option(runner, gate, name):
    code, *_ = gate(**{name: "--help"})
    assert code == 2
    assert runner.outputs == {}


def test_no_gate_passes_without_an_answer(runner):
    assert runner.compare(args="--help").returncode == 2
    assert runner.outputs == {}


def test_the_action_installs_its_own_checkout_with_the_extras(runner):
    words = runner.words("Install modelcompare", extras=HOSTILE)
    assert words[:3] == ["-m", "pip", "install"]
    target = str(runner.temp / "modelcompare-packages")
    assert words[-3:] == ["--target", target, f"/the/action[{HOSTILE}]"]
    assert [path.name for path in runner.work.iterdir()] == ["preds.csv"]


# What GitHub's program does here: it lists, adds and replaces comments, which lie in a file.
GH = f"""#!{sys.executable}
import json, subprocess, sys
from pathlib import Path
state = Path({{state!r}})
comments, words = json.loads(state.read_text()), sys.argv[1:]
assert words.pop(0) == "api"
if words[0] == "--paginate":
    _, place, _, wanted = words
    assert place == "repos/the/project/issues/7/comments"
    found = subprocess.run(["jq", "-r", wanted], input=json.dumps(comments), text=True, check=True)
    sys.exit()
_, _, method, place, option, field = words
assert option == "--field"
name, path = field.split("=@")
body = {{{{name: Path(path).read_text()}}}}
if method == "POST":
    assert place == "repos/the/project/issues/7/comments"
    comments.append({{{{"id": len(comments), "user": {{{{"login": "github-actions[bot]"}}}}, **body}}}})
else:
    assert method == "PATCH"
    folder, _, number = place.rpartition("/")
    assert folder == "repos/the/project/issues/comments"
    comments[int(number)].update(body)
state.write_text(json.dumps(comments))
"""
MARKER = "<!-- modelcompare gate -->\n"


@pytest.fixture
def comments(runner):
    """Put a `gh` into the workspace's path, and return a function that gives the comments."""
    if not shutil.which("jq"):
        pytest.skip("jq is not installed")
    state = runner.temp / "comments.json"
    # Others have commented: a person who copied the marker, and another workflow.
    before = [{"id": 0, "user": {"login": "mallory"}, "body": f"{MARKER}**shown**"},
              {"id": 1, "user": {"login": "github-actions[bot]"}, "body": "Tests pass."}]  # fmt: skip
    state.write_text(json.dumps(before))
    runner.program("gh", GH.format(state=str(state)))

    def _comments():
        found = json.loads(state.read_text())
        assert found[:2] == before
        return [each["body"] for each in found[2:]]

    return _comments


def test_a_comment_is_written_once_and_updated_by_later_runs(runner, comments):
    assert runner.compare(comment="true").returncode == 0
    done = runner("Comment")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    (first,) = comments()
    assert first.startswith(f"{MARKER}- PASS: a is non-inferior to b ")
    assert first.count("PASS") == 1
    assert "| accuracy | non-inferior | 0.01 | +0.297 |" in first
    (numbers,) = re.findall(r"<details>.*```json\n(.*)```\n\n</details>\n$", first, re.DOTALL)
    assert json.loads(numbers)["gain"] == pytest.approx(30 / 101)
    assert runner.compare(baseline="a", candidate="b", comment="true").returncode == 1
    assert runner("Comment").returncode == 0
    (second,) = comments()
    assert second.startswith(f"{MARKER}- FAIL: b is inferior to a ")
    assert "is non-inferior" not in second


def test_no_older_answer_stays_where_there_is_none(runner, comments):
    runner.compare(comment="true")
    runner("Comment")
    assert runner.compare(candidate="gone", comment="true").returncode == 2
    assert runner("Comment").returncode == 0
    (comment,) = comments()
    assert comment.startswith(f"{MARKER}**no answer**\n")


def test_the_gate_does_not_depend_on_its_comment(runner, comments):
    runner.compare(comment="true")
    runner.program("gh", "#!/bin/sh\necho 'HTTP 403' >&2\nexit 1\n")
    done = runner("Comment")
    assert done.returncode == 0
    assert done.stdout.startswith("::warning title=modelcompare gate::The comment could not be")
    assert "pull-requests: write" in done.stdout
    assert comments() == []


def test_where_there_is_no_pull_request_nothing_is_asked_of_github(runner):
    runner.program("gh", f"#!/bin/sh\ntouch '{runner.temp}/asked'\n")
    done = runner("Comment", PULL="")
    assert done.returncode == 0
    assert done.stdout.startswith("::notice title=modelcompare gate::There is no pull request")
    assert not (runner.temp / "asked").exists()


def test_a_comment_is_written_on_request_also_where_the_gate_fails():
    assert STEPS["Comment"]["if"] == "${{ !cancelled() && inputs.comment == 'true' }}"
    assert ACTION["inputs"]["comment"]["default"] == "false"


def test_the_page_on_gates_names_inputs_and_outputs_that_there_are():
    page = (ROOT / "docs" / "gates.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    gate, shown = yaml.safe_load(block)
    needed = {name for name, about in ACTION["inputs"].items() if about.get("required")}
    assert needed <= set(gate["with"]) <= set(ACTION["inputs"])
    assert set(re.findall(r"outputs\.(\w+)", shown["run"])) <= set(ACTION["outputs"])
    (comment,) = re.findall(r"outputs\.answer.*# (.*)", block)
    assert {"answer", "sentence", *comment.split(", ")} == set(ACTION["outputs"])
