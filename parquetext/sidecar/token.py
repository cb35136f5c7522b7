"""The file that says which snapshot of a store is committed: written in turns to two slots, read without a lock."""

from __future__ import annotations

import os
import struct
import time

from .. import kernels, systems
from ..errors import Damaged
from ..records import frozen

MAGIC = int.from_bytes(b"PQTK", "little")
LAYOUT = 1
FIXED = struct.Struct("<IIQQQ")  # magic, layout, sequence, generation, Parquet file's size
CRC = struct.Struct("<I")
STEP = 512  # a sector: a record is written whole or not at all
COPIES = 2  # of a record in its slot: damage to one of them loses nothing
SLOTS = 2
SLOT_BYTES = STEP * COPIES
FILE_BYTES = SLOT_BYTES * SLOTS
ATTEMPTS = 100
PAUSE_SECONDS = 0.001


@frozen
class Token:
    """The committed state of a store.

    Attributes
    ----------
    sequence : int
        Commits so far.
    generation : int
        The folder that the files are in: each compaction makes a new one.
    parquet_size : int
        Bytes of the Parquet file; later bytes belong to no snapshot.
    """

    sequence: int
    generation: int
    parquet_size: int

    @property
    def offset(self) -> int:
        """The offset of its slot in the file, which differs from that of the previous token."""
        return self.sequence % SLOTS * SLOT_BYTES

    def slot(self) -> bytes:
        """Return the bytes of its slot."""
        record = FIXED.pack(MAGIC, LAYOUT, self.sequence, self.generation, self.parquet_size)
        return (record + CRC.pack(kernels.checksum.crc32(record))).ljust(STEP, b"\0") * COPIES


def newest(data: bytes) -> Token | None:
    """Return the newest token whose checksum is right, in the bytes of a token file."""
    tokens = (_record(data, at) for at in range(0, FILE_BYTES, STEP))
    return max((token for token in tokens if token), key=lambda token: token.sequence, default=None)


def _record(data: bytes, at: int) -> Token | None:
    record = data[at : at + FIXED.size + CRC.size]
    if len(record) < FIXED.size + CRC.size:
        return None
    magic, layout, *fields = FIXED.unpack_from(record)
    right = CRC.unpack_from(record, FIXED.size)[0] == kernels.checksum.crc32(record[: FIXED.size])
    token = Token(*fields)
    return token if right and (magic, layout) == (MAGIC, LAYOUT) and at - at % SLOT_BYTES == token.offset else None


def read_token(path: str) -> Token:
    """Return the committed token, also while a writer is at work.

    Raises
    ------
    FileNotFoundError
        If there is no token file.
    Damaged
        No slot of it is whole.

    Notes
    -----
    A writer is in one slot at a time, so the other one is whole. A reader that is slower than two commits may find
    both half-written, and reads again.
    """
    file = systems.open_file(path, os.O_RDONLY | systems.O_CLOEXEC)
    try:
        for _ in range(ATTEMPTS):
            token = newest(systems.pread(file, FILE_BYTES, 0))
            if token is not None:
                return token
            time.sleep(PAUSE_SECONDS)
    finally:
        os.close(file)
    raise Damaged("no slot of the token file has a right checksum", file=path)
