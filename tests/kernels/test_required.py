"""A missing required field is found in every struct of a footer."""

from __future__ import annotations

import io
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.footers import footer_of
from support.twins import both, outcome

from parquetext import kernels, thrift, wire
from parquetext.errors import Malformed
from parquetext.thrift.struct_tables import STRUCTS


def footer(rows: int = 4) -> bytes:
    """A footer with everything that has rules but geometry and encryption."""
    table = pa.table(
        {
            "a": range(rows),
            "t": pa.array(range(rows), pa.timestamp("us")),
            "d": pa.array(range(rows), pa.decimal128(9, 2)),
            "u": pa.array(range(rows), pa.uint8()),
        }
    )
    written = io.BytesIO()
    pq.write_table(table, written, row_group_size=2, sorting_columns=[pq.SortingColumn(0)])
    fields = thrift.read("FileMetaData", footer_of(written.getvalue()))
    for row_group in fields["row_groups"]:
        row_group["columns"][1]["meta_data"]["key_value_metadata"] = [{"key": "k", "value": "v"}]
        row_group["columns"][1]["meta_data"]["geospatial_statistics"] = {
            "bbox": {"xmin": 0.0, "xmax": 1.0, "ymin": 0.0, "ymax": 1.0}
        }
    return thrift.write("FileMetaData", fields)


def structs_of(name: str, fields: dict):
    """Every struct below one, with its name in parquet.thrift."""
    yield name, fields
    for field, type in STRUCTS[name].values():
        inner = type.removeprefix("list<").removesuffix(">")
        if field in fields and inner in STRUCTS:
            for value in fields[field] if type.startswith("list<") else [fields[field]]:
                yield from structs_of(inner, value)


def test_a_complete_footer_has_no_missing_fields(implementation):
    assert kernels.required.find_missing(footer()) == (None, 0)


@pytest.mark.parametrize(
    ("structure", "field"),
    [
        (name, rule[0])
        for name, rules in wire.RULES
        for rule in rules.values()
        if rule[4] and name not in ("EncryptionWithColumnKey", "TimeType", "FileMetaData")
    ],
    ids=str,
)
def test_every_required_field_is_missed(structure, field, implementation):
    fields = thrift.read("FileMetaData", footer())
    whole = [found for name, found in structs_of("FileMetaData", fields) if name == structure]
    del whole[-1][field]
    data = thrift.write("FileMetaData", fields)
    missing, without_path = kernels.required.find_missing(data)
    assert (missing.structure, missing.field, without_path) == (structure, field, 0)
    assert field not in thrift.read_at(structure, data, missing.offset)[0]


@pytest.mark.parametrize("field", ["isAdjustedToUTC", "unit"])
def test_timestamps_need_both_of_their_fields(field, implementation):
    fields = thrift.read("FileMetaData", footer())
    del fields["schema"][2]["logicalType"]["TIMESTAMP"][field]
    missing, _ = kernels.required.find_missing(thrift.write("FileMetaData", fields))
    assert (missing.structure, missing.field) == ("TimeType", field)


@pytest.mark.parametrize("field", ["version", "schema", "num_rows", "row_groups"])
def test_the_footer_itself_needs_four_fields(field, implementation):
    fields = thrift.read("FileMetaData", footer())
    del fields[field]
    missing, _ = kernels.required.find_missing(thrift.write("FileMetaData", fields))
    assert (missing.structure, missing.field, missing.offset) == ("FileMetaData", field, 0)


def test_paths_that_are_left_out_are_counted_and_nothing_else(implementation):
    fields = thrift.read("FileMetaData", footer())
    for chunk in fields["row_groups"][1]["columns"]:
        del chunk["meta_data"]["path_in_schema"]
    assert kernels.required.find_missing(thrift.write("FileMetaData", fields)) == (None, 4)


def test_a_path_of_another_type_is_missing(implementation):
    data = bytearray(footer())
    position = kernels.thrift.path(data, [wire.FILE_META_DATA_ROW_GROUPS, 0, wire.ROW_GROUP_COLUMNS, 0, 3])
    header = kernels.thrift.find(data, wire.COLUMN_META_DATA_PATH_IN_SCHEMA, position[1])[2]
    assert data[header] == 0x19
    data[header] = 0x1A  # a set
    missing, without_path = kernels.required.find_missing(data)
    assert (missing.field, missing.offset, without_path) == ("path_in_schema", position[1], 0)


def test_no_struct_is_an_error_with_its_offset(implementation):
    data = footer()
    with pytest.raises(Malformed) as error:
        kernels.required.find_missing(data[:100])
    assert 0 < error.value.offset <= 100


def test_both_implementations_report_the_same_for_flipped_bits():
    native, pure = both("required")
    data = footer(rows=2)
    for flip in random.Random(12).sample(range(len(data) * 8), 900):
        flipped = bytearray(data)
        flipped[flip >> 3] ^= 1 << (flip & 7)
        assert outcome(native.find_missing, flipped) == outcome(pure.find_missing, flipped), flip
