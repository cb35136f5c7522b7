"""Scans of a Thrift footer into arrays: both implementations agree with each other and with other readers."""

from __future__ import annotations

import datetime
import decimal
import io
from functools import cache

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.compact import BINARY, I32, I64, LIST, STRUCT, header
from support.footers import damaged, error_facts, footer_of, scan_facts, struct_values
from support.one_column import FOOTER, GROUP, LEAF, METADATA, ROOT, footer, with_metadata
from support.samples import examples
from support.twins import both
from support.varints import varint, zigzag

from parquetext import kernels, wire
from parquetext.errors import Malformed, ParquetextError, Unsupported
from parquetext.thrift.values import Unknown, read, write

TYPES = ["BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"]


@cache
def table_footer(rows_per_group: int = 5, **options) -> bytes:
    """Return the file that pyarrow writes for a table of many types."""
    rows = 20
    columns = {
        "int": pa.array(range(rows), pa.int32()),
        "long": pa.array([None, *range(rows - 1)], pa.int64()),
        "double": pa.array([n / 3 for n in range(rows)]),
        "text": pa.array([f"name {n:09}" for n in range(rows)]),
        "time": pa.array([datetime.datetime(2026, 1, 1 + n) for n in range(rows)], pa.timestamp("us")),
        "money": pa.array([decimal.Decimal(n) for n in range(rows)], pa.decimal128(18, 2)),
        "flag": pa.array([n % 2 == 0 for n in range(rows)]),
        "none": pa.nulls(rows, pa.int32()),
        "nested": pa.array([{"list": [n, None], "text": "x" * n} for n in range(rows)]),
        "half": pa.array([n / 2 for n in range(rows)], pa.float16()),
    }
    target = io.BytesIO()
    pq.write_table(pa.table(columns), target, row_group_size=rows_per_group, **options)
    return footer_of(target.getvalue())


def agree(data: bytes) -> dict:
    """The facts of a footer, after both implementations gave the same ones, and both decoders of the compiled one."""
    native, pure = both("scan")
    fields = scan_facts(native, data)
    assert fields == scan_facts(native, data, plain=True)
    assert fields == scan_facts(pure, data)
    return fields


# ---- the corpus


def parsing(expected):
    return [entry for entry in expected if entry["footer"]["parses"]]


def test_both_scan_every_corpus_footer_equally(corpus, expected):
    entries = parsing(expected)
    assert len(entries) == 466
    for entry in entries:
        data = footer_of((corpus / entry["file"]).read_bytes())
        native = both("scan")[0]
        fields = agree(data) if len(data) < 300_000 else scan_facts(native, data)
        assert fields == scan_facts(native, data, plain=True)
        assert "error" not in fields, entry["file"]
        assert fields["end"] == len(data) - entry["footer"]["trailing_bytes"], entry["file"]


def paths(scan) -> list[str]:
    """Dotted names of the leaves."""
    names = [
        bytes(scan.data[offset : offset + length]).decode("utf-8", "replace")
        for offset, length in zip(scan.elements("name_offset"), scan.elements("name_length"), strict=True)
    ]
    parents, found = scan.elements("parent"), []
    for element in scan.leaves:
        path = []
        while parents[element] >= 0:
            path.append(names[element])
            element = parents[element]
        found.append(".".join(reversed(path)))
    return found


def test_schema_and_counts_are_those_of_an_independent_walker(corpus, expected):
    for entry in expected:
        if entry["class"] != "readable":
            continue
        scan = kernels.scan.scan(footer_of((corpus / entry["file"]).read_bytes()))
        assert (scan.num_rows, scan.version) == (entry["num_rows"], entry["version"])
        assert (scan.row_group_count, scan.leaf_count) == (entry["row_groups"], entry["columns"])
        listed = entry["leaves"]  # of wide files the first ones
        assert paths(scan)[: len(listed)] == [leaf["path"] for leaf in listed], entry["file"]
        for element, leaf in zip(scan.leaves, listed, strict=False):
            assert TYPES[scan.elements("type")[element]] == leaf["type"]
            assert scan.elements("max_definition")[element] == leaf["max_def"]
            assert scan.elements("max_repetition")[element] == leaf["max_rep"]


