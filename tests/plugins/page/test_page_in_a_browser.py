"""What the page does in Chromium: sorted, filtered, folded and turned, by mouse and by keyboard."""

import io
import re
from pathlib import Path

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image

import modelcompare as mc
from modelcompare.report.numbers import format_interval, format_number, format_p_value
from tests.plugged import needed
from tests.report.written import page as page_of

needed("agreement", "calibration")
pytestmark = pytest.mark.pages

SCRIPT, FORMULA, LONG = "<script>alert('$&')</script>", "=cmd()|' /C calc'!A0", "a-long-name-" * 8
MODELS = ("plain", SCRIPT, FORMULA, LONG, "<img src=x onerror=alert(2)>")
DESKTOP = {"viewport": {"width": 1280, "height": 900}}
PHONE = {"viewport": {"width": 400, "height": 800}, "has_touch": True}
LOOKS = {
    "desktop": DESKTOP, "phone": PHONE, "dark": {**DESKTOP, "color_scheme": "dark"},
}  # fmt: skip


def _predictions():
    """Five models of rising skill on 240 samples of three classes, one of them `<b>`."""
    rng = np.random.default_rng(3)
    labels = np.array(["<b>cat", "dog", "mouse"])
    truth = rng.integers(0, 3, 240)
    outputs = {}
    for skill, model in enumerate(MODELS):
        p = rng.dirichlet([1, 1, 1], 240)
        p[np.arange(240), truth] += 0.25 * (1 + skill)
        outputs[model] = p / p.sum(axis=1, keepdims=True)
    folder = "a_folder_with_a_long_name/" * 3
    slices = {"genre": rng.choice(["news", "fiction"], 240)}
    return mc.Predictions(
        labels[truth], outputs, labels=labels, slices=slices, name=f"{folder}predictions.parquet",
        ids=[f"sample-{i:04d}" for i in range(240)],
    )  # fmt: skip


@pytest.fixture(scope="module", name="result")
def result_fixture():
    return mc.compare(_predictions(), ["accuracy", "f1", "log_loss"], n_resamples=199)


@pytest.fixture(scope="module", name="url")
def url_fixture(result, tmp_path_factory):
    preds = _predictions()
    more = [
        mc.compare_groups(preds, ["accuracy", "f1"], n_resamples=199), mc.diagnostics.reliability(preds),
        mc.diagnostics.disagreements(preds, LONG, SCRIPT),
    ]  # fmt: skip
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(page_of(result, more), encoding="utf-8")
    return path.as_uri()


@pytest.fixture(name="opened")
def opened_fixture(browser, url):
    """Opens the page with some look; anything it logs or requests is an error in the end."""
    contexts, heard = [], []

    def opened(**look):
        contexts.append(browser.new_context(**look))
        page = contexts[-1].new_page()
        page.on("console", lambda line: heard.append(line.text))
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.on("dialog", lambda dialog: heard.append(dialog.message))
        page.on("request", lambda request: request.url == url or heard.append(request.url))
        page.goto(url)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert heard == []


@pytest.fixture(name="page")
def page_fixture(opened):
    return opened(**DESKTOP)


def _cells(page, table, column):
    """Texts of a column of the rows that can be seen."""
    return page.evaluate(
        """([id, column]) => [...document.querySelectorAll(`#${id} tbody tr`)]
        .filter((row) => row.offsetParent).map((row) => row.cells[column].textContent)""",
        [table, column],
    )


def _tables(page):
    return page.evaluate(
        "[...document.querySelectorAll('table')].filter((t) => t.offsetParent).map((t) => t.id)"
    )


def _pixels(element):
    """The colours of an element as it is seen."""
    return np.asarray(Image.open(io.BytesIO(element.screenshot())).convert("RGB"))


def _heading(page, table, name):
    return page.locator(f"#{table} th").filter(has_text=re.compile(f"^{name}$"))


@pytest.mark.parametrize("look", LOOKS)
def test_nothing_is_logged_or_asked_for_and_nothing_overflows(opened, look):
    page = opened(**LOOKS[look])
    page.mouse.wheel(0, 5000)
    wide, window = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide == window
    for selector in ("h1", ".verdict", "figcaption", "pre"):
        for box in page.locator(selector).all():
            if box.is_visible():
                assert box.evaluate("(e) => e.scrollWidth <= e.clientWidth + 1"), selector


@pytest.mark.parametrize("look", LOOKS)
def test_axe_finds_nothing(opened, look):
    page = opened(**LOOKS[look])
    page.locator("#metric").select_option("" if look == "desktop" else "f1")
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    found = Axe().run(page).response["violations"]
    assert [(each["id"], each["impact"], each["nodes"][0]["html"][:200]) for each in found] == []


