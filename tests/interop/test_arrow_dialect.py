"""Buffers of the arrow dialect that flatc makes, read."""

from __future__ import annotations

import decimal

import pytest
from support import arrow_dialect as dialect
from support.arrow_dialect import NEW_VECTOR
from support.parquet_bytes import footer_of, parquet_bytes

import parquetext
from parquetext.footer.dialect.field_differences import prepare
from parquetext.footer.dialect.framing import frame, unframe
from parquetext.footer.dialect.to_thrift import Decoded

ONE_COLUMN = {
    "version": 2,
    "num_rows": 5,
    "created_by": "x",
    "schema": [
        {"name": "root", "num_children": 1},
        {
            "name": "a",
            "type": "INT32",
            "repetition_type": "OPTIONAL",
            "field_id": 7,
            "logical_type_type": "IntType",
            "logical_type": {"bit_width": 32, "is_signed": True},
            "column_order_type": "TypeDefinedOrder",
            "column_order": {},
        },
    ],
    "row_groups": [
        {
            "num_rows": 5,
            "total_byte_size": 100,
            "file_offset": 4,
            "total_compressed_size": 90,
            "ordinal": 0,
            "columns": [
                {
                    "meta_data": {
                        "codec": "ZSTD",
                        "total_uncompressed_size": 100,
                        "total_compressed_size": 90,
                        "data_page_offset": 4,
                        "is_fully_dict_encoded": True,
                        "statistics": {"null_count": 0, "min_lo4": 1, "min_len": 4, "max_lo4": 9, "max_len": 4},
                    }
                }
            ],
        }
    ],
}
LAYOUTS = ("f951a6d", "a77d277", "bf0825c", "5a0baf2", "c938fc7")
TIE = {"bf0825c": "a77d277", "5a0baf2": "a77d277"}  # indistinguishable, and read equally

pytestmark = pytest.mark.usefixtures("implementation")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_each_layout_is_recognized_and_read_correctly(layout, tmp_path):
    metadata = "metadata" if layout == "c938fc7" else "meta_data"
    value = ONE_COLUMN | {
        "row_groups": [
            ONE_COLUMN["row_groups"][0]
            | {"columns": [{metadata: chunk["meta_data"]} for chunk in ONE_COLUMN["row_groups"][0]["columns"]]}
        ]
    }
    decoded = Decoded(dialect.compiled(value, tmp_path, dialect.schema_of(layout, tmp_path)))
    assert decoded.layout == TIE.get(layout, layout)
    check_one_column(decoded)


def check_one_column(decoded: Decoded) -> None:
    assert decoded.footer == {
        "version": 2,
        "num_rows": 5,
        "created_by": "x",
        "column_orders": [{"TYPE_ORDER": {}}],
        "schema": [
            {"name": "root", "num_children": 1},
            {
                "type": 1,
                "repetition_type": 1,
                "name": "a",
                "converted_type": 17,
                "field_id": 7,
                "logicalType": {"INTEGER": {"bitWidth": 32, "isSigned": True}},
            },
        ],
    }
    [group] = decoded.row_groups()
    [chunk] = group.pop("columns")
    assert group == {"total_byte_size": 100, "num_rows": 5, "file_offset": 4, "total_compressed_size": 90, "ordinal": 0}
    assert chunk["meta_data"].pop("encoding_stats")[1] == {"page_type": 0, "encoding": 8, "count": 0}
    assert chunk["meta_data"] == {
        "type": 1,
        "encodings": [],
        "path_in_schema": ["a"],
        "codec": 6,
        "num_values": 5,
        "total_uncompressed_size": 100,
        "total_compressed_size": 90,
        "data_page_offset": 4,
        "statistics": {
            "null_count": 0,
            "max_value": b"\x09\0\0\0",
            "min_value": b"\x01\0\0\0",
            "is_max_value_exact": True,
            "is_min_value_exact": True,
        },
    }


@pytest.mark.parametrize(
    ("change", "layout"),
    [
        ({"geospatial_statistics": {}}, "5a0baf2"),
        ({"statistics": {"null_count": 1 << 33, "min_lo4": 1, "min_len": 4, "max_lo4": 9, "max_len": 4}}, "5a0baf2"),
        ({"statistics": {"null_count": 1 << 30}}, "a77d277"),  # versions that cannot be told apart are read alike
    ],
)
def test_values_that_only_one_layout_can_store_identify_it(change, layout, tmp_path):
    group = ONE_COLUMN["row_groups"][0]
    chunk = group["columns"][0]["meta_data"] | {"num_values": 1 << 34} | change
    value = ONE_COLUMN | {"row_groups": [group | {"columns": [{"meta_data": chunk}]}]}
    decoded = Decoded(dialect.compiled(value, tmp_path, dialect.schema_of("5a0baf2", tmp_path)))
    assert decoded.layout == layout
    [found] = decoded.row_groups()
    statistics = found["columns"][0]["meta_data"].get("statistics", {})
    if layout == "5a0baf2":
        assert statistics["null_count"] == chunk["statistics"]["null_count"]
    else:
        assert "null_count" not in statistics  # 32 bits, it may be, of a larger number


