"""Buffers of the arrow dialect that we write: flatc, the verifier that it generates, and other readers take them."""

from __future__ import annotations

import decimal
import io
import re
import subprocess
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support import arrow_dialect as dialect
from support.every_type import columns_of_every_type
from support.parquet_bytes import footer_of

from parquetext.errors import ParquetextError
from parquetext.footer.dialect.field_differences import prepare
from parquetext.footer.dialect.framing import frame, unframe
from parquetext.footer.dialect.to_thrift import Decoded

REFUSED = {"parquet-testing/data/unknown-logical-type.parquet"}

pytestmark = pytest.mark.usefixtures("implementation")


def table() -> pa.Table:
    """Every type, nulls among the values, long and short text, nested columns."""
    return pa.table(
        {
            "flag": [True, False, None],
            **columns_of_every_type(),
            "text": ["short", "shorter than sixteen", "short and much longer than sixteen"],
            "ümläut": ["ü" * 20, "ü" * 30, "ä"],
            "bytes": [b"\xff" * 20, b"", None],
            "empty": ["", None, ""],
            "small": pa.array([decimal.Decimal("1.5"), None, decimal.Decimal("-2.5")], pa.decimal128(9, 1)),
        }
    ).replace_schema_metadata({"greeting": "hello", "none": ""})


def files() -> dict[str, bytes]:
    numbers = pa.table({"a": range(200), "b": [str(n) for n in range(200)]})

    def written(data: pa.Table, **options) -> bytes:
        sink = io.BytesIO()
        pq.write_table(data, sink, **options)
        return sink.getvalue()

    found = {
        "types": written(table(), row_group_size=2),
        "sorted": written(numbers, sorting_columns=[pq.SortingColumn(0, descending=True, nulls_first=True)]),
        "page index": written(numbers, write_page_index=True, row_group_size=50),
        "no statistics": written(numbers, write_statistics=False, use_dictionary=False),
        "empty": written(numbers.slice(0, 0)),
    }
    return found | {codec: written(numbers, compression=codec) for codec in ("none", "gzip", "zstd", "lz4", "brotli")}


FILES = files()


def unpacked(statistics: dict, side: str, physical: str) -> bytes | None:
    """A bound as the C++ implementation reads it."""
    length = statistics.get(f"{side}_len")
    if length is None:
        return None
    lo4, lo8, hi8 = (statistics.get(f"{side}_{slot}") or 0 for slot in ("lo4", "lo8", "hi8"))
    if physical in ("INT32", "FLOAT"):
        return lo4.to_bytes(4, "little")
    if physical in ("INT64", "DOUBLE"):
        return lo8.to_bytes(8, "little")
    if length == 16:
        return hi8.to_bytes(8, "big") + lo8.to_bytes(8, "big")
    return (statistics.get("prefix") or "").encode() + lo4.to_bytes(4, "big")[: abs(length)]


@pytest.mark.parametrize("name", FILES)
def test_flatc_decodes_our_buffer_to_the_values_that_pyarrow_reads(name, tmp_path):
    buffer, _ = prepare(footer_of(FILES[name]))
    ours, theirs = dialect.decompiled(buffer, tmp_path), pq.read_metadata(io.BytesIO(FILES[name]))
    assert (ours["num_rows"], ours["created_by"]) == (theirs.num_rows, theirs.created_by)
    assert {pair["key"].encode(): pair["val"].encode() for pair in ours.get("kv", [])} == (theirs.metadata or {})
    leaves = [element for element in ours["schema"] if "type" in element]
    assert [leaf["name"] for leaf in leaves] == [theirs.schema.column(n).name for n in range(theirs.num_columns)]
    assert [leaf["type"] for leaf in leaves] == [theirs.schema.column(n).physical_type for n in range(len(leaves))]
    for index, group in enumerate(ours.get("row_groups", [])):
        assert group["num_rows"] == theirs.row_group(index).num_rows
        assert group["total_byte_size"] == theirs.row_group(index).total_byte_size
        for leaf, chunk in enumerate(group["columns"]):
            check_chunk(chunk["meta_data"], theirs.row_group(index).column(leaf), group["num_rows"])


