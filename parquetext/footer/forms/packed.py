"""The packed footer: all metadata in a tenth of the Thrift footer's bytes, in a block beside it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar
from uuid import UUID

from ... import kernels, wire
from ...errors import Damaged, Unsupported
from ..form_spec import BuildOptions, Built, FormSpec, Location, Memory, Shape, Slots, sized_tail_block

USUAL_SHARE = 8  # of the Thrift footer's bytes: an upper estimate


class PackedSpec(FormSpec):
    """The packed form: it writes the Thrift bytes of the chunks that a look-up needs."""

    name, title, rank = "packed", "packed footer", 8
    uuid = wire.UUID_PACKED_FOOTER
    is_lossless = is_verified = has_slots = is_cellular = True
    part_kind = "packed-footer"
    damaged = "packed-damaged"
    record_code: ClassVar[int | None] = 5

    @property
    def reader_type(self) -> type:
        return kernels.packed.Reader

    def open(self, handle, location: Location) -> Any:
        return kernels.packed.Reader(handle, location.payload, location.length, location.known, location.known_end)

    def open_payload(self, payload) -> Any:
        return kernels.packed.Reader(Memory(payload), 0, len(payload), payload)

    def chunk_structs(self, reader, leaf: int, first: int, count: int) -> list[bytes]:
        from ..chunk_bytes import structs_in

        return structs_in(reader.column(leaf, first, count))

    def slots(self, payload) -> Slots:
        try:
            reader = self.open_payload(payload)
            return {UUID(bytes=uuid): reader.extension(index) for index, (uuid, _) in enumerate(reader.extensions())}
        except (Damaged, Unsupported):
            return {}

    def estimate(self, shape: Shape) -> int:
        return shape.footer_bytes // USUAL_SHARE

    def build(self, scan, options: BuildOptions) -> Built:
        pairs = sorted((uuid.bytes, data) for uuid, data in options.slots.items())
        return self.built(kernels.packed.write(scan, _compress, pairs))

    def rebuild(self, payload) -> bytes:
        return kernels.packed.to_thrift(self.open_payload(payload))

    def verify_payload(self, payload) -> None:
        reader = self.open_payload(payload)
        kernels.packed.verify(reader)
        kernels.packed.to_thrift(reader)

    def tail_block(self, payload) -> bytes:
        return sized_tail_block(payload)

    def claim(self, payload: bytes) -> Iterator[tuple[int, int, str, int]]:
        from ..payload_cells import packed_parts

        return packed_parts(payload)


def _compress(data: bytes) -> bytes:
    """Return a zstd frame."""
    from ...encoding import codecs

    return codecs.compress(wire.CODEC_ZSTD, data)


SPEC = PackedSpec()
