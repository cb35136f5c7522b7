"""The public FlatBuffers footer of arrow-cpp and arrow-rs ("arrow dialect"): compressed tables, some fields omitted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ... import thrift, wire
from ...errors import Damaged, ParquetextError
from ...extension import AFTER_STOP
from ...findings import Finding
from ..dialect import framing
from ..form_spec import BuildOptions, Built, Checked, FormSpec
from ..tail import Block, Tail
from ..thrift_form import ThriftForm

DIFFER, UNCOMPARED = "forms-differ", "forms-uncompared"


class ArrowSpec(FormSpec):
    """The dialect: its block is the last one, never aside, because its readers look only there."""

    name, title, rank = "arrow", "arrow dialect", 30
    uuid = wire.UUID_ARROW_DIALECT
    trailer_bytes = framing.TRAILER_BYTES
    checked_trailer_bytes = 1  # the codec
    is_preferred = False
    needs_footer = True
    stands_alone = False
    has_names = has_page_index = False
    placement = AFTER_STOP
    part_kind = "arrow-dialect"
    damaged = "dialect-damaged"

    def read_trailer(self, data: memoryview, end: int) -> tuple[int, int] | None:
        found = framing.read_trailer(data, end)
        return None if found is None else (found.length, found.crc)

    def find(self, tail: Tail) -> Block | None:
        return next((block for block in tail.blocks if block.trailer == self.trailer_bytes), None)

    def open_beside(self, footer: bytes | memoryview, tail: Tail, block: Block, io: tuple[int, int]) -> ThriftForm:
        from ..dialect.dialect_form import decode_block, in_buffer

        decoded = decode_block(footer, tail, block)
        try:
            thrift = decoded.to_thrift()
        except ParquetextError as error:
            raise in_buffer(error, block) from None
        try:
            return ThriftForm(thrift, io)
        except ParquetextError as error:
            raise Damaged(f"it makes no footer: {error.message}", offset=block.payload) from None

    def glance(self, footer: bytes | memoryview, tail: Tail) -> list[Finding]:
        block = self.find(tail)
        if block is None:
            return []
        from ..dialect.dialect_form import layout_problem

        problem = layout_problem(footer, tail, block)
        return [] if problem is None else [self.finding(problem)]

    def build(self, scan, options: BuildOptions) -> Built:
        from ..dialect.field_differences import prepare

        buffer, losses = prepare(scan.data)
        block = framing.frame(buffer)
        return Built(block[: -self.trailer_bytes], block[-self.trailer_bytes :], losses)

    def check(self, checked: Checked) -> Iterator[Finding]:
        from ..dialect.dialect_form import decode_block, in_buffer
        from ..dialect.field_differences import differences, losses_of

        block = checked.block
        try:
            decoded = decode_block(checked.footer, checked.tail, block)
        except ParquetextError as error:
            yield self.finding(error)
            return
        try:
            if checked.scan is None:
                decoded.to_thrift()
                return
            found = list(differences(thrift.read("FileMetaData", checked.footer), decoded))
        except ParquetextError as error:
            if error.code == wire.MISSING_FIELD:  # `check_required` reports it
                message = f"not compared with the Thrift footer: {error.message}"
                yield Finding(UNCOMPARED, message, block.payload, self.title, is_note=True)
            else:
                yield self.finding(in_buffer(error, block))
            return
        checked.losses += map(str, losses_of(found))
        yield from self._contradictions(found, block.payload)

    def _contradictions(self, found: Iterable, offset: int) -> Iterator[Finding]:
        """Yield one finding for each field that differs, with its first occurrence."""
        from ..dialect.field_differences import Kind

        by_field: dict[str, list] = {}
        for one in found:
            if one.kind is Kind.DIFFERS:
                by_field.setdefault(one.field, []).append(one)
        for field, same in by_field.items():
            message = (
                f"{field} ({len(same):,} times, first {same[0].label}): Thrift says {same[0].thrift!r:.80}, "
                f"the dialect {same[0].dialect!r:.80}"
            )
            yield Finding(DIFFER, message, offset, self.title)

    def describe(self, footer: bytes | memoryview, tail: Tail, block: Block) -> str:
        from ..dialect.dialect_form import layout_name

        return layout_name(footer, tail, block)


SPEC = ArrowSpec()
