"""Output types of free texts: one of each sample, or a list of them with probabilities."""

from __future__ import annotations

from modelcompare.data.kinds import Kind

_OUTPUTS = "modelcompare.plugins.texts.outputs"
_SAMPLES = "modelcompare.plugins.texts.samples"
_TEXTS = "array-like of str, of shape (n_samples,)"
_REFERENCES = "y_true", _TEXTS, "References."
TEXTS = Kind(
    "texts", "texts", "text-generation", (_REFERENCES, ("y_pred", _TEXTS, "Hypotheses.")),
    free_text=True, cells=f"{_OUTPUTS}:cells", check=f"{_OUTPUTS}:texts",
    read=f"{_OUTPUTS}:read_texts",
    loss=f"{_SAMPLES}:loss", disagreements=f"{_SAMPLES}:disagreements", twin="text_lists",
    signed="modelcompare.plugins.texts.scores:with_references",
)  # fmt: skip
TEXT_LISTS = Kind(
    "text_lists", "text lists", "text-generation",
    (
        _REFERENCES,
        ("y_pred", "sequence of lists of (str, float)", "Hypotheses with their probabilities."),
    ),
    free_text=True, soft=True, cells=f"{_OUTPUTS}:cells", check=f"{_OUTPUTS}:text_lists",
    read=f"{_OUTPUTS}:read_texts",
    loss=f"{_SAMPLES}:loss", disagreements=f"{_SAMPLES}:disagreements",
    views={"texts": f"{_OUTPUTS}:likeliest_texts"},
    twin_variant="the soft twin: the expectation over the texts that a model lists",
)  # fmt: skip
KINDS = (TEXTS, TEXT_LISTS)
