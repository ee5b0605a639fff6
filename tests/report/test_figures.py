"""Laws of all figures: no label touches another at any size, and each names what it shows."""

import math
from dataclasses import replace
from functools import cache, partial

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

import modelcompare as mc
from modelcompare.report.figures.matrices import draw_cells
from tests.plugged import needs, plugged
from tests.report.drawn import (
    FEW,
    MANY_CLASSES,
    MOST,
    ONE_PAIR,
    USUAL,
    preds,
    texts_drawn,
    touching,
)

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")


@cache
def comparison(*size):
    return mc.compare(preds(*size), ["accuracy", "f1"], method="percentile", test="wald", **FEW)


@cache
def power(*size):
    first, *_, last = preds(*size).models
    return mc.sample_size(preds(*size), first, last)


# Names of figures to what draws them at a size, into an `ax` if one is given.
FIGURES = {
    **{
        name: lambda *size, name=name, **ax: getattr(comparison(*size).plot, name)(**ax)
        for name in ("forest", "differences", "ranks")
    },
    "power": lambda *size, **ax: power(*size).plot.power(**ax),
} | plugged("FIGURES")
# Where a figure has most to show, and after that what changes its form: of two models there is one
# difference, and of at most twelve each has a separate line. The panel of all differences is that
# of the forest.
SIZES = (
    {name: [USUAL] for name in FIGURES}
    | {
        "forest": [MOST],
        "differences": [ONE_PAIR],
        "ranks": [MOST],
    }
    | plugged("FIGURE_SIZES")
)
BY_CLASS = [name for name in SIZES if SIZES[name][0] in (MANY_CLASSES, MOST)]


@cache
def figure(name, *size):
    return FIGURES[name](*size)


@cache
def texts_of(name, *size):
    """The texts of a figure; each figure is drawn once for all that is asked of it."""
    return texts_drawn(figure(name, *size))


def _struck_through(figure, texts):
    """Texts that a line of the data runs through."""
    struck = []
    for axes in figure.axes:
        inside = [(text, Bbox.intersection(box.padded(-1), axes.bbox)) for text, box in texts]
        inside = [(text, box) for text, box in inside if box is not None]
        paths = [line.get_transform().transform_path(line.get_path()) for line in axes.lines]
        for lines in axes.collections:
            if type(lines).__name__ == "LineCollection":
                paths += [lines.get_transform().transform_path(p) for p in lines.get_paths()]
        struck += [t for t, box in inside for p in paths if p.intersects_bbox(box, filled=False)]
    return struck


@pytest.mark.parametrize(("name", "size"), [(n, size) for n in FIGURES for size in SIZES[n]])
def test_no_label_touches_another_or_is_struck_through_or_cut(name, size):
    drawn, texts = figure(name, *size), texts_of(name, *size)
    assert len(texts) > 3
    assert touching(texts) == []
    assert _struck_through(drawn, texts) == []
    page = drawn.bbox.padded(1)
    cut = [t for t, box in texts if not (page.contains(*box.min) and page.contains(*box.max))]
    assert cut == []


def test_the_law_finds_labels_that_touch_and_lines_that_strike():
    drawn = Figure()
    axes = drawn.subplots()
    axes.set(xlim=(0, 1), ylim=(0, 1))
    for x in (0.5, 0.52):
        axes.text(x, 0.5, f"at {x}")
    axes.plot([0.51, 0.51], [0, 1])
    texts = texts_drawn(drawn)
    assert touching(texts) == [("at 0.5", "at 0.52")]
    assert _struck_through(drawn, texts) == ["at 0.5"]


@pytest.mark.parametrize("name", FIGURES)
def test_a_title_states_subject_and_number_and_the_signature_stands_below(name):
    size = SIZES[name][0]
    drawn = figure(name, *size)
    others = plugged("TITLES")
    n = others.get(name, f"{len(preds(*size))} samples")
    assert n in drawn.title
    texts = [text.replace("\n", " ") for text, _ in texts_of(name, *size)]
    assert drawn.title in texts
    assert any(t.replace(" ", "").endswith(drawn.signature.replace(" ", "")) for t in texts)


@pytest.mark.parametrize("name", BY_CLASS)
def test_of_many_classes_some_are_shown_and_reported_to_be(name):
    of_many, *of_few = (
        " ".join(text.replace("\n", " ") for text, _ in texts_of(name, *size))
        for size in SIZES[name]
    )
    kept = 6 if name in ("raincloud", "intervals") else 12
    assert f"{kept} of 150 classes shown" in of_many
    assert not any("classes shown" in note for note in of_few)


@pytest.mark.parametrize("name", FIGURES)
def test_an_axes_of_the_users_is_drawn_into(name):
    from matplotlib import pyplot as plt

    with mpl.rc_context({"axes.titlesize": 31}):
        ours, (left, right) = plt.subplots(1, 2)
        drawn = FIGURES[name](5, 3, ax=right)
    assert drawn is ours
    assert right.has_data()
    assert not left.has_data()
    assert plt.get_fignums() == [ours.number]
    plt.close(ours)


@pytest.mark.parametrize("ax", [3, "left", [None]])
def test_what_is_no_axes_is_refused(ax):
    with pytest.raises(TypeError, match=r"`ax` must be one matplotlib Axes, got (int|str|list)"):
        comparison(2, 3).plot.forest(ax)


