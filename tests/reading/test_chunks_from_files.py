"""Columns of a local file whose chunks the compiled kernels read by themselves: the values are those of pyarrow, and
errors of pages are those of reading one page after the other."""

from __future__ import annotations

import random
from array import array

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.own_codecs import CODECS, OTHERS

import parquetext
from parquetext import footer, kernels, wire
from parquetext.errors import ParquetextError
from parquetext.reading.execute import local_columns
from parquetext.reading.execute.local_columns import LocalColumns

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
        "compression": chance.choice(CODECS),
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


@pytest.mark.parametrize("compression", OTHERS)
def test_other_codecs_go_page_by_page(tmp_path, calls, compression):
    pq.write_table(table_of(1), tmp_path / "x.parquet", compression=compression)
    found = parquetext.read_table(tmp_path / "x.parquet", engine="parquetext")
    assert found.equals(table_of(1)) and not any(calls)


def test_a_page_larger_than_a_window_is_read(tmp_path):
    table = pa.table({"text": [random.Random(row).randbytes(1 << 21) for row in range(3)], "id": range(3)})
    for compression in CODECS:
        pq.write_table(table, tmp_path / "x.parquet", compression=compression, use_dictionary=False)
        assert parquetext.read_table(tmp_path / "x.parquet", engine="parquetext").equals(table)


@pytest.mark.parametrize("seed", range(8))
def test_damage_is_reported_as_in_reads_page_by_page(tmp_path, monkeypatch, seed):
    path, chance = tmp_path / "x.parquet", random.Random(seed)
    codec = CODECS[seed % len(CODECS)]
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


class TestKernel:
    """`kernels.column.from_file`, which the compiled kernels alone do."""

    ROWS = array("q", [40, 40, 20])

    @pytest.fixture
    def read(self, tmp_path):
        if kernels.implementation() != "native":
            pytest.skip("the twin reads no files")
        path = tmp_path / "x.parquet"
        texts = [f"text {row}" for row in range(100)]
        pq.write_table(pa.table({"id": range(100), "a": texts, "b": texts}), path, row_group_size=40)
        types = [wire.PHYSICAL_INT64, wire.PHYSICAL_BYTE_ARRAY, wire.PHYSICAL_BYTE_ARRAY]
        with open(path, "rb") as file:
            scan = footer.scan(str(path))
            chunks = [scan.column(leaf) for leaf in range(3)]
            whole = path.stat().st_size

            def read(first, last, *selection, rows=self.ROWS, size=whole, chunks=chunks, **options):
                columns = [kernels.column.Column(type, 0, 1, 0, 0) for type in types]
                done = kernels.column.from_file(
                    columns, chunks, file.fileno(), size, rows, first, last, *selection, **options
                )
                return done, [column.take() for column in columns]

            yield read

    def test_chosen_rows_of_row_groups_are_decoded(self, read):
        done, (numbers, texts, _) = read(0, 3, array("q", [1, 2, 30, 4, 0, 1]), array("q", [4, 0, 2]))
        assert done == [True] * 3 and numbers.rows == texts.rows == 7
        assert memoryview(numbers.values).cast("B").cast("q").tolist() == [1, 2, 33, 34, 35, 36, 80]
        assert bytes(memoryview(texts.values)) == b"text 1text 2text 33text 34text 35text 36text 80"

    @pytest.mark.parametrize(("first", "last"), [(0, 4), (2, 1)], ids=["beyond the last", "backwards"])
    def test_row_groups_that_are_not_there_are_an_argument_that_cannot_be(self, read, first, last):
        with pytest.raises(ParquetextError):
            read(first, last)

    def test_wrong_numbers_of_turns_and_chunks_are_refused(self, read):
        with pytest.raises(ParquetextError):
            read(0, 3, array("q", [0, 1]), array("q", [2]))
        with pytest.raises(ParquetextError):
            read(0, 3, chunks=[])

    @pytest.mark.parametrize("turns", [[2, 2, 2], [-2, 2, 2], [2, 0, 1 << 62]], ids=["more", "negative", "very many"])
    def test_more_turns_than_there_are_counts_are_not_done(self, read, turns):
        done, _ = read(0, 3, array("q", [0, 1, 0, 1]), array("q", turns))
        assert done == [False] * 3

    def test_more_rows_than_a_row_group_has_are_not_done(self, read):
        done, _ = read(0, 1, array("q", [30, 11]), array("q", [2]))
        assert done == [False] * 3

    def test_chunks_of_other_rows_or_beyond_the_file_are_not_read(self, read):
        assert read(0, 3, rows=array("q", [40, 41, 20]))[0] == [False] * 3
        assert read(0, 3, size=100)[0] == [False] * 3

    def test_texts_of_all_columns_together_are_bounded(self, read):
        whole = len(memoryview(read(0, 3)[1][1].values))
        assert read(0, 3, most_bytes=2 * whole)[0] == [True, True, True]
        assert read(0, 3, most_bytes=2 * whole - 1)[0] == [True, True, False]
        assert read(0, 3, most_bytes=whole - 1)[0] == [True, False, False]
