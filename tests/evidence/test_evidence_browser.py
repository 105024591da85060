"""The evidence page in a browser: a click on a quote leads to its words, and nothing leaves the page."""

import base64
import io
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pymupdf
import pytest
from langchain_core.documents import Document
from PIL import Image

from langchain_pymupdf_coords import PyMuPDFCoordsLoader, QuoteLocatingTransformer, evidence_html
from tests.support.browser import chromium, requested, set_view
from tests.support.ink import ink_bbox
from tests.support.pdf_drawing import CROPPED, line_origin
from tests.support.pdf_factory import PAGE_TEXT, text_pdf
from tests.support.quoted_documents import located

pytestmark = pytest.mark.browser

LAYOUTS: dict[str, dict[str, Any]] = {
    "upright": {},
    "rotated 90": {"rotation": 90},
    "rotated 180": {"rotation": 180},
    "cropped": {"cropbox": CROPPED},
    "rotated and cropped": {
        "rotation": 270,
        "cropbox": (-80.0, 235.0, 440.0, 775.5),
        "mediabox_origin": (-120.0, 35.0),
    },
}
ATTACK = "</title><script>document.title = 'taken'</script><img src=http://127.0.0.1:9/x onerror='alert(1)'>"
RECT = "const r = arguments[0].getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]"
LOW = ("",) * 22 + PAGE_TEXT  # far down the page, where a wrong scale shows
SCALE = 2  # pixels of the screen per CSS pixel
DPI = 144  # of the pictures


