#!/usr/bin/env python3
"""Set times and owners of the members of static libraries to 0, as GNU's ar does with the option D; Apple's cannot.

csrc/package/plain_archive.py LIBRARY…
"""

from __future__ import annotations

import sys
from pathlib import Path

MAGIC = b"!<arch>\n"
HEADER = 60  # bytes before each member
PLAIN = b"0".ljust(12) + b"0".ljust(6) + b"0".ljust(6)  # time, owner, group
FACTS, SIZE = slice(16, 40), slice(48, 58)


def plain(archive: bytes) -> bytes:
    """Return an archive without times and owners."""
    made, at = bytearray(archive), len(MAGIC)
    while at + HEADER <= len(made):
        header = made[at : at + HEADER]
        size = int(header[SIZE])
        header[FACTS] = PLAIN
        made[at : at + HEADER] = header
        at += HEADER + size + size % 2
    return bytes(made)


def main(paths: list[str]) -> None:
    for path in map(Path, paths):
        path.write_bytes(plain(path.read_bytes()))


if __name__ == "__main__":
    main(sys.argv[1:])
