"""Rows by number of files whose indexes are wrong, whose pages are damaged, or which change: never a wrong row."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.changed_metadata import with_indexes
from support.samples import examples

import parquetext
from parquetext.errors import Conflict, Damaged, ParquetextError
from parquetext.footer.page_tables import PageTables
from parquetext.storage import ChangedFile

ROWS = 2000
TABLE = pa.table(
    {
        "key": pa.array(range(ROWS), pa.int64()),
        "text": [f"row {row}" for row in range(ROWS)],
        "list": [[row] * (row % 4) for row in range(ROWS)],
    }
)
PAGED = {"data_page_size": 200, "write_batch_size": 20, "write_page_index": True, "use_dictionary": False}


@pytest.fixture
def path(tmp_path) -> str:
    target = tmp_path / "rows.parquet"
    pq.write_table(TABLE, target, row_group_size=900, **PAGED)
    return str(target)


@pytest.fixture(scope="module")
def sound(tmp_path_factory) -> Path:
    target = tmp_path_factory.mktemp("sound") / "rows.parquet"
    pq.write_table(TABLE, target, row_group_size=900, **PAGED)
    return target


@settings(max_examples=examples(150))
@given(data=st.data())
def test_a_wrong_location_of_a_page_gives_no_wrong_row(sound, tmp_path_factory, data):
    leaf = data.draw(st.integers(0, 2))
    name = data.draw(st.sampled_from(["offset", "compressed_page_size", "first_row_index"]))
    delta = data.draw(st.one_of(st.integers(-300, 300), st.sampled_from([1 << 31, -(1 << 31), 1 << 40, -(1 << 62)])))
    page = data.draw(st.integers(0, 9))
    rows = data.draw(st.lists(st.integers(0, ROWS - 1), min_size=1, max_size=9))

    def change(row_group: int, column_index: dict, offset_index: dict) -> tuple[dict, dict]:
        locations = offset_index["page_locations"]
        location = locations[page % len(locations)]
        value = location[name] + delta
        location[name] = value if name != "compressed_page_size" else (value + (1 << 31)) % (1 << 32) - (1 << 31)
        return column_index, offset_index

    path = tmp_path_factory.mktemp("wrong") / "rows.parquet"
    path.write_bytes(sound.read_bytes())
    with_indexes(path, leaf, change)
    expected = TABLE.take(rows)
    with parquetext.open(path) as file:
        assert file.take(rows).equals(expected)
        try:
            found = file.take(rows, engine="parquetext")
        except ParquetextError as error:
            assert str(path) in str(error)
        else:
            assert found.equals(expected)


@pytest.mark.parametrize("rows", [1, 5])
def test_pages_that_are_said_to_begin_a_page_later_give_no_wrong_row(tmp_path, implementation, rows):
    path = tmp_path / "rows.parquet"
    table = TABLE.select(["key"]).slice(0, 300)
    pq.write_table(table, path, **PAGED | {"data_page_size": 1, "write_batch_size": rows})

    def change(row_group: int, column_index: dict, offset_index: dict) -> tuple[dict, dict]:
        for location in offset_index["page_locations"][20:]:
            location["first_row_index"] += rows
        return column_index, offset_index

    with_indexes(path, 0, change)
    for engine in (None, "parquetext"):
        with parquetext.open(path) as file:
            assert file.take([150], engine=engine)["key"].to_pylist() == [150]


@pytest.mark.parametrize("column", ["key", "text", "list"])
def test_rows_behind_those_read_before_are_read_from_the_same_open_file(path, implementation, column):
    with parquetext.open(path) as file:
        for rows in ([3], [899, 40], [1799], [950], range(ROWS)):
            assert file.take(rows, [column], engine="parquetext").equals(TABLE.select([column]).take(list(rows)))


@pytest.mark.parametrize("column", ["key", "text", "list"])
def test_a_page_with_another_checksum_is_damaged_and_its_values_are_not_returned(tmp_path, column):
    path = tmp_path / "rows.parquet"
    pq.write_table(TABLE, path, **PAGED, write_page_checksum=True, compression="none")
    with parquetext.open(path) as file:
        leaf = ("list", "list", "element") if column == "list" else column
        page = file.pages(leaf).slice(7, 1).to_pylist()[0]
        row = page["first_row"]
    data = bytearray(path.read_bytes())
    data[page["offset"] + page["header_size"] + page["compressed_size"] - 1] ^= 1
    path.write_bytes(data)
    with parquetext.open(path) as file:
        for engine in (None, "parquetext"):
            with pytest.raises(Damaged, match=r"rows\.parquet"):
                file.take([row], [column], engine=engine)
        assert file.take([0, row - 1], [column]).equals(TABLE.select([column]).take([0, row - 1]))


def test_a_file_that_is_overwritten_while_it_is_open_is_a_conflict(path):
    with parquetext.open(path) as file:
        file.take([1])
        with open(path, "r+b") as stream:
            stream.write(b"PAR1" + bytes(1 << 14))
        with pytest.raises(Conflict):
            file.take([1500, 3])


def test_a_dataset_whose_file_was_replaced_after_counting_refuses_the_rows(tmp_path):
    for number in range(3):
        pq.write_table(TABLE.slice(number * 100, 100), tmp_path / f"{number}.parquet")
    lake = parquetext.dataset(tmp_path)
    assert lake.take([250, 0])["key"].to_pylist() == [250, 0]
    pq.write_table(TABLE.slice(500, 50), tmp_path / "1.parquet")
    assert lake.take([250, 0])["key"].to_pylist() == [250, 0]
    with pytest.raises(ChangedFile, match=r"1\.parquet"):
        lake.take([250, 150])


def test_many_threads_take_rows_of_one_open_file(path):
    chance = random.Random(5)
    wanted = [[chance.randrange(ROWS) for _ in range(20)] for _ in range(64)]
    with parquetext.open(path) as file, ThreadPoolExecutor(64) as pool:
        for rows, found in zip(wanted, pool.map(file.take, wanted), strict=True):
            assert found.equals(TABLE.take(rows))


def test_pages_without_an_index_are_found_once_for_an_open_file(tmp_path, monkeypatch):
    path = tmp_path / "rows.parquet"
    pq.write_table(TABLE, path, **PAGED | {"write_page_index": False})
    made = []
    original = PageTables._made
    monkeypatch.setattr(PageTables, "_made", lambda self, *given: made.append(given) or original(self, *given))
    with parquetext.open(path) as file:
        for row in (0, 1999, 1000):
            assert file.take([row], ["key", "text"]).equals(TABLE.select(["key", "text"]).take([row]))
    assert len(made) == 2
