"""Write fuzz inputs to a folder: column chunks that pyarrow writes, each with a script for the decoder.

python csrc/fuzz/decoder_seeds.py FOLDER
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from seed_files import write
from seeds import chunks

GIVE, GIVE_APART, GIVE_CUT, READ, SKIP, TAKE, DICTIONARY, BEGIN = range(8)
INT64, BYTE_ARRAY = 2, 6
LEAVES = [(INT64, 1), (INT64, 3 | 1 << 3 | 2 << 5), (BYTE_ARRAY, 1)]  # of `chunks`: type, levels


def step(name: int, argument: int = 0) -> int:
    """A byte of a script, as csrc/fuzz/decoder.c takes it."""
    return name | argument << 3


def scripts() -> Iterator[bytes]:
    dictionary = step(DICTIONARY)
    for give in (GIVE, GIVE_APART):
        pages = [step(give, number) for number in range(1, 12)]
        yield bytes([dictionary, *pages, step(READ, 31), step(TAKE)])
        yield bytes(
            [dictionary, *(told for page in pages for told in (page, step(READ, 5), step(TAKE), step(SKIP, 2)))]
        )
        yield bytes(
            [dictionary, *pages[::-1], step(SKIP, 3), step(READ, 31), step(BEGIN), dictionary, *pages, step(READ)]
        )
    yield bytes([dictionary, step(GIVE, 1), step(GIVE_CUT, 2), step(READ, 31)])


def seeds() -> Iterator[bytes]:
    for number, chunk in enumerate(chunks()):
        type, levels = LEAVES[number % len(LEAVES)]
        for script in scripts():
            for most_bytes, flags in ((255, 1), (0, 0), (255, 2)):
                yield chunk + script + bytes([type, levels, 0, most_bytes, flags, 9, 0, len(script)])


if __name__ == "__main__":
    write(Path(sys.argv[1]), seeds())
