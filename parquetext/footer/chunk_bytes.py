"""The Thrift bytes of chunks that a form's reader has decoded."""

from __future__ import annotations

__all__ = ["structs_in"]


def structs_in(chunks) -> list[bytes]:
    """Return the ColumnChunk structs in the buffer of decoded chunks."""
    data = memoryview(chunks.buffer)
    ranges = zip(chunks.array("chunk_offset"), chunks.array("chunk_length"), strict=True)
    return [bytes(data[offset : offset + length]) for offset, length in ranges]
