"""Workflows, the conda recipe, the citation and the forms say what pyproject.toml and the Makefile say."""

import re
import tomllib

import pytest
import yaml
from packaging.requirements import Requirement

import modelcompare
from experiments.robustness import environments
from modelcompare import cli
from tests.pages import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
WORKFLOWS = {
    path.stem: yaml.safe_load(path.read_text("utf-8"))
    for path in sorted((ROOT / ".github" / "workflows").glob("*.yml"))
}
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
RECIPE = yaml.safe_load((ROOT / "recipe" / "meta.yaml").read_text("utf-8"))


def steps(*names):
    """Steps of all jobs of the workflows that are named, or of all."""
    jobs = [job for name in names or WORKFLOWS for job in WORKFLOWS[name]["jobs"].values()]
    return [step for job in jobs for step in job.get("steps", [{"uses": job.get("uses")}])]


def commands():
    return "\n".join(step["run"] for step in steps() if "run" in step)


def pythons():
    """Versions that the classifiers promise."""
    return re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))


def conda(requirement):
    """A requirement as conda writes it: a blank before its bound."""
    return re.sub(r"(?=[<>=!])", " ", requirement, count=1)


def test_every_promised_python_is_tested_on_every_system():
    matrix = WORKFLOWS["test"]["jobs"]["test"]["strategy"]["matrix"]
    assert matrix["python-version"] == pythons()
    assert PROJECT["requires-python"] == f">={pythons()[0]}"
    assert matrix["os"] == ["ubuntu-latest", "macos-latest", "windows-latest"]


def test_no_job_takes_a_python_that_is_not_promised():
    taken = {str(step.get("with", {}).get("python-version", pythons()[0])) for step in steps()}
    assert taken - {"${{ matrix.python-version }}"} <= set(pythons())


def test_the_lowest_versions_are_tested_with_the_lowest_python():
    job = WORKFLOWS["test"]["jobs"]["lowest"]["steps"]
    assert job[1]["with"]["python-version"] == pythons()[0]


def test_environments_that_workflows_try_are_there():
    known = {each.name for each in environments.environments()}
    tried = {name for line in commands().splitlines() for name in re.findall(r'"([^"]+)"', line)
             if "--environment" in line}  # fmt: skip
    assert tried <= known
    assert {"oldest versions", *(f"wheel, {extra}" for extra in environments.EXTRAS)} <= tried


def test_each_extra_of_users_is_tried_alone():
    others = {"docs", "experiments", "all", "dev"}
    assert {*environments.EXTRAS} == {*PROJECT["optional-dependencies"]} - others


def test_the_locked_tools_are_what_development_needs():
    lines = (ROOT / "requirements-dev.txt").read_text("utf-8").splitlines()
    locked = [Requirement(line) for line in lines if not line.startswith("#")]
    extras = PROJECT["optional-dependencies"]
    wanted = [Requirement(each) for each in (*PROJECT["dependencies"], *extras["dev"])]
    own = next(each for each in wanted if each.name == PROJECT["name"])
    wanted += [Requirement(each) for extra in own.extras for each in extras[extra]]
    for need in wanted:
        versions = [each.specifier for each in locked if each.name == need.name]
        assert versions or need is own, need
        for pinned in versions:
            assert need.specifier.contains(str(pinned).removeprefix("==")), need


def test_what_workflows_run_and_install_is_there():
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    made = set(re.findall(r"\bmake ([a-z-]+)", commands()))
    assert {"lint", "docs"} <= made <= set(targets)
    extras = re.findall(r"\.\[([\w,-]+)\]", commands())
    assert extras
    assert {extra for each in extras for extra in each.split(",")} <= set(
        PROJECT["optional-dependencies"]
    )
    program = cli.application()
    run = set(re.findall(r"\bmodelcompare (\w+)", commands()))
    assert {"demo"} <= run <= set(program.commands)


def test_only_the_last_job_of_a_release_may_speak_for_the_project_and_no_token_is_kept():
    trusted = [
        (name, job)
        for name, workflow in WORKFLOWS.items()
        for job, about in workflow["jobs"].items()
        if "id-token" in about.get("permissions", {})
    ]
    assert trusted == [("docs", "deploy"), ("release", "publish")]
    assert all(workflow["permissions"] == {"contents": "read"} for workflow in WORKFLOWS.values())
    texts = [path.read_text("utf-8") for path in (ROOT / ".github" / "workflows").iterdir()]
    assert [text for text in texts if re.search(r"secrets\.|password|token:(?! write)", text)] == []


def test_what_is_published_was_tested():
    publish = WORKFLOWS["release"]["jobs"]["publish"]
    assert publish["needs"] == "test"
    assert WORKFLOWS["release"]["jobs"]["test"]["uses"] == "./.github/workflows/test.yml"
    kept = [step["with"]["name"] for step in steps("test") if "upload" in step.get("uses", "")]
    taken = [
        step["with"]["name"] for step in publish["steps"] if "download" in step.get("uses", "")
    ]
    assert kept == taken == ["dist"]


def test_there_is_one_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert PROJECT["dynamic"] == ["version"]
    assert citation["version"] == RECIPE["package"]["version"] == modelcompare.__version__


def test_the_recipe_needs_what_the_package_needs():
    python = f"python {PROJECT['requires-python']}"
    needed = RECIPE["requirements"]
    assert needed["run"] == [python, *map(conda, PROJECT["dependencies"])]
    [backend] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"][
        "requires"
    ]
    assert needed["host"] == [python, "pip", conda(backend)]
    entry = [f"{name} = {place}" for name, place in PROJECT["scripts"].items()]
    assert RECIPE["build"]["entry_points"] == entry
    assert RECIPE["about"]["summary"] == PROJECT["description"]
    assert RECIPE["about"]["license"] == PROJECT["license"]


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_asks_for_something_and_its_fields_have_names_of_their_own(path):
    form = yaml.safe_load(path.read_text("utf-8"))
    ids = [field["id"] for field in form["body"]]
    assert len(set(ids)) == len(ids)
    assert any(field.get("validations", {}).get("required") for field in form["body"])


def test_who_reports_a_bug_is_asked_for_the_version_and_for_predictions():
    form = yaml.safe_load((ROOT / ".github" / "ISSUE_TEMPLATE" / "bug.yml").read_text("utf-8"))
    fields = {field["id"]: field for field in form["body"]}
    for name in ("version", "predictions"):
        assert fields[name]["validations"]["required"]
    assert "`modelcompare --version`" in fields["version"]["attributes"]["description"]


def used():
    """Every line that names an action, by its file."""
    folders = [ROOT / ".github", ROOT / "docs"]
    paths = [
        p for folder in folders for p in folder.rglob("*") if p.suffix in (".yml", ".yaml", ".md")
    ]
    for path in [ROOT / "action.yml", ROOT / "README.md", *sorted(paths)]:
        for line in path.read_text("utf-8").splitlines():
            if found := re.match(r"\s*(?:- )?uses: (.*)", line):
                yield path.relative_to(ROOT).as_posix(), found[1]


def test_every_action_is_pinned_by_its_commit_with_the_version_beside_it():
    found = [(path, name) for path, name in used() if not name.startswith("./")]
    pinned = r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+"
    assert [each for each in found if not re.fullmatch(pinned, each[1])] == []
    # One version of each, but for the older one that runs on every runner of the users.
    commits = {(path == "action.yml", *name.split("@")) for path, name in found}
    names = [(inside, name) for inside, name, _ in commits]
    assert len(names) == len({*names})
    assert len(names) >= 8
