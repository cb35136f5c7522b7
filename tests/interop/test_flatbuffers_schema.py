"""Flat payloads as code sees them that was generated from the public schema."""

from __future__ import annotations

import base64
import functools
import io
import json
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.arrow_dialect import NEW_VECTOR
from support.every_type import columns_of_every_type
from support.flat_footers import wide_footer

from parquetext import kernels, wire
from parquetext import thrift as values
from parquetext.errors import ParquetextError

DATA = Path(__file__).parents[1] / "data"
SCHEMA = DATA / "parquet.fbs"
CANNOT_BE_WRITTEN = {
    wire.ENCRYPTED,
    wire.IRREGULAR,
    wire.MISMATCH,
    wire.MISSING_FIELD,
    wire.SCHEMA,
    wire.UNSUPPORTED_VALUE,
}

# As `NEW_VECTOR`, of an older schema, whose slots differ.
OLD_VECTOR = base64.b64decode(
    "FAAAABAAHAAEAAgAFAAMAAAAEAAQAAAAAgAAAOgAAAAYAAAADAAAAAUAAAAAAAAAAQAAAHgAAAABAAAAGAAAAAAAEgAwAAgADAAUAAAAHAAkAAYA"
    "EgAAAAAAAAAoAAAAZAAAAAAAAAAFAAAAAAAAAAQAAAAAAAAAWgAAAAAAAAAAAAAAAQAAAAwAAAAAAAYACAAEAAYAAAAcAAAAGAAmAAYAAAAMABQA"
    "AAAcAAAAAAAIAAcAGAAAAAAABgE0AAAAZAAAAAAAAABaAAAAAAAAAAQAAAAAAAAAAAAWABQACAAMAAAAAAAGABAAAAAAAAcAFgAAAAAABAQAAAAA"
    "AQAAAAkAAAACAAAAaAAAABwAAAAYABgACAAEAAUABgAMAAAAAAAQAAcAFAAYAAAAAQEJASgAAAAHAAAABwAAAAgAAAAEAAQABAAAAAgACAAGAAcA"
    "CAAAAAAAIAEBAAAAYQASAAwABAAAAAAAAAAAAAAACAASAAAACAAAAAEAAAAEAAAAcm9vdAAAAAA="
)


SLOTS = [(b"1" * 16, b"of somebody"), (b"2" * 16, bytes(5000))]  # a reader of the public schema passes over them


def footer_of(file: bytes) -> bytes:
    (length,) = struct.unpack("<I", file[-8:-4])
    return file[-8 - length : -8]


def parquet_bytes(table: pa.Table, **options) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, **options)
    return sink.getvalue()


def payload_of(footer: bytes, extensions=()) -> bytes:
    return bytes(kernels.flat.write(kernels.scan.scan(footer), extensions=extensions, verbatim=False))


@functools.cache
def files() -> dict[str, bytes]:
    """Parquet files of all types, codecs and shapes that pyarrow writes."""
    types = pa.table(
        {
            "bool": [True, False, None],
            **columns_of_every_type(),
            "text": ["short", "exactly sixteen!", "ü" * 20],
            "bytes": [b"\xff" * 20, b"", None],
        }
    ).replace_schema_metadata({"greeting": "hello"})
    ids = pa.schema([pa.field("a", pa.int32(), metadata={"PARQUET:field_id": "7"}), pa.field("b", pa.string())])
    numbers = pa.table({"a": range(200), "b": [str(n) for n in range(200)]})
    found = {
        "types": parquet_bytes(types, row_group_size=2),
        "field ids": parquet_bytes(pa.table([[1, 2], ["x", None]], schema=ids)),
        "sorted": parquet_bytes(numbers, sorting_columns=[pq.SortingColumn(0, descending=True, nulls_first=True)]),
        "page index": parquet_bytes(numbers, write_page_index=True, row_group_size=50),
        "no statistics": parquet_bytes(numbers, write_statistics=False, use_dictionary=False),
        "150 row groups": parquet_bytes(numbers.slice(0, 150), row_group_size=1),
        "empty": parquet_bytes(numbers.slice(0, 0)),
        "wide": parquet_bytes(pa.table({f"c{n}": [n] for n in range(300)})),
    }
    codecs = ("none", "gzip", "brotli", "zstd", "lz4")
    return found | {codec: parquet_bytes(numbers, compression=codec) for codec in codecs}


