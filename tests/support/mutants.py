"""Small Parquet files of many kinds, and mutations of them that keep most of their structure.

`originals(folder)` gives the files, and `mutant(original, random)` one mutation: fields of a Thrift struct (the footer,
a page header, an index, a Bloom filter's header), cells of a flat footer with their checksums made right again, an
Arrow schema, or plain bytes. Structs are parsed and written without the package.
"""

from __future__ import annotations

import base64
import datetime
import decimal
import zlib
from collections.abc import Callable
from pathlib import Path
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq

import parquetext
from parquetext import wire

from . import flat_payloads
from .encoded_files import COLUMNS, encoded_file
from .flat_files import as_par3, with_flat_footer, with_index
from .parquet_bytes import footer_of, with_footer
from .thrift_trees import mutate, parse

__all__ = ["mutant", "originals"]

TABLE = pa.table(
    {
        "number": pa.array([3, 1, None, 2, 5, 4], pa.int32()),
        "text": ["x", None, "yy", "zzz", "x", ""],
        "list": pa.array([[1.5], None, [], [2.5, None], [3.5], [0.5]]),
        "when": pa.array([1, 2, 3, None, 5, 6], pa.timestamp("us")),
        "amount": pa.array([decimal.Decimal("1.25"), None, *map(decimal.Decimal, range(4))], pa.decimal128(9, 2)),
        "struct": [{"a": 1, "b.c": b"\x01"}, None, {"a": None, "b.c": None}, {"a": 2, "b.c": b""}, None, None],
        "day": pa.array([datetime.date(2024, 1, day) for day in range(1, 7)]),
        "half": pa.array([0.5, None, 1.5, 2.5, -0.0, 1], pa.float16()),
        "map": pa.array([[("k", 1)], [], None, None, [("a", 2), ("b", None)], []], pa.map_(pa.string(), pa.int64())),
    }
)
# Field ids in parquet.thrift, written down here so that the test is independent of the package's tables.
ROW_GROUPS, KEY_VALUES, COLUMNS_OF, META_DATA = 4, 5, 1, 3
SIZE, DATA_PAGE, DICTIONARY_PAGE, BLOOM, BLOOM_LENGTH = 7, 9, 11, 14, 15
INDEXES = ((4, 5), (6, 7))  # offset index and column index: (offset, length)


def originals(folder: Path) -> dict[str, bytes]:
    """Return the files by name."""
    written = folder / "original.parquet"

    def arrow(**options) -> bytes:
        pq.write_table(TABLE, written, row_group_size=4, **options)
        return written.read_bytes()

    def changed(data: bytes, change: Callable, *arguments, **options) -> bytes:
        written.write_bytes(data)
        change(written, *arguments, **options)
        return written.read_bytes()

    plain = arrow(store_schema=False, compression="none")
    rich = arrow(
        write_page_index=True,
        data_page_size=16,
        write_batch_size=2,
        write_page_checksum=True,
        sorting_columns=[pq.SortingColumn(0)],
        bloom_filter_options={"number": {"ndv": 8, "fpp": 0.1}, "text": {"ndv": 8, "fpp": 0.1}},
    )
    names = [name for name in COLUMNS if COLUMNS[name][0] != wire.PHYSICAL_BOOLEAN][::2]
    return {
        "plain": plain,
        "rich": rich,
        "second version": arrow(data_page_version="2.0", compression="zstd", use_dictionary=False, version="2.6"),
        "encodings": encoded_file(2, names=names)[0],
        "flat": with_flat_footer(plain),
        "flat aside": changed(rich, parquetext.upgrade, form="flat"),
        "index": with_index(plain),
        "index aside": changed(rich, parquetext.upgrade, form="index"),
        "par3": as_par3(plain),
        "copies": changed(plain, parquetext.encode, {"number": "pfor", "text": "fsst"}),
        "dialect": changed(plain, parquetext.upgrade, form="arrow"),
    }


def mutant(original: bytes, random: Random) -> bytes:
    """Return one mutation of a file; the same for the same state of `random`."""
    return random.choice(KINDS)(original, random)


def _footer(data: bytes, random: Random) -> bytes:
    """Change up to three nodes of the Thrift footer."""
    if not data.endswith(b"PAR1"):
        return _cells(data, random)
    tree, _ = parse(footer_of(data))
    return with_footer(data, mutate(tree, random, random.randrange(1, 4)))


