"""Make the golden files:  python tests/conformance/make.py [NAME...]

Only for new cases, or when a layout changes (which takes a new UUID): existing files pin the layouts.
"""

from __future__ import annotations

import datetime
import decimal
import io
import json
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq
from expectations import expected_of

import parquetext
from parquetext import extension, wire
from parquetext.encoding import codecs
from parquetext.footer.payload_cells import packed_parts

FILES = Path(__file__).with_name("files")
PROBE = b"a text that repeats itself. " * 8
FRAME = 0x201DBA5E  # the CRC-32 of the frame of PROBE, by the zstd that compressed parts of the files
FOREIGN = UUID("00010203-0405-0607-0809-0a0b0c0d0e0f")


# ---- tables


def types() -> pa.Table:
    """A column of each usual type, with nulls."""
    return pa.table(
        {
            "bool": [True, None, False],
            "int8": pa.array([1, None, -3], pa.int8()),
            "int32": pa.array([7, 8, None], pa.int32()),
            "uint64": pa.array([2**63, 1, None], pa.uint64()),
            "float": pa.array([1.5, -0.0, None], pa.float32()),
            "double": [float("nan"), 2.0, None],
            "half": pa.array([1.0, None, -2.0]).cast(pa.float16()),
            "text": ["a", "a text that is longer than sixteen bytes", None],
            "bytes": [b"\xff" * 20, b"", None],
            "decimal": pa.array([decimal.Decimal("1.25"), None, decimal.Decimal("-3")], pa.decimal128(30, 2)),
            "date": [datetime.date(2020, 2, 29), None, datetime.date(1969, 12, 31)],
            "time": pa.array([datetime.time(1, 2, 3), None, None], pa.time64("us")),
            "instant": pa.array([datetime.datetime(2026, 1, 1), None, None], pa.timestamp("us", tz="UTC")),
            "uuid": pa.array([bytes(range(16)), None, bytes(16)], pa.binary(16)),
            "nothing": pa.nulls(3),
        }
    )


def nested() -> pa.Table:
    """Structs, lists, maps, and a name with a dot."""
    return pa.table(
        {
            "struct": [{"x": 1, "inner": {"y": "a"}}, None, {"x": None, "inner": None}],
            "list": [[1, 2], [], None],
            "a.b": [1, 2, 3],
            "map": pa.array([[("k", 1)], [], None], pa.map_(pa.string(), pa.int64())),
            "lists": [[{"z": [1]}, None], None, []],
        }
    )


def wide() -> pa.Table:
    """More columns than are listed in a tail: name buckets."""
    return pa.table({f"column_{n:03d}": pa.array([n, None], pa.int16()) for n in range(34)})


def long() -> pa.Table:
    """More row groups than one part of a column has."""
    return pa.table({"n": range(70), "t": [f"row {n}" for n in range(70)]})


def with_ids() -> pa.Table:
    """Field ids and key-values."""
    fields = [
        pa.field("a", pa.int32(), metadata={"PARQUET:field_id": "7"}),
        pa.field("b", pa.string(), metadata={"PARQUET:field_id": "-1"}),
    ]
    schema = pa.schema(fields, metadata={"owner": "somebody", "empty": ""})
    return pa.table([pa.array([1, 2], pa.int32()), pa.array(["x", None])], schema=schema)


def written(table: pa.Table, **options) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, **{"compression": "snappy", "row_group_size": 2, **options})
    return sink.getvalue()


SOURCES: dict[str, Callable[[], bytes]] = {
    "types": lambda: written(types()),
    "nested": lambda: written(nested()),
    "wide": lambda: written(wide(), store_schema=False),
    "long": lambda: written(long(), row_group_size=1, use_dictionary=False),
    "ids": lambda: written(with_ids()),
    "indexes": lambda: written(long(), write_page_index=True, bloom_filter_options={"n": True}, row_group_size=40),
    "sorted": lambda: written(long(), sorting_columns=[pq.SortingColumn(0, descending=True)], row_group_size=40),
    "bare": lambda: written(long(), write_statistics=False, store_schema=False, row_group_size=40),
    "empty": lambda: written(long().slice(0, 0)),
}


# ---- forms: the change to a file


def upgraded(**options) -> Callable[[Path], None]:
    return lambda path: parquetext.upgrade(path, **options)


