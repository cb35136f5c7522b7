"""Many short column chunks are read by us without being asked, as pyarrow reads them; others, by pyarrow."""

from __future__ import annotations

import decimal
import random
import uuid
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.hostile_pages import hostile_files
from support.noting import note_short_chunks
from support.own_codecs import CODECS
from support.pages import Column, data_page, dictionary_page, parquet_file
from support.peaks import peaks
from support.varints import varint

import parquetext
from parquetext import kernels, wire
from parquetext.errors import ParquetextError
from parquetext.thrift import read, write

ROWS = 300


@pytest.fixture
def read_short(monkeypatch) -> list[bool]:
    """Whether each read was one of short chunks."""
    return note_short_chunks(monkeypatch)


def is_native() -> bool:
    return kernels.implementation() == "native"


def column_of(chance: random.Random, type: pa.DataType, make) -> pa.Array:
    nulls = chance.choice([0, 0, 0.3, 1])
    return pa.array([None if chance.random() < nulls else make() for _ in range(ROWS)], type)


def table_of(seed: int) -> pa.Table:
    """Columns of all types that are read so, some of them required, in any order."""
    chance = random.Random(seed)
    few = [chance.randbytes(chance.randrange(30)) for _ in range(9)]

    def number(bits: int, signed: bool = True):
        return lambda: chance.getrandbits(bits) - (1 << bits - 1 if signed else 0)

    def exact(digits: int):
        return lambda: decimal.Decimal(chance.randrange(1 - 10**digits, 10**digits)).scaleb(-2)

    makers = {
        pa.int8(): number(8),
        pa.uint8(): number(8, False),
        pa.int16(): number(16),
        pa.uint16(): number(16, False),
        pa.int32(): number(32),
        pa.uint32(): number(32, False),
        pa.int64(): number(64),
        pa.uint64(): number(64, False),
        pa.float32(): chance.random,
        pa.float64(): chance.random,
        pa.bool_(): lambda: chance.random() < 0.5,
        pa.string(): lambda: f"text {chance.randrange(40)}",
        pa.binary(): lambda: chance.choice(few),
        pa.date32(): number(16),
        pa.time32("ms"): number(20, False),
        pa.time64("us"): number(30, False),
        pa.time64("ns"): number(30, False),
        pa.timestamp("ms"): number(50),
        pa.timestamp("us", "UTC"): number(50),
        pa.timestamp("us", "Europe/Vienna"): number(50),
        pa.timestamp("ns"): number(60),
        pa.decimal128(1, 0): lambda: decimal.Decimal(chance.randrange(-9, 10)),
        pa.decimal128(9, 2): exact(9),
        pa.decimal128(18, 2): exact(18),
        pa.decimal128(38, 2): lambda: decimal.Decimal(chance.randrange(10**28)).scaleb(-2),
    }
    types = list(makers)
    chance.shuffle(types)
    fields = [pa.field(f"c{number}", type) for number, type in enumerate(types)]
    columns = [column_of(chance, type, makers[type]) for type in types]
    required = [field.with_nullable(bool(column.null_count)) for field, column in zip(fields, columns, strict=True)]
    return pa.Table.from_arrays(columns, schema=pa.schema(required, chance.choice([None, {b"made": b"here"}])))


def options_of(seed: int) -> dict:
    chance = random.Random(seed)
    return {
        "compression": chance.choice(CODECS),
        "data_page_version": chance.choice(["1.0", "2.0"]),
        "row_group_size": chance.choice([7, 40, ROWS]),
        "use_dictionary": chance.choice([True, False]),
        "data_page_size": chance.choice([50, 1 << 20]),
        "write_batch_size": chance.choice([5, 1024]),
        "store_schema": chance.choice([True, False]),
        "write_page_checksum": chance.choice([True, False]),
    }


def assert_alike(ours: pa.Table, theirs: pa.Table) -> None:
    assert ours.schema.equals(theirs.schema, check_metadata=True)
    assert ours.schema.metadata == theirs.schema.metadata
    assert ours.equals(theirs)
    assert [column.num_chunks for column in ours.columns] == [column.num_chunks for column in theirs.columns]
    ours.validate(full=True)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("form", ["flat", "thrift"])
