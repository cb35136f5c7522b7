"""Page indexes that are made from pages equal those that pyarrow writes for the same table."""

from __future__ import annotations

import datetime
import decimal
import io
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext import kernels, thrift
from parquetext.indexing.page_bounds import LONGEST, shortened_maximum

ROWS = 4000
NAN = float("nan")
WORDS = ["", "a", "zz", "ä", "字", "\U0010ffff"]


def column(name: str, values, type: pa.DataType) -> pa.Table:
    return pa.table({name: pa.array(values, type)})


def numbered(make, nulls: int = 11) -> list:
    return [None if row % nulls == 0 or 500 < row < 1700 else make(row) for row in range(ROWS)]


TABLES = {
    "int8": column("c", numbered(lambda row: row % 200 - 100), pa.int8()),
    "int32 ascending": column("c", range(ROWS), pa.int32()),
    "int64 descending": column("c", range(ROWS, 0, -1), pa.int64()),
    "int64": column("c", numbered(lambda row: row * 7919 % 1000 - 500), pa.int64()),
    "uint32": column("c", numbered(lambda row: row * 2654435761 % (1 << 32)), pa.uint32()),
    "uint64": column("c", numbered(lambda row: (1 << 63) + row), pa.uint64()),
    "boolean": column("c", numbered(lambda row: row < 2000), pa.bool_()),
    "float": column("c", numbered(lambda row: NAN if row % 3 else row / 7), pa.float32()),
    "double": column("c", numbered(lambda row: NAN if row % 5 else -row / 7), pa.float64()),
    "signed zeros": column("c", [0.0] * 2000 + [-0.0] * 2000, pa.float64()),
    "NaN alone": column("c", [1.0] * 2000 + [NAN] * 2000, pa.float64()),
    "half": column("c", numbered(lambda row: float(row % 100 - 50)), pa.float16()),
    "text": column("c", numbered(lambda row: WORDS[row % 6] + str(row % 97)), pa.string()),
    "binary": column("c", numbered(lambda row: bytes([row % 256, 255])), pa.binary()),
    "fixed": column("c", numbered(lambda row: (row * 7919 % 65536).to_bytes(4, "big")), pa.binary(4)),
    "decimal": column("c", numbered(lambda row: decimal.Decimal(row - 2000) / 100), pa.decimal128(20, 2)),
    "small decimal": column("c", numbered(lambda row: decimal.Decimal(row - 2000) / 100), pa.decimal128(7, 2)),
    "date": column("c", numbered(lambda row: datetime.date.fromordinal(700_000 + row)), pa.date32()),
    "timestamp": column("c", numbered(lambda row: row * 1000 - 10**6), pa.timestamp("us")),
    "nulls": column("c", [None] * ROWS, pa.int32()),
    "list": column(
        "c", [None if row % 9 == 0 else [row, None][: row % 3] for row in range(ROWS)], pa.list_(pa.int32())
    ),
    "struct": column("c", numbered(lambda row: {"x": row, "y": None}), pa.struct({"x": pa.int32(), "y": pa.string()})),
    "dictionary": pa.table({"c": pa.array([f"word {row % 7}" for row in range(ROWS)]).dictionary_encode()}),
}
WRITERS = [
    pytest.param({"data_page_version": version, "write_statistics": statistics}, id=f"{version}-{statistics}")
    for version in ("1.0", "2.0")
    for statistics in (True, False)
]


def write(table: pa.Table, path: Path, **options) -> bytes:
    size = {"data_page_size": 1024, "write_batch_size": 128, "row_group_size": 2500, "max_rows_per_page": 200}
    pq.write_table(table, path, **{**size, **options})
    return path.read_bytes()


def indexes(path: Path) -> list[tuple]:
    """Return the first rows of pages and the ColumnIndex of each chunk of the file."""
    data, found = path.read_bytes(), []
    with parquetext.open(path) as file:
        for name in file:
            chunks = file.column(name).chunks
            fields = [
                list(zip(chunks.array(f"{kind}_offset"), chunks.array(f"{kind}_length"), strict=True))
                for kind in ("offset_index", "column_index")
            ]
            for (places, length), (bounds, size) in zip(*fields, strict=True):
                rows = None if places <= 0 else list(kernels.page.locations(data[places : places + length])[2])
                index = None if bounds <= 0 else dict(thrift.read("ColumnIndex", data[bounds : bounds + size]))
                found.append((rows, index))
    return found


def comparable(index: dict | None) -> dict | None:
    """Return the fields that this package writes."""
    names = "null_pages", "min_values", "max_values", "boundary_order", "null_counts"
    return index and {name: index.get(name) for name in names}


@pytest.mark.parametrize("options", WRITERS)
@pytest.mark.parametrize("kind", TABLES)
def test_indexes_equal_those_of_pyarrow(tmp_path, kind, options):
    path, theirs = tmp_path / "x.parquet", tmp_path / "theirs.parquet"
    original = write(TABLES[kind], path, **options)
    write(TABLES[kind], theirs, **{**options, "write_statistics": True}, write_page_index=True)
    assert parquetext.add_page_index(path).outcome == "indexed"
    ours, expected = indexes(path), indexes(theirs)
    assert [rows for rows, _ in ours] == [rows for rows, _ in expected]
    assert len(ours[0][0]) > 1
    assert [comparable(index) for _, index in ours] == [comparable(index) for _, index in expected]
    assert not parquetext.verify(path, deep=True).findings
    parquetext.strip(path)
    assert path.read_bytes() == original


