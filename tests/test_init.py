import ast
import subprocess
import sys
from pathlib import Path

import pytest

import modelcompare


def _imports_for_type_checkers():
    """Public names under ``if TYPE_CHECKING`` and the modules that they come from."""
    tree = ast.parse(Path(modelcompare.__file__).read_text(encoding="utf-8"))
    (guarded,) = [node for node in tree.body if isinstance(node, ast.If)]
    return {
        name.name: node.module.removeprefix("modelcompare").lstrip(".")
        for node in guarded.body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }


def test_type_checkers_see_the_names_that_are_loaded_lazily():
    lazy = modelcompare._MODULE_OF_NAME
    assert _imports_for_type_checkers() == {**lazy, "metrics": ""}
    assert sorted(modelcompare.__all__) == sorted({**lazy, "metrics": ""})


@pytest.mark.parametrize("name", modelcompare.__all__)
def test_every_public_name_can_be_loaded(name):
    assert getattr(modelcompare, name) is getattr(modelcompare, name)
    assert name in dir(modelcompare)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match=r"module 'modelcompare' has no attribute 'compair'$"):
        modelcompare.compair  # noqa: B018


def test_the_version_is_that_of_the_package():
    import tomllib

    project = Path(__file__).parents[1] / "pyproject.toml"
    expected = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"]
    assert modelcompare.__version__ == expected


@pytest.mark.parametrize("program", ["import modelcompare", "import modelcompare.cli"])
def test_the_import_is_cheap(program):
    slow = ["matplotlib", "numpy", "pandas", "scipy", "sklearn", "statsmodels", "tqdm"]
    code = f"import sys; {program}; print([name for name in {slow} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
