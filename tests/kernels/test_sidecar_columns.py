"""A sidecar's columns from a scanned schema, and blocks from its chunks, in both implementations."""

from __future__ import annotations

import decimal
import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.twins import both

from parquetext import kernels, wire
from parquetext.errors import ParquetextError, Unsupported


@pytest.fixture
def kernel(implementation):
    return kernels.sidecar


def footer(table: pa.Table, **options) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, **options)
    data = sink.getvalue()
    return data[-8 - int.from_bytes(data[-8:-4], "little") : -8]


TABLE = pa.table(
    {
        "a": [1],
        "b": pa.array([b"x" * 5], pa.binary(5)),
        "s": [{"x": 1, "y": [{"z": 2.5}]}],
        "l": [[1.5]],
        "c": [2],
        "d": pa.array([decimal.Decimal(1)], pa.decimal128(9, 2)),
        "e": pa.array([decimal.Decimal(1)], pa.decimal128(9, 3)),
    },
    schema=None,
).cast(
    pa.schema(
        [
            pa.field("a", pa.int64(), nullable=False, metadata={"PARQUET:field_id": "7"}),
            ("b", pa.binary(5)),
            ("s", pa.struct({"x": pa.int64(), "y": pa.list_(pa.struct({"z": pa.float64()}))})),
            ("l", pa.list_(pa.float64())),
            ("c", pa.int64()),
            ("d", pa.decimal128(9, 2)),
            ("e", pa.decimal128(9, 3)),
        ]
    )
)


def test_leaves_have_the_name_and_the_repetition_of_the_field_that_they_are_in(kernel):
    columns = kernel.describe(kernels.scan.scan(footer(TABLE)), lambda *_: 5)
    assert len(columns) == 8
    assert [columns[index] for index in range(4)] == [
        kernel.Column(b"a", 7, 5, 0, 0, 2, 0, 0),
        kernel.Column(b"b", -1, 5, 4, 5, 7, 0, 1),
        kernel.Column(b"s", -1, 5, 4, 0, 2, 0, 2),
        kernel.Column(b"s", -1, 5, 4, 0, 5, 1, 5),
    ]
    with pytest.raises(IndexError):
        columns[8]


def test_a_type_is_inferred_from_all_that_it_may_follow_from(kernel):
    said = []

    def infer(element, *fields):
        said.append((element, fields))
        return len(said)

    columns = kernel.describe(kernels.scan.scan(footer(TABLE)), infer)
    types = {column.name: column.type for column in columns}
    assert types[b"d"] != types[b"e"]
    assert [fields for _, fields in said][:5] == [
        (2, 0, False, 0),
        (7, 5, False, 0),
        (2, 0, True, 0),
        (5, 0, True, 0),
        (5, 0, True, 1),
    ]
    assert next(b"z" in element for element, fields in said if fields == (5, 0, True, 0))


# For a group: its annotation as Thrift, and if a leaf in it is in a list.
ANNOTATIONS = {
    "converted": (b"\x15\x06", 1),
    "logical": (b"\x5c\x3c\x00\x00", 1),
    "id in a byte": (b"\x5c\x0c\x06\x00\x00", 1),
    "none": (b"", 0),
    "map": (b"\x15\x02", 0),
    "logical map": (b"\x5c\x2c\x00\x00", 0),
    "empty": (b"\x5c\x00", 0),
    "logical before converted": (b"\x15\x06\x4c\x2c\x00\x00", 0),
}


@pytest.mark.parametrize(("annotation", "lists"), ANNOTATIONS.values(), ids=ANNOTATIONS)
def test_a_list_is_known_by_its_annotation(kernel, annotation, lists):
    top = b"\x35\x02\x18\x01t\x15\x02" + annotation + b"\x00"
    elements = b"\x48\x01r\x15\x02\x00" + top + b"\x35\x04\x18\x01l\x15\x02\x00" + b"\x15\x0a\x25\x02\x18\x01e\x00"
    thrift = b"\x15\x02\x19\x4c" + elements + b"\x16\x00\x19\x0c\x00"
    said = []
    columns = kernel.describe(kernels.scan.scan(thrift), lambda _, *fields: said.append(fields) or 1)
    assert (len(columns), said) == (1, [(5, 0, True, lists)])


