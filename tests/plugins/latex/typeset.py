"""LaTeX as a reader of the paper gets it."""

import re
import subprocess
from shutil import which

import pytest

needs_latex = pytest.mark.skipif(
    which("pdflatex") is None,
    reason="needs pdflatex with siunitx (Debian: texlive-latex-recommended, texlive-science)",
)


def typeset(body, folder):
    """Compile tables in an article until their widths are known; return what LaTeX complains of."""
    packages = re.match(r"% Preamble: (\\usepackage\{[^}]*\})", body)[1]
    text = rf"\documentclass{{article}}{packages}\begin{{document}}{body}\end{{document}}"
    (folder / "all.tex").write_text(text, encoding="utf-8")
    for _ in range(1 + (r"\begin{longtable}" in body)):
        done = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"],
            cwd=folder, capture_output=True, text=True, errors="replace",
        )  # fmt: skip
        assert done.returncode == 0, done.stdout[-2000:]
    return [line for line in done.stdout.splitlines() if re.search("verfull|deprecated", line)]