@pytest.mark.parametrize(
    ("name", "size", "n_shown"),
    [(name, *row) for name, row in plugged("MARKED").items()],
)
def test_models_are_distinguished_in_grey_by_their_markers(name, size, n_shown):
    for axes in figure(name, *size).axes:
        marked = {(line.get_color(), line.get_marker()) for line in axes.lines}
        marked = [(c, m) for c, m in marked if m not in ("", "None", None)]
        assert len({c for c, _ in marked}) == len({m for _, m in marked}) == len(marked) == n_shown


def test_the_order_of_calls_does_not_change_a_figure(tmp_path):
    first, again = (
        comparison(2, 3).plot.differences().save(tmp_path / f"{k}.svg").read_bytes() for k in "ab"
    )
    assert first == again


def test_names_are_checked():
    plot = comparison(5, 3).plot
    for call, note in (
        (partial(plot.forest, metric="f2"), "`metric` 'f2' is not here; there are accuracy, f1."),
    ):
        with pytest.raises(ValueError, match=note.replace("(", r"\(")):
            call()


def test_what_is_written_on_a_shade_can_be_read():
    def light(colour):
        linear = [((c + 0.055) / 1.055) ** 2.4 if c > 0.04 else c / 12.92 for c in to_rgb(colour)]
        return np.dot([0.2126, 0.7152, 0.0722], linear)

    axes = Figure().subplots()
    shades = np.linspace(0, 1, 101)
    draw_cells(axes, shades[None, :], np.full((1, 101), "x"))
    (image,) = axes.images
    assert len(axes.texts) == 101
    for shade, text in zip(shades, axes.texts, strict=True):
        dark, bright = sorted(map(light, (image.cmap(image.norm(shade)), text.get_color())))
        assert (bright + 0.05) / (dark + 0.05) >= 4.5, shade


def test_power_reaches_past_the_size_that_is_needed():
    near = replace(power(5, 3), difference=1e-4)
    assert near.n_needed > 100 * near.n_samples
    left, right = near.plot.power().axes
    for axes in (left, right):
        assert axes.get_xlim()[0] < near.n_samples < near.n_needed < axes.get_xlim()[1]
        assert max(axes.lines[0].get_xdata()) > near.n_needed
        assert uprights(axes) == [near.n_samples, near.n_needed]
    assert near.curve()["power"].iloc[-1] > near.power
    equal = replace(near, difference=0.0)
    assert math.isinf(equal.n_needed)
    assert [uprights(axes) for axes in equal.plot.power().axes] == [[near.n_samples]] * 2


def uprights(axes):
    """Positions of the vertical lines, from left to right."""
    both = [line.get_xdata() for line in axes.lines if len(line.get_xdata()) == 2]
    return sorted(float(one) for one, other in both if one == other)


def test_with_a_baseline_all_models_are_drawn_against_it():
    data = preds(30, 3)
    base, *others = data.models[:6]  # the baseline is not among the best five
    result = mc.compare(data[[base, *others]], "f1", baseline=base, test="wald", **FEW)
    for drawn in (result.plot(), result.plot.forest(max_models=5)):
        names = [tick.get_text().replace("\n", "") for tick in drawn.axes[1].get_yticklabels()]
        assert names.count(f"baseline: {base}") == 3


def test_a_single_model_has_no_differences():
    plot = mc.compare(preds(2, 3)[preds(2, 3).models[0]], "f1", **FEW).plot
    assert len(plot().axes) == 1
    with pytest.raises(ValueError, match=r"there is one model; differences are of two and more."):
        plot.differences()


@needs("charts", "published", "suites")
def test_bootstrap_results_and_sets_have_figures_too():
    data = preds(5, 3)[list(preds(5, 3).models[:3])]
    assert "240 samples, 50 resamples" in mc.bootstrap(data, ["f1"], n_resamples=50).plot().title
    sets = {name: data.subset(np.arange(k, 240, 2)) for k, name in enumerate(("even", "odd"))}
    result = mc.compare_groups(sets, ["f1_macro", "f1"], test="wald", **FEW)
    assert "Mean rank by f1_macro: 3 models over 2 test sets" in result.plot().title
    assert list(result.document().figures) == ["scores", "ranks_f1_macro"]
    names = [tick.get_text() for tick in result.plot.groups().axes[0].get_yticklabels()]
    assert names[::4] == ["mean of 2 test sets", "even", "odd"]
    assert {*names[1:4]} == {*names[5:8]} == {*data.models}


def test_plot_lists_its_figures():
    assert repr(comparison(5, 3).plot).startswith("figures: plot.")


@pytest.mark.parametrize("baseline", [None, "b"])
def test_differences_are_drawn_with_the_intervals_that_tables_print(baseline):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    models = {
        m: np.where(rng.random(200) < p, y, 1 - y)
        for m, p in zip("abc", (0.7, 0.8, 0.6), strict=True)
    }
    result = mc.compare(mc.Predictions(y, models), "accuracy", baseline=baseline, n_resamples=99)
    axes = result.plot.differences().axes[0]
    drawn = {
        tuple(np.round(np.sort(np.abs(segment[:, 0])), 9))
        for lines in axes.collections
        for segment in lines.get_segments()
    }
    printed = {
        tuple(np.round(np.sort(np.abs([row.ci_low, row.ci_high])), 9))
        for row in result.leads(every=True).itertuples()
    }
    assert drawn == printed
    assert not np.allclose(result.differences["ci_low"], result.evidence.corrected[0].ravel())