def test_on_a_phone_a_figure_is_large_enough_to_read(opened):
    page = opened(**PHONE)
    sizes = page.evaluate(
        """[...document.querySelectorAll('figure text')].filter((t) => t.getClientRects().length)
        .map((t) => parseFloat(getComputedStyle(t).fontSize) * Math.hypot(t.getCTM().a, t.getCTM().b))"""
    )
    assert len(sizes) > 10
    assert min(sizes) >= 7.5


@pytest.mark.parametrize("look", LOOKS)
def test_no_cell_of_a_p_value_is_out_of_sight_and_no_row_is_cut(opened, look):
    page = opened(**LOOKS[look])
    window = page.evaluate("innerWidth")
    cells = page.locator("#main1 tbody td:last-child")
    boxes = [cell.bounding_box() for cell in cells.all()]
    assert len(boxes) == 4
    if look == "phone":
        assert all(box["x"] >= 0 and box["x"] + box["width"] <= window for box in boxes)
        assert cells.first.get_attribute("data-title") == "p (holm)"
    for box in page.locator(".scroll:visible").all():
        assert box.evaluate("(e) => e.scrollHeight <= e.clientHeight + 1")
        wider = box.evaluate("(e) => e.scrollWidth > e.clientWidth + 1")
        hinted = box.evaluate("(e) => getComputedStyle(e).backgroundImage").count("gradient")
        assert hinted == 4 or not wider


def test_figures_fit_a_tablet(opened):
    figures = opened(viewport={"width": 800, "height": 900}).locator("figure .scroll")
    widths = figures.evaluate_all("(all) => all.map((e) => [e.scrollWidth, e.clientWidth])")
    assert len(widths) == 4
    assert [whole for whole, shown in widths if whole > shown] == []


def test_the_shadow_of_a_figure_that_goes_on_is_seen(opened):
    page = opened(**PHONE)
    figure = page.locator("figure", has_text="Reliability of the confidence").locator(".scroll")
    figure.evaluate("(e) => { e.scrollLeft = 100; }")
    pixels = _pixels(figure)
    for edge in pixels[:, 0], pixels[:, -1]:
        assert (edge.max(axis=-1) < 250).mean() > 0.9


def test_a_figure_has_no_ground_of_its_own(opened):
    page = opened(**LOOKS["dark"])
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    for figure in page.locator("figure svg:visible").all():
        corners = _pixels(figure)[2:-2:10_000, 2:-2:10_000].reshape(-1, 3)
        assert {f"rgb({r}, {g}, {b})" for r, g, b in corners} == {ground}


def test_most_of_a_wide_window_is_used(opened):
    page = opened(viewport={"width": 1400, "height": 900})
    assert page.locator("#main0").bounding_box()["width"] > 0.9 * 1400


def test_names_are_folded_only_where_a_window_is_too_narrow_for_them(opened):
    page = opened(viewport={"width": 1400, "height": 900})
    rows = page.locator("#main0 tbody tr, #main1 tr").filter(has_not_text=LONG)
    heights = rows.evaluate_all("(all) => all.map((e) => e.getBoundingClientRect().height)")
    assert len(heights) == 5
    assert max(heights) < 45
    narrow = opened(viewport={"width": 800, "height": 900}).locator("#main1 thead tr")
    assert narrow.bounding_box()["height"] < 45


def test_an_interval_is_drawn_once(page):
    assert page.locator("#main0 tbody .bar > svg").count() == len(MODELS)
    main = page.locator("section").filter(has=page.locator("#main"))
    labels = main.locator("figure > div").evaluate_all("(all) => all.map((e) => e.ariaLabel)")
    assert all("values by class" in text or "confusion of" in text for text in labels)
    assert len(labels) == 2


def test_a_colour_has_one_meaning_which_a_key_names(page):
    (key,) = page.locator(".key:visible").all()
    assert key.locator("> span").all_text_contents() == [
        " best, or no significant difference", " significant difference (adjusted p < 0.05)",
    ]  # fmt: skip
    looks = "(all) => all.map((e) => e.className.baseVal)"
    p_values = [float(text.lstrip("<").rstrip("*")) for text in _cells(page, "main1", 5)]
    drawn = page.locator("#main1 tbody .bar > svg").evaluate_all(looks)
    assert drawn == ["differs" if p < 0.05 else "same" for p in p_values]
    assert {*page.locator("#part10 tbody .bar > svg").evaluate_all(looks)} <= {"plain"}
    colours = [each.evaluate("(e) => getComputedStyle(e).color") for each in
               page.locator(".key svg[aria-hidden]").all()]  # fmt: skip
    assert len({*colours}) == 2