def test_tables_are_those_that_pyarrow_reads(tmp_path, read_short, seed, form):
    path = tmp_path / "x.parquet"
    pq.write_table(table_of(seed), path, **options_of(seed))
    if form == "flat":
        parquetext.upgrade(path)
    some = random.Random(seed).sample(table_of(seed).column_names, 9)
    last = table_of(seed).num_rows // options_of(seed)["row_group_size"] // 2
    with parquetext.open(path) as source:
        for columns, row_groups in ((None, None), (some, None), (some[:1], [last]), (some, [last, 0])):
            theirs = source.read(columns, row_groups, engine="pyarrow")
            assert_alike(source.read(columns, row_groups), theirs)
    assert read_short == [is_native()] * 4


def test_rows_that_meet_a_filter_are_those_that_pyarrow_finds(tmp_path, read_short):
    path = tmp_path / "x.parquet"
    table = table_of(3).append_column("row", pa.array(range(ROWS)))
    pq.write_table(table, path, row_group_size=50)
    for filters in ([("row", ">", 120), ("row", "<", 170)], [("row", "<", 0)]):
        theirs = pq.read_table(path, columns=["c1", "c2"], filters=filters)
        assert parquetext.read_table(path, ["c1", "c2"], filters).equals(theirs)
    assert read_short[0] == is_native()


@pytest.mark.parametrize(
    ("column", "options"),
    [
        (pa.array([[row] for row in range(ROWS)]), {}),
        (pa.array([{"a": row} for row in range(ROWS)]), {}),
        (pa.array([str(row % 9) for row in range(ROWS)]).dictionary_encode(), {}),
        (pa.array([str(row) for row in range(ROWS)], pa.large_string()), {}),
        (pa.array([str(row) for row in range(ROWS)], pa.string_view()), {}),
        (pa.array([b"%03d" % row for row in range(ROWS)], pa.binary(3)), {}),
        (pa.array(range(ROWS), pa.int64()).cast(pa.duration("s")), {}),
        (pa.array([decimal.Decimal(row) for row in range(ROWS)], pa.decimal256(50)), {}),
        (pa.array([decimal.Decimal(row) for row in range(ROWS)]), {"store_decimal_as_integer": True}),
        (pa.ExtensionArray.from_storage(pa.uuid(), pa.array([uuid.uuid4().bytes] * ROWS, pa.binary(16))), {}),
        (pa.array(range(ROWS), pa.timestamp("ns")), {"use_deprecated_int96_timestamps": True}),
        (pa.nulls(ROWS), {}),
        (pa.array(range(ROWS)), {"compression": "gzip"}),
    ],
    ids=[
        "list",
        "struct",
        "dictionary",
        "large string",
        "string view",
        "fixed",
        "duration",
        "decimal256",
        "decimal of an integer",
        "extension",
        "int96",
        "null",
        "gzip",
    ],
)
def test_other_columns_are_left_to_pyarrow(tmp_path, read_short, column, options):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"id": range(ROWS), "other": column}), path, row_group_size=20, **options)
    assert_alike(parquetext.read_table(path), parquetext.read_table(path, engine="pyarrow"))
    assert read_short == [is_native() and "compression" not in options]
    assert_alike(parquetext.read_table(path, ["other"]), parquetext.read_table(path, ["other"], engine="pyarrow"))
    assert read_short[1:] == [False]


@pytest.mark.parametrize("seed", range(4))
def test_columns_keep_their_order_among_others(tmp_path, read_short, seed):
    path, chance = tmp_path / "x.parquet", random.Random(seed)
    table = table_of(seed)
    for number in range(5):
        nested = [{"a": row, "b": [str(row), None], "c": {"d": row / 2}} for row in range(ROWS)]
        column = chance.choice([nested, [[row] * (row % 3) for row in range(ROWS)], [b"ab"] * ROWS])
        type = pa.binary(2) if column[0] == b"ab" else None
        table = table.add_column(chance.randrange(table.num_columns), f"n{number}", pa.array(column, type))
    pq.write_table(table, path, row_group_size=70)
    leaves = pq.read_metadata(path).schema
    parts = [leaves.column(leaf).path for leaf in range(len(leaves))]
    with parquetext.open(path) as source:
        for columns in (None, chance.sample(table.column_names, 20), chance.sample(table.column_names, 12)):
            assert_alike(source.read(columns), source.read(columns, engine="pyarrow"))
        flat = [part for part in parts if part.startswith("c") and "." not in part]
        inner = chance.sample([part for part in parts if "." in part], 2)
        some = chance.sample(flat + inner, len(flat) + 2)
        assert_alike(source.read(some), source.read(some, engine="pyarrow"))
    assert read_short == [is_native()] * 4


