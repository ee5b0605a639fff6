"""Every notebook runs from top to bottom, and is kept with its outputs."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
LARGEST = 600_000

every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
pytestmark = [
    pytest.mark.pages,
    # Of the kernel's own transport.
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning"),
]


@pytest.fixture(scope="module")
def client():
    """One kernel for all notebooks, so that everything is imported once."""
    empty = nbformat.v4.new_notebook()
    client = NotebookClient(empty, timeout=60, resources={"metadata": {"path": str(FOLDER)}})
    with client.setup_kernel():
        yield client


def _outputs(path):
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    return [output for cell in cells for output in cell.outputs]


@every_notebook
def test_it_runs(path, client):
    client.nb = nbformat.read(path, as_version=4)
    client.nb.cells.insert(0, nbformat.v4.new_code_cell("%reset -f"))
    for place, cell in enumerate(client.nb.cells):
        client.execute_cell(cell, place)


@every_notebook
def test_it_is_kept_with_its_outputs_and_without_errors(path):
    outputs = _outputs(path)
    assert outputs
    assert "error" not in {output.output_type for output in outputs}
    assert "stderr" not in {output.get("name") for output in outputs}
    assert path.stat().st_size < LARGEST


@every_notebook
def test_what_it_prints_is_no_markup_and_no_table_is_cut(path):
    for output in _outputs(path):
        for line in output.get("text", "").splitlines():
            assert not line.startswith("|"), line
        assert "..." not in output.get("data", {}).get("text/html", "")
