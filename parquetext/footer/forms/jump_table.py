"""The jump table of the public proposal: a field of the Thrift footer refers to an index of offsets into it."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from ...errors import Damaged, ParquetextError
from ...findings import Finding, is_sound
from ..form_spec import BuildOptions, Built, Checked, FormSpec, Location, Shape
from ..jump_table.checking import check_chunks, differences
from ..jump_table.index_struct import FooterIndex, build_index, decompressed, read_index
from ..jump_table.jump_table_form import JumpTableForm, Metadata
from ..jump_table.pointer import (
    PLAIN,
    POINTER_BYTES,
    Pointer,
    check_free,
    check_pointer,
    damaged,
    pointer_in,
    with_pointer,
    without_pointer,
)
from ..path_sizes import check_paths
from ..tail import Block, Tail

STALE = "jump-table-stale"
NO_UUID = UUID(int=0)  # the index is no block of an extension


class JumpTableSpec(FormSpec):
    """The jump table: its index is in front of the Thrift footer, whose first field is the pointer to it."""

    name, title, rank = "jump-table", "jump table", 25
    front_bytes = POINTER_BYTES
    is_cellular = True
    stands_alone = False
    part_kind = "jump-table"
    damaged = "jump-table-damaged"
    warning = (
        "fastparquet cannot read the file, and neither can most readers based on parquet2 or arrow-rs before 57, "
        "such as Polars 1: they take the pointer for text"
    )

    @property
    def reader_type(self) -> type:
        return JumpTableForm

    # ---- locating -----------------------------------------------------------------------------------------------

    def referred(self, front: bytes | memoryview, tail: Tail) -> Block | None:
        pointer = pointer_in(front)
        if pointer is None:
            return None
        check_pointer(pointer, tail.footer_offset, tail.footer_length)
        return Block(NO_UUID, pointer.index_start, pointer.index_length, None, 0)

    # ---- opening ------------------------------------------------------------------------------------------------

    def open(self, handle, location: Location) -> JumpTableForm:
        return JumpTableForm(*self._read(handle, location))

    def _read(self, handle, location: Location) -> tuple[Metadata, FooterIndex]:
        """Read the index, and return it with the metadata into which it leads."""
        footer, length, payload, size, known, known_end = location
        metadata = Metadata(handle, footer, length, known, known_end)
        pointer = pointer_in(metadata.at(0, min(POINTER_BYTES, length)))
        if pointer is None:
            raise damaged("the footer does not begin with a pointer", footer)
        if payload >= footer:  # the index follows the metadata; other programs may have made a footer before it longer
            metadata.length = pointer.metadata_length
        try:
            data = decompressed(metadata.in_file(payload, size), pointer.version, metadata.length)
            return metadata, read_index(data, metadata.length)
        except Damaged as error:
            raise error.at(None, payload) from None

    def needed_range(self, location: Location) -> tuple[int, int]:
        end = location.footer + location.thrift_length
        return min(location.payload, location.footer), max(location.payload + location.length, end)

    # ---- writing ------------------------------------------------------------------------------------------------

    def estimate(self, shape: Shape) -> int:
        return 4 * (shape.columns + 1) * (shape.row_groups + 4)

    def build(self, scan, options: BuildOptions) -> Built:
        check_paths(scan)
        if scan.regular:
            check_chunks(scan)
        pointer = Pointer(PLAIN, 0, 0, 0)
        shift = len(with_pointer(bytes(scan.data[:2]), pointer)) - 2
        return Built(build_index(scan, shift), b"")

    def check_addable(self, metadata: bytes) -> None:
        check_free(metadata)

    def with_reference(self, metadata: bytes, offset: int, length: int, footer_length: int) -> bytes:
        return with_pointer(metadata, Pointer(PLAIN, offset, length, footer_length))

    def without_reference(self, metadata: bytes) -> bytes | None:
        return without_pointer(metadata)

    def is_referred(self, metadata: bytes, payload: bytes) -> bool:
        pointer = pointer_in(metadata)
        if pointer is None:
            return False
        try:
            read_index(decompressed(payload, pointer.version, pointer.metadata_length), pointer.metadata_length)
        except Damaged:
            return False
        return True

    # ---- checking -----------------------------------------------------------------------------------------------

    def check(self, checked: Checked) -> Iterator[Finding]:
        block, tail = checked.block, checked.tail
        location = Location(tail.footer_offset, tail.footer_length, block.payload, block.length, b"", tail.file_size)
        try:
            metadata, index = self._read(checked.source, location)
            if checked.scan is None:
                return
            found = list(self._differences(checked, index))
            yield from found
            if is_sound(found):
                checked.reader = JumpTableForm(metadata, index)
        except ParquetextError as error:
            yield self.finding(error)

    def _differences(self, checked: Checked, index: FooterIndex) -> Iterator[Finding]:
        """Yield the first difference between each part of the index and the Thrift footer."""
        pointer, length = pointer_in(checked.footer), checked.tail.footer_length
        if pointer and checked.block.payload < checked.tail.footer_offset and pointer.metadata_length != length:
            message = f"the pointer says that the footer has {pointer.metadata_length} bytes, and it has {length}"
            yield Finding(STALE, message, checked.tail.footer_offset, self.title, is_note=True)
        for message, offset in differences(index, checked.scan):
            yield Finding(self.damaged, message, checked.tail.footer_offset + offset, self.title)

    def describe(self, footer: bytes | memoryview, tail: Tail, block: Block) -> str:
        pointer = pointer_in(footer)
        return "" if pointer is None else f"version {pointer.version}"


SPEC = JumpTableSpec()