def _struct(data: bytes, random: Random) -> bytes:
    """Change a page header, an index or a Bloom filter's header, in a copy in front of the footer that leads there."""
    if not data.endswith(b"PAR1"):
        return _bytes(data, random)
    footer, _ = parse(footer_of(data))
    chunk = random.choice(_get(random.choice(_get(footer, ROW_GROUPS)[1]), COLUMNS_OF)[1])
    meta = _get(chunk, META_DATA)
    begin = len(data) - 8 - len(footer_of(data))
    choices = [(chunk, *fields) for fields in INDEXES if _get(chunk, fields[0]) is not None]
    choices += [(meta, BLOOM, BLOOM_LENGTH)] if _get(meta, BLOOM) is not None else []
    choices += [(meta, first, SIZE) for first in (DATA_PAGE, DICTIONARY_PAGE) if _get(meta, first)]
    container, offset_id, length_id = random.choice(choices)
    offset, length = _get(container, offset_id), _get(container, length_id)
    tree, end = parse(data, offset)
    moved = mutate(tree, random) + data[end : offset + length]
    _set(container, offset_id, begin)
    _set(container, length_id, len(moved))
    if offset_id == DICTIONARY_PAGE:
        _set(meta, DATA_PAGE, begin + len(moved) - length + _get(meta, DATA_PAGE) - offset)
    return with_footer(data[:begin] + moved + data[begin:], mutate(footer, random, 0))


def _cells(data: bytes, random: Random) -> bytes:
    """Change bytes of a flat footer, and make its checksums right again."""
    is_alone = data.endswith(b"PAR3")
    at = len(data) - 4 if is_alone else data.rfind(wire.UUID_FLAT_FOOTER.bytes)
    if at < 0:
        return _bytes(data, random)
    length = int.from_bytes(data[at - 8 : at - 4], "little")
    payload = bytearray(data[at - 12 - length : at - 12])
    positions = flat_payloads.cells(payload)
    for _ in range(random.randrange(1, 4)):
        payload[random.randrange(len(payload))] = random.choice((0, 1, 127, 128, 255, random.randrange(256)))
    signed = flat_payloads.sign(payload, positions)
    return data[: at - 12 - length] + signed + zlib.crc32(signed).to_bytes(4, "little") + data[at - 8 :]


def _arrow_schema(data: bytes, random: Random) -> bytes:
    """Change bytes of ARROW:schema under its base64 text."""
    if not data.endswith(b"PAR1"):
        return _bytes(data, random)
    tree, _ = parse(footer_of(data))
    for pair in (_get(tree, KEY_VALUES) or [None, []])[1]:
        if _get(pair, 1) == b"ARROW:schema" and (text := _get(pair, 2)):
            schema = bytearray(base64.b64decode(text))
            for _ in range(random.randrange(1, 4)):
                schema[random.randrange(len(schema))] = random.randrange(256)
            _set(pair, 2, base64.b64encode(schema))
    return with_footer(data, mutate(tree, random, 0))


def _bytes(data: bytes, random: Random) -> bytes:
    """Change single bytes anywhere, more of them near the end."""
    changed = bytearray(data)
    for _ in range(random.randrange(1, 5)):
        at = random.choice((random.randrange(len(data)), len(data) - 1 - random.randrange(min(len(data), 400))))
        changed[at] = random.choice((0, 127, 128, 255, random.randrange(256), changed[at] ^ 1 << random.randrange(8)))
    return bytes(changed)


def _cut(data: bytes, random: Random) -> bytes:
    """Take bytes out, at the end or before it, or repeat some."""
    first, second = sorted((random.randrange(len(data) + 1), random.randrange(len(data) + 1)))
    return random.choice((data[:second], data[:first] + data[second:], data[:second] + data[first:]))


KINDS = (_footer, _footer, _footer, _struct, _struct, _cells, _arrow_schema, _bytes, _bytes, _cut)


def _get(fields: list, id: int):
    return next((field[2] for field in fields if field[0] == id), None)


def _set(fields: list, id: int, value) -> None:
    for field in fields:
        if field[0] == id:
            field[2] = value
