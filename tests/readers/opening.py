"""Files opened as the readers of formats get them."""

from pathlib import Path

from modelcompare.readers.content import File
from modelcompare.readers.opening import open_file as of_its_suffix
from modelcompare.readers.opening import with_payload

DATA = Path(__file__).parents[1] / "data" / "formats"


def opened(path, kind=None):
    """Open a file of a given format, or of that of its suffix."""
    path = Path(path)
    if kind is None:
        return of_its_suffix(File(path))
    return with_payload(File(path, kind, path.open("rb")))
