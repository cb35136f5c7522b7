"""Files with a flat footer, an index or a packed footer, made in the test from bytes alone."""

from __future__ import annotations

import zlib
from pathlib import Path
from uuid import UUID

from parquetext import kernels, wire
from parquetext.edits.footer import parse_end
from parquetext.edits.pieces import Piece

__all__ = [
    "ADD_FORM",
    "as_par3",
    "with_block_aside",
    "with_flat_footer",
    "with_index",
    "with_packed_footer",
    "write_with_flat_footer",
]

MARKERS = {"spec": b"\x08\xff\xff\x01", "thrift": b"\x08\xfe\xff\x03"}


def with_flat_footer(data: bytes, placement: str = "in-struct", marker: str = "spec") -> bytes:
    """A Parquet file's bytes, with a flat footer within its Thrift footer or aside; it must have no extension yet."""
    length = int.from_bytes(data[-8:-4], "little")
    payload = kernels.flat.write(kernels.scan.scan(data[-8 - length : -8]))
    if placement == "aside":
        return with_block_aside(data, payload, wire.UUID_FLAT_FOOTER)
    return _extended(data, payload, wire.UUID_FLAT_FOOTER, marker)


def with_block_aside(data: bytes, payload: bytes, uuid: UUID) -> bytes:
    """A Parquet file's bytes, with a block aside."""
    edit = parse_end(data[-8 - int.from_bytes(data[-8:-4], "little") :], footer_offset(data)).edit(
        [Piece.made(payload, uuid)], placement="aside"
    )
    return data[: edit.keep] + edit.tail


def footer_offset(data: bytes) -> int:
    return len(data) - 8 - int.from_bytes(data[-8:-4], "little")


def with_index(data: bytes) -> bytes:
    """A Parquet file's bytes, with an index of its Thrift footer; it must have no extension yet."""
    length = int.from_bytes(data[-8:-4], "little")
    return _extended(data, kernels.index.write(kernels.scan.scan(data[-8 - length : -8])), wire.UUID_FOOTER_INDEX)


def with_packed_footer(data: bytes) -> bytes:
    """A Parquet file's bytes, with a packed footer; it must have no extension yet."""
    length = int.from_bytes(data[-8:-4], "little")
    return _extended(data, kernels.packed.write(kernels.scan.scan(data[-8 - length : -8])), wire.UUID_PACKED_FOOTER)


ADD_FORM = {"flat": with_flat_footer, "index": with_index, "packed": with_packed_footer}


def _extended(data: bytes, payload: bytes, uuid: UUID, marker: str = "spec") -> bytes:
    length = int.from_bytes(data[-8:-4], "little")
    footer = data[-8 - length : -8]
    block = payload + kernels.extension.trailer(payload, uuid.bytes)
    extended = b"".join((footer[:-1], MARKERS[marker], kernels.varint.encode(len(block)), block, b"\0"))
    return b"".join((data[: -8 - length], extended, len(extended).to_bytes(4, "little"), b"PAR1"))


def write_with_flat_footer(source: Path | str, target: Path | str, placement: str = "in-struct") -> str:
    """Copy a file, with a flat footer added; the copy's path."""
    Path(target).write_bytes(with_flat_footer(Path(source).read_bytes(), placement))
    return str(target)


def as_par3(data: bytes) -> bytes:
    """A Parquet file's bytes, with a flat footer alone at their end; it must have no extension yet."""
    length = int.from_bytes(data[-8:-4], "little")
    payload = kernels.flat.write(kernels.scan.scan(data[-8 - length : -8]))
    size = len(payload).to_bytes(4, "little")
    crcs = [zlib.crc32(part).to_bytes(4, "little") for part in (payload, size)]
    return b"".join((data[: -8 - length], payload, crcs[0], size, crcs[1], b"PAR3"))
