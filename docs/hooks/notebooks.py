"""The page that lists the notebooks."""

import json

from docs.hooks.mount import ROOT

_HEAD = """# Notebooks

All are executed, each in under a minute; the files are in `notebooks` of the repository.

"""


def page() -> tuple[str, dict[str, str | bytes]]:
    """Return the page, and the notebooks by place in the site."""
    files = {
        f"notebooks/{path.name}": path.read_bytes()
        for path in sorted((ROOT / "notebooks").glob("*.ipynb"))
    }
    return _HEAD + "".join(_line(place, text) for place, text in files.items()), files


def _line(place: str, text: bytes) -> str:
    first = "".join(json.loads(text)["cells"][0]["source"])
    title, _, about = first.partition("\n")
    return f"- [{title.lstrip('# ')}]({place}): {' '.join(about.split())}\n"