def test_a_page_of_nan_alone_leaves_only_the_offset_index(tmp_path):
    write(TABLES["NaN alone"], tmp_path / "x.parquet")
    parquetext.add_page_index(tmp_path / "x.parquet")
    assert [index is None for _, index in indexes(tmp_path / "x.parquet")] == [True, True]


@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_int96_gets_only_an_offset_index(tmp_path, version):
    path = tmp_path / "x.parquet"
    write(TABLES["timestamp"], path, use_deprecated_int96_timestamps=True, data_page_version=version)
    assert parquetext.add_page_index(path).outcome == "indexed"
    found = indexes(path)
    assert [(len(rows) > 1, index) for rows, index in found] == [(True, None)] * 2


def test_long_texts_are_truncated_to_valid_bounds(tmp_path):
    path = tmp_path / "x.parquet"
    values = [("字" * 40 + str(row)) if row % 2 else "\x7f" * 100 for row in range(ROWS)]
    write(pa.table({"c": values}), path)
    parquetext.add_page_index(path)
    [(_, first), *_] = indexes(path)
    assert first["min_values"][0] == b"\x7f" * LONGEST
    assert first["max_values"][0] == ("字" * 20).encode() + chr(ord("字") + 1).encode()
    assert not parquetext.verify(path, deep=True).findings


@pytest.mark.parametrize(
    ("value", "bound"),
    [
        (b"a" * 64, b"a" * 64),
        (b"a" * 65, b"a" * 63 + b"b"),
        (b"a" * 60 + b"\xff" * 9, b"a" * 59 + b"b"),
        (b"\xff" * 99, b"\xff" * 99),
        (("a" * 60 + "\U0010ffff" * 9).encode(), b"a" * 59 + b"b"),
        (("a" * 61 + "\ud7ff" * 9).encode(), b"a" * 61 + "\ue000".encode()),
        (("a" * 63 + "\x7f" * 9).encode(), b"a" * 62 + b"b"),
    ],
)
def test_a_long_maximum_is_cut_and_incremented(value, bound):
    assert shortened_maximum(value) == bound
    assert bound >= value


def test_bloom_filters_equal_those_of_pyarrow(tmp_path):
    path, theirs = tmp_path / "x.parquet", tmp_path / "theirs.parquet"
    table = pa.table(
        {"n": pa.array(numbered(lambda row: row), pa.int64()), "t": [f"t{row % 700}" for row in range(ROWS)]}
    )
    write(table, path)
    options = {"n": {"ndv": 1300, "fpp": 0.01}, "t": {"ndv": 700, "fpp": 0.01}}
    try:
        write(table, theirs, bloom_filter_options=options)
    except TypeError:
        pytest.skip("this pyarrow writes no Bloom filters")
    parquetext.add_page_index(path, bloom=["n", "t"])

    def filters(path: Path) -> list[bytes]:
        with parquetext.open(path) as file:
            chunks = [file.column(name).chunks for name in file]
        data = path.read_bytes()
        places = [
            zip(one.array("bloom_filter_offset"), one.array("bloom_filter_length"), strict=True) for one in chunks
        ]
        return [data[offset : offset + length] for column in places for offset, length in column]

    ours, expected = filters(path), filters(theirs)
    assert len(ours) == 4
    # Of equal sizes the bits are equal; the sizes depend on the counts, which pyarrow is told.
    assert sum(one == other for one, other in zip(ours, expected, strict=True)) >= 2
    assert not parquetext.verify(path, deep=True).findings


def test_filters_exclude_absent_values(tmp_path):
    path = tmp_path / "x.parquet"
    write(pa.table({"t": [f"even {2 * row}" for row in range(ROWS)]}), path)
    parquetext.add_page_index(path, bloom="t")
    with parquetext.open(path) as file:
        assert file.read(filters=[("t", "=", "even 1000")]).num_rows == 1
        absent = [file.explain(filters=[("t", "=", f"even {row}")]) for row in range(1001, 1021, 2)]
    assert sum("Bloom" in str(plan) or "bloom" in str(plan) for plan in absent) >= 8


def test_both_implementations_make_the_same_file(tmp_path):
    import subprocess
    import sys

    table = pa.table({"n": pa.array(numbered(lambda row: row), pa.int64()), "l": TABLES["list"]["c"]})
    written = []
    for pure in ("0", "1"):
        path = tmp_path / f"{pure}.parquet"
        write(table, path)
        code = "import parquetext, sys; parquetext.add_page_index(sys.argv[1], bloom=['n'])"
        root = str(Path(parquetext.__file__).parents[1])
        env = {"PARQUETEXT_PURE": pure, "PYTHONPATH": root} if pure == "1" else {"PYTHONPATH": root}
        import os

        subprocess.run([sys.executable, "-c", code, path], check=True, env={**os.environ, **env})
        written.append(path.read_bytes())
    assert written[0] == written[1]
    assert io.BytesIO(written[0]).read(4) == b"PAR1"
