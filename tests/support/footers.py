"""Footers for tests: of the corpus, of tables, damaged; and scans as comparable values."""

from __future__ import annotations

import functools
import random

from hypothesis import strategies as st

from parquetext.errors import ParquetextError
from parquetext.thrift.struct_tables import STRUCTS

ATTRIBUTES = (
    "version",
    "num_rows",
    "end",
    "element_count",
    "leaf_count",
    "row_group_count",
    "chunk_count",
    "key_value_count",
    "regular",
    "encrypted",
    "has_extension",
    "has_key_values",
    "has_column_orders",
    "created_by",
    "column_orders",
)
TELLING_BYTES = b"\x00\x01\x7f\x80\xff\x15\x16\x18\x19\x1c"  # numbers at limits, headers of fields
RECORDS = ("elements", "row_groups", "key_values", "chunks", "places")


def footer_of(file: bytes) -> bytes:
    """The FileMetaData of a file that ends in a footer's length and PAR1."""
    length = int.from_bytes(file[-8:-4], "little")
    return file[-8 - length : -8]


def member_names(record: str) -> list[str]:
    from parquetext._pure import chunks, scan

    return list(
        {
            "elements": scan.ELEMENT_MEMBERS,
            "row_groups": scan.ROW_GROUP_MEMBERS,
            "key_values": scan.KEY_VALUE_MEMBERS,
            "chunks": chunks.CHUNK_MEMBERS,
            "places": chunks.PLACES_MEMBERS,
        }[record]
    )


def error_facts(error: Exception | None):
    if error is None:
        return None
    assert isinstance(error, ParquetextError)
    return type(error).__name__, error.code, error.offset, error.expected, error.found, str(error)


def view_facts(view: memoryview) -> tuple[str, list[int]]:
    assert view.readonly
    return view.format, view.tolist()


def scan_facts(scan_kernel, footer: bytes, *, bounds: bool = True, plain: bool = False) -> dict:
    """All that a scan says, or its error."""
    try:
        scanned = scan_kernel.scan_plainly(footer) if plain else scan_kernel.scan(footer, strict=False)
    except Exception as error:
        return {"error": error_facts(error)}
    fields = {name: getattr(scanned, name) for name in ATTRIBUTES} | {"problem": error_facts(scanned.problem)}
    fields["leaves"] = view_facts(scanned.leaves)
    for record in RECORDS:
        for name in member_names(record):
            fields[record, name] = view_facts(getattr(scanned, record)(name))
    for leaf in range(min(scanned.leaf_count, 20) if bounds else 0):
        try:
            chunks = scanned.column(leaf)
        except ParquetextError as error:
            fields["column", leaf] = error_facts(error)
            continue
        has, *ranges = chunks.bounds()
        fields["column", leaf] = (len(chunks), view_facts(chunks.array("num_values")), has, *map(view_facts, ranges))
    return fields


def damaged(footer: bytes, seed: int) -> bytes:
    """The footer with a few bytes changed, removed, doubled or cut off."""
    choose, data = random.Random(seed), bytearray(footer)
    for _ in range(choose.randint(1, 4)):
        at = choose.randrange(len(data) + 1)
        change = choose.randrange(5)
        if change == 0:
            del data[at:]
        elif change == 1:
            del data[at : at + choose.randint(1, 3)]
        elif change == 2:
            data[at:at] = data[at : at + choose.randint(1, 9)]
        else:
            data[at : at + 1] = bytes([choose.choice([*TELLING_BYTES, choose.randrange(256)])])
        if not data:
            break
    return bytes(data)


NUMBERS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64}


@functools.cache
def field_values(type: str) -> st.SearchStrategy:
    """Values of a parquet.thrift type, as `parquetext.thrift` writes them."""
    if type.startswith("list<"):
        return st.lists(field_values(type[5:-1]), max_size=4)
    if type in NUMBERS:
        most = 1 << NUMBERS[type] - 1
        return st.one_of(st.integers(0, 9), st.integers(-most, most - 1))
    simple = {
        "bool": st.booleans(),
        "double": st.floats(),
        "string": st.text(max_size=5),
        "binary": st.binary(max_size=12),
    }
    return simple[type] if type in simple else struct_values(type)


@functools.cache
@st.composite
def struct_values(draw, name: str) -> dict:
    """Some fields of a struct in some order."""
    fields = draw(st.lists(st.sampled_from(sorted(STRUCTS[name].values())), unique=True)) if STRUCTS[name] else []
    return {field: draw(field_values(type)) for field, type in fields}