def test_errors_of_a_column_are_pyarrows(tmp_path, read_short):
    path = tmp_path / "x.parquet"
    pq.write_table(table_of(4), path, row_group_size=100)
    begin = pq.read_metadata(path).row_group(1).column(7).data_page_offset
    with open(path, "r+b") as damaged:
        damaged.seek(begin)
        damaged.write(b"\xff" * 8)
    found = outcome(path)
    assert found == outcome(path, engine="pyarrow") and found.startswith("OSError")
    kept = [name for name in table_of(4).column_names if name != "c7"]
    assert parquetext.read_table(path, kept).equals(table_of(4).select(kept))


def with_key_values(path, pairs: list[dict] | None) -> None:
    """Change the key-values of a file's footer, or take the field away."""
    data = path.read_bytes()
    begin = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    fields = read("FileMetaData", data[begin:-8])
    fields.pop("key_value_metadata", None)
    changed = write("FileMetaData", fields if pairs is None else fields | {"key_value_metadata": pairs})
    path.write_bytes(data[:begin] + changed + len(changed).to_bytes(4, "little") + data[-4:])


def test_files_read_by_turns_keep_each_its_own_key_values(tmp_path, read_short):
    kinds = {
        "one": [{"key": "k", "value": "1"}],
        "other": [{"key": "k", "value": "2"}],
        "none": None,
        "without a value": [{"key": "k"}],
        "last without one": [{"key": "k", "value": "1"}, {"key": "z"}],
        "long": [{"key": "k", "value": "x" * (5 << 20)}],
        "longer": [{"key": "k", "value": "x" * (5 << 20) + "y"}],
        "twice": [{"key": "k", "value": "1"}, {"key": "k", "value": "2"}],
    }
    paths = [tmp_path / f"{kind}.parquet" for kind in kinds]
    for path, pairs in zip(paths, kinds.values(), strict=True):
        pq.write_table(pa.table({"id": range(ROWS)}), path, store_schema=False)
        with_key_values(path, pairs)
    for path in [*paths, *reversed(paths), *paths]:
        assert_alike(parquetext.read_table(path), pq.read_table(path))
        assert_alike(parquetext.read_table(path, engine="parquetext"), pq.read_table(path))
        assert parquetext.read_table(path, []).schema.metadata == pq.read_table(path, columns=[]).schema.metadata
    assert read_short == [is_native(), False] * 3 * len(paths)


def test_files_of_a_folder_and_of_parquet_file_are_read_so_too(tmp_path, read_short):
    for number in range(3):
        pq.write_table(table_of(1).slice(100 * number, 100), tmp_path / f"{number}.parquet", row_group_size=50)
    assert parquetext.read_table(tmp_path).equals(pq.read_table(tmp_path))
    assert parquetext.dataset(tmp_path).to_table(["c3"]).equals(pq.read_table(tmp_path, columns=["c3"]))
    one = tmp_path / "1.parquet"
    assert parquetext.ParquetFile(one).read().equals(pq.ParquetFile(one).read())
    assert parquetext.ParquetFile(one).read_row_group(1).equals(pq.ParquetFile(one).read_row_group(1))
    assert read_short == [is_native()] * 8


def test_options_of_pyarrow_and_an_engine_leave_it_to_them(tmp_path, read_short):
    path = tmp_path / "x.parquet"
    pq.write_table(table_of(1), path, row_group_size=20)
    for given in ({"engine": "pyarrow"}, {"engine": "auto"}, {"engine": "parquetext"}, {"pre_buffer": True}):
        assert parquetext.read_table(path, **given).equals(table_of(1))
    assert not read_short


def test_files_of_another_kind_are_left_to_pyarrow(tmp_path, read_short):
    path = tmp_path / "x.parquet"
    pq.write_table(table_of(1), path, row_group_size=20)
    assert parquetext.read_table(path.read_bytes()).equals(table_of(1))
    assert read_short == [False]


def test_a_column_lives_on_without_its_table_and_its_file(tmp_path, read_short):
    path = tmp_path / "x.parquet"
    table = table_of(2)
    pq.write_table(table, path, row_group_size=20)
    kept = [parquetext.read_table(path)[name] for name in table.column_names]
    path.unlink()
    assert all(column.equals(written) for column, written in zip(kept, table.columns, strict=True))
    assert all(read_short) == is_native()