def tool(name: str) -> str:
    return shutil.which(name) or pytest.skip(f"{name} is not installed: nothing reads payloads by the public schema")


@pytest.fixture(scope="session")
def generated(tmp_path_factory) -> Path:
    """Code for Python and C++, generated from the schema."""
    pytest.importorskip("flatbuffers")
    folder = tmp_path_factory.mktemp("generated")
    subprocess.run([tool("flatc"), "--python", "--cpp", "-o", folder, SCHEMA], check=True)
    (folder / "parquet").rename(folder / "flat_parquet")  # no name that something else may have
    for module in (folder / "flat_parquet").rglob("*.py"):
        module.write_text(module.read_text().replace("from parquet.format", "from flat_parquet.format"))
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))


def root(payload: bytes):
    from flat_parquet.format.FileMetaData import FileMetaData

    return FileMetaData.GetRootAs(payload, 0)


# ---- facts, as pyarrow and as a reader of the schema has them

LOGICAL = {
    "String": "StringType",
    "Map": "MapType",
    "List": "ListType",
    "Enum": "EnumType",
    "Decimal": "DecimalType",
    "Date": "DateType",
    "Time": "TimeType",
    "Timestamp": "TimestampType",
    "Int": "IntType",
    "Null": "NullType",
    "JSON": "JsonType",
    "BSON": "BsonType",
    "UUID": "UUIDType",
    "Float16": "Float16Type",
    "None": "NONE",
}
CODECS = {"LZ4": ("LZ4", "LZ4_RAW")}


def unpack_bound(statistics: dict, side: str, physical: str) -> bytes | None:
    """A bound by the public schema's rule."""
    length = statistics.get(f"{side}_len")
    if length is None:
        return None
    lo4, lo8, hi8 = (statistics.get(f"{side}_{slot}") or 0 for slot in ("lo4", "lo8", "hi8"))
    if "BYTE_ARRAY" in physical:
        return (hi8.to_bytes(8, "big") + lo8.to_bytes(8, "big"))[: abs(length)]
    return {
        1: lo4.to_bytes(4, "little")[:1],
        4: lo4.to_bytes(4, "little"),
        8: lo8.to_bytes(8, "little"),
        12: lo4.to_bytes(4, "little") + lo8.to_bytes(8, "little"),
    }[abs(length)]


def check_chunk(ours: dict, theirs, num_rows: int) -> None:
    """A chunk of the JSON against pyarrow's ColumnChunkMetaData."""
    assert ours["codec"] in CODECS.get(theirs.compression, (theirs.compression,))
    num_values = num_rows if ours.get("num_values") is None else ours["num_values"]
    assert num_values == theirs.num_values
    assert ours["total_compressed_size"] == theirs.total_compressed_size
    assert ours["total_uncompressed_size"] == theirs.total_uncompressed_size
    assert ours["data_page_offset"] == theirs.data_page_offset
    assert ours.get("dictionary_page_offset") == theirs.dictionary_page_offset
    assert ("statistics" in ours) == (theirs.statistics is not None)
    if theirs.statistics is not None:
        check_statistics(ours["statistics"], theirs)


def check_statistics(ours: dict, theirs) -> None:
    """Counts are the same; bounds are the same or, if they are longer than 16 bytes, shorter ones that hold."""
    statistics = theirs.statistics
    assert ours.get("null_count") == (statistics.null_count if statistics.has_null_count else None)
    assert ours.get("distinct_count") == (statistics.distinct_count if statistics.has_distinct_count else None)
    low, high = (unpack_bound(ours, side, theirs.physical_type) for side in ("min", "max"))
    if not statistics.has_min_max or theirs.physical_type not in ("BYTE_ARRAY", "INT32", "INT64", "BOOLEAN"):
        return
    plain = pa.array([statistics.min_raw, statistics.max_raw])
    least, most = (encode(value.as_py(), theirs.physical_type) for value in plain)
    for bound, value in ((low, least), (high, most)):
        assert bound == value or len(value) > 16
    if len(least) > 16:
        assert low is None or low <= least
    if len(most) > 16:
        assert high is None or high >= most