def test_the_title_names_the_models_and_the_file_stands_below(page):
    assert page.locator("h1").text_content() == "Comparison of 5 models"
    assert page.locator(".about").text_content().endswith("5 models, 240 samples")


def test_subgroups_are_in_the_order_that_their_title_states(page):
    values = {}
    for group, model, value in zip(*(_cells(page, "part00", i) for i in (0, 3, 4)), strict=True):
        values.setdefault(model, {})[group] = float(value)
    best = max(values, key=lambda model: sum(values[model].values()))
    assert [*values[best].values()] == sorted(values[best].values())
    assert page.locator("figure[class], figure", has_text="subgroups").count() == 1


def test_bins_of_calibration_are_folded_below_their_diagram(page):
    details = page.locator("details", has_text="Confidence and accuracy in each bin")
    diagram = page.locator("figure", has_text="Reliability of the confidence")
    assert diagram.bounding_box()["y"] < details.bounding_box()["y"]
    assert not details.locator("table").is_visible()
    assert diagram.locator("[fill-opacity='0.2']").count() >= len(MODELS)


def test_of_many_rows_the_first_are_shown_and_the_others_on_request(page):
    table = page.locator("table", has=page.locator("th", has_text="distance"))
    n_all = table.locator("tbody tr").count()
    assert n_all > 20 == table.locator("tbody tr:visible").count()
    page.get_by_role("button", name=f"Show all {n_all} rows").click()
    assert table.locator("tbody tr:visible").count() == n_all


def test_names_stay_text(page):
    assert page.locator("td", has_text=SCRIPT).first.text_content() == SCRIPT
    assert page.locator("td", has_text=FORMULA).first.text_content() == FORMULA
    assert page.locator("figure text", has_text="<b>cat").first.text_content() == "<b>cat"
    assert page.locator("main script:not([type])").count() == 0
    assert page.locator("main b, main img[onerror]").count() == 0


def test_a_mark_shows_its_value_under_the_pointer(page):
    titles = page.locator("figure svg title").all_text_contents()
    assert (
        sum(re.match(r"plain: 0\.\d+ \(0\.\d+ to 0\.\d+\)$", text) is not None for text in titles)
        > 1
    )
    assert sum(text.startswith("plain: confidence 0.") for text in titles) > 3


def test_one_metric_is_shown_and_another_can_be_chosen(page):
    first = _tables(page)
    page.get_by_role("combobox", name="Metric").select_option("log_loss")
    second = _tables(page)
    assert len(first) == len(second)
    assert first[:2] != second[:2]
    page.get_by_role("combobox", name="Metric").select_option("")
    assert len(_tables(page)) == len(first) + 4


def test_the_metric_chosen_is_that_of_the_subgroups_too(page):
    page.get_by_role("combobox", name="Metric").select_option("f1")
    assert {*_cells(page, "part01", 2)} == {"f1 of <b>cat", "f1 of dog", "f1 of mouse"}
    page.get_by_role("combobox", name="Metric").select_option("accuracy")
    assert {*_cells(page, "part01", 2)} == {"accuracy"}


def test_a_class_can_be_chosen(page):
    page.get_by_role("combobox", name="Metric").select_option("f1")
    page.get_by_role("combobox", name="Class").select_option("dog")
    assert _cells(page, "main2", 0) == ["dog"] * 5
    assert _cells(page, "main3", 0) == ["dog"] * 4


def test_a_click_on_a_heading_sorts_and_another_turns_it(page, result):
    heading = _heading(page, "main0", "estimate")
    given = _cells(page, "main0", 2)
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "ascending"
    assert _cells(page, "main0", 2) == sorted(given, key=float) != given
    heading.get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "descending"
    assert _cells(page, "main0", 2) == sorted(given, key=float, reverse=True)
    _heading(page, "main0", "model").get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "none"
    assert {*_cells(page, "main0", 1)} == {*result.evidence.models}


def test_the_keyboard_sorts_too(page):
    heading = _heading(page, "main0", "estimate")
    heading.get_by_role("button").focus()
    page.keyboard.press("Enter")
    assert heading.get_attribute("aria-sort") == "ascending"
    page.keyboard.press("Space")
    assert heading.get_attribute("aria-sort") == "descending"
    outline = heading.get_by_role("button").evaluate("(e) => getComputedStyle(e).outlineStyle")
    assert outline == "solid"


