"""Checksums that S3 stores for objects, which a new object takes over from the old one.

(Amazon S3 User Guide, "Checking object integrity for data uploads"; CRC-32C: RFC 3720, appendix B.4; CRC-64/NVME: NVM
Command Set Specification 1.0, section 5.2.1.3.4.)
"""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import zlib
from collections.abc import Mapping
from functools import cache

from ...records import frozen

_CRC32C, _CRC64NVME = (0x82F63B78, 4), (0x9A6C9329AC4BC9B5, 8)  # reversed polynomial, width in bytes
_BLOCK = 1 << 13
COMPOSITE = "COMPOSITE"  # a checksum of the parts' checksums


class NotOfThePart(Exception):
    """A store has returned the checksum of a whole object for a part that it copied; the result would be wrong."""


@frozen
class ObjectChecksum:
    """The kind of checksum of an object.

    Attributes
    ----------
    algorithm : str
        In S3's spelling; empty for none.
    type : str
        ``"FULL_OBJECT"``, ``"COMPOSITE"``, or empty if the store does not report it, or chooses it.
    value : str
        The checksum.
    size : int
        The object's size in bytes.
    """

    algorithm: str = ""
    type: str = ""
    value: str = ""
    size: int = 0

    @classmethod
    def of_head(cls, head: Mapping) -> ObjectChecksum:
        """Read the checksum from the response to HeadObject with ChecksumMode."""
        algorithm = next((name for name in _SUMS if head.get(f"Checksum{name}")), "")
        if not algorithm:
            return cls()
        return cls(algorithm, head.get("ChecksumType", ""), head[f"Checksum{algorithm}"], head.get("ContentLength", 0))

    @property
    def is_of_parts(self) -> bool:
        return self.type == COMPOSITE

    def for_upload(self) -> dict[str, str]:
        """Return the arguments of CreateMultipartUpload. SHA has one type only: hashes of parts cannot be combined."""
        type = COMPOSITE if self.algorithm.startswith("SHA") else self.type
        arguments = {"ChecksumAlgorithm": self.algorithm, "ChecksumType": type}
        return {name: value for name, value in arguments.items() if self.algorithm and value}

    def for_data(self, data: bytes | memoryview) -> dict[str, str]:
        """Return the arguments for sending an object or a part."""
        if not self.algorithm:
            return {}
        sum = base64.b64encode(_SUMS[self.algorithm](data)).decode()
        return {"ChecksumAlgorithm": self.algorithm, f"Checksum{self.algorithm}": sum}

    def of_copy(self, answer: Mapping, begin: int, end: int) -> dict[str, str]:
        """Return the checksum of a part [begin, end) that the store has copied from the object.

        Raises
        ------
        NotOfThePart
            If it is the whole object's checksum.
        """
        found = self.of_answer(answer)
        if self.value and self.value in found.values() and (begin, end) != (0, self.size):
            raise NotOfThePart
        return found

    def of_answer(self, answer: Mapping) -> dict[str, str]:
        """Return a part's arguments for CompleteMultipartUpload from the store's response."""
        name = f"Checksum{self.algorithm}"
        return {name: answer[name]} if self.algorithm and answer.get(name) else {}


NO_CHECKSUM = ObjectChecksum()


def _crc(name: str, data: bytes, polynomial: int, width: int) -> bytes:
    """Return a reflected CRC of `width` bytes, with all bits set before and inverted after, big-endian.

    Use Amazon's library if ``boto3[crt]`` is installed. Otherwise work block by block: multiply the remainder by x to
    the power of the block's length, with one table lookup per byte, and add it to the next block.
    """
    if importlib.util.find_spec("awscrt"):
        from awscrt import checksums

        return getattr(checksums, name)(data).to_bytes(width, "big")
    bytewise, ones = _bytewise(polynomial), (1 << 8 * width) - 1
    if len(data) <= _BLOCK:
        return (_remainder(data, ones, bytewise) ^ ones).to_bytes(width, "big")
    data = bytes(byte ^ 0xFF for byte in data[:width]) + data[width:]
    first = len(data) % _BLOCK or _BLOCK
    left = data[:first].rjust(_BLOCK, b"\0")
    for at in range(first, len(data), _BLOCK):
        product = 0
        for index, table in enumerate(_block_power(polynomial, width)):
            product ^= int.from_bytes(left.translate(table), "little") << 8 * index
        high = _remainder(bytes(width), product & ones, bytewise)
        block = int.from_bytes(data[at : at + _BLOCK], "little")
        left = (product >> 8 * width ^ high ^ block).to_bytes(_BLOCK, "little")
    return (_remainder(left, 0, bytewise) ^ ones).to_bytes(width, "big")


def _remainder(data: bytes, crc: int, bytewise: list[int]) -> int:
    for byte in data:
        crc = bytewise[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc


@cache
def _bytewise(polynomial: int) -> list[int]:
    """Return the change of a remainder for each value of a byte."""
    return [_times_x(value, 8, polynomial) for value in range(256)]


def _times_x(value: int, times: int, polynomial: int) -> int:
    for _ in range(times):
        value = value >> 1 ^ (polynomial if value & 1 else 0)
    return value


@cache
def _block_power(polynomial: int, width: int) -> list[bytes]:
    """Return tables of the products of a byte and x to the power of the block's length, one per byte of the product."""
    power = _times_x(1 << 8 * width - 1, 8 * _BLOCK, polynomial)
    products = [0] * 256
    for value in range(256):
        for bit in range(8):
            products[value] ^= (power << bit + 1) * (value >> bit & 1)
    return [bytes(product >> 8 * index & 0xFF for product in products) for index in range(width + 1)]


_SUMS = {
    "CRC32": lambda data: zlib.crc32(data).to_bytes(4, "big"),
    "CRC32C": lambda data: _crc("crc32c", data, *_CRC32C),
    "CRC64NVME": lambda data: _crc("crc64nvme", data, *_CRC64NVME),
    "SHA1": lambda data: hashlib.sha1(data, usedforsecurity=False).digest(),
    "SHA256": lambda data: hashlib.sha256(data).digest(),
}