def check_chunk(ours: dict, theirs: pq.ColumnChunkMetaData, rows: int) -> None:
    assert ours["codec"] in (theirs.compression, {"LZ4": "LZ4_RAW"}.get(theirs.compression))
    assert ours.get("num_values", rows) == theirs.num_values
    assert ours["data_page_offset"] == theirs.data_page_offset
    assert ours.get("dictionary_page_offset") == theirs.dictionary_page_offset
    assert ours["total_compressed_size"] == theirs.total_compressed_size
    statistics = theirs.statistics
    if statistics is None:
        assert "statistics" not in ours
        return
    found = ours.get("statistics", {})
    assert found.get("null_count") == (statistics.null_count if statistics.has_null_count else None)
    assert ("min_len" in found) == ("max_len" in found)
    for side in ("min", "max"):
        bound = unpacked(found, side, theirs.physical_type)
        if bound is not None:
            assert statistics.has_min_max
            check_bound(side, bound, found[f"{side}_len"], getattr(statistics, side), theirs.physical_type)


def check_bound(side: str, bound: bytes, length: int, value, physical: str) -> None:
    if physical != "BYTE_ARRAY" or not isinstance(value, str | bytes):
        return
    value = value.encode() if isinstance(value, str) else value
    assert bound == value or (length == -4 and (bound < value if side == "min" else bound > value))


@pytest.fixture(scope="session")
def verifier(tmp_path_factory) -> Path:
    """The C++ verifier that flatc generates, compiled."""
    if not Path("/usr/include/flatbuffers/flatbuffers.h").exists():
        pytest.skip("the FlatBuffers headers are not installed: nothing compiles the public verifier")
    folder = tmp_path_factory.mktemp("verifier")
    subprocess.run([dialect.tool("flatc"), "--cpp", "-o", folder, dialect.SCHEMA], check=True)
    subprocess.run(
        [
            dialect.tool("g++"),
            "-std=c++17",
            f"-I{folder}",
            "-include",
            "arrow_dialect_generated.h",
            "-DVERIFY=parquet::format3::VerifyFileMetaDataBuffer",
            dialect.DATA / "verify_flat.cpp",
            "-o",
            folder / "verify",
        ],
        check=True,
    )
    return folder / "verify"


def not_accepted(verifier: Path, folder: Path) -> list[str]:
    return subprocess.run([verifier, folder], capture_output=True, text=True, check=False).stdout.splitlines()


def test_the_public_verifier_accepts_our_buffer(verifier, tmp_path):
    for name, file in FILES.items():
        (tmp_path / f"{name}.flat").write_bytes(prepare(footer_of(file))[0])
    assert not_accepted(verifier, tmp_path) == []
    (tmp_path / "broken.flat").write_bytes(b"\xff" * 100)
    assert not_accepted(verifier, tmp_path) == ["broken.flat"]


def test_the_flatbuffers_package_reads_our_buffer(tmp_path):
    flatbuffers = pytest.importorskip("flatbuffers")
    from flatbuffers import number_types
    from flatbuffers.table import Table

    buffer, _ = prepare(footer_of(FILES["types"]))
    root = Table(buffer, flatbuffers.encode.Get(flatbuffers.packer.uoffset, buffer, 0))

    def offset(slot: int) -> int:
        return root.Offset(4 + 2 * slot)

    assert root.Get(number_types.Int64Flags, root.Pos + offset(2)) == 3  # num_rows
    assert root.VectorLen(offset(1)) == len(Decoded(buffer).footer["schema"])
    assert root.String(root.Pos + offset(5)).startswith(b"parquet-cpp-arrow")  # created_by
    first = Table(buffer, root.Indirect(root.Vector(offset(1)) + 4))
    assert first.String(first.Pos + first.Offset(4)) == b"flag"


CANNOT_BE_SAID = (
    "unknown codec|has no metadata|the type of a column chunk differs|path_in_schema|not UTF-8|is encrypted|"
    "no logical type|unknown layout|schema tree|key_value_metadata|required field"
)


def test_every_footer_of_the_corpus_comes_through_and_is_accepted_or_is_refused(corpus, expected, verifier, tmp_path):
    through = refused = 0
    for entry in expected:
        if not entry["footer"]["parses"]:
            continue
        footer = footer_of((corpus / entry["file"]).read_bytes())
        try:
            buffer, losses = prepare(footer)
        except ParquetextError as error:
            assert entry["class"] != "readable" or entry["file"] in REFUSED, entry["file"]
            assert re.search(CANNOT_BE_SAID, str(error)), (entry["file"], error)
            refused += 1
            continue
        (tmp_path / f"{through}.flat").write_bytes(buffer)
        through += 1
        fields = {loss.field for loss in losses}
        assert not fields & {"FileMetaData.num_rows", "ColumnMetaData.codec", "ColumnMetaData.data_page_offset"}
        assert unframe(frame(buffer)) == buffer
    assert refused <= 34 and through > 10 * refused
    assert not_accepted(verifier, tmp_path) == []
