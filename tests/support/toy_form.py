"""A footer form in one file: the compressed Thrift footer behind its checksum."""

from __future__ import annotations

import zlib
from uuid import UUID

from parquetext import extension, wire
from parquetext.errors import Damaged, wire_error
from parquetext.footer.form_spec import BuildOptions, Built, FormSpec, Shape


class ToySpec(FormSpec):
    """The toy form."""

    name, title, rank = "toy", "toy footer", 15
    uuid = UUID("70700000-0000-4000-8000-000000000070")
    is_lossless = is_verified = True
    part_kind = "toy-footer"
    damaged = "toy-damaged"

    def refusal(self, shape: Shape) -> str | None:
        return "it is only a toy"

    def build(self, scan, options: BuildOptions) -> Built:
        thrift = zlib.compress(extension.strip(scan.data))
        return self.built(zlib.crc32(thrift).to_bytes(4, "little") + thrift)

    def rebuild(self, payload) -> bytes:
        stored, found = int.from_bytes(payload[:4], "little"), zlib.crc32(payload[4:])
        if stored != found:
            raise wire_error(wire.CHECKSUM, 0, stored, found)
        try:
            return zlib.decompress(payload[4:])
        except zlib.error as error:
            raise Damaged(str(error), offset=4) from None


SPEC = ToySpec()
