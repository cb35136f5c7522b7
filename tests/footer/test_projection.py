"""A slice contains lists and maps whole, and only the requested members of structs."""

from __future__ import annotations

import io
import struct

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.memory_files import Memory

from parquetext import kernels
from parquetext._pure import index_write, scan
from parquetext.footer.projection import whole_leaves
from parquetext.footer.thrift_form import ThriftForm

SCHEMA = pa.schema(
    [
        ("plain", pa.int32()),
        ("record", pa.struct([("a", pa.int8()), ("b", pa.struct([("c", pa.int8()), ("d", pa.int8())]))])),
        ("list", pa.list_(pa.struct([("x", pa.int8()), ("y", pa.list_(pa.int8()))]))),
        ("map", pa.map_(pa.string(), pa.int8())),
        ("mixed", pa.struct([("e", pa.int8()), ("f", pa.list_(pa.struct([("g", pa.int8()), ("h", pa.int8())])))])),
    ]
)
PATHS = [
    "plain",
    "record.a",
    "record.b.c",
    "record.b.d",
    "list.x",
    "list.y",
    "map.key",
    "map.value",
    "mixed.e",
    "mixed.f.g",
    "mixed.f.h",
]


def written(schema: pa.Schema) -> tuple[bytes, bytes]:
    sink = io.BytesIO()
    pq.write_table(schema.empty_table(), sink)
    file = sink.getvalue()
    return file, file[-8 - struct.unpack("<I", file[-8:-4])[0] : -8]


@pytest.mark.parametrize(
    ("wanted", "whole"),
    [
        ("plain", "plain"),
        ("record.a", "record.a"),
        ("record.b.d", "record.b.d"),
        ("record.b.d plain", "plain record.b.d"),
        ("list.x", "list.x list.y"),
        ("list.y", "list.x list.y"),
        ("map.value", "map.key map.value"),
        ("map.key", "map.key map.value"),
        ("mixed.e", "mixed.e"),
        ("mixed.f.h", "mixed.f.g mixed.f.h"),
        ("", ""),
        (" ".join(PATHS), " ".join(PATHS)),
    ],
)
def test_lists_and_maps_are_whole_and_structs_are_not(implementation, wanted, whole):
    form = ThriftForm(written(SCHEMA)[1])
    assert whole_leaves(form, [PATHS.index(path) for path in wanted.split()]) == [PATHS.index(p) for p in whole.split()]


def test_a_repeated_group_without_annotation_is_kept_whole(implementation):
    """message { optional group s { repeated group r { required int32 x; required int32 y; }; optional int32 z; } }"""

    def element(name: bytes, repetition: int, children: int = 0) -> bytes:
        begin = b"" if children else b"\x15\x02"
        delta = 0x30 if children else 0x20
        end = b"\x15" + bytes([2 * children]) if children else b""
        return begin + bytes([delta | 5, 2 * repetition]) + b"\x18" + bytes([len(name)]) + name + end + b"\0"

    root = b"\x48\x01m\x15\x02\0"
    tree = [root, element(b"s", 1, 2), element(b"r", 2, 2), element(b"x", 0), element(b"y", 0), element(b"z", 1)]
    footer = b"\x15\x02\x19" + bytes([len(tree) << 4 | 12]) + b"".join(tree) + b"\x16\x00\x19\x0c\0"
    form = ThriftForm(footer)
    assert [whole_leaves(form, [leaf]) for leaf in range(3)] == [[0, 1], [0, 1], [2]]


def test_a_slice_of_whole_leaves_is_read_as_pyarrow_reads_the_column(implementation):
    table = pa.table(
        {
            "before": [1, 2],
            "mixed": [{"e": 1, "f": [{"g": 2, "h": 3}]}, {"e": None, "f": None}],
        },
        schema=pa.schema([("before", pa.int8()), SCHEMA.field("mixed")]),
    )
    sink = io.BytesIO()
    pq.write_table(table, sink)
    file = sink.getvalue()
    form = ThriftForm(file[-8 - struct.unpack("<I", file[-8:-4])[0] : -8])
    for leaves, path in (([1], "mixed.e"), ([2], "mixed.f"), ([3], "mixed.f")):
        footer = form.slice(whole_leaves(form, leaves), [0])
        metadata = pq.read_metadata(io.BytesIO(b"PAR1" + footer + struct.pack("<I", len(footer)) + b"PAR1"))
        assert pq.ParquetFile(sink, metadata=metadata).read() == pq.ParquetFile(sink).read(columns=[path])


def test_an_index_that_calls_the_root_repeated_ends_the_way_up_there(implementation):
    """The checksums of cells do not tell if their levels are those of the schema."""

    class Claiming:
        def __init__(self, scan):
            self.scan = scan

        def __getattr__(self, name: str):
            return getattr(self.scan, name)

        def elements(self, name: str):
            found = self.scan.elements(name)
            return [1] * len(found) if name == "max_repetition" else found

    footer = written(SCHEMA)[1]
    payload = index_write.write(Claiming(scan.scan(footer)))
    reader = kernels.index.Reader(Memory(footer + payload), 0, len(footer), len(payload), footer + payload)
    assert whole_leaves(reader, [PATHS.index("record.a")]) == [1, 2, 3]
