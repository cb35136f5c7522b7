"""PARX: the Thrift footer behind another magic, with flags for incompatible features and a checksum."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple
from uuid import UUID

from ... import kernels, wire
from ...errors import Damaged, Malformed, ParquetextError, Unsupported
from ...findings import Finding
from ..form_spec import BuildOptions, Built, Checked, FormSpec, Location
from ..tail import Block, Tail
from ..thrift_form import ThriftForm

MAGIC = b"PARX"
FIELDS = struct.Struct("<IIB")  # the metadata's length, the flags, the major version; the checksum covers them
CRC_BYTES = 4
AFTER_METADATA = FIELDS.size + CRC_BYTES
SMALLEST_FILE = len(MAGIC) + 1 + wire.PARX_TAIL_BYTES
MAX_METADATA_BYTES = (1 << 31) - 1
KNOWN_FLAGS = wire.PARX_ENCRYPTED | wire.PARX_PATHS_OMITTED | wire.PARX_PREVIEW
MISSING, PATHS = "missing-field", "paths-without-flag"


class Metadata(NamedTuple):
    """The content of a payload whose checksum is right."""

    thrift: bytes | memoryview
    flags: int
    version: int


def check_flags(flags: int, offset: int) -> None:
    """Raise Unsupported for flags that this version does not support; `offset` is that of the flags."""
    unknown = [bit for bit in range(32) if flags & ~KNOWN_FLAGS & 1 << bit]
    if unknown:
        bits = f"bit{'s' * (len(unknown) > 1)} " + ", ".join(map(str, unknown))
        message = f"PARX flags of unknown meaning are set: {bits} of {flags:#010x}"
        raise Unsupported(message, offset=offset, expected=KNOWN_FLAGS, found=flags)
    if flags & wire.PARX_ENCRYPTED:
        raise Unsupported("the PARX footer is encrypted (flag ENCRYPTED_FOOTER, bit 0)", offset=offset, found=flags)


def checked_metadata(payload) -> Metadata:
    """Return the content of a payload after checking flags, length and checksum, in this order.

    Raises
    ------
    Unsupported
        If a flag is not supported.
    Malformed, Damaged
        If the length or the checksum is wrong; offsets count from the payload's start.
    """
    view = memoryview(payload).cast("B")
    end = len(view) - AFTER_METADATA
    if end < 1:
        raise Malformed(f"{len(view)} bytes are too few for PARX metadata", expected=AFTER_METADATA + 1, offset=0)
    length, flags, version = FIELDS.unpack_from(view, end)
    check_flags(flags, end + 4)
    if length != end:
        raise Malformed(f"the PARX metadata has {end} bytes, its length says {length}", offset=end, found=length)
    stored = int.from_bytes(view[-CRC_BYTES:], "little")
    computed = kernels.checksum.crc32(view[:-CRC_BYTES])
    if computed != stored:
        message = f"the PARX footer has the checksum {computed:#010x}, expected {stored:#010x}"
        at = end + FIELDS.size
        raise Damaged(message, offset=at, expected=stored, found=computed, code=wire.CHECKSUM)
    return Metadata(view[:end], flags, version)


class ParxSpec(FormSpec):
    """The PARX form: its metadata are those of the Thrift form.

    The payload of its block is everything that the checksum covers, and the checksum: each use of a payload can
    therefore check it.
    """

    name, title, rank = "parx", "PARX footer", 5
    uuid = UUID("0d4f5a58-3c35-4c0c-8a6b-5fc1d0a3e7b2")  # of its block in memory; no file contains it
    magic = first_bytes = MAGIC
    trailer_bytes = len(MAGIC)
    begins_with_thrift = is_final = is_lossless = is_verified = is_written_alone = True
    is_writable = has_names = False
    part_kind = "parx-footer"
    damaged = "parx-damaged"
    no_thrift = (
        "a PARX file has no PAR1 footer, and is not changed; "
        "parquetext rewrite --form thrift --out NEW.parquet writes its rows to a file that has one"
    )

    def recognize(self, tail: memoryview, size: int) -> Tail:
        from ..locate import check_given

        check_given(tail, min(wire.PARX_TAIL_BYTES, size), size)
        if size < SMALLEST_FILE:
            message = f"{size} bytes are too few for a PARX file"
            raise Malformed(message, offset=0, expected=SMALLEST_FILE, found=size)
        begin, most = size - wire.PARX_TAIL_BYTES, size - wire.PARX_TAIL_BYTES - len(MAGIC)
        length, flags, _ = FIELDS.unpack_from(tail, len(tail) - wire.PARX_TAIL_BYTES)
        check_flags(flags, begin + 4)
        if not 1 <= length <= most:
            message = f"the PARX metadata's length of {length} bytes does not fit in the file of {size} bytes"
            message += f", which has room for {most}"
            raise Malformed(message, offset=begin, expected=most, found=length)
        if length > MAX_METADATA_BYTES:
            message = f"PARX metadata of {length} bytes: {MAX_METADATA_BYTES} are supported at most"
            raise Unsupported(message, offset=begin, expected=MAX_METADATA_BYTES, found=length, code=wire.TOO_LARGE)
        block = Block(self.uuid, begin - length, length + AFTER_METADATA, None, self.trailer_bytes)
        return Tail(size, block.payload, block.length, self, blocks=[block])

    def open(self, handle, location: Location) -> ThriftForm:
        begin = location.payload - (location.known_end - len(location.known))
        if begin >= 0:
            payload, io = memoryview(location.known)[begin : begin + location.length], (0, 0)
        elif isinstance(handle, tuple):
            payload, io = kernels.local.read_pages(handle[0], location.payload, location.length), (1, location.length)
        else:
            payload, io = handle.read(location.payload, location.length), (1, location.length)
        try:
            return _opened(payload, io, location.payload)
        except ParquetextError as error:
            raise error.at(None, location.payload) from None

    def open_payload(self, payload) -> ThriftForm:
        return _opened(payload, (0, 0), 0)

    def build(self, scan, options: BuildOptions) -> Built:
        thrift, version = bytes(scan.data), scan.version
        if not 0 <= version <= 255:
            raise Unsupported(f"PARX has no place for the version {version}", expected=255, found=version)
        if len(thrift) > MAX_METADATA_BYTES:
            raise Unsupported(f"a footer of {len(thrift)} bytes: PARX readers take {MAX_METADATA_BYTES} at most")
        checked = thrift + FIELDS.pack(len(thrift), 0, version)
        return self.built(checked + kernels.checksum.crc32(checked).to_bytes(CRC_BYTES, "little"))

    def built(self, payload: bytes) -> Built:
        return Built(payload, MAGIC)

    def rebuild(self, payload) -> bytes:
        """Return the metadata as they are in the file, after checking them."""
        return bytes(checked_metadata(payload).thrift)

    def check(self, checked: Checked) -> Iterator[Finding]:
        found = list(super().check(checked))
        yield from found or self._check_required(checked)

    def _check_required(self, checked: Checked) -> Iterator[Finding]:
        """Yield a finding if a required field is absent; path_in_schema may be absent if the flag says so."""
        metadata, offset = checked_metadata(checked.payload), checked.block.payload
        missing, without_path = kernels.required.find_missing(metadata.thrift)
        if missing is not None:
            message = f"a {missing.structure} without {missing.field} (field {missing.id}), which readers require"
            yield Finding(MISSING, message, offset + missing.offset, self.title)
        if without_path and not metadata.flags & wire.PARX_PATHS_OMITTED:
            message = f"{without_path} column chunks have no path_in_schema, and PATH_IN_SCHEMA_OMITTED is not set"
            yield Finding(PATHS, message, offset, self.title)

    def claim(self, payload: bytes) -> Iterator[tuple[int, int, str, int]]:
        end = len(payload) - AFTER_METADATA
        yield 0, end, "metadata", -1
        yield end, len(payload), "length, flags, version, checksum", -1


def _opened(payload, io: tuple[int, int], offset: int) -> ThriftForm:
    metadata = checked_metadata(payload)
    try:
        return ThriftForm(metadata.thrift, io, offset)
    except ParquetextError as error:
        preview = " with preview features" if metadata.flags & wire.PARX_PREVIEW else ""
        error.message += f"; the PARX footer is of the format's major version {metadata.version}{preview}"
        raise


SPEC = ParxSpec()