def test_the_newest_layout_is_read_from_bytes_that_were_not_made_here():
    decoded = Decoded(NEW_VECTOR)
    assert decoded.layout == "c938fc7"
    check_one_column(decoded)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("decimal_type", [(9, 2), (5, 5), (7, 0), (1, 0)])
def test_precision_and_scale_are_not_confused_though_two_layouts_have_them_the_other_way_round(
    layout, decimal_type, tmp_path
):
    precision, scale = decimal_type
    metadata = "metadata" if layout == "c938fc7" else "meta_data"
    group = ONE_COLUMN["row_groups"][0]
    value = ONE_COLUMN | {
        "schema": [
            ONE_COLUMN["schema"][0],
            {
                "name": "a",
                "type": "INT32",
                "logical_type_type": "DecimalType",
                "logical_type": {"precision": precision, "scale": scale},
            },
        ],
        "row_groups": [group | {"columns": [{metadata: {"data_page_offset": 4, "num_values": 3}}]}],
    }
    decoded = Decoded(dialect.compiled(value, tmp_path, dialect.schema_of(layout, tmp_path)))
    assert decoded.footer["schema"][1]["logicalType"] == {"DECIMAL": {"scale": scale, "precision": precision}}
    assert decoded.footer["schema"][1]["scale"] == scale


def number(value: bytes) -> int:
    return int.from_bytes(value, "big")


RICH = {
    "version": 1,
    "num_rows": 7,
    "created_by": "",
    "kv": [{"key": "k", "val": "v"}, {"key": "without a value"}],
    "schema": [
        {"name": "table", "num_children": 4, "repetition_type": "REQUIRED"},
        {
            "name": "name",
            "type": "BYTE_ARRAY",
            "repetition_type": "OPTIONAL",
            "logical_type_type": "StringType",
            "logical_type": {},
            "column_order_type": "TypeDefinedOrder",
            "column_order": {},
        },
        {
            "name": "tags",
            "num_children": 1,
            "repetition_type": "OPTIONAL",
            "logical_type_type": "ListType",
            "logical_type": {},
        },
        {"name": "list", "num_children": 1, "repetition_type": "REPEATED"},
        {
            "name": "element",
            "type": "INT64",
            "repetition_type": "OPTIONAL",
            "logical_type_type": "TimestampType",
            "logical_type": {"is_adjusted_to_utc": True, "unit": "MICROS"},
            "column_order_type": "TypeDefinedOrder",
            "column_order": {},
        },
        {
            "name": "price",
            "type": "FIXED_LEN_BYTE_ARRAY",
            "type_length": 16,
            "logical_type_type": "DecimalType",
            "logical_type": {"precision": 38, "scale": 2},
            "column_order_type": "TypeDefinedOrder",
            "column_order": {},
        },
        {
            "name": "place",
            "type": "BYTE_ARRAY",
            "logical_type_type": "GeographyType",
            "logical_type": {"crs": "EPSG:4326", "algorithm": "KARNEY"},
        },
    ],
    "row_groups": [
        {
            "num_rows": 7,
            "total_byte_size": 500,
            "file_offset": 4,
            "total_compressed_size": 400,
            "sorting_columns": [{"column_idx": 2, "descending": True}, {"column_idx": 0, "nulls_first": True}],
            "columns": [
                {
                    "meta_data": {
                        "codec": "LZ4_RAW",
                        "total_compressed_size": 100,
                        "statistics": {
                            "null_count": 2,
                            "prefix": "app",
                            "min_lo4": number(b"le\0\0"),
                            "min_len": 2,
                            "max_lo4": number(b"licb"),
                            "max_len": -4,
                        },
                        "key_value_metadata": [{"key": "of the chunk", "val": ""}],
                    }
                },
                {
                    "meta_data": {
                        "codec": "LZ4",
                        "num_values": 9,
                        "data_page_offset": 104,
                        "dictionary_page_offset": 90,
                        "statistics": {"min_lo8": 1, "min_len": -8, "max_lo8": 2**64 - 1, "max_len": -8},
                        "bloom_filter": {"offset": 300, "length": 64},
                    }
                },
                {
                    "meta_data": {
                        "data_page_offset": 200,
                        "statistics": {
                            "min_hi8": number(b"\xff" * 8),
                            "min_lo8": number(b"\xff" * 7 + b"\x9c"),
                            "min_len": 16,
                            "max_lo8": 100,
                            "max_len": 16,
                        },
                        "bloom_filter": {"offset": 400},
                    }
                },
                {"meta_data": {"data_page_offset": 300}},
            ],
        }
    ],
}