def test_placement_counts_and_statistics_are_pyarrows(corpus, expected):
    compared = 0
    for entry in expected:
        if entry["class"] != "readable":
            continue
        path = corpus / entry["file"]
        scan, metadata = kernels.scan.scan(footer_of(path.read_bytes())), pq.read_metadata(path)
        fields = {
            name: scan.chunks(name)
            for name in (
                "num_values",
                "total_compressed_size",
                "total_uncompressed_size",
                "data_page_offset",
                "dictionary_page_offset",
                "null_count",
            )
        }
        for index in range(min(scan.chunk_count, 200)):
            row_group, leaf = divmod(index, scan.leaf_count)
            chunk = metadata.row_group(row_group).column(leaf)
            for name in ("num_values", "total_compressed_size", "total_uncompressed_size", "data_page_offset"):
                assert fields[name][index] == getattr(chunk, name), (entry["file"], name)
            if chunk.has_dictionary_page:
                assert fields["dictionary_page_offset"][index] == chunk.dictionary_page_offset
            if chunk.is_stats_set and chunk.statistics.has_null_count:
                assert fields["null_count"][index] == chunk.statistics.null_count
            compared += 1
    assert compared > 1000


# ---- footers of tables, and damaged ones


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"compression": "none", "use_dictionary": False},
        {"write_statistics": False},
        {"write_page_index": True},
        {"store_schema": False},
    ],
    ids=str,
)
def test_both_scan_footers_of_pyarrow_equally(options):
    fields = agree(table_footer(**options))
    assert fields["regular"] and fields["row_group_count"] == 4 and fields["problem"] is None


@settings(max_examples=examples(300), deadline=None)
@given(st.integers(0, 2**40), st.booleans())
def test_damaged_footers_give_the_same_metadata_or_errors(seed, page_index):
    agree(damaged(table_footer(write_page_index=page_index), seed))


@settings(max_examples=examples(300), deadline=None)
@given(st.integers(0, 2**40))
def test_small_damaged_footers_give_the_same_metadata_or_errors(seed):
    agree(damaged(footer(), seed))


@settings(max_examples=examples(200), deadline=None)
@given(st.binary(max_size=200))
def test_random_bytes_give_the_same_metadata_or_errors(data):
    agree(data)


@settings(max_examples=examples(100), deadline=None)
@given(struct_values("FileMetaData"), st.binary(max_size=3))
def test_generated_footers_give_the_same_metadata(values, behind):
    fields = agree(write("FileMetaData", values) + behind)
    assert "error" not in fields and fields["end"] == len(write("FileMetaData", values))


def test_a_footer_cut_anywhere_is_an_error():
    data = footer(key_value_metadata=[{"key": "k", "value": "v"}])
    for size in range(len(data)):
        assert "error" in agree(data[:size])


# ---- rules


def test_metadata_of_a_small_footer(implementation):
    data = footer(key_value_metadata=[{"key": "k"}, {"key": "l", "value": ""}])
    scan = kernels.scan.scan(data)
    assert (scan.version, scan.num_rows, scan.created_by, scan.end) == (2, 3, b"a test", len(data))
    assert (scan.element_count, scan.leaf_count, scan.row_group_count, scan.chunk_count) == (2, 1, 1, 1)
    assert scan.regular and scan.has_column_orders and scan.has_key_values and scan.encrypted == 0
    assert list(scan.leaves) == [1] and list(scan.elements("parent")) == [-1, 0]
    assert list(scan.key_values("has_value")) == [0, 1]
    chunks = scan.column(0)
    assert [
        chunks.array(name)[0]
        for name in (
            "num_values",
            "total_compressed_size",
            "data_page_offset",
            "type",
            "codec",
            "dictionary_page_offset",
            "null_count",
            "bloom_filter_offset",
        )
    ] == [3, 40, 4, 2, 1, -1, 0, -1]
    has, low, low_length, high, high_length = chunks.bounds()
    assert has == b"\x03"
    assert data[low[0] : low[0] + low_length[0]] == b"\x07" + bytes(7)
    assert data[high[0] : high[0] + high_length[0]] == b"\x09" + bytes(7)
    group = scan.row_groups("bytes_offset")[0]
    assert read("RowGroup", data[group : group + scan.row_groups("bytes_length")[0]]) == GROUP


