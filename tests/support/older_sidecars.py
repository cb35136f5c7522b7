"""Sidecars as versions wrote them that had the scale of decimals at bit 24."""

from __future__ import annotations

from support.sidecars import with_checksum

from parquetext import kernels, wire
from parquetext.sidecar.origin import CODE


def older_code(code: int) -> int:
    """The code of a decimal as those versions wrote it."""
    return code & 0xFFFF | (code >> 18 & 0xFF) << 24


def as_older(data: bytes) -> bytes:
    """The same sidecar with such codes, and the note of layout 1; its checksum is right, checksums of parts are not."""
    reader, made = kernels.sidecar.Reader(data), bytearray(data)
    for index in range(reader.column_count):
        at = wire.PM_HEADER_BYTES + index * wire.PM_COLUMN_BYTES + wire.PM_COLUMN_TYPE
        code = reader.column(index).type
        if code >= 0 and 28 <= code & 0xFF <= 33:
            made[at : at + 4] = older_code(code).to_bytes(4, "little")
    note = data.index(reader.scratchpad[CODE])
    made[note : note + 4] = wire.PM_ORIGIN_FIRST_LAYOUT.to_bytes(4, "little")
    return with_checksum(bytes(made))