def test_p_values_below_the_smallest_that_is_written_come_first(page):
    page.locator("details", has=page.locator("#part02")).locator("summary").first.click()
    _heading(page, "part02", r"p \(holm\)").get_by_role("button").click()
    shown = _cells(page, "part02", 7)
    assert "<0.001" in shown or float(shown[0].rstrip("*")) < float(shown[-1].rstrip("*"))
    places = [0.0 if text[0] == "<" else float(text.rstrip("*")) for text in shown]
    assert places == sorted(places)


def test_rows_are_filtered_as_one_types_and_counted(page):
    page.get_by_role("searchbox", name="Rows that contain").press_sequentially("CMD")
    assert _cells(page, "main0", 1) == [FORMULA]
    assert re.fullmatch(r"\d+ of \d+ rows match", page.locator("#status").text_content())
    page.get_by_role("searchbox", name="Rows that contain").fill("")
    assert len(_cells(page, "main0", 1)) == 5
    assert page.locator("#status").text_content() == ""


@pytest.mark.parametrize("metric", ["accuracy", "f1", "log_loss"])
def test_another_baseline_shows_its_differences_from_all_others(page, result, metric):
    page.get_by_role("combobox", name="Metric").select_option(metric)
    page.get_by_role("combobox", name="Differences from").select_option(SCRIPT)
    (table,) = [each for each in _tables(page) if page.locator(f"#{each}[data-pairs]").count()]
    assert (
        page.locator(f"#{table}-title")
        .text_content()
        .startswith(f"{metric}, differences from {SCRIPT}")
    )
    labelled = metric == "f1"
    columns = [_cells(page, table, i + labelled) for i in (0, 1, 2, 3, 5)]
    labels = _cells(page, table, 0) if labelled else [None] * 4
    shown = {(label, *row) for label, *row in zip(labels, *columns, strict=True)}
    assert shown == {*_expected(result, metric, SCRIPT)}
    assert page.locator(f"#{table} tbody .bar > svg > svg").count() == len(shown)
    page.get_by_role("combobox", name="Differences from").select_option("")
    assert SCRIPT not in page.locator(f"#{table}-title").text_content()


def _expected(result, metric, baseline):
    """The baseline's leads over all others, from the numbers, as tables write them."""
    digits = result.evidence.decimals[metric]
    frame = result.leads(every=True)[result.leads(every=True)["metric"] == metric]
    for row in frame[(frame["model"] == baseline) | (frame["other"] == baseline)].itertuples():
        lead, low, high, other = row.lead, row.ci_low, row.ci_high, row.other
        if row.model != baseline:
            lead, low, high, other = -lead, -high, -low, row.model
        p_value = format_p_value(row.p_adjusted)
        ends = format_interval(low, high, digits)
        label = row.label if metric == "f1" else None
        yield label, baseline, other, format_number(lead, digits, signed=True), ends, p_value


def _tabbed(page, n):
    """Ids of what has the focus after each of `n` presses of Tab."""
    reached = []
    for _ in range(n):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id"))
    return [name for name in reached if name]


def test_the_keyboard_reaches_every_control_and_chooses(page):
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    # Accuracy has no classes to choose from.
    assert _tabbed(page, 5) == ["theme", "metric", "baseline", "filter"]
    page.locator("#metric").focus()
    page.keyboard.press("ArrowDown")
    assert page.locator("#metric").input_value() == "f1"
    assert "main2" in _tables(page)
    assert _tabbed(page, 3) == ["class", "baseline", "filter"]


def test_what_is_folded_opens_by_mouse_and_by_keyboard(page):
    summary = page.locator(".verdict summary")
    assert summary.text_content() == "3 more sentences"
    assert page.locator(".verdict p:visible").count() == 3
    summary.click()
    assert page.locator(".verdict p:visible").count() == 6
    summary.focus()
    page.keyboard.press("Enter")
    assert page.locator(".verdict p:visible").count() == 3


def test_dark_follows_the_system_and_the_button(opened):
    page = opened(**LOOKS["dark"])
    colour = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(colour)
    page.get_by_role("button", name="Light").click()
    assert page.evaluate(colour) == "rgb(255, 255, 255)" != dark
    page.get_by_role("button", name="Dark").click()
    assert page.evaluate(colour) == dark


def test_paper_shows_every_metric_and_no_control(page):
    page.emulate_media(media="print")
    assert len(_tables(page)) == 12
    assert not page.locator("#controls").is_visible()


def test_without_a_script_all_tables_stand_there(opened):
    page = opened(java_script_enabled=False)
    assert page.locator("table:visible").count() == 9
    assert page.locator("details table").count() == 3
    assert page.locator("tr.more").count() == 0
    assert not page.locator("#controls, #theme").first.is_visible()


def test_the_file_is_one(url):
    assert [each.name for each in Path(url.removeprefix("file://")).parent.iterdir()] == [
        "page.html"
    ]