def with_foreign_block(path: Path, above: bool, placement: str = "in-struct", form: str = "flat") -> None:
    """A block of another vendor below or above ours."""

    def stack() -> None:
        data = path.read_bytes()
        length = int.from_bytes(data[-8:-4], "little")
        footer = extension.append_block(data[-8 - length : -8], FOREIGN, b"a payload of somebody else")
        path.write_bytes(data[: -8 - length] + footer + len(footer).to_bytes(4, "little") + b"PAR1")

    if not above:
        stack()
    parquetext.upgrade(path, form=form, placement=placement)
    if above:
        stack()


def as_parx(path: Path) -> None:
    """The metadata behind the magic of PARX, as a writer of new files stores it."""
    data = path.read_bytes()
    length = int.from_bytes(data[-8:-4], "little")
    checked = data[-8 - length : -8] + length.to_bytes(4, "little") + bytes([0, 0, 0, 0, 2])
    path.write_bytes(b"PARX" + data[4 : -8 - length] + checked + zlib.crc32(checked).to_bytes(4, "little") + b"PARX")


FORMS: dict[str, Callable[[Path], None]] = {
    "thrift": lambda path: None,
    "flat": upgraded(form="flat", placement="in-struct"),
    "flat-thrift-marker": upgraded(form="flat", placement="in-struct", marker="thrift"),
    "flat-after-stop": upgraded(form="flat", placement="after-stop"),
    "flat-compact": upgraded(form="flat", placement="in-struct", stats="compact"),
    "flat-extensions": upgraded(form="flat", placement="in-struct", extensions={FOREIGN: b"of somebody else"}),
    "par3": lambda path: parquetext.finalize(path, confirm=True),
    "index": upgraded(form="index", placement="in-struct"),
    "flat-aside": upgraded(form="flat"),
    "index-aside": upgraded(form="index"),
    "flat-aside-on-foreign": lambda path: with_foreign_block(path, above=False, placement="aside"),
    "flat-aside-under-foreign": lambda path: with_foreign_block(path, above=True, placement="aside"),
    "flat-aside-arrow": lambda path: (
        parquetext.upgrade(path, form="flat"),
        parquetext.upgrade(path, form="arrow"),
    ),
    "par3-aside": lambda path: (parquetext.upgrade(path, form="flat"), parquetext.finalize(path, confirm=True)),
    "arrow": upgraded(form="arrow"),
    "jump-table": upgraded(form="jump-table"),
    "jump-table-flat": lambda path: (
        parquetext.upgrade(path, form="jump-table"),
        parquetext.upgrade(path, form="flat"),
    ),
    "parx": as_parx,
    "packed": upgraded(form="packed"),
    "packed-in-struct": upgraded(form="packed", placement="in-struct"),
    "packed-extensions": upgraded(form="packed", extensions={FOREIGN: b"of somebody else"}),
    "packed-on-foreign": lambda path: with_foreign_block(path, above=False, form="packed", placement="aside"),
    "packed-from-flat": lambda path: (
        parquetext.upgrade(path, form="flat"),
        parquetext.upgrade(path, form="packed"),
    ),
    "modular": upgraded(form="modular"),
    "flat-on-foreign": lambda path: with_foreign_block(path, above=False),
    "flat-under-foreign": lambda path: with_foreign_block(path, above=True),
}

# ---- damage: the change, and the expected outcome; positions count from the end of the file


def flip(position: int) -> Callable[[bytes], bytes]:
    def damage(data: bytes) -> bytes:
        at = len(data) - position
        return data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1 :]

    return damage


def flip_in_column(data: bytes) -> bytes:
    """In the cell of the first column: found by its name, which is first in Thrift and then in the flat footer."""
    at = data.rindex(b"column_000")
    return data[:at] + b"C" + data[at + 1 :]


def flip_thrift_chunk(data: bytes) -> bytes:
    """In the Thrift bytes of the first column's chunk: its path, which follows the schema's name."""
    at = data.index(b"column_000", data.index(b"column_000") + 1)
    return data[:at] + b"C" + data[at + 1 :]


def flip_marker(data: bytes) -> bytes:
    at = data.rindex(b"\x08\xff\xff\x01")
    return data[: at + 3] + b"\x03" + data[at + 4 :]


def flip_trailer(data: bytes) -> bytes:
    """In the trailer of the block aside: its UUID occurs there once, because the reference is text."""
    at = data.rindex(wire.UUID_FLAT_FOOTER.bytes)
    return data[: at - 12] + bytes([data[at - 12] ^ 0x10]) + data[at - 11 :]


def flip_aside_column(data: bytes) -> bytes:
    """In the cell of the first column, which precedes the Thrift footer."""
    at = data.index(b"column_000")
    return data[:at] + b"C" + data[at + 1 :]