def encode(value, physical: str) -> bytes:
    """A value as Parquet's plain encoding has it."""
    if physical == "BYTE_ARRAY":
        return value.encode() if isinstance(value, str) else bytes(value)
    return struct.pack({"BOOLEAN": "<?", "INT32": "<i", "INT64": "<q"}[physical], value)


def schema_leaves(elements: list[dict]) -> list[dict]:
    return [element for element in elements[1:] if not element.get("num_children")]


def check_type(ours: dict, theirs: pq.FileMetaData) -> None:
    """The whole footer, decoded by the schema, against pyarrow's reading of the Thrift one."""
    assert ours["num_rows"] == theirs.num_rows
    assert ours["created_by"] == theirs.created_by
    assert {pair["key"].encode(): pair["val"].encode() for pair in ours.get("kv", [])} == (theirs.metadata or {})
    leaves = schema_leaves(ours["schema"])
    assert len(leaves) == theirs.num_columns
    for leaf, column in zip(leaves, map(theirs.schema.column, range(theirs.num_columns)), strict=True):
        assert leaf["name"] == column.name
        assert leaf["type"] == column.physical_type
        assert leaf["logical_type_type"] == LOGICAL[json.loads(column.logical_type.to_json())["Type"]]
    assert len(ours["row_groups"]) == theirs.num_row_groups
    for index, group in enumerate(ours["row_groups"]):
        theirs_group = theirs.row_group(index)
        assert group["num_rows"] == theirs_group.num_rows
        assert group["total_byte_size"] == theirs_group.total_byte_size
        sorting = [
            (column["column_idx"], column["descending"], column["nulls_first"])
            for column in group.get("sorting_columns", [])
        ]
        assert sorting == [
            (column.column_index, column.descending, column.nulls_first) for column in theirs_group.sorting_columns
        ]
        for leaf, chunk in enumerate(group["columns"]):
            check_chunk(chunk["metadata"], theirs_group.column(leaf), theirs_group.num_rows)


def as_dict(table, enums: dict) -> dict:
    """A generated table as flatc's JSON has it: by the accessors that its class has."""
    found = {}
    for name, read in TABLE_FIELDS[type(table).__name__].items():
        value = read(table, enums)
        if value is not None:
            found[name] = value
    return found


def scalar(accessor: str, enum: str | None = None):
    def read(table, enums):
        value = getattr(table, accessor)()
        value = value.decode() if isinstance(value, bytes) else value
        return enums[enum].get(value, value) if enum and value is not None else value

    return read


def child(accessor: str):
    def read(table, enums):
        value = getattr(table, accessor)()
        return None if value is None else as_dict(value, enums)

    return read


def vector(accessor: str):
    def read(table, enums):
        count = getattr(table, f"{accessor}Length")()
        return [as_dict(getattr(table, accessor)(index), enums) for index in range(count)] or None

    return read


TABLE_FIELDS = {
    "FileMetaData": {
        "version": scalar("Version"),
        "num_rows": scalar("NumRows"),
        "created_by": scalar("CreatedBy"),
        "schema": vector("Schema"),
        "row_groups": vector("RowGroups"),
        "kv": vector("Kv"),
    },
    "KeyValue": {"key": scalar("Key"), "val": scalar("Val")},
    "SchemaElement": {
        "name": scalar("Name"),
        "type": scalar("Type", "Type"),
        "num_children": scalar("NumChildren"),
        "type_length": scalar("TypeLength"),
        "field_id": scalar("FieldId"),
        "logical_type_type": scalar("LogicalTypeType", "LogicalType"),
    },
    "RowGroup": {
        "num_rows": scalar("NumRows"),
        "total_byte_size": scalar("TotalByteSize"),
        "columns": vector("Columns"),
        "sorting_columns": vector("SortingColumns"),
    },
    "SortingColumn": {
        "column_idx": scalar("ColumnIdx"),
        "descending": scalar("Descending"),
        "nulls_first": scalar("NullsFirst"),
    },
    "ColumnChunk": {"metadata": child("Metadata")},
    "ColumnMetadata": {
        "codec": scalar("Codec", "CompressionCodec"),
        "num_values": scalar("NumValues"),
        "total_compressed_size": scalar("TotalCompressedSize"),
        "total_uncompressed_size": scalar("TotalUncompressedSize"),
        "data_page_offset": scalar("DataPageOffset"),
        "statistics": child("Statistics"),
        "dictionary_page_offset": scalar("DictionaryPageOffset"),
    },
    "Statistics": {
        "null_count": scalar("NullCount"),
        "distinct_count": scalar("DistinctCount"),
        **{
            f"{side}_{slot}": scalar(f"{side.title()}{slot.title()}")
            for side in ("min", "max")
            for slot in ("lo4", "lo8", "hi8", "len")
        },
    },
}


