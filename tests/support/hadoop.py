"""Hadoop's checksum files, written and read as ChecksumFileSystem does it."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

__all__ = ["checksummed", "crc_of", "reads", "write_checksummed"]


def crc_of(path: Path) -> Path:
    return path.with_name(f".{path.name}.crc")


def checksummed(data: bytes, chunk: int = 512) -> bytes:
    """The checksum file of a file's bytes."""
    sums = (zlib.crc32(data[at : at + chunk]) for at in range(0, len(data), chunk))
    return b"crc\0" + struct.pack(">I", chunk) + b"".join(struct.pack(">I", sum) for sum in sums)


def write_checksummed(path: Path, data: bytes) -> Path:
    """Write a file, and its checksum file beside it; its path."""
    path.write_bytes(data)
    crc_of(path).write_bytes(checksummed(data))
    return path


def reads(path: Path) -> bool:
    """Whether a reader of Hadoop's gets through the file: it is as its checksum file says, or there is none."""
    crc = crc_of(path)
    if not crc.exists() or crc.read_bytes()[:4] != b"crc\0":
        return True
    chunk = int.from_bytes(crc.read_bytes()[4:8], "big")
    return crc.read_bytes() == checksummed(path.read_bytes(), chunk)