def test_the_order_of_fields_does_not_matter(implementation):
    def backwards(value):
        if isinstance(value, dict):
            return {name: backwards(part) for name, part in reversed(value.items())}
        return [backwards(part) for part in value] if isinstance(value, list) else value

    forward, reverse = kernels.scan.scan(footer()), kernels.scan.scan(write("FileMetaData", backwards(FOOTER)))
    for name in ("num_values", "present", "encodings", "null_count", "data_page_offset", "min_value_length"):
        assert list(forward.chunks(name)) == list(reverse.chunks(name))
    assert list(forward.elements("column_order")) == list(reverse.elements("column_order")) == [0, 1]
    assert forward.column(0).bounds()[0] == reverse.column(0).bounds()[0]


def test_of_a_repeated_field_the_last_one_counts(implementation):
    again = header(3, I64, long=True) + zigzag(7) + header(2, LIST, long=True) + b"\x0c"
    again += header(4, LIST, long=True) + b"\x0c"
    with pytest.raises(Malformed, match="does not add up: 0 elements, expected 1"):
        kernels.scan.scan(footer()[:-1] + again + b"\0")
    scan = kernels.scan.scan(footer()[:-1] + again + b"\0", strict=False)
    assert (scan.num_rows, scan.element_count, scan.row_group_count, scan.chunk_count) == (7, 0, 0, 0)


def test_repeated_metadata_leaves_nothing_of_the_first(implementation):
    first, second = write("ColumnMetaData", METADATA), write("ColumnMetaData", {"codec": 2, "bloom_filter_offset": 9})
    chunk = header(3, STRUCT) + first + header(3, STRUCT, long=True) + second + b"\0"
    group = header(1, LIST) + b"\x1c" + chunk + header(3, I64, 1) + zigzag(3) + b"\0"
    data = footer(row_groups=None)[:-1] + header(4, LIST, long=True) + b"\x1c" + group + b"\0"
    chunks = kernels.scan.scan(data).column(0)
    assert (chunks.array("codec")[0], chunks.array("num_values")[0], chunks.array("null_count")[0]) == (2, -1, -1)
    assert chunks.array("present")[0] == wire.PRESENT_METADATA | wire.PRESENT_CODEC | wire.PRESENT_BLOOM_FILTER_OFFSET
    assert chunks.array("bloom_filter_offset")[0] == 9


@pytest.mark.parametrize(
    "id, type, value",
    [
        (6, I32, zigzag(3)),
        (1, BINARY, b"\x01x"),
        (5, LIST, b"\x15\x02"),
        (300, I64, zigzag(-5)),
        (-16384, BINARY, b"\x03abc"),
        (9, I32, b"\x00"),
    ],
)
def test_fields_that_are_unknown_or_of_another_type_are_skipped(implementation, id, type, value):
    plain = footer(created_by=None)
    scan = kernels.scan.scan(plain[:-1] + header(id, type, long=True) + value + b"\0")
    assert (scan.version, scan.created_by, scan.has_key_values, scan.encrypted) == (2, None, False, 0)
    assert list(scan.chunks("num_values")) == [3]


def test_lists_of_other_items_count_as_unknown_fields(implementation):
    scan = kernels.scan.scan(
        footer(
            row_groups=[
                GROUP
                | {
                    "columns": [
                        {
                            "meta_data": {name: value for name, value in METADATA.items() if name != "encodings"}
                            | {2: Unknown(LIST, b"\x18\x01x"), 13: Unknown(LIST, b"\x15\x02")}
                        }
                    ]
                }
            ]
        )
    )
    assert list(scan.chunks("encodings")) == [0]
    assert not scan.chunks("present")[0] & wire.PRESENT_FULLY_DICTIONARY_ENCODED


