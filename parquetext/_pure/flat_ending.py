"""Write the end of every flat footer: ROOT cell, directory and tail block (docs/formats.md, 3.3 and 3.4)."""

from __future__ import annotations

import struct

from .. import wire
from . import checksum
from .flat_names import tag_of
from .flat_residue import Residue
from .flat_tables import Payload, Table

MOST_AT_ONCE = 4096  # upper limit of the bytes that a reader should read at once
HAS_CREATED_BY, HAS_KEY_VALUES, HAS_COLUMN_ORDERS, IS_VERBATIM, IS_COMPACT = 1, 2, 4, 8, 16  # flags in the tail block


class Ending:
    """A writer of the parts that end every payload: the ROOT cell, the pool, the directory, the tail block."""

    def __init__(self, scan):
        self.scan, self.payload = scan, Payload()
        self.longest_column = self.longest_page = 0
        self.left_out = 0  # bytes of the footer that cannot be restored: its extension
        self.extensions_cell = 0  # position of the list of extensions

    def write_root_cell(self, residue: Residue, **behind: bytes | Table | None) -> dict[str, int]:
        """Write the ROOT cell; return the positions of the targets of the root table's fields."""
        payload = self.payload
        skeleton, literals, self.left_out = residue
        with payload.cell(wire.KIND_ROOT, 0) as cell:
            fixed = payload.append(bytes(16))
            positions = {field: payload.behind(value) for field, value in behind.items() if value is not None}
            payload.write_shared()
            position = payload.append(skeleton + literals) - cell
            struct.pack_into("<3I", payload.out, fixed, position, len(skeleton), len(literals))
        self.root_cell = cell
        return positions

    def reserve_directory(self, entries: int) -> None:
        """Reserve the DIRECTORY cells for this number of entries."""
        self.directory = self.reserve_pages(wire.KIND_DIRECTORY, -(-entries // wire.FLAT_DIRECTORY_ENTRIES))

    def fill_directory(self, listed: list[int]) -> None:
        entries = [struct.pack("<I", position) for position in listed]
        step = wire.FLAT_DIRECTORY_ENTRIES
        self.fill_pages(self.directory, [entries[first : first + step] for first in range(0, len(entries), step)])

    def reserve_pages(self, kind: int, count: int) -> int:
        """Write empty cells of 256 bytes; return the position of the first one."""
        first = self.payload.pad(8)
        for number in range(count):
            with self.payload.cell(kind, number):
                self.payload.append(bytes(wire.FLAT_PAGE_BYTES - wire.FLAT_CELL_HEADER_BYTES))
        return first

    def fill_pages(self, first: int, pages: list[list[bytes]]) -> None:
        """Fill in the entries of reserved cells; the part field is their number."""
        for number, entries in enumerate(pages):
            cell, content = first + wire.FLAT_PAGE_BYTES * number, b"".join(entries)
            struct.pack_into("<H", self.payload.out, cell + 10, len(entries))
            begin = cell + wire.FLAT_CELL_HEADER_BYTES
            self.payload.out[begin : begin + len(content)] = content

    def write_tail(
        self,
        counts: tuple[int, ...],
        flags: int,
        version: int,
        row_groups: tuple[tuple[int, ...], ...] | list[tuple[int, ...]] = (),
        buckets: tuple[int, int] = (0, 0),
        listed: tuple[tuple[int, int], ...] | list[tuple[int, int]] = (),
    ) -> None:
        """Write the tail block at the end of the payload. Its checksum covers all of its bytes before the checksum."""
        payload = self.payload
        tail = payload.pad(8)
        payload.append(
            struct.pack(
                "<7IiqI7I",
                *counts,
                flags,
                version,
                0 if flags & IS_VERBATIM else self.scan.num_rows,
                self.directory,
                *buckets,
                min(self.longest_column, MOST_AT_ONCE),
                min(self.longest_page, MOST_AT_ONCE),
                payload.vtable_bytes,
                len(listed),
                self.extensions_cell,
            )
        )
        for code, values in zip("qqqqh", zip(*row_groups[: wire.FLAT_PART_ROW_GROUPS], strict=True), strict=False):
            payload.append(struct.pack(f"<{len(values)}{code}", *values))
        payload.write_vtables()
        payload.pad(4)
        payload.append(b"".join(struct.pack("<II", tag_of(hash), position) for hash, position in listed))
        record = payload.pad(8)
        end = record + wire.FLAT_RECORD_BYTES
        payload.append(wire.UUID_FLAT_FOOTER.bytes + struct.pack("<III", wire.FLAT_LAYOUT_VERSION, end, end - tail))
        payload.append(struct.pack("<I", checksum.crc32(memoryview(payload.out)[tail:])))