def enum_names() -> dict:
    """The names of the schema's enums by value, from the generated classes."""
    import importlib

    found = {}
    for name in ("Type", "CompressionCodec", "LogicalType"):
        kind = getattr(importlib.import_module(f"flat_parquet.format.{name}"), name)
        found[name] = {value: text for text, value in vars(kind).items() if isinstance(value, int)}
    return found


# ---- the schema text itself


def test_the_schema_reads_a_payload_that_flatc_made_under_it(generated):
    meta = root(NEW_VECTOR)
    assert (meta.Version(), meta.NumRows(), meta.CreatedBy()) == (2, 5, b"x")
    element = meta.Schema(1)
    assert (element.Name(), element.Type(), element.RepetitionType(), element.FieldId()) == (b"a", 1, 1, 7)
    assert element.LogicalTypeType() == 9  # Int
    chunk = meta.RowGroups(0).Columns(0).Metadata()
    assert (chunk.TotalCompressedSize(), chunk.TotalUncompressedSize(), chunk.DataPageOffset()) == (90, 100, 4)
    bounds = chunk.Statistics()
    assert (bounds.NullCount(), bounds.MinLo4(), bounds.MinLen(), bounds.MaxLo4(), bounds.MaxLen()) == (0, 1, 4, 9, 4)


def test_the_schema_is_not_the_older_one(generated):
    """The older vector has the same facts in other slots: there the element's name is in slot 0."""
    meta = root(OLD_VECTOR)
    assert (meta.NumRows(), meta.CreatedBy()) == (5, b"x")
    assert meta.Schema(0).Type() is not None


# ---- our payloads


@pytest.mark.parametrize("name", files())
def test_flatc_decodes_a_payload_to_the_metadata_that_pyarrow_reads(implementation, name, tmp_path):
    payload = tmp_path / "footer.flat"
    payload.write_bytes(payload_of(footer_of(files()[name])))
    subprocess.run(
        [
            tool("flatc"),
            "--json",
            "--strict-json",
            "--raw-binary",
            "--defaults-json",
            "-o",
            tmp_path,
            SCHEMA,
            "--",
            payload,
        ],
        check=True,
    )
    decoded = json.loads((tmp_path / "footer.json").read_text(), object_hook=without_nulls)
    check_type(decoded, pq.read_metadata(io.BytesIO(files()[name])))


def rare_footer() -> bytes:
    """Geospatial statistics, and every crypto field that a plaintext footer may have."""
    footer = values.read("FileMetaData", wide_footer(3, 1))
    first, second, third = footer["row_groups"][0]["columns"]
    footer["schema"][1] |= {"type": 6, "logicalType": {"GEOMETRY": {"crs": "OGC:CRS84"}}}
    first["meta_data"] |= {
        "type": 6,
        "geospatial_statistics": {
            "bbox": {"xmin": -1.5, "xmax": 2.5, "ymin": 0.0, "ymax": 4.0, "zmax": 9.0},
            "geospatial_types": [1, 1003],
        },
    }
    second["crypto_metadata"] = {"ENCRYPTION_WITH_FOOTER_KEY": {}}
    third["crypto_metadata"] = {"ENCRYPTION_WITH_COLUMN_KEY": {"path_in_schema": ["c2", "x"], "key_metadata": b"key"}}
    third["encrypted_column_metadata"] = b"sealed"
    footer["encryption_algorithm"] = {"AES_GCM_CTR_V1": {"aad_file_unique": b"unique", "supply_aad_prefix": True}}
    footer["footer_signing_key_metadata"] = b"signer"
    return values.write("FileMetaData", footer)