@pytest.mark.parametrize(
    "data, id, at",
    [
        (footer(schema=None), 2, 0),
        (footer(num_rows=None), 3, 0),
        (footer(row_groups=None), 4, 0),
        (footer(row_groups=[{"num_rows": 3}]), 1, None),
        (footer(row_groups=[{"columns": []}]), 3, None),
    ],
)
def test_a_missing_required_field_is_an_error(implementation, data, id, at):
    with pytest.raises(Malformed, match=f"required field {id} is absent") as caught:
        kernels.scan.scan(data)
    assert caught.value.code == wire.MISSING_FIELD and (at is None or caught.value.offset == at)
    assert str(kernels.scan.scan(data, strict=False).problem) == str(caught.value)


def test_everything_else_may_be_missing(implementation):
    scan = kernels.scan.scan(
        footer(
            version=None,
            created_by=None,
            column_orders=None,
            schema=[{"num_children": 1}, {"type": 1}],
            row_groups=[{"columns": [{}], "num_rows": 1}],
        )
    )
    assert (scan.version, scan.created_by, scan.chunks("present")[0], scan.chunks("type")[0]) == (-1, None, 0, -1)
    assert scan.column(0).bounds()[0] == b"\0"


def test_absurd_numbers_are_kept(implementation):
    scan = kernels.scan.scan(with_metadata(num_values=-(2**63), codec=-5, data_page_offset=2**63 - 1))
    assert (scan.chunks("num_values")[0], scan.chunks("codec")[0], scan.chunks("data_page_offset")[0]) == (
        -(2**63),
        -5,
        2**63 - 1,
    )


@pytest.mark.parametrize(
    "data, error, found, expected",
    [
        (footer()[:-1] + b"\x08" + b"\x08" + varint(2**32), wire.VARINT_OVERFLOW, 16, 32),
        (footer()[:-1] + header(3, I64, long=True) + b"\xff" * 9 + b"\x02", wire.VARINT_OVERFLOW, 2, 64),
        (footer()[:-1] + header(3, I64, long=True) + b"\xff" * 10, wire.VARINT_TOO_LONG, 0, 10),
        (
            footer(row_groups=None)[:-1] + header(4, LIST, long=True) + b"\xfc" + varint(2**32 - 1),
            wire.COUNT_TOO_LARGE,
            0,
            2**32 - 1,
        ),
        (b"\x2c" * 70, wire.TOO_DEEP, 0, 64),
        (b"\x0e\x00", wire.BAD_TYPE, 14, 0),
        (b"", wire.TRUNCATED, 0, 1),
    ],
)
def test_hostile_bytes_are_errors_with_their_offset(data, error, found, expected):
    fields = agree(data)["error"]
    assert fields[1] == error and fields[3:5] == (expected, found)


# ---- facts of chunks


def test_irregular_row_groups_have_no_columns_by_leaf(implementation):
    scan = kernels.scan.scan(footer(row_groups=[GROUP, GROUP | {"columns": []}]))
    assert not scan.regular and scan.chunk_count == 1
    with pytest.raises(Unsupported, match="0 column chunks, the schema 1 leaves"):
        scan.column(0)
    with pytest.raises(ParquetextError, match="out of range"):
        scan.column(1)


@pytest.mark.parametrize(
    "changes, fully",
    [
        ({"encodings": [2, 3, 4]}, True),
        ({"encodings": [8, 3]}, False),
        ({"encodings": [2, 0]}, False),
        ({"encodings": [2, 3, 40]}, False),
        ({"encodings": [3]}, False),
        ({"encoding_stats": [{"page_type": 2, "encoding": 0}, {"page_type": 0, "encoding": 8}]}, True),
        ({"encoding_stats": [{"page_type": 3, "encoding": 2}, {"page_type": 0, "encoding": 0}]}, False),
        ({"encodings": [2], "encoding_stats": []}, False),
        ({"encodings": [2], "encoding_stats": [{"page_type": 2, "encoding": 2}]}, False),
    ],
)
def test_chunks_encoded_by_dictionary_alone(implementation, changes, fully):
    present = kernels.scan.scan(with_metadata(**changes)).chunks("present")[0]
    assert bool(present & wire.PRESENT_FULLY_DICTIONARY_ENCODED) == fully