def moved(data: bytes) -> bytes:
    """Another program has written the footer after more data, and copied its unknown field."""
    length = 8 + int.from_bytes(data[-8:-4], "little")
    return data[:-length] + bytes(100) + data[-length:]


def flip_part(name: str, position: int = 4) -> Callable[[bytes], bytes]:
    """In a part of a packed footer, for whose names see `packed_parts`; by default behind the checksum of a cell."""

    def damage(data: bytes) -> bytes:
        end = data.rindex(wire.UUID_PACKED_FOOTER.bytes) - 12
        start = end - int.from_bytes(data[end + 4 : end + 8], "little")
        (begin,) = (begin for begin, _, part, _ in packed_parts(data[start:end]) if part == name)
        return flip(len(data) - start - begin - position)(data)

    return damage


DAMAGE: dict[str, dict[str, Callable[[bytes], bytes]]] = {
    "flat": {
        "magic": flip(1),
        "length": flip(6),
        "stop": flip(9),
        "uuid": flip(20),
        "size": flip(9 + 22),
        "payload-crc": flip(9 + 28),
        "tail-record": flip(9 + 28 + 20),
        "tail-block": flip(9 + 28 + 60),
        "column": flip_in_column,
        "truncated": lambda data: data[:-20],
        "encrypted": lambda data: data[:-4] + b"PARE",
    },
    "index": {"tail": flip(9 + 28 + 20), "payload-crc": flip(9 + 28), "thrift-chunk": flip_thrift_chunk},
    "flat-aside": {
        "reference": flip(9 + 20),
        "reference-size": flip(9 + 30),
        "marker": flip_marker,
        "trailer": flip_trailer,
        "tail-copy": flip(9 + 100),
        "column": flip_aside_column,
        "moved": moved,
    },
    "index-aside": {"reference": flip(9 + 20), "thrift-chunk": flip_thrift_chunk},
    "packed": {
        "reference": flip(9 + 20),
        "tail-copy": flip(9 + 100),
        "moved": moved,
        **{
            name.replace(" ", "-"): flip_part(name)
            for name in ("templates", "leaves", "nodes", "row groups", "placement", "bounds", "buckets", "frame")
        },
        "areas": flip_part("tail block", 52 + 8),
    },
    "par3": {
        "magic": flip(1),
        "size-crc": flip(5),
        "size": flip(9),
        "payload-crc": flip(13),
        "tail-record": flip(16 + 20),
        "tail-block": flip(16 + 60),
        "column": flip_in_column,
        "truncated": lambda data: data[:-20],
    },
}

# ---- files


def has_their_zstd() -> bool:
    """Return True if frames of zstd have the same bytes as those in the files, which depends on its version."""
    return zlib.crc32(codecs.compress(wire.CODEC_ZSTD, PROBE)) == FRAME


SHAPES = {
    **dict.fromkeys(SOURCES, ("thrift", "flat", "index", "packed")),
    "nested": ("thrift", "flat", "index", "packed", "par3", "jump-table", "parx", "modular"),
    "long": ("thrift", "flat", "index", "packed", "par3", "jump-table", "parx", "modular"),
    "wide": ("thrift", "flat", "index", "packed", "par3", "flat-aside", "index-aside", "jump-table", "modular"),
    "ids": tuple(FORMS),
    "types": ("thrift", "flat", "index", "packed", "flat-compact", "arrow", "modular"),
    "indexes": ("thrift", "flat", "index", "packed", "flat-compact", "arrow"),
}


def cases() -> dict[str, tuple[str, str, str | None]]:
    """Name → (source, form, damage)."""
    whole = {f"{source}-{form}": (source, form, None) for source, forms in SHAPES.items() for form in forms}
    return whole | {f"wide-{form}-damaged-{what}": ("wide", form, what) for form in DAMAGE for what in DAMAGE[form]}


def make(name: str) -> None:
    """Make a file from the stored bare file, so that it does not depend on the installed version of pyarrow."""
    source, form, damage = cases()[name]
    path, bare = FILES / f"{name}.parquet", FILES / f"{source}-thrift.parquet"
    path.write_bytes(bare.read_bytes() if bare.exists() else SOURCES[source]())
    FORMS[form](path)
    if damage:
        path.write_bytes(DAMAGE[form][damage](path.read_bytes()))
    expected = {"source": source, "made": form, "damage": damage, **expected_of(str(path))}
    path.with_suffix(".json").write_text(json.dumps(expected, indent=1, ensure_ascii=False) + "\n")


def main(names: list[str]) -> None:
    FILES.mkdir(exist_ok=True)
    for name in names or cases():
        make(name)


if __name__ == "__main__":
    main(sys.argv[1:])
