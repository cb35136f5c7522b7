"""Arrow arrays of the flat leaves of a scan: made by the compiled kernels, of any part of the leaves; by no twin."""

from __future__ import annotations

import gc
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.systems import needs_proc

from parquetext import kernels
from parquetext.errors import ParquetextError
from parquetext.storage import open_source


@pytest.fixture
def table() -> pa.Table:
    numbers = {f"n{leaf}": pa.array(range(leaf, leaf + 40), pa.int32()) for leaf in range(6)}
    return pa.table({**numbers, "list": [[1]] * 40, "text": [None, "a", "bc", ""] * 10})


@pytest.fixture
def arrays(tmp_path, table, implementation):
    """Return a function that makes arrays of a file of these columns without the list, and returns them with the file.

    Arrays are read once. If several threads run a test, each makes its own.
    """
    table = table.drop("list")
    pq.write_table(table, tmp_path / "x.parquet", row_group_size=9)
    with open_source(tmp_path / "x.parquet") as source:
        length = int.from_bytes(source.read(source.size - 8, 4), "little")
        footer = source.read(source.size - 8 - length, length)

        def arrays():
            made = kernels.arrays.Arrays(kernels.scan.scan(footer), source.size)
            assert made.count == (7 if implementation == "native" else 0)
            made.type(table.schema.__arrow_c_schema__())
            return made, source

        yield arrays


def test_parts_cover_all_leaves_in_order(arrays, implementation):
    made, _ = arrays()
    for most_bytes, most_leaves in ((1, 100), (1 << 20, 3), (1 << 20, 100)):
        parts = made.parts(most_bytes, most_leaves)
        assert [leaf for part in parts for leaf in range(*part)] == (
            list(range(7)) if implementation == "native" else []
        )
        assert all(end - first <= most_leaves for first, end in parts)


def test_arrays_are_made_of_the_leaves_that_are_read(arrays, table, implementation):
    made, source = arrays()
    texts = made.read(source.fd, 5, 7, 1 << 20)
    found = made.addresses()
    if implementation == "pure":
        assert (texts, found) == (0, [0] * 7)
        return
    assert texts == 30 and [address != 0 for address in found] == [False] * 5 + [True] * 2
    assert pa.Array._import_from_c(found[5], pa.int32()).equals(table["n5"].combine_chunks())
    assert pa.Array._import_from_c(found[6], pa.string()).equals(table["text"].combine_chunks())
    assert not any(made.addresses())


def test_arrays_of_more_text_than_is_wanted_are_not_made(arrays, implementation):
    made, source = arrays()
    assert made.read(source.fd, 0, 7, 29) == 0
    assert [address != 0 for address in made.addresses()] == [implementation == "native"] * 6 + [False]


def test_arrays_are_made_once_and_of_leaves_that_there_are(arrays, implementation):
    made, source = arrays()
    if implementation == "pure":
        return
    made.read(source.fd, 0, 3, 0)
    for first, end in ((2, 4), (5, 4), (6, 8)):
        with pytest.raises(ParquetextError):
            made.read(source.fd, first, end, 0)


@needs_proc()
def test_arrays_found_by_the_garbage_collector_are_released(tmp_path, implementation):
    """The collector clears objects of a cycle in the order of their creation, so the scan loses its arrays first."""
    if implementation == "pure":
        return
    path, times = tmp_path / "x.parquet", 20
    table = pa.table({"number": pa.array(range(1 << 19))})
    pq.write_table(table, path, use_dictionary=False)
    with open_source(path) as source:
        length = int.from_bytes(source.read(source.size - 8, 4), "little")
        footer = source.read(source.size - 8 - length, length)
        resident = []
        for _ in range(times):
            made = kernels.arrays.Arrays(kernels.scan.scan(footer), source.size)
            made.type(table.schema.__arrow_c_schema__())
            made.read(source.fd, 0, 1, 0)
            assert all(made.addresses())
            cycle: list = [made]
            cycle.append(cycle)
            del made, cycle
            gc.collect(1)
            resident.append(int(Path("/proc/self/statm").read_text().split()[1]) << 12)
    assert resident[-1] - resident[4] < 20 << 20 < (times - 5) * table.nbytes


def test_a_file_that_cannot_be_read_gives_none(arrays):
    made, _ = arrays()
    assert made.read(-1, 0, 7, 1 << 20) == 0
    assert made.addresses() == [0] * 7


def made_of(path, table: pa.Table, schema: pa.Schema | None) -> list[bool]:
    """Which arrays are made of a file of this table by this schema."""
    pq.write_table(table, path)
    with open_source(path) as source:
        length = int.from_bytes(source.read(source.size - 8, 4), "little")
        scan = kernels.scan.scan(source.read(source.size - 8 - length, length))
        made = kernels.arrays.Arrays(scan, source.size)
        if schema is not None:
            made.type(schema.__arrow_c_schema__())
        made.read(source.fd, 0, scan.leaf_count, 1 << 20)
        return [address != 0 for address in made.addresses()]


def test_nested_leaves_and_fields_of_other_types_are_left_out(tmp_path, table, implementation):
    path, is_native = tmp_path / "x.parquet", implementation == "native"
    wide = table.schema.set(2, pa.field("n2", pa.int64())).set(7, pa.field("text", pa.large_string()))
    assert made_of(path, table, table.schema) == [is_native] * 6 + [False, is_native]
    assert made_of(path, table, wide) == [is_native, is_native, False, *[is_native] * 3, False, False]
    assert made_of(path, table, pa.schema(list(table.schema)[:2])) == [is_native] * 2 + [False] * 6


def test_no_array_is_made_before_the_types_are_chosen(tmp_path, table, implementation):
    if implementation == "native":
        with pytest.raises(ParquetextError):
            made_of(tmp_path / "x.parquet", table, None)


LISTS = {
    "flat": (pa.array([1, None, 3]), 0),
    "a list": (pa.array([[1, None], [], None, [3]]), 5),
    "a large list": (pa.array([[1, None], [], None, [3]], pa.large_list(pa.int8())), 5),
    "lists of lists": (pa.array([[[1], []], [], None, [[2, 3], None]]), 7),
    "a struct": (pa.array([{"n": 1, "l": [1, 2]}, None, {"n": 2, "l": []}]), 4),
    "structs in a list": (pa.array([[{"p": 1, "q": ["a", "b"]}, None], [], None]), 4 + 5),
    "a map": (pa.array([[("k", [1])], [], None, [("a", None)]], pa.map_(pa.string(), pa.list_(pa.int64()))), 4 + 4),
    "dictionaries": (pa.array([["a", "b"], []], pa.list_(pa.dictionary(pa.int32(), pa.string()))), 3),
    "no rows": (pa.array([], pa.list_(pa.int64())), 0),
    "a fixed size": (pa.array([[1, 2], None], pa.list_(pa.int64(), 2)), None),
}


@pytest.mark.parametrize("name", LISTS)
def test_entries_of_lists_are_counted(name, implementation):
    array, expected = LISTS[name]
    count = kernels.arrays.count_entries
    counts = expected if implementation == "native" else None
    assert count(*array.__arrow_c_array__()) == counts
    doubled = pa.concat_arrays([array, array])
    assert count(*doubled[len(array) :].__arrow_c_array__()) == counts
    struct = pa.StructArray.from_arrays([doubled], ["x"])
    assert count(*struct[len(array) :].__arrow_c_array__()) == counts
