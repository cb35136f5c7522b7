"""Check the bodies of pages: checksums, decompression of pages without one, and counts that only bodies contain."""

from __future__ import annotations

from collections.abc import Iterator

from ... import kernels, wire
from ...encoding.codecs import BELIEVED
from ...encoding.pages import FEW_BYTES, VAST_BYTES, Headers, check_body, read_body
from ...errors import ParquetextError, Unsupported
from ...findings import Finding
from ..structure import StoredChunk
from .body_counts import BodyCounts

__all__ = ["Bodies"]

CHECKSUM_STEP = 1 << 22
MOST_BYTES = 1 << 28  # of all pages together, if the file has few bytes


class Bodies:
    """Checks the bodies of pages; memory is that of a stored page, or of 16 MiB of a decompressed one.

    Parameters
    ----------
    source
        The file's bytes: `size` and `read(offset, length)`.
    counts_all : bool
        Also decompress pages with a checksum, if their counts are compared.

    Attributes
    ----------
    checked_bytes : int
        Bytes under a checksum that was computed.
    decompressed_pages : int
        Pages without a checksum that were decompressed.
    """

    def __init__(self, source, *, counts_all: bool = False):
        self._source, self._counts_all = source, counts_all
        self._left = MOST_BYTES + BELIEVED * source.size
        self.checked_bytes = self.decompressed_pages = self._passed = self._uncounted = 0

    def check(self, headers: Headers, chunk: StoredChunk) -> Iterator[Finding]:
        """Check the pages of a chunk."""
        members = (
            "type",
            "encoding",
            "offset",
            "header_size",
            "compressed_size",
            "uncompressed_size",
            "has_crc",
            "crc",
        )
        counts = BodyCounts(chunk, headers)
        counts_all = self._counts_all or chunk.codec == wire.CODEC_UNCOMPRESSED
        for number, page in enumerate(zip(*map(headers.array, members), strict=True)):
            type, encoding, offset, header_size, size, decompressed, has_crc, crc = page
            if has_crc:
                self.checked_bytes += size
                found = self._checksum(offset + header_size, size)
                if found != crc:
                    message = f"checksum {found:#010x}, expected {crc:#010x}"
                    yield Finding("page-checksum", message, offset, chunk.place)
                if found != crc or not counts_all or not counts.needs(type, encoding):
                    continue
            if decompressed > self._left or (size < FEW_BYTES and decompressed > VAST_BYTES):
                self._passed += not has_crc
                continue
            self._left -= max(decompressed, 0)
            self.decompressed_pages += not has_crc
            yield from self._decompress(headers.header(number), chunk, counts)
        yield from counts.finish()

    def finish(self) -> Iterator[Finding]:
        """Yield notes about pages that claim too many bytes to be decompressed, or to be kept in memory."""
        if self._passed:
            message = f"{self._passed} pages without a checksum claim too many bytes to be decompressed by this tier"
            yield Finding("page-undecoded", message, is_note=True)
        if self._uncounted:
            message = f"rows and deltas of {self._uncounted} pages of more than {VAST_BYTES >> 20} MiB are not counted"
            yield Finding("page-uncounted", message, is_note=True)

    def _decompress(self, header, chunk: StoredChunk, counts: BodyCounts) -> Iterator[Finding]:
        """Decompress a page, and give it to `counts` if it needs the page."""
        body = memoryview(self._source.read(header.offset + header.header_size, header.compressed_size))
        is_needed = counts.needs(header.type, header.encoding)
        is_vast = header.uncompressed_size > VAST_BYTES and chunk.codec != wire.CODEC_UNCOMPRESSED
        self._uncounted += is_needed and is_vast
        try:
            if not is_needed or is_vast:
                check_body(header, body, chunk.codec)
                return
            for page in read_body(header, body, chunk.codec):
                counts.add(page)
        except ParquetextError as error:
            yield Finding("page-body", error.message, error.offset, chunk.place, isinstance(error, Unsupported))

    def _checksum(self, start: int, size: int) -> int:
        crc = 0
        for at in range(start, start + size, CHECKSUM_STEP):
            crc = kernels.checksum.crc32(self._source.read(at, min(CHECKSUM_STEP, start + size - at)), crc)
        return crc
