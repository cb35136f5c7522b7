"""Prompt and notebook output of files, columns, schemas, reports, results, stores, datasets and layouts."""

from __future__ import annotations

import json
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from IPython.core.formatters import DisplayFormatter
from rich.cells import cell_len
from support.browser import Browser

import parquetext
from parquetext import sidecar
from parquetext.errors import ColumnError
from parquetext.storage import Target

OWN = "document.title='owned'"
HOSTILE = f'<img src=x onerror="{OWN}"><script>{OWN}</script>\n\x1b[31m\u202e'
COLUMNS, ROWS = 1_100, 60
MOST_HTML, MOST_TEXT = 8_000, 4_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("notebook")
    columns = {
        "price": pa.array([n / 4 for n in range(ROWS)]),
        HOSTILE: pa.array([HOSTILE] * ROWS),
        "at": pa.array(range(ROWS), pa.timestamp("s")),
        "raw": pa.array([bytes([n, 255]) for n in range(ROWS)]),
        "place": pa.array([{"x": n, "y": [n]} for n in range(ROWS)]),
        "empty": pa.nulls(ROWS, pa.int32()),
    }
    columns |= {f"column {n:04}": pa.array([n] * ROWS) for n in range(COLUMNS - len(columns) - 1)}
    pq.write_table(pa.table(columns), folder / "wide.parquet", row_group_size=4, compression="zstd")
    parquetext.upgrade(folder / "wide.parquet", form="flat")
    return folder


@pytest.fixture
def file(folder):
    with parquetext.open(folder / "wide.parquet") as file:
        yield file


@pytest.fixture
def things(folder, file, tmp_path) -> dict[str, object]:
    store = sidecar.Store(tmp_path / "store")
    store.append(pa.table({HOSTILE: [1], "price": [2.5]}))
    small = tmp_path / "<b>small&amp;.parquet"
    pq.write_table(pa.table({HOSTILE: [1], "price": [2.5]}), small)
    small.write_bytes(small.read_bytes()[:-12] + b"\xff" * 4 + small.read_bytes()[-8:])
    return {
        "File": file,
        "Column": file[HOSTILE],
        "footer.ParquetSchema": file.parquet_schema,
        "RowGroups": file.row_groups,
        "Report": parquetext.verify(small),
        "Result": parquetext.upgrade(folder / "wide.parquet", dry_run=True),
        "sidecar.Store": store,
        "Dataset": parquetext.dataset(folder / "wide.parquet"),
        "Layout": parquetext.layout(small),
        "Advice": parquetext.advise(folder / "wide.parquet", [HOSTILE, "price", "at"]),
    }


def shown(thing: object) -> tuple[str, str]:
    """The text and the HTML that IPython displays."""
    formats, _ = DisplayFormatter().format(thing)
    return formats["text/plain"], formats["text/html"]


def test_ipython_shows_each_object_in_bounds_and_hostile_names_as_text(things):
    for name, thing in things.items():
        text, page = shown(thing)
        assert f"parquetext.{name}" in text and f"parquetext.{name}" in page
        assert len(text) < MOST_TEXT and len(page) < MOST_HTML * (5 if name == "Layout" else 1), name
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u202e]", text + page)
        assert "<img" not in page and "<script" not in page
        assert "<b>small" not in page


def test_each_object_is_shown_under_the_public_name_of_its_class(things):
    for name, thing in things.items():
        found = parquetext
        for part in name.split("."):
            found = getattr(found, part)
        assert isinstance(thing, found), name


def test_advice_is_a_table_of_its_columns(folder):
    advice = parquetext.advise(folder / "wide.parquet", [f"column {number:04}" for number in range(20)])
    lines = repr(advice).splitlines()
    assert lines[2].split()[:4] == ["column", "type", "encodings", "codec"]
    assert len(lines) == 3 + 8 + 1 + 2 and "10 more columns" in lines[11]
    assert max(map(len, lines)) < 200
    for column, line in zip(advice.columns, lines[3:11], strict=False):
        best = column.best
        assert ("none" in line) if best is None else (best.encoding in line and f"{best.bytes:,}" in line)


