"""Files with a column for every type in every encoding, of the package's own encoders, and the values of each."""

from __future__ import annotations

import datetime
import random
import struct
from collections.abc import Iterator
from decimal import Decimal

from parquetext import kernels, wire

from .encodings import SERVED, values_of
from .pages import Column, Page, data_page, data_page_v2, dictionary_page, parquet_file

__all__ = ["COLUMNS", "ROWS", "encoded_file"]

ROWS, ROWS_OF_PAGES = 1000, (400, 7, 593)
DICTIONARY = wire.ENCODING_RLE_DICTIONARY
DECIMAL_BYTES, JULIAN_EPOCH = 6, 2_440_588
TYPES = {number: name for name, number in vars(wire).items() if name.startswith("PHYSICAL_")}
ENCODINGS = {number: name for name, number in vars(wire).items() if name.startswith("ENCODING_")}
COLUMNS = {
    f"{TYPES[type].removeprefix('PHYSICAL_')} {ENCODINGS[encoding].removeprefix('ENCODING_')}".lower(): (type, encoding)
    for encoding, type in [*SERVED, *((DICTIONARY, type) for type in range(1, 8))]
    if encoding != wire.ENCODING_ALP  # which no other reader reads
}
ELEMENTS = {
    wire.PHYSICAL_BYTE_ARRAY: {"converted_type": wire.CONVERTED_UTF8, "logicalType": {"STRING": {}}},
    wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY: {
        "converted_type": wire.CONVERTED_DECIMAL,
        "scale": 2,
        "precision": 12,
        "logicalType": {"DECIMAL": {"scale": 2, "precision": 12}},
    },
}


def encoded_file(version: int, *, optional: bool = True, names=COLUMNS) -> tuple[bytes, dict[str, list]]:
    """Return a file of V1 or V2 pages, three for each column, and the expected values of each column, by name."""
    columns, expected = [], {}
    for name in names:
        type, encoding = COLUMNS[name]
        stored, expected[name] = _values(type, random.Random(name), optional)
        columns.append(
            Column(
                name.replace(" ", "_"),
                type,
                list(_pages(type, encoding, stored, version, optional)),
                type_length=DECIMAL_BYTES,
                repetition=wire.REPETITION_OPTIONAL if optional else wire.REPETITION_REQUIRED,
                element=ELEMENTS.get(type, {}),
            )
        )
    return parquet_file(columns, ROWS), {name.replace(" ", "_"): values for name, values in expected.items()}


def _pages(type: int, encoding: int, stored: list, version: int, optional: bool) -> Iterator[Page]:
    numbers: list[int] = []
    if encoding == DICTIONARY:
        present = [value for value in stored if value is not None]
        found = kernels.encode.dictionary_of(
            type, DECIMAL_BYTES, values_of(type, present), len(present), len(present), 1 << 30
        )
        dictionary, count, packed = found
        numbers = memoryview(packed).cast("I").tolist()
        yield dictionary_page(kernels.encode.encode(wire.ENCODING_PLAIN, type, DECIMAL_BYTES, dictionary, count), count)
    start = 0
    for rows in ROWS_OF_PAGES:
        some = stored[start : start + rows]
        start += rows
        present = [value for value in some if value is not None]
        if encoding == DICTIONARY:
            now, numbers = numbers[: len(present)], numbers[len(present) :]
            body = kernels.encode.indices(struct.pack(f"<{len(now)}I", *now), len(now), count)
        else:
            body = kernels.encode.encode(encoding, type, DECIMAL_BYTES, values_of(type, present), len(present))
        levels = struct.pack(f"<{rows}H", *(value is not None for value in some))
        definition = kernels.encode.levels(levels, rows, 1) if optional else None
        if version == 1:
            yield data_page(body, rows, encoding, definition=definition)
        else:
            nulls = rows - len(present)
            yield data_page_v2(body, rows, encoding, nulls=nulls, definition=definition or b"")


def _values(type: int, random: random.Random, optional: bool) -> tuple[list, list]:
    """Return the stored values, and the values that readers should return: runs of one value, of few, and of any."""
    few = [_value(type, random) for _ in range(5)]
    made: list[tuple] = []
    while len(made) < ROWS:
        kind, length = random.randrange(4), random.choice([1, 5, 8, 60, 200])
        if kind == 0:
            made += [random.choice(few)] * length
        elif kind == 1:
            made += [random.choice(few) for _ in range(length)]
        elif kind == 2 and optional:
            made += [(None, None)] * length
        else:
            made += [_value(type, random) for _ in range(length)]
    stored, expected = zip(*made[:ROWS], strict=True)
    return list(stored), list(expected)


def _value(type: int, random: random.Random) -> tuple:
    """(stored, expected)."""
    if type == wire.PHYSICAL_BOOLEAN:
        return (random.random() < 0.5,) * 2
    if type in (wire.PHYSICAL_INT32, wire.PHYSICAL_INT64):
        bits = 32 if type == wire.PHYSICAL_INT32 else 64
        return (random.randrange(-1 << bits - 1, 1 << bits - 1) >> random.randrange(bits),) * 2
    if type == wire.PHYSICAL_INT96:
        seconds = random.randrange(-(10**9), 10**9)
        moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
        return struct.pack("<qi", seconds % 86_400 * 10**9, seconds // 86_400 + JULIAN_EPOCH), moment
    if type in (wire.PHYSICAL_FLOAT, wire.PHYSICAL_DOUBLE):
        value = random.choice([0.0, -0.0, 1.5, float("inf"), random.randrange(1 << 20) / 256])
        return struct.pack("<f" if type == wire.PHYSICAL_FLOAT else "<d", value), value
    if type == wire.PHYSICAL_BYTE_ARRAY:
        text = random.choice(["", "stem-", "stem-of-more-"]) + "é" * random.randrange(4) + str(random.randrange(999))
        return text.encode(), text
    unscaled = random.randrange(-(10**12) + 1, 10**12) // random.choice([1, 10**6])
    return unscaled.to_bytes(DECIMAL_BYTES, "big", signed=True), Decimal(unscaled).scaleb(-2)
