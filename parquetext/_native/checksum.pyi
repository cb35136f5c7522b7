# Made by csrc/tables/stubs.py: the twin has the same names, results and errors.

from .._pure.checksum import crc32 as crc32
from .._pure.checksum import crc32_implementations as crc32_implementations
from .._pure.checksum import crc32_with as crc32_with
from .._pure.checksum import xxh64 as xxh64
