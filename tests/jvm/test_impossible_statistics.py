"""Slices for scans leave out statistics that cannot be right, by the rule of the other implementations."""

from __future__ import annotations

import itertools
import struct

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.changed_metadata import with_footer
from support.flat_files import ADD_FORM, with_block_aside, with_index
from support.flat_payloads import cells, sign
from support.java_slices import Request

from parquetext import kernels, thrift, wire

BOOLEAN, INT32, INT64, INT96, FLOAT, DOUBLE, BYTE_ARRAY, FIXED = range(8)
DECIMAL = {"DECIMAL": {"precision": 4, "scale": 2}}
HIGH, LOW = (1 << 40).to_bytes(8, "little"), bytes(8)


@pytest.fixture
def path(tmp_path):
    """Two row groups of 100 rows: a required and an optional number, a decimal of any number of bytes, a list."""
    path = tmp_path / "x.parquet"
    columns = {
        "required": pa.array(range(200), pa.int64()),
        "optional": pa.array([n or None for n in range(200)], pa.int64()),
        "decimal": pa.array([n.to_bytes(2, "big") for n in range(200)], pa.binary()),
        "list": pa.array([[n, None] for n in range(200)], pa.list_(pa.int64())),
    }
    fields = [pa.field(name, column.type, name != "required") for name, column in columns.items()]
    pq.write_table(
        pa.table(columns, pa.schema(fields)), path, row_group_size=100, write_page_index=True, store_schema=False
    )

    def declare(footer: dict) -> None:
        footer["schema"][3] |= {"converted_type": 5, "logicalType": DECIMAL, "precision": 4, "scale": 2}

    with_footer(path, declare)
    return path


def change(path, leaf: int, statistics: dict, gone: tuple[str, ...] = ()) -> None:
    """Change a leaf's statistics in the second row group."""

    def changed(footer: dict) -> None:
        found = footer["row_groups"][1]["columns"][leaf]["meta_data"]["statistics"]
        found |= statistics
        for name in gone:
            del found[name]

    with_footer(path, changed)


def chunks_of(footer: bytes) -> list[list[dict]]:
    return [group["columns"] for group in thrift.read("FileMetaData", footer)["row_groups"]]


def sliced(ask, path, form: str, names: list[bytes]) -> list[list[dict]]:
    """The chunks of a slice for a scan."""
    copy = path.with_name(f"{form}.parquet")
    copy.write_bytes(ADD_FORM[form](path.read_bytes()))
    (answer,) = ask([Request(copy, names, what="slice")])
    assert answer.form == form
    return chunks_of(answer.footer)


def says(chunk: dict) -> tuple[bool, bool]:
    """Return whether the chunk has statistics, and whether it has a column index."""
    assert {"offset_index_offset", "offset_index_length"} <= chunk.keys()
    has = "column_index_offset" in chunk
    assert has == ("column_index_length" in chunk)
    return "statistics" in chunk["meta_data"], has


BOUNDS = "min_value", "max_value", "min", "max"
NO_NULL_COUNTS = {
    "negative": (0, {"null_count": -1}, ()),
    "of a required column": (0, {"null_count": 1}, ()),
    "of all values of a required column": (0, {"null_count": 100}, BOUNDS),
    "negative, of an optional column": (1, {"null_count": -(1 << 40)}, ()),
    "above the number of values": (1, {"null_count": 101}, BOUNDS),
    "of all values, with bounds": (1, {"null_count": 100}, ()),
    "above the number of values in lists": (3, {"null_count": 201}, BOUNDS),
}
NO_BOUNDS = {
    "short": (0, {"min_value": bytes(4)}, ()),
    "long": (1, {"max_value": bytes(9)}, ()),
    "deprecated, short": (0, {"min": b"", "max": b""}, ()),
    "inverted": (0, {"min_value": HIGH, "max_value": LOW}, ()),
    "deprecated, inverted": (0, {"min": HIGH, "max": LOW}, ("min_value", "max_value")),
    "decimals without bytes": (2, {"min_value": b"", "max_value": b""}, ()),
}
NAMES = [b"required", b"optional", b"decimal", b"list"]


CASES = {f"flat, {name}": ("flat", *case) for name, case in NO_NULL_COUNTS.items()} | {
    f"{form}, {name}": (form, *case)
    for form in ("index", "packed")
    for name, case in (NO_NULL_COUNTS | NO_BOUNDS).items()
}


