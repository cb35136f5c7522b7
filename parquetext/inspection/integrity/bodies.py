"""The bodies of pages: their checksums, and of pages without one that they decompress."""

from __future__ import annotations

from collections.abc import Iterator

from ... import kernels
from ...encoding.codecs import BELIEVED
from ...encoding.pages import FEW_BYTES, VAST_BYTES, Headers, check_body
from ...errors import ParquetextError, Unsupported
from ...findings import Finding

__all__ = ["Bodies"]

CHECKSUM_STEP = 1 << 22
MOST_BYTES = 1 << 28  # of all pages together, where the file has few bytes


class Bodies:
    """Checks the bodies of pages; memory is that of a stored page.

    Attributes
    ----------
    checked_bytes : int
        Bytes under a checksum that was computed.
    decompressed_pages : int
        Pages without a checksum that were decompressed.
    """

    def __init__(self, source):
        self._source = source
        self._left = MOST_BYTES + BELIEVED * source.size
        self.checked_bytes = self.decompressed_pages = self._passed = 0

    def check(self, headers: Headers, codec: int, place: str) -> Iterator[Finding]:
        """Check the pages of a chunk."""
        members = ("offset", "header_size", "compressed_size", "uncompressed_size", "has_crc", "crc")
        for number, page in enumerate(zip(*map(headers.array, members), strict=True)):
            offset, header_size, size, decompressed, has_crc, crc = page
            if has_crc:
                self.checked_bytes += size
                found = self._checksum(offset + header_size, size)
                if found != crc:
                    message = f"checksum {found:#010x}, expected {crc:#010x}"
                    yield Finding("page-checksum", message, offset, place)
            elif decompressed > self._left or (size < FEW_BYTES and decompressed > VAST_BYTES):
                self._passed += 1
            else:
                self._left -= max(decompressed, 0)
                self.decompressed_pages += 1
                yield from self._decompress(headers.header(number), codec, place)

    def finish(self) -> Iterator[Finding]:
        """Yield a note about the pages that were passed over, because a few bytes say to hold very many."""
        if self._passed:
            message = f"{self._passed} pages without a checksum claim too many bytes to be decompressed by this tier"
            yield Finding("page-undecoded", message, is_note=True)

    def _decompress(self, header, codec: int, place: str) -> Iterator[Finding]:
        body = memoryview(self._source.read(header.offset + header.header_size, header.compressed_size))
        try:
            check_body(header, body, codec)
        except ParquetextError as error:
            yield Finding("page-body", error.message, error.offset, place, isinstance(error, Unsupported))

    def _checksum(self, start: int, size: int) -> int:
        crc = 0
        for at in range(start, start + size, CHECKSUM_STEP):
            crc = kernels.checksum.crc32(self._source.read(at, min(CHECKSUM_STEP, start + size - at)), crc)
        return crc
