"""Print the Flesch reading ease of pages: of their prose, without code, tables and headings.

Run: ``python -m docs.reading_ease [PAGE ...]``, by default of the README, the start and the
questions. It needs ``pip install textstat==0.7.3``: later versions download a dictionary.
"""

import re
import sys
from pathlib import Path

PAGES = ("README.md", "docs/start.md", "docs/questions.md")


def prose(text: str) -> str:
    """Return the prose of a page in Markdown; names in code count as one short word."""
    for left_out in (r"```.*?^```", r"^\|.*?$", r"^#.*?$", r"!\[.*?\]\(.*?\)"):
        text = re.sub(left_out, "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"`[^`]*`", "code", text)


if __name__ == "__main__":
    try:
        from textstat import textstat
    except ImportError:
        sys.exit("the reading ease needs textstat: pip install textstat==0.7.3")
    for page in sys.argv[1:] or PAGES:
        ease = textstat.flesch_reading_ease(prose(Path(page).read_text("utf-8")))
        sys.stdout.write(f"{page}: {ease:.0f}\n")