@pytest.mark.parametrize("form, leaf, statistics, gone", CASES.values(), ids=CASES)
def test_impossible_statistics_are_left_out(ask, path, form, leaf, statistics, gone):
    change(path, leaf, statistics, gone)
    first, second = sliced(ask, path, form, NAMES)
    assert [says(chunk) for chunk in first] == [(True, True)] * 4
    assert [says(chunk) for chunk in second] == [(at != leaf, at != leaf) for at in range(4)]
    assert_no_other_change(path, second)


def assert_no_other_change(path, chunks: list[dict]) -> None:
    """The chunks equal those of the file's second row group, except for the omitted fields."""
    data = path.read_bytes()
    whole = chunks_of(data[-8 - int.from_bytes(data[-8:-4], "little") : -8])[1]
    for chunk, own in zip(chunks, whole, strict=True):
        left = own | {"meta_data": dict(own["meta_data"])}
        if "statistics" not in chunk["meta_data"]:
            del left["meta_data"]["statistics"], left["column_index_offset"], left["column_index_length"]
        for name in ("data_page_offset", "num_values", "encodings", "path_in_schema", "total_compressed_size"):
            assert chunk["meta_data"][name] == left["meta_data"][name]
        assert chunk.keys() == left.keys()


LACKED = {name: case for name, case in NO_BOUNDS.items() if name != "deprecated, short"}  # not looked at


@pytest.mark.parametrize("leaf, statistics, gone", LACKED.values(), ids=LACKED)
def test_a_column_index_is_omitted_if_the_flat_footer_lacks_bounds(ask, path, leaf, statistics, gone):
    """A flat footer is written without such bounds, so that the null count remains."""
    change(path, leaf, statistics, gone)
    first, second = sliced(ask, path, "flat", NAMES)
    assert [says(chunk) for chunk in first] == [(True, True)] * 4
    assert [says(chunk) for chunk in second] == [(True, at != leaf) for at in range(4)]
    own = second[leaf]["meta_data"]["statistics"]
    assert "null_count" in own and len(own.keys() & {"min_value", "max_value"}) < 2


@pytest.mark.parametrize("form", ADD_FORM)
@pytest.mark.parametrize(
    "leaf, statistics, gone",
    [
        (0, {"null_count": 0}, ()),
        (1, {"null_count": 99}, ()),
        (1, {"null_count": 100}, BOUNDS),
        (3, {"null_count": 200}, BOUNDS),
        (2, {"min_value": b"\xff", "max_value": b"\0\x80"}, ()),
        (0, {"min_value": LOW, "max_value": LOW}, ()),
    ],
)
def test_possible_statistics_stay(ask, path, form, leaf, statistics, gone):
    change(path, leaf, statistics, gone)
    for group in sliced(ask, path, form, NAMES):
        assert [says(chunk) for chunk in group] == [(True, True)] * 4


def test_a_flat_footer_with_inverted_bounds_gives_none(ask, path):
    """Our writer leaves such bounds out; the bytes of a bound are therefore changed in the flat footer."""
    marked = (0x1122334455667788).to_bytes(8, "little")
    change(path, 0, {"max_value": marked})
    data = path.read_bytes()
    payload = kernels.flat.write(kernels.scan.scan(data[-8 - int.from_bytes(data[-8:-4], "little") : -8]))
    assert payload.count(marked) == 1
    changed = bytearray(payload.replace(marked, (-5).to_bytes(8, "little", signed=True)))
    for content, expected in ((payload, True), (sign(changed, cells(payload)), False)):
        path.with_name("flat.parquet").write_bytes(with_block_aside(data, content, wire.UUID_FLAT_FOOTER))
        (answer,) = ask([Request(path.with_name("flat.parquet"), [b"required"], what="slice")])
        assert [says(group[0]) for group in chunks_of(answer.footer)] == [(True, True), (expected, expected)]


def timestamp(unit: str) -> dict:
    return {"TIMESTAMP": {"isAdjustedToUTC": True, "unit": {unit: {}}}}


def integer(width: int, is_signed: bool) -> dict:
    return {"INTEGER": {"bitWidth": width, "isSigned": is_signed}}


