"""The layout as a page, in a real browser."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.browser import Browser
from support.typer_runner import CliRunner

import parquetext
from parquetext.cli.app import app
from parquetext.inspection.layout.html import as_html

OWN = "document.title='owned'"
HOSTILE = f'<img src=x onerror="{OWN}"></script><script>{OWN}</script>{{{{script}}}}\u202e'
ROWS = 6000


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> Path:
    """A file of three row groups, one of whose columns has a hostile name, as a page."""
    folder = tmp_path_factory.mktemp("page")
    table = pa.table(
        {
            "id": range(ROWS),
            "fare": [None if n % 4 == 0 else n * 0.5 for n in range(ROWS)],
            "zone": [f"zone {n % 30}" for n in range(ROWS)],
            HOSTILE: ["x"] * ROWS,
        }
    ).replace_schema_metadata({HOSTILE: HOSTILE})
    path = folder / "<b>trips&amp;.parquet"
    pq.write_table(
        table, path, row_group_size=2000, data_page_size=2048, data_page_version="2.0", use_dictionary=["zone"]
    )
    target = folder / "page.html"
    target.write_text(as_html(parquetext.layout(path)), encoding="utf-8")
    return target


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    browser = Browser(tmp_path_factory.mktemp("chromium"))
    yield browser
    browser.close()


def text(browser: Browser, selector: str) -> str:
    return browser.ask(f"document.querySelector({json.dumps(selector)}).textContent")


def test_the_page_shows_the_file_and_asks_for_nothing_else(browser, page):
    browser.open(page)
    assert text(browser, "h1").endswith("<b>trips&amp;.parquet")
    assert "3 row groups · 4 columns · 12 chunks" in text(browser, "#facts")
    assert "Dictionaries" in text(browser, "#kinds")
    assert browser.problems() == []


def test_hostile_names_are_text(browser, page):
    browser.open(page)
    assert "onerror" in text(browser, "#columns")
    assert "\\u202e" in text(browser, "#columns")
    assert browser.ask("document.querySelectorAll('img').length") == 0
    assert browser.ask("document.querySelectorAll('body script').length") == 2
    assert "owned" not in browser.ask("document.title")


def test_nothing_that_is_put_into_the_page_runs(browser, page):
    browser.open(page)
    browser.ask(
        "(() => { const own = document.createElement('script'); own.textContent = " + json.dumps(OWN) + ";"
        " document.body.append(own); document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=owned()>') })()"
    )
    assert browser.ask("new Promise(done => setTimeout(() => done(document.title), 50))") != "owned"
    assert any("Content Security Policy" in json.dumps(event) for event in browser.problems())


def test_keys_navigate_from_the_map_to_pages_and_headers_and_back(browser, page):
    browser.open(page)
    browser.ask("document.getElementById('map').focus()")
    browser.press("ArrowRight", "ArrowDown")
    assert text(browser, "#told").startswith("fare, row group 1: ")
    browser.press("Enter")
    assert text(browser, "#chunk-title") == "fare, row group 1"
    assert browser.ask("document.activeElement.id") == "chunk-title"
    assert "500" in text(browser, "#chunk-facts")
    rows = browser.ask("document.querySelectorAll('#pages tbody tr').length")
    assert rows == browser.ask("chunks.pages[5]") > 1
    browser.ask("document.querySelector('#pages tbody tr').focus()")
    browser.press("ArrowDown", "Enter")
    assert browser.ask("document.activeElement.getAttribute('aria-expanded')") == "true"
    assert "uncompressed_page_size" in text(browser, ".header-row")
    browser.press("Enter")
    assert browser.ask("document.querySelector('.header-row')") is None
    browser.press("Escape")
    assert browser.ask("document.getElementById('chunk').hidden") is True
    assert browser.ask("document.activeElement.id") == "map"
    browser.press("End")
    assert "row group 2" in text(browser, "#told")


def test_pages_of_a_chunk_are_drawn_at_their_positions(browser, page):
    layout = parquetext.layout(page.with_name("<b>trips&amp;.parquet"))
    offsets = [row["offset"] for row in layout.pages.to_pylist() if (row["row_group"], row["column"]) == (0, 2)]
    browser.open(page)
    browser.ask("document.getElementById('map').focus()")
    browser.press("ArrowDown", "ArrowDown", "Enter")
    shown = browser.ask("[...document.querySelectorAll('#pages tbody tr')].map(row => row.cells[3].textContent)")
    assert [int(offset.replace(",", "")) for offset in shown] == offsets


@pytest.mark.parametrize("measure", ["Bytes", "Encoding", "Codec", "Compression", "Nulls"])
def test_each_measure_colors_the_cells_and_shows_its_scale(browser, page, measure):
    browser.open(page)
    browser.ask(f"[...document.querySelectorAll('#measures button')].find(b => b.textContent === '{measure}').click()")
    expected = {"Encoding": "PLAIN", "Codec": "SNAPPY", "Nulls": "100.0 %", "Compression": "×", "Bytes": "KiB"}
    assert expected[measure] in text(browser, "#scale")
    pixels = "Uint8Array.from(document.getElementById('cells').getContext('2d').getImageData(300, 0, 400, 60).data)"
    assert browser.ask(f"new Set({pixels}).size") > 3


def test_dark_and_light_follow_the_system_and_the_switch(browser, page):
    background = "getComputedStyle(document.body).backgroundColor"
    browser.open(page, scheme="dark")
    dark = browser.ask(background)
    browser.click("#theme")
    light = browser.ask(background)
    assert (dark, light) == ("rgb(20, 23, 28)", "rgb(251, 251, 250)")
    browser.open(page, scheme="light")
    assert browser.ask(background) == light


@pytest.mark.parametrize("width", [1200, 640, 360])
def test_nothing_runs_over_the_side(browser, page, width):
    browser.open(page, width=width)
    assert browser.ask("document.documentElement.scrollWidth") <= width


def test_everything_that_can_be_used_has_a_name(browser, page):
    browser.open(page)
    controls = browser.controls()
    assert {"button", "combobox", "searchbox", "application", "image"} <= {role for role, _ in controls}
    assert [role for role, name in controls if not name] == []


@pytest.mark.slow
def test_thirty_thousand_chunks_are_drawn_and_found(browser, tmp_path):
    browser.open(_wide(tmp_path))
    assert "30,000 chunks" in text(browser, "#facts")
    assert browser.ask("document.getElementById('cells').height") < 900
    browser.ask("document.getElementById('map').focus()")
    browser.press("End")
    assert text(browser, "#told").startswith("c2999, row group 9: ")
    assert browser.ask("document.getElementById('map').scrollTop") > 10_000
    browser.ask("(f => { f.value = 'c123'; f.dispatchEvent(new Event('input')) })(document.getElementById('filter'))")
    assert browser.ask("map.order.length") == 11
    assert browser.problems() == []


def _wide(folder: Path) -> Path:
    path = folder / "wide.parquet"
    table = pa.table({f"c{n}": pa.array(range(10), pa.int8()) for n in range(3000)})
    with pq.ParquetWriter(path, table.schema, use_dictionary=False, write_statistics=False) as writer:
        for _ in range(10):
            writer.write_table(table)
    page = folder / "wide.html"
    page.write_text(as_html(parquetext.layout(path)), encoding="utf-8")
    return page


def test_a_page_without_pages_shows_their_number(browser, page, tmp_path, monkeypatch):
    monkeypatch.setattr("parquetext.inspection.layout.html.MOST_PAGES", 3)
    layout = parquetext.layout(page.with_name("<b>trips&amp;.parquet"))
    target = tmp_path / "page.html"
    target.write_text(as_html(layout), encoding="utf-8")
    browser.open(target)
    browser.ask("document.getElementById('map').focus()")
    browser.press("Enter")
    assert f"{layout.pages.num_rows} pages are too many for this report" in text(browser, "#range")
    assert browser.problems() == []


def test_the_command_writes_the_page_and_never_over_the_file_itself(page, tmp_path):
    source = page.with_name("<b>trips&amp;.parquet")
    before = source.read_bytes()
    target = tmp_path / "out.html"
    result = CliRunner().invoke(app, ["layout", str(source), "--html", str(target)])
    assert result.exit_code == 0, result.output
    assert target.read_text().startswith("<!doctype html>")
    assert list(tmp_path.iterdir()) == [target]
    result = CliRunner().invoke(app, ["layout", str(source), "--html", str(source)])
    assert result.exit_code == 2
    assert source.read_bytes() == before


def test_a_file_that_cannot_be_read_is_a_page_too(browser, tmp_path):
    path = tmp_path / "broken.parquet"
    path.write_bytes(b"PAR1" + b"junk" * 30)
    page = tmp_path / "page.html"
    page.write_text(as_html(parquetext.layout(path)), encoding="utf-8")
    browser.open(page)
    assert "tail" in text(browser, "#findings-list")
    assert browser.problems() == []