def test_flatc_decodes_geospatial_statistics_and_crypto_fields(implementation, tmp_path):
    footer, payload = rare_footer(), tmp_path / "footer.flat"
    payload.write_bytes(payload_of(footer))
    subprocess.run(
        [tool("flatc"), "--json", "--strict-json", "--raw-binary", "-o", tmp_path, SCHEMA, "--", payload], check=True
    )
    decoded = json.loads((tmp_path / "footer.json").read_text())
    first, second, third = decoded["row_groups"][0]["columns"]
    assert first["metadata"]["geospatial_statistics"] == {
        "bbox": {"xmin": -1.5, "xmax": 2.5, "ymin": 0.0, "ymax": 4.0, "zmax": 9.0},
        "geospatial_types": [1, 1003],
    }
    assert (second["crypto_metadata_type"], second["crypto_metadata"]) == ("EncryptionWithFooterKey", {})
    assert third["crypto_metadata_type"] == "EncryptionWithColumnKey"
    assert third["crypto_metadata"] == {"path_in_schema": ["c2", "x"], "key_metadata": list(b"key")}
    assert third["encrypted_column_metadata"] == list(b"sealed")
    assert decoded["encryption_algorithm_type"] == "AesGcmCtrV1"
    assert decoded["encryption_algorithm"] == {"aad_file_unique": list(b"unique"), "supply_aad_prefix": True}
    assert decoded["footer_signing_key_metadata"] == list(b"signer")
    kernels.flat.verify(payload.read_bytes())
    assert kernels.flat.to_thrift(payload.read_bytes()) == footer


def without_nulls(fields: dict) -> dict:
    return {name: value for name, value in fields.items() if value is not None}


@pytest.mark.parametrize("name", files())
def test_generated_python_code_reads_the_same_metadata(implementation, generated, name):
    decoded = as_dict(root(payload_of(footer_of(files()[name]))), enum_names())
    check_type(decoded, pq.read_metadata(io.BytesIO(files()[name])))


@pytest.fixture(scope="session")
def verifier(generated) -> Path:
    """The C++ verifier that flatc generates, compiled."""
    if not any((Path(prefix) / "include/flatbuffers/flatbuffers.h").exists() for prefix in ("/usr", "/usr/local")):
        pytest.skip("the FlatBuffers headers are not installed: nothing compiles the public verifier")
    program = generated / "verify"
    source = DATA / "verify_flat.cpp"
    subprocess.run([tool("g++"), "-std=c++17", "-O1", f"-I{generated}", source, "-o", program], check=True)
    return program


def run_verifier(verifier: Path, folder: Path) -> list[str]:
    """The names of the files that it does not accept."""
    result = subprocess.run([verifier, folder], capture_output=True, text=True, check=False)
    assert result.stderr == f"{len(list(folder.iterdir()))} files\n"
    return result.stdout.splitlines()


def test_the_public_verifier_accepts_payloads(implementation, verifier, tmp_path):
    (tmp_path / "rare.flat").write_bytes(payload_of(rare_footer()))
    for name, file in files().items():
        (tmp_path / f"{name}.flat").write_bytes(payload_of(footer_of(file)))
        (tmp_path / f"{name} with slots.flat").write_bytes(payload_of(footer_of(file), SLOTS))
    assert run_verifier(verifier, tmp_path) == []


def test_the_public_verifier_refuses_offsets_out_of_the_payload(verifier, tmp_path):
    payload = bytearray(payload_of(footer_of(files()["types"])))
    payload[0:4] = b"\xff\xff\xff\x7f"
    (tmp_path / "broken.flat").write_bytes(payload)
    assert run_verifier(verifier, tmp_path) == ["broken.flat"]


def test_the_public_verifier_accepts_all_of_the_corpus(corpus, expected, verifier, tmp_path):
    written = refused = 0
    for entry in expected:
        if not entry["footer"]["parses"]:
            continue
        try:
            payload = payload_of(footer_of((corpus / entry["file"]).read_bytes()))
        except ParquetextError as error:
            assert error.code in CANNOT_BE_WRITTEN, f"{entry['file']}: {error}"
            refused += 1
            continue
        (tmp_path / f"{written}.flat").write_bytes(payload)
        written += 1
    assert run_verifier(verifier, tmp_path) == []
    assert written > 400 and refused < 60


def test_the_public_verifier_accepts_more_chunks_than_its_default_allows_tables(verifier, tmp_path):
    if kernels.implementation() != "native":
        pytest.skip("300,000 chunks take the twin a minute")
    (tmp_path / "chunks-304000.flat").write_bytes(payload_of(wide_footer(19_000, 16)))
    assert run_verifier(verifier, tmp_path) == []
