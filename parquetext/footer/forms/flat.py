"""The flat footer: all metadata as FlatBuffers cells with checksums, in a block beside the Thrift footer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from ... import kernels, wire
from ...errors import Damaged, Unsupported
from ...findings import Finding
from ..cell_spec import CellSpec
from ..form_spec import BuildOptions, Built, Checked, sized_tail_block


class FlatSpec(CellSpec):
    """The flat form: the fastest one, about as large as the Thrift footer."""

    name, title, rank = "flat", "flat footer", 10
    uuid = wire.UUID_FLAT_FOOTER
    kernel = "flat"
    has_file_paths = False
    part_kind = "flat-footer"
    damaged, unsupported = "flat-damaged", "flat-verbatim"  # the latter is intact, but has nothing to look up
    record_code: ClassVar[int | None] = 1

    def chunk_structs(self, reader, leaf: int, first: int, count: int) -> list[bytes]:
        return kernels.flat.chunk_structs(reader, leaf, first, count)

    def build(self, scan, options: BuildOptions) -> Built:
        pairs = sorted((uuid.bytes, data) for uuid, data in options.slots.items())
        return self.built(kernels.flat.write(scan, options.stats, verbatim=options.verbatim, extensions=pairs))

    def rebuild(self, payload) -> bytes:
        return kernels.flat.to_thrift(payload)

    def options_of(self, payload) -> BuildOptions:
        try:
            stats = "full" if self.open_payload(payload).is_lossless else "compact"
        except (Damaged, Unsupported):
            stats = "full"
        return BuildOptions(stats, slots=self.slots(payload))

    def verify_payload(self, payload) -> None:
        kernels.flat.verify(payload)

    def check(self, checked: Checked) -> Iterator[Finding]:
        return super().check(checked) if checked.scan is not None or self.is_final else iter(())

    def open_checked(self, checked: Checked) -> Any:
        block, payload = checked.block, checked.payload
        return kernels.flat.Reader(checked.source, block.payload, block.length, payload, block.payload + block.length)

    def tail_block(self, payload) -> bytes:
        return sized_tail_block(payload)

    def claim(self, payload: bytes) -> Iterator[tuple[int, int, str, int]]:
        from ..payload_cells import flat_parts

        return flat_parts(payload)


SPEC = FlatSpec()
