"""The packed footer: all metadata in a tenth of the Thrift footer's bytes, in a block beside it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from ... import kernels, wire
from ..cell_spec import CellSpec
from ..chunk_fields import Fields, names_of
from ..form_spec import BuildOptions, Built, Shape, sized_tail_block

USUAL_SHARE = 8  # of the Thrift footer's bytes: an upper estimate
FETCHED_BYTES = 1 << 20  # takes about as long as two requests, and saves five or more
MOST_COPIED = 2800  # bytes of the payload's end in a reference to four blocks


class PackedSpec(CellSpec):
    """The packed form: it writes the Thrift bytes of the chunks that a look-up needs."""

    name, title, rank = "packed", "packed footer", 8
    uuid = wire.UUID_PACKED_FOOTER
    kernel = "packed"
    fetched_bytes = FETCHED_BYTES
    part_kind = "packed-footer"
    damaged = "packed-damaged"
    part_to_hold = 100  # a column costs as much as some kilobytes
    record_code: ClassVar[int | None] = 5

    def estimate(self, shape: Shape) -> int:
        return shape.footer_bytes // USUAL_SHARE

    def build(self, scan, options: BuildOptions) -> Built:
        pairs = sorted((uuid.bytes, data) for uuid, data in options.slots.items())
        return self.built(kernels.packed.write(scan, _compress, pairs))

    def column(self, reader, leaf: int, first: int = 0, count: int | None = None, fields: Fields = Fields.ALL):
        return reader.column(leaf, first, count, bool(fields & Fields.BOUNDS))

    def row_group(self, reader, row_group: int, fields: Fields = Fields.ALL) -> dict[str, list]:
        chunks = reader.row_group_chunks(row_group)
        return {name: chunks.array(name).tolist() for name in names_of(fields)}

    def rebuild(self, payload) -> bytes:
        return kernels.packed.to_thrift(self.open_payload(payload))

    def verify_payload(self, payload) -> bytes:
        reader = self.open_payload(payload)
        kernels.packed.verify(reader)
        return kernels.packed.to_thrift(reader)

    def tail_block(self, payload) -> bytes:
        """Return the tail block with the books and directories in front of it, as far as a reference has room."""
        from ..payload_cells import DIRECTORY, TEMPLATES, packed_parts

        begins = [begin for begin, _, name, _ in packed_parts(payload) if name in (DIRECTORY, TEMPLATES)]
        begin = next((begin for begin in begins if len(payload) - begin <= MOST_COPIED), None)
        return sized_tail_block(payload) if begin is None else bytes(payload[begin:])

    def claim(self, payload: bytes) -> Iterator[tuple[int, int, str, int]]:
        from ..payload_cells import packed_parts

        return packed_parts(payload)


def _compress(data: bytes) -> bytes:
    """Return a zstd frame."""
    from ...encoding import codecs

    return codecs.compress(wire.CODEC_ZSTD, data)


SPEC = PackedSpec()