def test_a_rich_footer_that_flatc_made_is_read_field_by_field(tmp_path):
    decoded = Decoded(dialect.compiled(RICH, tmp_path))
    footer = decoded.footer
    assert footer["key_value_metadata"] == [{"key": "k", "value": "v"}, {"key": "without a value"}]
    assert "created_by" not in footer and footer["column_orders"] == [{"TYPE_ORDER": {}}] * 3 + [{}]
    assert footer["schema"][2:] == [
        {"repetition_type": 1, "name": "tags", "num_children": 1, "converted_type": 3, "logicalType": {"LIST": {}}},
        {"repetition_type": 2, "name": "list", "num_children": 1},
        {
            "type": 2,
            "repetition_type": 1,
            "name": "element",
            "converted_type": 10,
            "logicalType": {"TIMESTAMP": {"isAdjustedToUTC": True, "unit": {"MICROS": {}}}},
        },
        {
            "type": 7,
            "type_length": 16,
            "repetition_type": 0,
            "name": "price",
            "converted_type": 5,
            "scale": 2,
            "precision": 38,
            "logicalType": {"DECIMAL": {"scale": 2, "precision": 38}},
        },
        {
            "type": 6,
            "repetition_type": 0,
            "name": "place",
            "logicalType": {"GEOGRAPHY": {"crs": "EPSG:4326", "algorithm": 4}},
        },
    ]
    [group] = decoded.row_groups()
    assert group["sorting_columns"] == [
        {"column_idx": 2, "descending": True, "nulls_first": False},
        {"column_idx": 0, "descending": False, "nulls_first": True},
    ]
    name, element, price, position = (chunk["meta_data"] for chunk in group["columns"])
    assert [chunk["path_in_schema"] for chunk in (name, element, price)] == [
        ["name"],
        ["tags", "list", "element"],
        ["price"],
    ]
    assert [chunk["codec"] for chunk in (name, element, price)] == [7, 5, 0]
    assert [chunk["num_values"] for chunk in (name, element, price, position)] == [7, 9, 7, 7]
    assert [chunk["data_page_offset"] for chunk in (name, element, price, position)] == [4, 104, 200, 300]
    assert name["statistics"] == {
        "null_count": 2,
        "max_value": b"applicb",
        "min_value": b"apple",
        "is_max_value_exact": False,
        "is_min_value_exact": True,
    }
    assert name["key_value_metadata"] == [{"key": "of the chunk", "value": ""}]
    assert element["statistics"] == {
        "max_value": b"\xff" * 8,
        "min_value": b"\1" + bytes(7),
        "is_max_value_exact": False,
        "is_min_value_exact": False,
    }
    assert (element["bloom_filter_offset"], element["bloom_filter_length"]) == (300, 64)
    assert price["statistics"] == {
        "max_value": bytes(15) + b"\x64",
        "min_value": b"\xff" * 15 + b"\x9c",
        "is_max_value_exact": True,
        "is_min_value_exact": True,
    }
    assert price["bloom_filter_offset"] == 400 and "bloom_filter_length" not in price
    assert "statistics" not in position


def test_a_rich_footer_that_flatc_made_replaces_a_thrift_one(tmp_path):
    """With broken Thrift bytes, the requested values are read from the dialect alone."""
    path = tmp_path / "x.parquet"
    footer = b"\xff" * 2000
    path.write_bytes(
        dialect.with_block(
            b"PAR1" + bytes(600) + footer + len(footer).to_bytes(4, "little") + b"PAR1",
            dialect.framed(dialect.compiled(RICH, tmp_path), dialect.LZ4),
        )
    )
    with parquetext.open(path) as file:
        assert (file.form, file.num_rows, file.num_columns) == ("arrow", 7, 4)
        assert [finding.kind for finding in file.findings] == ["thrift-damaged"]
        assert list(file.column("tags.list.element").data_page_offset) == [104]
        assert file.column("price").min.to_pylist() == [decimal.Decimal("-1.00")]
        assert file.column("price").max.to_pylist() == [decimal.Decimal("1.00")]
        assert file.column("name").max.to_pylist() == ["applicb"]
        assert file.column("name").max_is_exact.to_pylist() == [False]


@pytest.mark.parametrize("codec", [dialect.RAW, dialect.LZ4])
def test_frames_are_those_of_the_public_implementations(codec):
    assert dialect.framed(b"hello") == bytes.fromhex(
        "68656c6c6f 00 3ed9efd6 05000000 05000000 3f211c1a" + "deadbeef" * 4
    )
    assert frame(b"hello") == dialect.framed(b"hello")
    assert unframe(dialect.framed(b"hello" * 99, codec)) == b"hello" * 99
    assert frame(b"hello" * 99) == dialect.framed(b"hello" * 99, dialect.LZ4)


def test_a_file_of_a_public_writer_opens_without_findings_and_verifies(tmp_path):
    path, plain = tmp_path / "x.parquet", parquet_bytes()
    for codec in (dialect.RAW, dialect.LZ4):
        path.write_bytes(dialect.with_block(plain, dialect.framed(prepare(footer_of(plain))[0], codec)))
        with parquetext.open(path) as file:
            assert (file.form, file.findings) == ("thrift", [])
        report = parquetext.verify(path)
        assert report.ok and report.forms == ["thrift", "arrow"]
        assert any("ColumnMetaData.encodings is lost" in loss for loss in report.omitted)