def test_a_browser_runs_nothing_of_a_hostile_name(things, tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<title>mine</title>" + "".join(shown(thing)[1] for thing in things.values()), encoding="utf-8")
    browser = Browser(tmp_path / "chromium")
    try:
        browser.open(page)
        assert browser.ask("document.title") == "mine"
        assert browser.ask("document.querySelectorAll('img, script').length") == 0
        assert browser.ask("document.querySelectorAll('.parquetext').length") == len(things)
        cells = "[...document.querySelectorAll('td')].map(cell => cell.textContent)"
        assert any(text.startswith("<img src=x") for text in json.loads(browser.ask(f"JSON.stringify({cells})")))
    finally:
        browser.close()


def test_a_file_shows_names_and_values_of_its_first_and_last_columns(file):
    text, page = shown(file)
    assert f"columns: {COLUMNS:,}" in text and f"row groups: {ROWS // 4}" in text
    price = next(line for line in text.splitlines() if line.split()[:1] == ["price"])
    assert price.split()[1:3] == ["DOUBLE", "ZSTD"] and "PLAIN, RLE, RLE_DICTIONARY" in price
    assert price.split()[-4:-1] == ["0", "-0", "14.75"]
    assert "INT64 (TIMESTAMP(MILLIS,false))" in text and "1970-01-01 00:00:59" in text
    assert "3bff" in text  # bytes as digits
    assert f"… {COLUMNS - 10:,} more columns" in text and f"… {COLUMNS - 10:,} more columns" in page
    assert f"column {COLUMNS - 8:04}" in text


def test_to_look_at_a_file_costs_its_few_columns(folder):
    with parquetext.open(folder / "wide.parquet") as looked_at, parquetext.open(folder / "wide.parquet") as asked:
        repr(looked_at)
        names = [*range(8), COLUMNS - 2, COLUMNS - 1]
        leaves = [asked.parquet_schema.leaf(leaf).path for leaf in names]
        asked.columns(leaves)
        assert looked_at.io_stats.bytes <= asked.io_stats.bytes + 16_384


def test_a_remote_file_is_shown_without_a_request(folder):
    with parquetext.open(Target(str(folder / "wide.parquet"), pa.fs.LocalFileSystem())) as file:
        before = file.io_stats
        assert f"columns: {COLUMNS:,}" in repr(file) and "footer: flat" in file._repr_html_()
        assert file.io_stats == before


def test_a_column_shows_its_row_groups(file):
    text, _ = shown(file["price"])
    assert "name: price · type: DOUBLE" in text
    rows = [line.split() for line in text.splitlines()[2:]]
    assert rows[1][:5] == ["0", "4", "0", "-0", "0.75"] and rows[1][5] == "ZSTD"
    assert rows[-1][0] == str(ROWS // 4 - 1) and "… 5 more row groups" in text
    empty = shown(file["empty"])[0].splitlines()[3]
    assert empty.split()[:4] == ["0", "4", "4", "ZSTD"]


def test_a_schema_shows_types_by_their_names(file):
    text, _ = shown(file.parquet_schema)
    assert re.search(r"BYTE_ARRAY +STRING +OPTIONAL", text) and "place.y.list.element" in text


def test_a_layout_shows_the_file_from_front_to_back(tmp_path):
    path = tmp_path / "trips.parquet"
    pq.write_table(pa.table({"id": range(5_000), "zone": ["a", "b"] * 2_500}), path)
    with parquetext.open(path) as file:
        text, page = shown(file.layout())
    assert "dictionary page" in text and "%" in text and "INT64" in text
    assert "<svg" in page and "<title>dictionaries</title>" in page and "<title>footer</title>" in page


def test_a_layout_names_its_largest_columns_and_the_number_of_others(tmp_path):
    path = tmp_path / "trips.parquet"
    pq.write_table(pa.table({f"c{n:02}": [bytes(100 * n)] for n in range(1, 16)}), path, compression=None)
    with parquetext.open(path) as file:
        lines = shown(file.layout())[0].splitlines()
    assert [line.split()[0] for line in lines[-11:-1]] == [f"c{n:02}" for n in range(15, 5, -1)]
    assert lines[-1] == "  … 5 more columns"


def test_a_single_row_is_not_omitted_and_tables_are_aligned(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({f"列{n}": [1.5 - 100 * n, float("nan")] for n in range(11)}), path)
    with parquetext.open(path) as file:
        lines, page = shown(file)[0].splitlines(), shown(file)[1]
        column = shown(file["列7"])[0].splitlines()
    assert len(lines) == 3 + 11 and not any("…" in line for line in lines)
    rows = lines[3:]
    assert {cell_len(line[: line.index("DOUBLE")]) for line in rows} == {lines[2].index("type")}
    assert '<th class="number">min</th>' in page
    assert column[2].index("min") + len("min") == column[3].index("-698.5") + len("-698.5")


def test_a_layout_is_that_of_the_very_source_which_is_open(tmp_path):
    path = tmp_path / "trips.parquet"
    pq.write_table(pa.table({"id": range(100)}), path)
    kinds = parquetext.layout(path).kinds
    for source in (path.read_bytes(), Target(str(path), pa.fs.LocalFileSystem())):
        with parquetext.open(source) as file:
            assert file.layout().kinds.equals(kinds)


def test_a_report_shows_its_findings(things):
    text, page = shown(things["Report"])
    assert "ok: False" in text and "wrong" in text
    assert "<table>" in page


def test_an_unreadable_object_shows_the_error_instead_of_raising(folder, tmp_path):
    with parquetext.open(folder / "wide.parquet") as file:
        schema, row_groups = file.parquet_schema, file.row_groups
    assert "closed" in repr(file) and "closed" in file._repr_html_()
    assert "nothing is committed" in repr(sidecar.Store(tmp_path / "none"))
    for thing in (schema, row_groups):
        assert "closed" in repr(thing)


def test_a_file_is_a_mapping_of_names_to_columns(file):
    assert file["price"].min[0].as_py() == 0
    assert file["place", "x"].name == file["place.x"].name == "place.x"
    assert "price" in file and ("place", "x") in file and "place.y.list.element" in file
    assert "prise" not in file and "place" not in file and 7 not in file
    assert len(file) == file.num_columns == COLUMNS
    names = list(file)
    assert names[0] == "price" and len(names) == COLUMNS and all(name in file for name in names[:10])
    with pytest.raises(ColumnError, match="prise"):
        file["prise"]


def test_a_file_without_columns_is_true(tmp_path):
    pq.write_table(pa.table({}), tmp_path / "none.parquet")
    with parquetext.open(tmp_path / "none.parquet") as file:
        assert file and len(file) == 0 and list(file) == []
        assert "columns: 0" in repr(file)
