"""The page of a report in a real browser, without a screen: it works, and asks nobody anything."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from reported import HOSTILE, first_small, made_up_run
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from oracle.corpus import default_corpus
from oracle.explain.picture import Panel, picture
from oracle.reports.content import report_of
from oracle.reports.findings import ReportedFinding
from oracle.reports.page import html
from oracle.reports.runs import read_runs
from reference.releases import RELEASES
from reference.timeline import Kind, Member, Piece, Timeline

NAMES = ("chromium", "chromium-browser", "google-chrome")
BROWSER = next(filter(None, map(shutil.which, NAMES)), None)
DRIVER = shutil.which("chromedriver")
REQUIRED = os.environ.get("CROSSCURRENT_BROWSER") == "required"
"""Set where a missing browser is a failure: a test that is always skipped tests nothing."""

pytestmark = pytest.mark.skipif(
    (BROWSER is None or DRIVER is None) and not REQUIRED,
    reason="no Chromium and chromedriver here: apt-get install chromium chromium-driver",
)
SMALL, LARGE = (390, 800), (1200, 900)


def drawn(finding: ReportedFinding, prefix: str) -> tuple[str | None, str]:
    piece = Piece(1, Kind.REGION, "op0", None, False, ((Member("splat", "op1"),),), (), None, 1)
    return picture([Panel("@main", Timeline("@main", (piece,)))], {"op1"}, prefix), "a note"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("run")
    made_up_run(out)
    first_small(out)
    path = out / "report.html"
    report = report_of(read_runs(out), default_corpus())
    path.write_text(html(report, RELEASES[-1], drawn), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Chrome]:
    options = ChromeOptions()
    assert BROWSER is not None, "no Chromium here"
    assert DRIVER is not None, "no chromedriver here"
    options.binary_location = BROWSER
    for argument in ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()


@pytest.fixture
def opened(browser: Chrome, page: Path) -> Iterator[Chrome]:
    """The page, freshly loaded; whatever a test does there, nothing may go wrong."""
    browser.set_window_size(*LARGE)
    browser.get("about:blank")
    browser.get_log("browser")
    browser.get_log("performance")
    browser.get(page.as_uri())
    yield browser
    assert browser.get_log("browser") == []
    sent = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [one["params"]["request"]["url"] for one in sent
             if one["method"] == "Network.requestWillBeSent"]  # fmt: skip
    asked = [url for url in asked if not url.startswith(("about:", "data:"))]
    assert asked
    assert {url.partition("#")[0] for url in asked} == {page.as_uri()}
    assert browser.title == "crosscurrent nightly against IREE 3.13.0"


def signatures(browser: Chrome) -> list[str]:
    """What the table shows, from top to bottom."""
    links = browser.find_elements(By.CSS_SELECTOR, "#findings-table tbody tr td.signature")
    return [link.text.replace("\n", "") for link in links if link.is_displayed()]


def header(browser: Chrome, name: str) -> None:
    for button in browser.find_elements(By.CSS_SELECTOR, "#findings-table thead button"):
        if button.text == name:
            button.click()
            return
    raise AssertionError(f"no column {name}")


def words(found: list[str]) -> list[str]:
    return [one.rpartition("/")[2][:9] if "script" not in one else "hostile" for one in found]


NEW, MODEL, KNOWN = "a-new-one", "hostile", "often-met"


def test_it_opens_with_the_worst_first(opened: Chrome) -> None:
    assert words(signatures(opened)) == [NEW, MODEL, KNOWN]
    cards = {card.text for card in opened.find_elements(By.CLASS_NAME, "card")}
    assert "96\nprograms" in cards
    assert "1\nnew" in cards
    assert opened.find_element(By.ID, "shown").text == "3 of 3 shown"
    assert len(opened.find_elements(By.CSS_SELECTOR, ".plot svg")) == 2


def test_it_sorts_by_numbers_and_by_words(opened: Chrome) -> None:
    header(opened, "count")
    assert words(signatures(opened)) == [MODEL, NEW, KNOWN]
    header(opened, "count")
    assert words(signatures(opened)) == [KNOWN, NEW, MODEL]
    header(opened, "ops")
    assert words(signatures(opened)) == [NEW, MODEL, KNOWN]
    header(opened, "check")
    assert words(signatures(opened))[2] == NEW
    assert len(opened.find_elements(By.CSS_SELECTOR, "#findings-table th[aria-sort]")) == 1


def test_it_filters_by_a_choice_and_by_text(opened: Chrome) -> None:
    Select(opened.find_element(By.ID, "filter-state")).select_by_visible_text("known")
    assert words(signatures(opened)) == [KNOWN]
    assert opened.find_element(By.ID, "shown").text == "1 of 3 shown"
    details = opened.find_elements(By.CSS_SELECTOR, "details.finding")
    assert [one.is_displayed() for one in details] == [False, False, True]
    Select(opened.find_element(By.ID, "filter-state")).select_by_visible_text("all")
    opened.find_element(By.ID, "filter-text").send_keys("place-transfer")
    assert words(signatures(opened)) == [NEW]
    opened.find_element(By.ID, "filter-text").send_keys(" nowhere")
    assert signatures(opened) == []


def test_it_shows_a_finding_with_all_that_is_known_of_it(opened: Chrome) -> None:
    details = opened.find_element(By.ID, "finding-1")
    assert details.get_attribute("open") is None
    opened.find_element(By.CSS_SELECTOR, "#findings-table tbody tr a").click()
    assert details.get_attribute("open") is not None
    told = details.text
    for said in ("The program, reduced", "// smaller", "Expected beside actual", "Timeline",
                 "iree-opt program.mlir", "3.13.0 shows", "draft of a report"):  # fmt: skip
        assert said in told
    marks = [mark.text for mark in details.find_elements(By.CSS_SELECTOR, ".sides mark")]
    assert marks == ["@dev_a", "@dev_b"]
    assert details.find_element(By.CSS_SELECTOR, "svg.xc-timeline").is_displayed()
    assert HOSTILE in told


def test_a_link_to_a_finding_opens_it(opened: Chrome, page: Path) -> None:
    assert opened.find_element(By.ID, "finding-2").get_attribute("open") is None
    opened.get("about:blank")
    opened.get(f"{page.as_uri()}#finding-2")
    assert opened.find_element(By.ID, "finding-2").get_attribute("open") is not None


@pytest.mark.parametrize("size", [SMALL, LARGE])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_the_screen_in_light_and_dark(
    opened: Chrome, size: tuple[int, int], scheme: str
) -> None:
    opened.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size == SMALL},
    )
    opened.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
    )
    try:
        for details in opened.find_elements(By.TAG_NAME, "details"):
            opened.execute_script("arguments[0].open = true", details)
        width, there = opened.execute_script(
            "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
        )
        assert width <= there <= size[0] < there + 20
        colours = opened.execute_script(
            "const style = getComputedStyle(document.body);"
            "return [style.backgroundColor, style.color]"
        )
        light, dark = (sum(map(int, one[4:-1].split(","))) for one in colours)
        assert (light > dark) == (scheme == "light")
        assert abs(light - dark) > 400
    finally:
        opened.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_the_coverage_map_shows_hits_and_holes(opened: Chrome) -> None:
    maps = opened.find_elements(By.CSS_SELECTOR, "details.op")
    (transfers,) = (one for one in maps if one.text.startswith("transfer "))
    transfers.find_element(By.TAG_NAME, "summary").click()
    squares = transfers.find_elements(By.CSS_SELECTOR, "td[title]")
    holes = [one for one in squares if one.text == "0"]
    assert 0 < len(holes) < len(squares) == 540
    one = holes[0].value_of_css_property("background-color")
    other = next(one for one in squares if one.text != "0").value_of_css_property(
        "background-color"
    )
    assert one != other