ELEMENTS = [
    *({"type": type} for type in range(7)),
    *({"type": INT32, "converted_type": number} for number in (5, 6, 7, 11, 12, 13, 15, 16, 17)),
    *({"type": INT64, "converted_type": number} for number in (5, 6, 8, 9, 10, 14, 18)),
    *({"type": BYTE_ARRAY, "converted_type": number} for number in (0, 4, 5, 19, 20, 21, 99)),
    *({"type": INT32, "logicalType": logical} for logical in ({"DATE": {}}, integer(32, True), integer(32, False))),
    {"type": INT32, "converted_type": 13, "logicalType": integer(32, True)},
    *({"type": INT64, "logicalType": logical} for logical in (timestamp("MICROS"), {"DATE": {}}, integer(64, False))),
    *({"type": BYTE_ARRAY, "logicalType": kind} for kind in ({"STRING": {}}, DECIMAL, {"UUID": {}}, {"UNKNOWN": {}})),
    *({"type": FIXED, "type_length": length} for length in (0, 2, 12)),
    {"type": FIXED, "type_length": 2, "logicalType": {"FLOAT16": {}}},
    {"type": FIXED, "type_length": 4, "logicalType": {"FLOAT16": {}}},
    {"type": FIXED, "type_length": 12, "logicalType": timestamp("NANOS")},
    {"type": FIXED, "type_length": 4, "logicalType": DECIMAL},
    {"type": FIXED, "type_length": 12, "converted_type": 21},
]
VALUES = [
    b"", b"\0", b"\1", b"\2", b"\xff", b"ab", b"\xff\xff",
    *(struct.pack("<e", value) for value in (0.0, -0.0, -1.5, 2.0, float("inf"))),
    *(struct.pack("<i", value) for value in (-2, 0, 1)),
    *(struct.pack("<f", value) for value in (-0.0, -1.5, 2.0, float("-inf"))),
    *(struct.pack("<q", value) for value in (-1, 0, 1 << 40)),
    *(struct.pack("<d", value) for value in (-0.0, -1.5, 2.0, 1e300)),
    bytes(12), b"\1" * 12, b"\1" * 11 + b"\xff",
]  # fmt: skip


def file_of_bounds(pairs: list[tuple[bytes, bytes]]) -> bytes:
    """A file of one column for each type, and of one row group for each pair of bounds; it has no pages."""
    schema = [{"name": "schema", "num_children": len(ELEMENTS)}]
    schema += [{"name": f"c{at}", "repetition_type": 1} | element for at, element in enumerate(ELEMENTS)]
    sizes = {"codec": 0, "encodings": [0], "total_uncompressed_size": 0, "total_compressed_size": 0}
    sizes |= {"num_values": 1, "data_page_offset": 4}

    def chunk(at: int, low: bytes, high: bytes) -> dict:
        fields = {"type": ELEMENTS[at]["type"], "path_in_schema": [f"c{at}"]}
        return {"file_offset": 0, "meta_data": sizes | fields | {"statistics": {"min_value": low, "max_value": high}}}

    def group(pair: tuple[bytes, bytes]) -> dict:
        sizes = {"num_rows": 1, "total_byte_size": 0, "total_compressed_size": 0}
        return sizes | {"columns": [chunk(at, *pair) for at in range(len(ELEMENTS))]}

    fields = {"version": 1, "num_rows": len(pairs), "column_orders": [{"TYPE_ORDER": {}}] * len(ELEMENTS)}
    footer = thrift.write("FileMetaData", fields | {"schema": schema, "row_groups": [group(pair) for pair in pairs]})
    return b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def test_every_type_has_the_rule_of_the_other_implementations(ask, tmp_path):
    pairs = list(itertools.product(VALUES, VALUES))
    path = tmp_path / "types.parquet"
    path.write_bytes(with_index(file_of_bounds(pairs)))
    (answer,) = ask([Request(path, [f"c{at}".encode() for at in range(len(ELEMENTS))], what="slice")])
    found = chunks_of(answer.footer)
    for at, element in enumerate(ELEMENTS):
        bits = kernels.bound_checks.judge_pairs(
            thrift.write("SchemaElement", {"name": "x"} | element), 1, *map(list, zip(*pairs, strict=True))
        )
        expected = [
            has_width(element, *pair)
            if bit & wire.BOUND_UNORDERED
            else not bit & (wire.BOUND_NO_VALUE | wire.BOUND_INVERTED)
            for pair, bit in zip(pairs, bits, strict=True)
        ]
        assert ["statistics" in group[at]["meta_data"] for group in found] == expected, element


def has_width(element: dict, *bounds: bytes) -> bool:
    """Test whether bounds have the width of the type, which decides if the type has no order."""
    width = element.get("type_length", wire.WIDTH_OF_TYPE.get(element["type"]))
    return width is None or all(len(bound) == width for bound in bounds)
