"""PAR3: a flat footer that replaces the Thrift footer; the file ends in another magic."""

from __future__ import annotations

import struct

from ... import kernels, wire
from ...errors import Damaged, Malformed
from ..form_spec import Built
from ..tail import Block, Tail
from .flat import FlatSpec

TRAILER = struct.Struct("<III4s")  # the payload's CRC-32, its length, the length's CRC-32, magic
MAGIC_BYTES = 4


class Par3Spec(FlatSpec):
    """The PAR3 form: no other footer is in the file, and only parquetext reads it."""

    name, title, rank = "par3", "flat footer", 0
    magic = b"PAR3"
    trailer_bytes = TRAILER.size
    is_final = is_restorable = True
    no_thrift = wire.ERRORS[wire.NO_THRIFT][1]
    is_writable = False
    record_code = None

    def recognize(self, tail: memoryview, size: int) -> Tail:
        from ..locate import check_given

        check_given(tail, min(TRAILER.size, size), size)
        end, most = size - TRAILER.size, size - TRAILER.size - MAGIC_BYTES
        if most < 1:
            message = f"{size} bytes are too few for a PAR3 file"
            raise Malformed(message, offset=0, expected=TRAILER.size + MAGIC_BYTES + 1, found=size)
        crc, length, stored, _ = TRAILER.unpack(tail[-TRAILER.size :])
        computed = kernels.checksum.crc32(tail[-12:-8])
        if computed != stored:
            message = f"the PAR3 footer's length, {length}, has the checksum {computed:#010x}, expected {stored:#010x}"
            raise Damaged(message, offset=end + 8, expected=stored, found=computed, code=wire.CHECKSUM)
        if not 1 <= length <= most:
            message = f"the PAR3 footer's length of {length} bytes does not fit in the file of {size} bytes"
            raise Malformed(message, offset=end + 4, expected=most, found=length)
        block = Block(self.uuid, end - length, length, crc, TRAILER.size)
        return Tail(size, block.payload, length, self, blocks=[block])

    def check_magic(self, tail: memoryview, offset: int) -> None:
        """Raise Damaged if a flat footer's last record and a PAR3 trailer precede the magic."""
        record = len(tail) - TRAILER.size - wire.FLAT_RECORD_BYTES
        if (
            record >= 0
            and tail[record : record + 16] == wire.UUID_FLAT_FOOTER.bytes
            and kernels.checksum.crc32(tail[-12:-8]) == int.from_bytes(tail[-8:-4], "little")
        ):
            raise Damaged("the magic is b'PAR1', but what stands before it is the end of a PAR3 file", offset=offset)

    def built(self, payload: bytes) -> Built:
        """Return the end of the file with this payload."""
        size = len(payload).to_bytes(4, "little")
        crcs = kernels.checksum.crc32(payload), kernels.checksum.crc32(size)
        return Built(payload, TRAILER.pack(crcs[0], len(payload), crcs[1], self.magic))


SPEC = Par3Spec()
