"""The page table takes fields that page headers lack from the page index, and ignores impossible values."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.fs as pafs
import pyarrow.parquet as pq
import pytest
from support.changed_metadata import with_footer, with_indexes

import parquetext
from parquetext import thrift
from parquetext.storage import BatchedSource

ROWS = 3000
TABLE = pa.table(
    {
        "n": pa.array([None if 1200 <= n < 2400 or n % 9 == 0 else n for n in range(ROWS)], pa.int64()),
        "text": [f"value {n:05}" for n in range(ROWS)],
        "list": [None if n % 7 == 0 else [] if 1200 <= n < 2400 else [n, None] for n in range(ROWS)],
        "nothing": pa.nulls(ROWS, pa.float64()),
    }
)
LEAVES = ["n", "text", "list.list.element", "nothing"]


def write(path, *, version: str = "1.0", index: bool, rows_of_group: int = 1200) -> None:
    options = {"data_page_size": 700, "write_batch_size": 100, "use_dictionary": False, "compression": "none"}
    options |= {"row_group_size": rows_of_group, "write_page_index": index, "data_page_version": version}
    pq.write_table(TABLE, path, **options)


@pytest.fixture
def path(tmp_path):
    """A file whose headers say no statistics, but its page index does."""
    path = tmp_path / "indexed.parquet"
    write(path, index=True)
    return path


def pages_of(path, name: str) -> pa.Table:
    with parquetext.open(path) as file:
        return file.pages(name)


@pytest.mark.parametrize("name", LEAVES)
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_the_index_gives_the_statistics_that_headers_lack(implementation, tmp_path, version, name):
    for index in (False, True):
        write(tmp_path / f"{index}.parquet", version=version, index=index)
    by_headers, by_index = (pages_of(tmp_path / f"{index}.parquet", name) for index in (False, True))
    assert len(by_index) >= (3 if name == "nothing" else 15)
    for fact in ("num_nulls", "min", "max"):
        assert by_index[fact].equals(by_headers[fact]), fact
    assert by_index["num_nulls"].null_count == 0
    if name != "text":
        assert by_index["min"].null_count > 0, "pages of nulls have no bounds"


def test_rows_of_lists_are_known_by_the_index(implementation, path):
    pages = pages_of(path, "list.list.element")
    assert set(pages["type"].to_pylist()) == {"DATA_PAGE"}  # whose headers do not say rows
    rows = 0
    for page in pages.to_pylist():
        rows = rows if page["page"] else 0
        assert page["first_row"] == rows
        rows += page["num_rows"]
    assert sum(pages["num_rows"].to_pylist()) == ROWS


def test_a_dictionary_page_has_no_bounds(implementation, tmp_path):
    path = tmp_path / "dictionary.parquet"
    table = pa.table({"n": [n % 50 for n in range(ROWS)]})
    pq.write_table(table, path, write_page_index=True, data_page_size=1000, write_batch_size=100)
    first, *others = pages_of(path, "n").to_pylist()
    assert first["type"] == "DICTIONARY_PAGE" and first["min"] is first["num_nulls"] is first["num_rows"] is None
    assert len(others) > 1 and {(page["min"], page["max"], page["num_nulls"]) for page in others} == {(0, 49, 0)}


def test_a_headers_own_statistics_win(implementation, tmp_path):
    path = tmp_path / "both.parquet"
    write(path, index=False)
    by_headers = pages_of(path, "text")

    def made_up(row_group, _column, _offset):
        pages = [page for page in by_headers.to_pylist() if page["row_group"] == row_group]
        positions = [
            {
                "offset": page["offset"],
                "compressed_page_size": page["header_size"] + page["compressed_size"],
                "first_row_index": page["first_row"],
            }
            for page in pages
        ]
        count = len(pages)
        bounds = {"null_pages": [False] * count, "min_values": [b"a"] * count, "max_values": [b"z"] * count}
        return bounds | {"boundary_order": 0}, {"page_locations": positions}

    with_indexes(path, 1, made_up)
    assert pages_of(path, "text").equals(by_headers)
    assert by_headers["min"].null_count == 0


def without(bounds: dict, *names: str) -> dict:
    return {name: value for name, value in bounds.items() if name not in names}


BAD_BOUNDS = {
    "no index": lambda bounds: None,
    "no bytes of a struct": lambda bounds: b"\xff" * 40,
    "cut short": lambda bounds: thrift.write("ColumnIndex", bounds)[:-9],
    "a page more": lambda bounds: bounds | {"null_pages": [*bounds["null_pages"], False]},
    "a minimum less": lambda bounds: bounds | {"min_values": bounds["min_values"][1:]},
    "a count more": lambda bounds: bounds | {"null_counts": [*bounds["null_counts"], 0]},
    "of more pages": lambda bounds: {
        name: [*value, *value] if isinstance(value, list) else value for name, value in bounds.items()
    },
    "more nulls than values": lambda bounds: bounds | {"null_counts": [1 << 40, *bounds["null_counts"][1:]]},
    "nulls alone in other pages": lambda bounds: bounds | {"null_pages": [not page for page in bounds["null_pages"]]},
    "no minima": lambda bounds: without(bounds, "min_values"),
}


@pytest.mark.parametrize("bad", BAD_BOUNDS.values(), ids=BAD_BOUNDS)
def test_bounds_that_cannot_be_are_left_out(implementation, path, bad):
    expected = pages_of(path, "n")
    with_indexes(path, 0, lambda row_group, bounds, places: (bad(bounds) if row_group != 2 else bounds, places))
    for page, right in zip(pages_of(path, "n").to_pylist(), expected.to_pylist(), strict=True):
        if page["row_group"] != 2:
            right |= {"min": None, "max": None, "num_nulls": None}
        assert page == right


def moved(places: dict, page: int, **changes: int) -> dict:
    locations = [dict(location) for location in places["page_locations"]]
    for name, change in changes.items():
        locations[page][name] += change
    return {"page_locations": locations}


def rows_of(places: dict, page: int) -> int:
    first, following = (places["page_locations"][number]["first_row_index"] for number in (page, page + 1))
    return following - first


BAD_PLACES = {
    "no index": lambda places: None,
    "no bytes of a struct": lambda places: b"\x19" * 40,
    "cut short": lambda places: thrift.write("OffsetIndex", places)[:-5],
    "a page less": lambda places: {"page_locations": places["page_locations"][1:]},
    "a page elsewhere": lambda places: moved(
        moved(places, 1, offset=1, compressed_page_size=-1), 0, compressed_page_size=1
    ),
    "a page of another size": lambda places: moved(places, 1, compressed_page_size=-1),
    "more rows than values": lambda places: moved(places, 1, first_row_index=rows_of(places, 1) - 1),
}


@pytest.mark.parametrize("bad", BAD_PLACES.values(), ids=BAD_PLACES)
@pytest.mark.parametrize("name", ["n", "list.list.element"])
def test_an_index_of_other_pages_is_not_used(implementation, path, bad, name):
    expected = pages_of(path, name)
    with_indexes(path, LEAVES.index(name), lambda number, bounds, places: (bounds, places if number else bad(places)))
    found = pages_of(path, name)
    first = found.filter(pc.equal(found["row_group"], 0))
    assert all(first[fact].null_count == len(first) for fact in ("min", "max", "num_nulls"))
    assert (first["num_rows"].null_count == len(first)) == (name != "n")
    assert found[len(first) :].equals(expected[len(first) :])


@pytest.mark.parametrize("position", [{"offset": 1 << 40}, {"length": (1 << 31) - 1}, {"offset": -5}])
def test_an_index_outside_of_the_file_is_not_used(implementation, path, position):
    def outside(footer: dict) -> None:
        for fields in footer["row_groups"]:
            fields["columns"][0] |= {f"column_index_{name}": value for name, value in position.items()}

    expected = pages_of(path, "n")
    with_footer(path, outside)
    pages = pages_of(path, "n")
    assert pages["min"].null_count == pages["num_nulls"].null_count == len(pages)
    assert pages.drop(["min", "max", "num_nulls"]).equals(expected.drop(["min", "max", "num_nulls"]))


def test_bounds_without_an_order_are_left_out(implementation, path):
    def unordered(footer: dict) -> None:
        del footer["column_orders"]

    with_footer(path, unordered)
    pages = pages_of(path, "n")
    assert pages["min"].null_count == len(pages) and pages["num_nulls"].null_count == 0


class Counted:
    """A remote file in memory; how many requests its pages take, and in how many rounds."""

    def __init__(self, content: bytes):
        self._filesystem = pafs._MockFileSystem()
        with self._filesystem.open_output_stream("x.parquet") as stream:
            stream.write(content)

    def pages(self, name: str, monkeypatch) -> tuple[pa.Table, int, int]:
        rounds = []
        fetch = BatchedSource.read_many
        with parquetext.open((self._filesystem, "x.parquet")) as file, monkeypatch.context() as patch:
            patch.setattr(BatchedSource, "read_many", lambda *ranges: rounds.append(ranges) or fetch(*ranges))
            before = file.io_stats[0]
            pages = file.pages(name)
            return pages, file.io_stats[0] - before, len(rounds)


@pytest.mark.parametrize("name", ["text", "list.list.element"])
def test_the_index_of_a_remote_file_comes_with_the_headers(implementation, path, monkeypatch, name):
    def of_many_bytes(footer: dict) -> None:  # so that its end, which is read first, does not hold the indexes
        footer["key_value_metadata"].append({"key": "x", "value": "x" * 100_000})

    with_footer(path, of_many_bytes)
    expected, data = pages_of(path, name), path.read_bytes()
    with_indexes(path, LEAVES.index(name), lambda _, bounds, places: (None, None))
    bare, requests, rounds = Counted(path.read_bytes()).pages(name, monkeypatch)
    assert bare["min"].null_count == len(bare)
    pages, more_requests, more_rounds = Counted(data).pages(name, monkeypatch)
    assert pages.equals(expected)
    assert more_rounds == rounds == 1 and more_requests <= requests + 1
