"""The modular footer of the public proposal: arrays over all chunks, beside the Thrift footer or in its location."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar

from ... import wire
from ...errors import Malformed
from ...findings import Finding
from ..form_spec import BuildOptions, Built, Checked, FormSpec, Location, Shape
from ..model import INDEX_FIELDS
from ..modular.framing import ALONE_MAGIC, ALONE_TRAILER, ASIDE_MAGIC, SMALLEST_PAYLOAD
from ..tail import Block, Tail

if TYPE_CHECKING:
    from ..modular.modular_form import ModularForm

MAGIC_BYTES = 4
SMALLEST_FILE = MAGIC_BYTES + SMALLEST_PAYLOAD + MAGIC_BYTES
USUAL_SHARE = 3  # of the Thrift footer's bytes: an upper estimate
PAGE_FIRST = b"PMF1"


class ModularSpec(FormSpec):
    """The modular form: a block beside the Thrift footer, or the only footer of a new file.

    It drops facts of the Thrift footer, and has no checksums. Beside a Thrift footer, it is read only on request.
    """

    name, title, rank = "modular", "modular footer", 35
    generation = 4
    uuid = wire.UUID_MODULAR_FOOTER
    magic = ALONE_MAGIC
    refused_magics: ClassVar[Mapping[bytes, str]] = {
        PAGE_FIRST: "a page-first modular footer (magic PMF1), which has no row groups: this version does not read it"
    }
    is_preferred = is_restorable = False
    is_written_alone = True
    stands_alone = False
    has_page_index = has_file_paths = has_single_bounds = False
    warning = "the modular footer is experimental: its public definition may change, and older versions differ"
    drops = (
        "encodings and encoding_stats, except for a flag: all data pages have indexes of a dictionary",
        "size_statistics",
        "geospatial_statistics",
        "distinct_count",
        "the deprecated min and max beside others, and a bound without the other one",
        "the locations of Bloom filters",
        "the locations of page indexes",
        "key-values, file_offset and index_page_offset of chunks",
        "sorting_columns, file_offset, total_compressed_size and ordinal of row groups",
        "extensions of the structs",
    )
    omitted_of_chunks = frozenset({"encodings", "distinct_count", *INDEX_FIELDS, "index_page_offset"})
    omitted_of_row_groups = frozenset({"total_byte_size", "file_offset", "total_compressed_size", "ordinal"})
    record_code: ClassVar[int | None] = 6
    part_kind = "modular-footer"
    damaged = "modular-damaged"
    no_thrift = (
        "a file with a modular footer alone has no Thrift footer, and is not changed; "
        "parquetext rewrite --form thrift --out NEW.parquet writes its rows to a file that has one"
    )

    @property
    def reader_type(self) -> type:
        from ..modular.modular_form import ModularForm

        return ModularForm

    # ---- locating -----------------------------------------------------------------------------------------------

    def recognize(self, tail: memoryview, size: int) -> Tail:
        from ..locate import check_given

        last = ALONE_TRAILER.size + MAGIC_BYTES
        check_given(tail, min(last, size), size)
        if size < SMALLEST_FILE:
            message = f"{size} bytes are too few for a file with a modular footer"
            raise Malformed(message, offset=0, expected=SMALLEST_FILE, found=size)
        start, _ = ALONE_TRAILER.unpack_from(tail, len(tail) - last)
        most = size - MAGIC_BYTES - SMALLEST_PAYLOAD
        if not MAGIC_BYTES <= start <= most:
            message = f"the modular footer begins at {start}, outside of the file of {size} bytes"
            raise Malformed(message, offset=size - last, expected=most, found=start)
        length = size - MAGIC_BYTES - start
        block = Block(self.block_kind, start, length, None, MAGIC_BYTES)
        return Tail(size, start, length, self, blocks=[block])

    def check_magic(self, tail: memoryview, offset: int) -> None:
        """Accept any other file: nothing but the magic shows a modular footer."""

    # ---- opening ------------------------------------------------------------------------------------------------

    def open(self, handle, location: Location) -> ModularForm:
        from ..modular.modular_form import ModularForm
        from ..modular.payload import Payload

        payload = Payload(handle, location.payload, location.length, location.known, location.known_end)
        if not isinstance(handle, tuple):
            payload.hold()  # parts lead to each other, and each read of a remote file is a round trip
        return ModularForm(payload)

    def open_payload(self, payload) -> ModularForm:
        from ..modular.modular_form import opened

        return opened(payload)

    # ---- writing ------------------------------------------------------------------------------------------------

    def estimate(self, shape: Shape) -> int:
        return shape.footer_bytes // USUAL_SHARE

    def refusal(self, shape: Shape) -> str | None:
        return "the modular footer is experimental"

    def build(self, scan, options: BuildOptions) -> Built:
        from ..modular.dropped import dropped_facts
        from ..modular.writing import build

        payload = build(scan, options.offset)
        if options.offset is not None:
            return Built(payload, ALONE_MAGIC, dropped_facts(scan))
        return self.built(payload)._replace(losses=dropped_facts(scan))

    def rebuild(self, payload) -> bytes:
        """Return a Thrift footer with the facts that the payload has."""
        return self.open_payload(payload).to_thrift()

    # ---- checking -----------------------------------------------------------------------------------------------

    def verify_payload(self, payload) -> None:
        from ..modular.checking import verify

        verify(self.open_payload(payload))

    def check(self, checked: Checked) -> Iterator[Finding]:
        from ..form_agreement import compare_form
        from ..modular.dropped import dropped_facts

        found = list(super().check(checked))
        yield from found
        if found or checked.scan is None or checked.reader is None:
            return
        checked.losses += map(str, dropped_facts(checked.scan))
        yield from compare_form(checked.scan, checked.reader, self)

    def compare(self, checked: Checked) -> Iterator[Finding]:
        """Yield nothing: `check` has compared every field that the form stores."""
        return iter(())

    def claim(self, payload: bytes) -> Iterator[tuple[int, int, str, int]]:
        from ..modular.parts import parts_of

        return parts_of(payload)

    def describe(self, footer: bytes | memoryview, tail: Tail, block: Block) -> str:
        return "" if tail.is_final else ASIDE_MAGIC.decode()


SPEC = ModularSpec()
