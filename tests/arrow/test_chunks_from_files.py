"""Columns of a local file whose chunks the compiled kernels read by themselves: the values are those of pyarrow, and
what is wrong with the pages is said as by the way of one page after the other."""

from __future__ import annotations

import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext import kernels
from parquetext.arrow import local_columns
from parquetext.arrow.local_columns import LocalColumns
from parquetext.errors import ParquetextError

ROWS = 5000


@pytest.fixture
def calls(monkeypatch) -> list[bool]:
    """Whether each part of a column was read so."""
    found = []
    plainly = LocalColumns._together

    def noted(self, unit, texts):
        arrays = plainly(self, unit, texts)
        found.extend(pieces is not None for pieces in arrays)
        return arrays

    monkeypatch.setattr(LocalColumns, "_together", noted)
    return found


def table_of(seed: int) -> pa.Table:
    chance = random.Random(seed)
    few = [chance.randbytes(chance.randrange(40)) for _ in range(50)]

    def some(make, nulls: float = 0.2) -> list:
        return [None if chance.random() < nulls else make(row) for row in range(ROWS)]

    return pa.table(
        {
            "id": pa.array(range(ROWS), pa.int64()),
            "number": pa.array(some(lambda _: chance.random()), pa.float64()),
            "small": pa.array(some(lambda row: row % 77), pa.int32()),
            "flag": pa.array(some(lambda _: chance.random() < 0.5), pa.bool_()),
            "text": pa.array(some(lambda row: f"text {row // 9}"), pa.string()),
            "bytes": pa.array(some(lambda _: chance.choice(few), 0), pa.binary()),
            "fixed": pa.array(some(lambda row: b"%08d" % row), pa.binary(8)),
        }
    )


@pytest.mark.parametrize("seed", range(8))
def test_values_are_those_that_pyarrow_reads(tmp_path, calls, seed):
    chance, path = random.Random(seed), tmp_path / "x.parquet"
    chosen = {
        "compression": chance.choice(["none", "snappy", "snappy"]),
        "data_page_version": chance.choice(["1.0", "2.0"]),
        "data_page_size": chance.choice([100, 5000, 1 << 20]),
        "write_batch_size": chance.choice([10, 1000]),
        "row_group_size": chance.choice([700, ROWS]),
        "use_dictionary": chance.choice([True, False]),
    }
    pq.write_table(table_of(seed), path, **chosen)
    for filters in (None, [("id", ">=", 1000), ("id", "<", 1200)], [("number", "<", 0.01)], [("small", ">", 20)]):
        theirs = pq.read_table(path, filters=filters)
        assert parquetext.read_table(path, filters=filters, engine="parquetext").equals(theirs)
    assert calls and all(calls) == (kernels.implementation() == "native")


@pytest.mark.parametrize("columns", [["id"], ["id", "text"], None], ids=["one", "two", "all"])
def test_row_groups_become_one_array_for_each_thread_that_has_enough_to_do(tmp_path, monkeypatch, columns):
    pq.write_table(table_of(1), tmp_path / "x.parquet", row_group_size=300)
    monkeypatch.setattr(local_columns, "LEAST_ROWS", 1000)
    found = parquetext.read_table(tmp_path / "x.parquet", columns, engine="parquetext")
    assert found.equals(pq.read_table(tmp_path / "x.parquet", columns=columns))
    if kernels.implementation() == "native":
        assert all(column.num_chunks < 17 for column in found.columns)


def test_texts_of_more_than_one_array_holds_are_read_row_group_by_row_group(tmp_path, monkeypatch):
    text = pa.array(["x" * 50_000] * 100)
    pq.write_table(pa.table({"text": text, "id": range(100)}), tmp_path / "x.parquet", row_group_size=20)
    monkeypatch.setattr(local_columns, "MOST_ARRAY_BYTES", 3_000_000)
    found = parquetext.read_table(tmp_path / "x.parquet", engine="parquetext")
    assert found["text"].combine_chunks().equals(text) and found["text"].num_chunks > 1


def test_structs_without_lists_are_read_so(tmp_path, calls):
    inner = pa.StructArray.from_arrays([pa.array([1, None, 3] * 100), pa.array(["a", "b", None] * 100)], ["n", "t"])
    outer = pa.StructArray.from_arrays([inner, pa.array([True, None, False] * 100)], ["inner", "flag"])
    table = pa.table({"outer": outer.filter(pa.array([True] * 300)), "id": range(300)})
    holes = pa.StructArray.from_arrays(
        list(outer.flatten()), ["inner", "flag"], mask=pa.array([False, True, False] * 100)
    )
    table = table.append_column("holes", holes)
    pq.write_table(table, tmp_path / "x.parquet", row_group_size=70)
    for filters in (None, [("id", ">", 150)]):
        found = parquetext.read_table(tmp_path / "x.parquet", filters=filters, engine="parquetext")
        assert found.equals(pq.read_table(tmp_path / "x.parquet", filters=filters))
    assert calls and all(calls) == (kernels.implementation() == "native")


@pytest.mark.parametrize("compression", ["zstd", "gzip"])
def test_other_codecs_go_page_by_page(tmp_path, calls, compression):
    pq.write_table(table_of(1), tmp_path / "x.parquet", compression=compression)
    found = parquetext.read_table(tmp_path / "x.parquet", engine="parquetext")
    assert found.equals(table_of(1)) and not any(calls)


def test_a_page_larger_than_a_window_is_read(tmp_path):
    table = pa.table({"text": [random.Random(row).randbytes(1 << 21) for row in range(3)], "id": range(3)})
    for compression in ("none", "snappy"):
        pq.write_table(table, tmp_path / "x.parquet", compression=compression, use_dictionary=False)
        assert parquetext.read_table(tmp_path / "x.parquet", engine="parquetext").equals(table)


@pytest.mark.parametrize("seed", range(4))
def test_damage_is_told_as_page_by_page(tmp_path, monkeypatch, seed):
    path, chance = tmp_path / "x.parquet", random.Random(seed)
    codec = chance.choice(["none", "snappy"])
    pq.write_table(table_of(2).slice(0, 300), path, compression=codec, data_page_size=500)
    sound = path.read_bytes()
    first = pq.read_metadata(path).row_group(0).column(0).dictionary_page_offset
    end = len(sound) - 8 - int.from_bytes(sound[-8:-4], "little")
    for _ in range(40):
        data = bytearray(sound)
        data[chance.randrange(first, end)] ^= 1 << chance.randrange(8)
        path.write_bytes(data)
        with monkeypatch.context() as patch:
            patch.setattr(LocalColumns, "takes", lambda self, column: False)
            expected = outcome(path)
        assert outcome(path) == expected


def outcome(path) -> str:
    try:
        found = parquetext.read_table(path, engine="parquetext")
    except (ParquetextError, pa.ArrowException) as error:
        return f"{type(error).__name__}: {error}"
    as_bytes = found["text"].cast(pa.binary())  # damaged text may be none
    return repr(found.set_column(found.schema.get_field_index("text"), "text", as_bytes).to_pydict())