def test_tables_give_their_memory_back(tmp_path, read_short):
    path, times = tmp_path / "x.parquet", 30
    columns = {"number": np.arange(1 << 17), "text": [f"{row:020}" for row in range(1 << 17)]}
    pq.write_table(pa.table(columns), path, row_group_size=1 << 12, compression="none")
    read = [resident() for _ in range(times) if parquetext.read_table(path).num_rows]
    assert read[-1] - read[5] < 20 << 20 < times * parquetext.read_table(path).nbytes // 5


def resident() -> int:
    """Bytes of memory that this process has."""
    return int(Path("/proc/self/statm").read_text().split()[1]) << 12


@pytest.mark.parametrize("seed", range(8))
def test_damaged_pages_are_read_or_refused_as_before(tmp_path, read_short, seed):
    """Their values are those that our decoder reads page by page, or pyarrow's; errors are pyarrow's."""
    path, chance = tmp_path / "x.parquet", random.Random(seed)
    pq.write_table(table_of(seed).slice(0, 60), path, row_group_size=25, compression=CODECS[seed % len(CODECS)])
    sound = path.read_bytes()
    end = len(sound) - 8 - int.from_bytes(sound[-8:-4], "little")
    for _ in range(25):
        data = bytearray(sound)
        data[chance.randrange(4, end)] ^= 1 << chance.randrange(8)
        path.write_bytes(data)
        assert outcome(path) in (outcome(path, engine="parquetext"), outcome(path, engine="pyarrow"))


def test_errors_of_columns_left_to_pyarrow_are_those_of_all_columns(tmp_path, read_short):
    """pyarrow names a column by its number, too: among all that are read."""
    path, numbers, many = tmp_path / "x.parquet", bytes(40), 10
    columns = [Column(name, wire.PHYSICAL_INT32, [data_page(numbers, many, wire.ENCODING_PLAIN)]) for name in "abc"]
    columns.append(Column("d", wire.PHYSICAL_INT96, [data_page(bytes(120), many, wire.ENCODING_PLAIN)]))
    columns.append(Column("e", wire.PHYSICAL_INT32, [data_page(numbers, many - 1, wire.ENCODING_PLAIN)]))
    path.write_bytes(parquet_file(columns, rows=many))
    assert outcome(path, engine="pyarrow") == ("ArrowInvalid: Column 4 named e expected length 10 but got length 9")
    assert outcome(path) == outcome(path, engine="pyarrow")
    assert not any(read_short)


def outcome(path, **options) -> str:
    try:
        found = parquetext.read_table(path, **options)
    except (ParquetextError, pa.ArrowException, OSError, UnicodeError) as error:
        return f"{type(error).__name__}: {error}"
    return repr([stored(column.combine_chunks()).to_pylist() for column in found.columns])


def stored(array: pa.Array) -> pa.Array:
    """Damaged texts may be none, and damaged times none that Python has."""
    if pa.types.is_temporal(array.type):
        return array.view(pa.int32() if array.type.bit_width == 32 else pa.int64())
    return array.cast(pa.binary()) if pa.types.is_string(array.type) else array


def repeating(size: int, rows: int) -> bytes:
    """A file of few bytes: one text of so many, in all its rows."""
    dictionary = dictionary_page(size.to_bytes(4, "little") + bytes(size), 1, codec=wire.CODEC_SNAPPY)
    indices = bytes([1]) + varint(rows << 1) + b"\0"
    page = data_page(indices, rows, wire.ENCODING_RLE_DICTIONARY, codec=wire.CODEC_SNAPPY)
    column = Column("x", wire.PHYSICAL_BYTE_ARRAY, [dictionary, page], codec=wire.CODEC_SNAPPY)
    return parquet_file([column], rows)


def test_texts_that_few_bytes_repeat_are_left_to_pyarrow(tmp_path, read_short):
    path = tmp_path / "x.parquet"
    for rows, is_read in ((30, is_native()), (1000, False)):
        path.write_bytes(repeating(1 << 16, rows))
        read_short.clear()
        assert parquetext.read_table(path).nbytes > rows << 16
        assert read_short == [is_read]


def test_claims_of_hostile_pages_take_no_memory(tmp_path):
    good, paths = tmp_path / "good.parquet", []
    pq.write_table(pa.table({"x": [1, 2, 3]}), good)
    for number, (_, data) in enumerate(hostile_files()):
        paths.append(tmp_path / f"{number}.parquet")
        paths[-1].write_bytes(data)
    assert max(peak.taken for peak in peaks(good, paths, ["short"])) < 64 << 20
