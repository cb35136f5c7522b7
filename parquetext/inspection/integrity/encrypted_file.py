"""Check files that need keys, as far as this is possible without the keys.

(Apache Parquet format, Encryption.md, sections 4.1 and 5: file layouts and modules.)
"""

from __future__ import annotations

from collections.abc import Iterator

from ... import kernels, wire
from ...errors import Malformed, ParquetextError
from ...findings import Finding

_MAGIC = b"PARE"
_LENGTH_AND_MAGIC = 8
_MODULE_LENGTH = 4
_SMALLEST_MODULE = 28  # nonce and tag, or nonce and counter, around nothing
_ENCRYPTION_ALGORITHM = 1  # of FileCryptoMetaData
_KIND = "encrypted"


def check_encrypted(source) -> Iterator[Finding]:
    """Check the parts of a file with an encrypted footer that are not encrypted; yield a note if they are intact."""
    try:
        algorithm, length = _parts(source)
    except ParquetextError as error:
        yield Finding.of("tail", error, "encrypted footer")
        return
    message = f"the footer is encrypted ({length} bytes, {algorithm}): without its keys only how it lies is checked"
    yield Finding(_KIND, message, source.size - _LENGTH_AND_MAGIC - length, "footer", is_note=True)


def _parts(source) -> tuple[str, int]:
    """Return the algorithm and the length of an encrypted footer after checking its plain parts."""
    if (begins := source.read(0, len(_MAGIC))) != _MAGIC:
        raise Malformed(f"the file ends in {_MAGIC!r} and begins with {begins!r}", offset=0)
    end = source.size - _LENGTH_AND_MAGIC
    length = int.from_bytes(source.read(end, 4), "little")
    if not 1 <= length <= end - len(_MAGIC):
        message = f"the encrypted footer's length of {length} bytes does not fit in the file of {source.size}"
        raise Malformed(message, offset=end, expected=end - len(_MAGIC), found=length)
    offset = end - length
    footer = source.read(offset, length)
    try:
        fields = {field[0]: field for field in kernels.thrift.fields(footer)}
        module = kernels.thrift.struct_end(footer)
    except ParquetextError as error:
        raise error.at(None, offset) from None
    if _ENCRYPTION_ALGORITHM not in fields:
        raise Malformed("no encryption algorithm in front of the encrypted footer", offset=offset)
    stored = int.from_bytes(footer[module : module + _MODULE_LENGTH], "little")
    found = length - module - _MODULE_LENGTH
    if stored != found or stored < _SMALLEST_MODULE:
        message = f"the encrypted footer's length is {stored} bytes, but it has {found}"
        raise Malformed(message, offset=offset + module, expected=stored, found=found)
    return _algorithm(footer, fields[_ENCRYPTION_ALGORITHM]), length


def _algorithm(footer: bytes, field: tuple) -> str:
    names = {1: "AES-GCM", 2: "AES-GCM and CTR"}
    chosen = next(iter(kernels.thrift.fields(footer, field[3])), (0,))
    return names.get(chosen[0], "an algorithm that is not known")


def encrypted_chunks(scan) -> int:
    """Return the number of column chunks that need a key."""
    return sum(present & wire.PRESENT_CRYPTO != 0 for present in scan.chunks("present"))
