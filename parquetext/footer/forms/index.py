"""The footer index: a jump table with checksums into the Thrift footer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ... import kernels, wire
from ...errors import ParquetextError
from ...findings import Finding
from ..form_spec import BuildOptions, Built, Checked, FormSpec, Location, Shape, sized_tail_block


class IndexSpec(FormSpec):
    """The index form: a fraction of the Thrift footer, from which look-ups read single chunks."""

    name, title, rank = "index", "footer index", 20
    uuid = wire.UUID_FOOTER_INDEX
    is_verified = is_cellular = reads_by_chunk = True
    part_kind = "footer-index"
    damaged = "index-damaged"
    record_code = 3

    @property
    def reader_type(self) -> type:
        return kernels.index.Reader

    def open(self, handle, location: Location) -> Any:
        footer, thrift_length, payload, length, known, known_end = location
        return kernels.index.Reader(handle, footer, payload, length, known, known_end, thrift_length)

    def needed_range(self, location: Location) -> tuple[int, int]:
        return min(location.payload, location.footer), max(
            location.payload + location.length, location.footer + location.thrift_length
        )

    def estimate(self, shape: Shape) -> int:
        return shape.footer_bytes // (12 if shape.row_groups > 1 else 3)

    def refusal(self, shape: Shape) -> str | None:
        return None  # it is small enough for every file

    def most_bytes(self, file_bytes: int) -> int | None:
        return None

    def build(self, scan, options: BuildOptions) -> Built:
        return self.built(kernels.index.write(scan))

    def check(self, checked: Checked) -> Iterator[Finding]:
        if checked.scan is None:
            return
        tail, block = checked.tail, checked.block
        thrift_length = tail.reference.struct_length - 1 if block.payload < tail.footer_offset else None
        position = block.payload - tail.start, block.length
        try:
            kernels.index.verify(checked.end, *position, tail.footer_offset - tail.start, thrift_length)
        except ParquetextError as error:
            if error.code == wire.THRIFT_CHECKSUM:
                yield Finding.of("thrift-checksum", error.at(None, tail.start), "Thrift footer")
            else:
                yield Finding.of(self.damaged, error.at(None, tail.start), self.title)

    def tail_block(self, payload) -> bytes:
        return sized_tail_block(payload)

    def claim(self, payload: bytes) -> Iterator[tuple[int, int, str, int]]:
        from ..payload_cells import index_parts

        return index_parts(payload)


SPEC = IndexSpec()
