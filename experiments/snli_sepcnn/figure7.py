"""The network of Yacouby & Axman (2020), figure 7: layers and convolutions, as settings make them.

Usage: python -m experiments.snli_sepcnn.figure7 [-o docs/pictures/figure7_sep_cnn.svg]
"""

from __future__ import annotations

import argparse
from pathlib import Path

from experiments.snli_sepcnn.plans import Settings, section_61
from experiments.snli_sepcnn.preprocess import MAX_LENGTH, N_TOKENS

OUTPUT = Path(__file__).resolve().parents[2] / "docs" / "pictures" / "figure7_sep_cnn.svg"
N_CLASSES = 3


def steps(settings: Settings) -> list[str]:
    """Layers from the tokens to the probabilities.

    >>> steps(section_61()[0])[:3]
    ['42 tokens of 20,000', 'embedding, 128', 'dropout 0.2']
    """
    convolution = f"separable convolution {settings.kernel_size}, {settings.filters} filters"
    block = [f"dropout {settings.dropout:g}", convolution, "ReLU", convolution, "ReLU"]
    return [
        f"{MAX_LENGTH} tokens of {N_TOKENS:,}", f"embedding, {settings.embedding_dim}",
        *block * settings.blocks, "average pooling over positions",
        f"dropout {settings.dropout:g}", f"dense, {N_CLASSES} classes", "softmax",
    ]  # fmt: skip


def draw(settings: Settings, path: Path) -> None:
    """Draw the layers as boxes from top to bottom, each block in a frame."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    layers = steps(settings)
    figure = Figure(figsize=(3.6, 0.36 * len(layers) + 0.5), layout="constrained")
    axes = figure.subplots()
    axes.set(xlim=(0, 1), ylim=(len(layers), -0.9))
    axes.axis("off")
    axes.set_title(f"Figure 7: the network {settings.name}", fontsize=10)
    for place, layer in enumerate(layers):
        frame = {"edgecolor": "#0072b2", "facecolor": "#e8f1f8"}
        axes.add_patch(Rectangle((0.12, place - 0.36), 0.76, 0.72, **frame))
        axes.text(0.5, place, layer, ha="center", va="center", fontsize=8)
        if place:
            arrow = {"arrowstyle": "-|>", "color": "#555555"}
            axes.annotate("", (0.5, place - 0.36), (0.5, place - 0.64), arrowprops=arrow)
    for block in range(settings.blocks):
        first = 2 + 5 * block
        axes.add_patch(Rectangle((0.04, first - 0.44), 0.92, 4.88, fill=False, linestyle=":"))
        beside = {"rotation": 90, "ha": "right", "va": "center", "fontsize": 8}
        axes.text(0.02, first + 2, f"block {block + 1}", **beside)
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "figure7"}):
        figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", type=Path, default=OUTPUT)
    draw(section_61()[0], parser.parse_args().output)


if __name__ == "__main__":
    main()