@pytest.fixture(scope="module")
def shared_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with chromium(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


@pytest.fixture
def browser(shared_browser: Any) -> Any:
    """A browser with a window of 1280 x 800, in which nothing moves by itself."""
    set_view(shared_browser, 1280, 800, scale=SCALE, prefers_reduced_motion="reduce")
    shared_browser.get("about:blank")
    requested(shared_browser)
    shared_browser.get_log("browser")
    return shared_browser


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> list[Document]:
    """Four pages of three lines; the second line of each is quoted."""
    path = tmp_path_factory.mktemp("pdf") / "a.pdf"
    path.write_bytes(text_pdf(pages=[PAGE_TEXT] * 4))
    pages = PyMuPDFCoordsLoader(path, mode="page", ocr="never").load()
    return QuoteLocatingTransformer([PAGE_TEXT[1]]).transform_documents(pages)


@pytest.fixture(scope="module")
def page(documents: list[Document], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of their evidence page."""
    path = tmp_path_factory.mktemp("html") / "evidence.html"
    evidence_html(documents, path, question=ATTACK)
    return path.as_uri()


def element(browser: Any, name: str) -> Any:
    return browser.find_element("id", name)


def rect(browser: Any, found: Any) -> tuple[float, float, float, float]:
    """The rectangle of an element in the window, in CSS pixels."""
    return tuple(browser.execute_script(RECT, found))


def in_view(browser: Any, found: Any) -> bool:
    _, top, _, bottom = rect(browser, found)
    return 0 < top < bottom < browser.execute_script("return innerHeight")


def wait_until(condition: Callable[[], bool], seconds: float = 10) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


def emphasised(browser: Any, mark: Any) -> bool:
    polygon = mark.find_element("tag name", "polygon")
    return float(polygon.value_of_css_property("stroke-width").removesuffix("px")) > 1.4


def dark_pixels(browser: Any) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("L")) < 100


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("width", [1280, 420])
def test_a_click_leads_to_the_words(browser: Any, tmp_path: Path, layout: str, width: int) -> None:
    set_view(browser, width, 800, scale=SCALE, prefers_reduced_motion="reduce")
    (tmp_path / "a.pdf").write_bytes(text_pdf(pages=[("Nothing.",), LOW], **LAYOUTS[layout]))
    quoted = [document for document in located(tmp_path / "a.pdf") if document.metadata["page_end"] == 2]
    evidence_html(quoted, tmp_path / "evidence.html")
    browser.get((tmp_path / "evidence.html").as_uri())
    element(browser, "entry-1").click()
    mark = element(browser, "mark-1-2")
    assert in_view(browser, mark)
    assert emphasised(browser, mark)

    marked = rect(browser, mark.find_element("tag name", "polygon"))
    picture = browser.find_elements("tag name", "img")[-1]
    left, top, right, _ = rect(browser, picture)
    point = (right - left) / browser.execute_script("return arguments[0].naturalWidth", picture) * DPI / 72
    # Without the drawing only the words of the page are dark; the lines above and below are 16.5 pt away.
    browser.execute_script("for (const svg of document.querySelectorAll('svg')) svg.style.display = 'none'")
    around = (left, marked[1] - 3 * point, right, marked[3] + 3 * point)
    words = ink_bbox(dark_pixels(browser), around, dpi=72 * SCALE)
    assert words is not None
    beyond = [*np.subtract(words[:2], marked[:2]), *np.subtract(marked[2:], words[2:])]
    assert min(beyond) >= -0.75
    assert max(beyond) <= 4 * point
    # And it is the line that the builder wrote there.
    x, baseline = line_origin(LOW.index(PAGE_TEXT[1]))
    assert words[0] == pytest.approx(left + x * point, abs=3 * point)
    assert marked[1] < top + (baseline - 4) * point < marked[3]


def test_each_quote_leads_to_its_own_mark_and_back(browser: Any, page: str) -> None:
    browser.get(page)
    for number in (4, 1, 3):
        entry, mark = element(browser, f"entry-{number}"), element(browser, f"mark-{number}-{number}")
        entry.click()
        assert in_view(browser, mark)
        assert browser.switch_to.active_element == mark
        # The page hears of the new address after the click is over.
        wait = pytest.importorskip("selenium.webdriver.support.wait").WebDriverWait(browser, 10)
        wait.until(lambda _, entry=entry: entry.get_attribute("aria-current") == "true")
        chosen = browser.find_elements("css selector", "[aria-current='true']")
        assert {link.get_attribute("href") for link in chosen} == {f"{page}#mark-{number}-{number}"}
        marks = browser.find_elements("css selector", "a.mark")
        assert [m for m in marks if emphasised(browser, m)] == [mark]
    mark.click()
    assert browser.switch_to.active_element == entry
    assert in_view(browser, entry)
    assert not browser.find_elements("css selector", "[aria-current]")
    browser.back()
    assert [m for m in marks if emphasised(browser, m)] == [mark]


def test_with_the_keyboard_alone(browser: Any, page: str) -> None:
    browser.get(page)
    body = browser.find_element("tag name", "body")
    keys = pytest.importorskip("selenium.webdriver").Keys
    body.send_keys(keys.TAB)
    first = browser.switch_to.active_element
    assert first == element(browser, "entry-1")
    assert first.value_of_css_property("outline-style") == "solid"
    assert float(first.value_of_css_property("outline-width").removesuffix("px")) >= 2
    for _ in range(2):  # past the link of the page, to the next quote
        browser.switch_to.active_element.send_keys(keys.TAB)
    browser.switch_to.active_element.send_keys(keys.ENTER)
    mark = element(browser, "mark-2-2")
    assert browser.switch_to.active_element == mark
    assert in_view(browser, mark)
    mark.send_keys(keys.ENTER)
    assert browser.switch_to.active_element == element(browser, "entry-2")


def test_without_script(browser: Any, page: str) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get(page)
        element(browser, "entry-3").click()
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    mark = element(browser, "mark-3-3")
    assert in_view(browser, mark)
    assert emphasised(browser, mark)


def test_in_the_frame_of_a_notebook(browser: Any, documents: list[Document], tmp_path: Path) -> None:
    outer = tmp_path / "notebook.html"
    frame = evidence_html(documents, question=ATTACK)._repr_html_()
    outer.write_text(f"<!doctype html><title>notebook</title><h1>Notebook</h1>{frame}", encoding="utf-8")
    browser.get(outer.as_uri())
    before = browser.find_element("tag name", "h1").value_of_css_property("font-size")
    browser.switch_to.frame(0)
    element(browser, "entry-4").click()
    mark = element(browser, "mark-4-4")
    # The wish for less motion does not reach a frame of another origin, so the page still scrolls.
    wait_until(lambda: in_view(browser, mark))
    assert emphasised(browser, mark)
    assert element(browser, "entry-4").get_attribute("aria-current") == "true"
    with pytest.raises(Exception, match=r"(?i)cross-origin|sandbox"):
        browser.execute_script("return parent.document.title")
    browser.switch_to.default_content()
    assert browser.title == "notebook"
    assert browser.find_element("tag name", "h1").value_of_css_property("font-size") == before


def test_nothing_leaves_the_page(browser: Any, page: str) -> None:
    browser.get(page)
    for number in (1, 2, 3, 4):
        element(browser, f"entry-{number}").click()
    addresses = requested(browser)
    assert addresses[0] == page
    assert {address.partition(":")[0] for address in addresses} == {"file", "data"}
    assert {address for address in addresses if address.startswith("file:")} == {page}
    assert browser.title == "Evidence"
    assert browser.find_element("tag name", "dd").text == ATTACK
    assert browser.get_log("browser") == []


def test_the_policy_stops_what_gets_in_all_the_same(browser: Any, page: str) -> None:
    browser.get(page)
    requested(browser)
    browser.execute_script(
        """
        document.body.insertAdjacentHTML("beforeend", '<img src="http://127.0.0.1:9/a.png">');
        const script = document.createElement("script");
        script.textContent = 'document.title = "taken"';
        document.body.append(script);
        """
    )
    browser.execute_async_script("fetch('http://127.0.0.1:9/').catch(() => 0).finally(arguments[0])")
    assert browser.title == "Evidence"
    assert len(browser.find_elements("css selector", "img[src^='http']")) == 1
    blocked = [entry["message"] for entry in browser.get_log("browser")]
    assert sum("Content Security Policy" in message for message in blocked) >= 3


def contrast(one: list[int], other: list[int]) -> float:
    """Contrast ratio of two colours, as WCAG 2 defines it."""

    def luminance(color: list[int]) -> float:
        parts = [c / 255 for c in color]
        red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark_can_be_read(browser: Any, page: str, scheme: str) -> None:
    set_view(browser, 1280, 800, prefers_color_scheme=scheme)
    browser.get(page)
    element(browser, "entry-1").click()

    def color(selector: str, name: str) -> list[int]:
        found = browser.find_element("css selector", selector).value_of_css_property(name)
        return [int(part) for part in found.partition("(")[2].rstrip(")").split(",")[:3]]

    panel, ground = color(".side", "background-color"), color("html", "background-color")
    chosen = color("li:has([aria-current])", "background-color")
    assert (sum(panel) > 600, sum(ground) > 600) == ((scheme == "light"),) * 2
    for behind in (panel, chosen):
        for selector in ("li a", ".status", ".facts", "h2"):
            assert contrast(color(selector, "color"), behind) >= 4.5
    assert contrast(color("figcaption", "color"), ground) >= 4.5
    assert color(".sheet", "background-color") == [255, 255, 255]


@pytest.mark.parametrize("width", [320, 700, 1280])
def test_no_scrolling_sideways(browser: Any, page: str, width: int) -> None:
    set_view(browser, width, 800)
    browser.get(page)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    _, _, right, bottom = rect(browser, browser.find_element("class name", "side"))
    left, top, _, _ = rect(browser, browser.find_element("tag name", "main"))
    assert (top >= bottom) == (width < 900)
    assert (left >= right) == (width > 900)


def test_what_a_screen_reader_is_told(browser: Any, page: str) -> None:
    browser.get(page)
    nodes = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    told = [(n["role"]["value"], n.get("name", {}).get("value", "")) for n in nodes if not n["ignored"]]
    roles = [role for role, _ in told]
    assert {"banner", "main"} <= set(roles)
    assert ("navigation", "Evidence") in told
    assert [name for role, name in told if role == "image"] == [f"page {n} of a.pdf" for n in (1, 2, 3, 4)]
    links = [name for role, name in told if role == "link"]
    assert "Quote 2 on page 2" in links
    assert "Quote 2 on page 2, back to the list" in links
    assert sum(PAGE_TEXT[1] in name for name in links) == 4
    assert all(links)
    assert json.dumps(told).count("Exact: word for word") >= 4


def test_prints_list_and_pages(browser: Any, page: str) -> None:
    browser.get(page)
    printed = browser.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})["data"]
    with pymupdf.open(stream=base64.b64decode(printed)) as pdf:
        texts = [sheet.get_text() for sheet in pdf]
        pictures = [len(sheet.get_images()) for sheet in pdf]
    assert "Exact: word for word" in texts[0]
    assert [count for count in pictures if count] == [1, 1, 1, 1]
    captions = ["Page 1: quote 1", "Page 2: quote 2", "Page 3: quote 3", "Page 4: quote 4"]
    with_picture = [text for text, count in zip(texts, pictures, strict=True) if count]
    assert all(caption in text for caption, text in zip(captions, with_picture, strict=True))