def test_leaves_of_one_kind_are_inferred_once():
    native, _ = both("sidecar")
    calls = []
    scan = both("scan")[0].scan(footer(pa.table({f"c{number}": [number] for number in range(100)})))
    native.describe(scan, lambda *fields: calls.append(fields) or 6)
    assert len(calls) == 1


def test_decimals_with_digits_outside_of_the_annotation_are_distinguished(kernel):
    """By converted types alone, as older writers have them."""

    def leaf(name: bytes, scale: int, precision: int) -> bytes:
        return (
            b"\x15\x02\x25\x00\x18"
            + bytes([len(name)])
            + name
            + b"\x25\x0a"
            + b"\x15"
            + bytes([scale * 2])
            + b"\x15"
            + bytes([precision * 2])
            + b"\x00"
        )

    elements = b"\x48\x01r\x15\x04\x00" + leaf(b"a", 2, 9) + leaf(b"b", 3, 9)
    thrift = b"\x15\x02\x19\x3c" + elements + b"\x16\x00\x19\x0c\x00"
    from parquetext.sidecar.header import describe

    assert [column.type for column in describe(kernels.scan.scan(thrift)).columns] == [
        30 | 9 << 8 | 2 << 18,
        30 | 9 << 8 | 3 << 18,
    ]


def test_a_leaf_of_an_unknown_physical_type_is_an_error(kernel):
    thrift = b"\x15\x02\x19\x2c\x48\x01r\x15\x02\x00" + b"\x15\x10\x25\x00\x18\x01x\x00" + b"\x16\x00\x19\x0c\x00"
    with pytest.raises(Unsupported) as caught:
        kernel.describe(kernels.scan.scan(thrift), lambda *_: -1)
    assert (caught.value.code, caught.value.expected, caught.value.found) == (wire.UNSUPPORTED_VALUE, 7, 8)


def test_blocks_are_written_from_a_scan_of_as_many_leaves_only(kernel):
    scan = kernels.scan.scan(footer(TABLE))
    with pytest.raises(ParquetextError, match="out of range"):
        kernel.Writer([]).add_scan(scan)


def test_a_row_group_without_a_chunk_for_each_leaf(kernel):
    chunk = b"\x26\x08\x00"  # nothing but its offset
    thrift = (
        b"\x15\x02\x19\x3c\x48\x01r\x15\x04\x00"
        + b"\x15\x02\x25\x00\x18\x01x\x00"
        + b"\x15\x02\x25\x00\x18\x01y\x00"
        + b"\x16\x02\x19\x1c\x19\x1c"
        + chunk
        + b"\x16\x02\x16\x02\x00\x00"
    )
    scan = kernels.scan.scan(thrift)
    writer = kernel.Writer(kernel.describe(scan, lambda *_: 5))
    with pytest.raises(Unsupported) as caught:
        writer.add_scan(scan)
    assert caught.value.code == wire.IRREGULAR


LEAF = b"\x15\x02\x19\x2c\x48\x01r\x15\x02\x00" + b"\x15\x02\x25\x00\x18\x01x\x00" + b"\x16\x02\x19\x1c\x19\x1c"
END = b"\x16\x02\x16\x02\x00\x00"


def metadata(codec: int) -> bytes:
    return b"\x15\x02\x19\x05\x19\x18\x01x\x15" + bytes([codec * 2]) + b"\x16\x02\x16\x02\x16\x02\x26\x08\x00"


@pytest.mark.parametrize(
    ("chunk", "code"),
    [
        (b"\x26\x08\x00", wire.NO_METADATA),
        (b"\x18\x01f\x16\x08\x1c" + metadata(0) + b"\x00", wire.PM_FILE_PATH),
        (b"\x26\x08\x1c" + metadata(8) + b"\x00", wire.UNSUPPORTED_VALUE),
        (b"\x26\x08\x1c" + metadata(-1 & 63) + b"\x00", wire.UNSUPPORTED_VALUE),
    ],
    ids=["no metadata", "in another file", "codec 8", "codec 63"],
)
def test_chunks_that_a_sidecar_cannot_describe_are_refused(kernel, chunk, code):
    scan = kernels.scan.scan(LEAF + chunk + END)
    writer = kernel.Writer(kernel.describe(scan, lambda *_: 5))
    with pytest.raises(Unsupported) as caught:
        writer.add_scan(scan)
    assert caught.value.code == code