def test_places_of_indexes_and_filters(implementation):
    plain = GROUP["columns"][0]
    positioned = {
        "meta_data": METADATA | {"bloom_filter_offset": 100, "bloom_filter_length": 32, "index_page_offset": 7},
        "offset_index_offset": 200,
        "offset_index_length": 20,
        "column_index_offset": 300,
        "column_index_length": 30,
    }
    scan = kernels.scan.scan(
        footer(row_groups=[GROUP, GROUP | {"columns": [positioned]}, GROUP | {"columns": [plain]}])
    )
    for name, value in (
        ("bloom_filter_offset", 100),
        ("bloom_filter_length", 32),
        ("index_page_offset", 7),
        ("offset_index_offset", 200),
        ("offset_index_length", 20),
        ("column_index_offset", 300),
        ("column_index_length", 30),
    ):
        assert list(scan.places(name)) == list(scan.column(0).array(name)) == [-1, value, -1]
    wanted = (
        wire.PRESENT_BLOOM_FILTER_OFFSET
        | wire.PRESENT_BLOOM_FILTER_LENGTH
        | wire.PRESENT_OFFSET_INDEX
        | wire.PRESENT_COLUMN_INDEX
    )
    assert [present & wanted for present in scan.chunks("present")] == [0, wanted, 0]


def test_crypto_fields_are_reported(implementation):
    chunk = {"meta_data": METADATA, "crypto_metadata": {"ENCRYPTION_WITH_FOOTER_KEY": {}}}
    scan = kernels.scan.scan(footer(row_groups=[GROUP | {"columns": [chunk]}], encryption_algorithm={"AES_GCM_V1": {}}))
    assert scan.encrypted == 3 and scan.chunks("present")[0] & wire.PRESENT_CRYPTO
    assert kernels.scan.scan(footer()).encrypted == 0


def test_an_extension_must_be_within_the_struct(implementation):
    from parquetext import extension

    extended = extension.append(footer(), b"anything")
    scan = kernels.scan.scan(extended + b"stray")
    assert scan.end == len(extended) and list(scan.chunks("num_values")) == [3]


@pytest.mark.parametrize(
    "data, message",
    [
        (lambda marker: footer(), False),
        (lambda marker: with_metadata(statistics={"max_value": marker + b"\0\0"}), False),
        (lambda marker: footer()[:-1] + marker + b"\x02hi\0", True),
        (lambda marker: footer() + marker + b"\x02hi\0", True),
        (lambda marker: footer() + b"\0" + marker, False),
        (lambda marker: footer() + marker[:3], False),
    ],
)
@pytest.mark.parametrize("marker", [b"\x08\xff\xff\x01", b"\x08\xfe\xff\x03"])
def test_an_extension_is_found_only_if_its_marker_begins_a_field(implementation, marker, data, message):
    assert kernels.scan.scan(data(marker)).has_extension == message


@pytest.mark.parametrize(
    "inside",
    [
        lambda deep: footer()[:-1] + header(40, STRUCT, long=True) + deep + b"\0",
        lambda deep: footer(schema=[ROOT | {40: Unknown(STRUCT, deep)}, LEAF]),
        lambda deep: footer(row_groups=[GROUP | {40: Unknown(STRUCT, deep)}]),
        lambda deep: footer(row_groups=[{"num_rows": 1, "columns": [{40: Unknown(STRUCT, deep)}]}]),
        lambda deep: footer(row_groups=[GROUP | {"columns": [{"meta_data": METADATA | {40: Unknown(STRUCT, deep)}}]}]),
        lambda deep: with_metadata(statistics={40: Unknown(STRUCT, deep)}),
        lambda deep: with_metadata(encoding_stats=[{40: Unknown(STRUCT, deep)}]),
        lambda deep: footer(key_value_metadata=[{40: Unknown(STRUCT, deep)}]),
        lambda deep: footer(column_orders=[{40: Unknown(STRUCT, deep)}]),
        lambda deep: footer(row_groups=[GROUP | {4: Unknown(LIST, b"\x1c" + deep)}]),
    ],
)
def test_a_scan_goes_as_deep_as_a_skip(inside):
    for depth in range(50, 66):
        data = inside(b"\x1c" * depth + b"\0" * depth + b"\0")
        fields, walked = agree(data), None
        try:
            walked = kernels.thrift.struct_end(data)
        except Malformed as error:
            assert fields["error"] == error_facts(error)
        else:
            assert fields["end"] == walked
