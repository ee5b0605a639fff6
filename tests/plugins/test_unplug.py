"""A copy of the repository without a plugin: it imports, its types and layers hold, its tests pass.

`make test-all` runs what takes seconds, `make unplugged` the rest.

Without all plugins, the whole quick suite runs. Without one of them, what may depend on it runs: the tests of the
other plugins, which use the core and not each other, and those of all public names, commands and documents.
"""

import json
import os
import shutil
import subprocess
import sys

import pytest

from modelcompare import plugs
from modelcompare.readers.messages import ROLES
from tests.unplugged import generate, run, unplug

pytestmark = pytest.mark.slow
PLUGINS = tuple(plugs.plugins())
# Experiments import the plugins that they are about.
QUICK = (
    "-m", "not (pages or slow or shared_data or unplugged)", "--ignore", "tests/experiments",
)  # fmt: skip
ALL_NAMES = (
    "tests/plugins", "tests/cli", "tests/bad_input", "tests/report", "tests/test_choices.py", "tests/test_contracts.py",
    "tests/test_documents.py",
    "tests/test_init.py", "tests/test_pickles.py", "tests/test_public_api.py", "tests/test_suggestions.py",
)  # fmt: skip


@pytest.fixture(scope="module", params=[*((name,) for name in PLUGINS), PLUGINS], ids="+".join)
def copy(request, tmp_path_factory):
    """Names of absent plugins, and the copy without them."""
    folder = tmp_path_factory.mktemp("copy")
    unplug(request.param, folder)
    yield request.param, folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def generated(copy):
    """The same, with the files that are generated from the plugins."""
    generate(copy[1])
    return copy


def tool(folder, name):
    """Run a program of the environment in the copy."""
    program = shutil.which(name, path=os.path.dirname(sys.executable))
    if program is None:
        pytest.skip(f"needs {name}")
    return subprocess.run([program], cwd=folder, capture_output=True, encoding="utf-8")


def test_the_package_imports_and_has_every_other_name(copy):
    _, folder = copy
    names = "import modelcompare as mc; print([getattr(mc, name) and name for name in mc.__all__])"
    done = run(folder, "-c", names)
    assert done.returncode == 0, done.stderr
    assert "'compare'" in done.stdout


@pytest.mark.unplugged
def test_types_and_layers_hold(generated):
    _, folder = generated
    for name in ("mypy", "lint-imports"):
        done = tool(folder, name)
        assert done.returncode == 0, done.stdout


def _asked(name):
    """What a user writes to get what a plugin adds: arguments of Python."""
    plugin = plugs.plugins()[name]
    additions = plugin.load(plugin.additions) if plugin.additions else ()
    steps = plugin.load(plugin.steps) if plugin.steps else ()
    for each in [each for each, owner in plugs.owners().items() if owner == name]:
        commands = [a.command for a in additions if each in {o.flag for o in a.options}]
        commands += ["compare" for step in steps if each in {o.flag for o in step.options}]
        if commands:
            yield each, ("-m", "modelcompare", *commands[0].split(), "x.csv", each, "1")
        elif each.replace(".", "").isidentifier() and each in plugin.public:
            yield each, ("-c", f"import modelcompare as mc; mc.{each}")
        elif each.startswith(("--kind ", "--generalize-to ", "--figure ", "--format ")):
            yield each, ("-m", "modelcompare", "compare", "x.csv", *each.split())
        elif code := _in_python(each):
            yield each, ("-c", f"import modelcompare as mc; {code}")
        elif each.isidentifier():
            yield each, ("-m", "modelcompare", each, "x.csv")


def _in_python(each):
    """The call that a kind, a metric, or the role of a column is given to; None for others."""
    if each.startswith("kind="):
        return f"mc.Predictions([0, 1], {{'a': [0, 1]}}, {each})"
    if each.startswith("`missing="):
        return f"mc.compare([0, 1], {{'a': [0, 1]}}, {each.strip('`')})"
    if each.endswith(" file"):
        compared = "mc.compare([0, 1] * 9, {'a': [0, 1] * 9}, 'accuracy', n_resamples=99)"
        return f"{compared}.save('x{each.split()[1]}')"
    if each.startswith("`method="):
        preds = "mc.Predictions([0, 1], {'a': [0, 1], 'b': [0, 1]})"
        return f"mc.decide({preds}, 'a', 'b', 'accuracy', margin=0.1, {each.strip('`')})"
    if each.startswith("metric "):
        return f"mc.metrics.get_metric({each.removeprefix('metric ')})"
    if each.strip("`") in ROLES:
        return f"mc.read_predictions('x.csv', columns={{'{each.strip('`')}': 'x'}})"
    return None


def test_what_the_plugin_adds_is_refused_by_its_name(copy):
    absent, folder = copy
    asked = [(name, *each) for name in absent for each in _asked(name)]
    done = run(folder, "-m", "tests.asked", given=json.dumps([each[-1] for each in asked]))
    assert done.returncode == 0, done.stderr
    for (name, each, _), error in zip(asked, json.loads(done.stdout), strict=True):
        # Of several that are absent, the command itself may be another's.
        refused = f"{each} needs the plugin {name}" if len(absent) == 1 else "needs the plugin"
        assert refused in str(error)


def test_data_that_the_plugin_reads_are_refused_by_its_name(copy):
    absent, folder = copy
    done = run(folder, "-m", "tests.absent", *absent)
    assert done.returncode == 0, done.stderr
    for name, refusals in json.loads(done.stdout).items():
        for case, refusal in refusals.items():
            assert f"needs the plugin {name}" in str(refusal), (name, case)


@pytest.mark.unplugged
def test_the_other_tests_pass(generated):
    absent, folder = generated
    which = () if absent == PLUGINS else ALL_NAMES
    done = run(folder, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "2", *QUICK, *which)
    assert done.returncode == 0, done.stdout[-5000:]
