"""Parquet files of at most 500 bytes at random, whose pages hold very much, or say so; many are wrong somewhere."""

from __future__ import annotations

from functools import lru_cache
from random import Random

from parquetext import wire

from . import pages
from .hostile_pages import LARGEST_FILE, delta, run
from .pages import Column
from .varints import varint

__all__ = ["blown_up_file", "damaged"]

COUNTS = (3, 1000, 1 << 16, 1 << 20, 1 << 22, 3_000_000, 1 << 24)
VAST_COUNTS = (1 << 26, 1 << 28, (1 << 31) - 1)
SIZES = (1 << 20, 3 << 20, 12 << 20, 1 << 24, 17 << 20, 1 << 26)
CODECS = (wire.CODEC_UNCOMPRESSED, wire.CODEC_BROTLI, wire.CODEC_ZSTD, wire.CODEC_GZIP, wire.CODEC_SNAPPY)
GROUP = {"num_children": 1}
WIDTHS = {wire.PHYSICAL_INT32: 4, wire.PHYSICAL_INT64: 8, wire.PHYSICAL_INT96: 12, wire.PHYSICAL_DOUBLE: 8}
FIXED, TEXT, BOOLEAN = wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY, wire.PHYSICAL_BYTE_ARRAY, wire.PHYSICAL_BOOLEAN
TYPES = (*WIDTHS, FIXED, TEXT, BOOLEAN)
DELTA, RLE, PLAIN = wire.ENCODING_DELTA_BINARY_PACKED, wire.ENCODING_RLE, wire.ENCODING_PLAIN
ANNOTATIONS = {
    wire.PHYSICAL_INT32: ({"converted_type": wire.CONVERTED_DECIMAL, "scale": 0, "precision": 5},),
    wire.PHYSICAL_INT64: ({"converted_type": wire.CONVERTED_DECIMAL, "scale": 0, "precision": 30},),
    FIXED: ({"converted_type": wire.CONVERTED_DECIMAL, "scale": 0, "precision": 2},),
    TEXT: ({"converted_type": wire.CONVERTED_UTF8},),
}


@lru_cache(maxsize=256)
def compressed(codec: int, head: bytes, size: int) -> bytes:
    return pages.compress(codec, head + bytes(size))


def repeated(name: str, children: int = 0) -> dict:
    group = {"num_children": children} if children else {}
    return {"repetition_type": wire.REPETITION_REPEATED, "name": name} | group


SHAPES = ("flat", "optional", "repeated", "pairs", "lists of lists", "struct")


class Maker:
    """One file: `columns` and `schema`, a field at a time."""

    def __init__(self, random: Random, *, is_one_row: bool):
        self.random, self.is_one_row, self.is_null = random, is_one_row, False
        self.columns, self.elements = [], []

    def field(self, name: str, count: int) -> None:
        choose = self.random.choice
        shape = choose(("repeated", "pairs", "lists of lists") if self.is_one_row else SHAPES)
        if shape in ("flat", "optional", "repeated"):
            self.elements.append(self.leaf(name, shape, count))
        elif shape == "pairs":
            self.elements += [{"repetition_type": wire.REPETITION_REPEATED, "name": name, "num_children": 2}]
            for child in "ab":
                self.elements.append(self.leaf(f"{name}.{child}", choose(("flat", "optional")), count, 1, 1))
        elif shape == "lists of lists":
            self.elements += [{"repetition_type": wire.REPETITION_REPEATED, "name": name, "num_children": 1}]
            self.elements.append(self.leaf(f"{name}.a", "repeated", count, 1, 1))
        else:
            self.elements += [{"repetition_type": wire.REPETITION_OPTIONAL, "name": name, "num_children": 2}]
            for child in "ab":
                self.elements.append(self.leaf(f"{name}.{child}", choose(("flat", "optional")), count, 1, 0))

    def leaf(self, name: str, shape: str, count: int, definition: int = 0, repetition: int = 0) -> dict:
        random, kinds = self.random, {"flat": 0, "optional": 1, "repeated": 2}
        definition, repetition = definition + (shape != "flat"), repetition + (shape == "repeated")
        type = random.choice(TYPES)
        width = random.choice((1, 4, 16, 1 << 20)) if type == FIXED else WIDTHS.get(type, 0)
        if random.random() < 0.05:
            count = min(max(count + random.choice((-1, 1)), 0), (1 << 31) - 1)
        made, codec = self.pages(type, width, count, definition, repetition)
        column = Column(name, type, made, type_length=width, repetition=kinds[shape], codec=codec)
        self.columns.append(column)
        element = {"type": type, "repetition_type": kinds[shape], "name": name.split(".")[-1]}
        if type == FIXED:
            element["type_length"] = width
        if random.random() < 0.3 and type in ANNOTATIONS:
            element |= random.choice(ANNOTATIONS[type])
        order = pages._ELEMENT_ORDER
        return dict(sorted(element.items(), key=lambda item: order.index(item[0])))

    def levels(self, count: int, most: int, *, repeats: bool) -> bytes:
        """Runs of levels of one kind: mostly all alike, or with an odd one at one end."""
        random = self.random
        level = random.choice((most, most, random.randint(0, most)))
        self.is_null = level < most if not repeats else self.is_null
        if not repeats:
            odd = random.randint(0, most)
            if random.random() < 0.3 and count > 1:
                return (
                    run(1, odd) + run(count - 1, level)
                    if random.random() < 0.5
                    else run(count - 1, level) + run(1, odd)
                )
            return run(count, level)
        if not self.is_one_row or count < 2:
            return run(count, 0)
        if random.random() < 0.3 and count > 3:
            return run(1, 0) + run(count // 2, level) + run(count - 1 - count // 2, random.randint(0, most))
        return run(1, 0) + run(count - 1, level)

    def pages(self, type: int, width: int, count: int, definition: int, repetition: int):
        random = self.random
        codec = random.choice(CODECS)
        made = []
        levels = {
            "definition": self.levels(count, definition, repeats=False) if definition else None,
            "repetition": self.levels(count, repetition, repeats=True) if repetition else None,
        }
        kinds = ["plain", "dictionary"]
        kinds += ["delta"] * (type in (wire.PHYSICAL_INT32, wire.PHYSICAL_INT64)) + ["rle"] * (type == BOOLEAN)
        kinds += ["lengths", "prefixes"] * (type == TEXT)
        kind = random.choice(kinds)
        if random.random() < 0.1:
            count = max(count - 1, 1)
        size = max(0, min(count * max(width, 4), 1 << 26)) if random.random() < 0.6 else random.choice(SIZES)
        head, encoding = b"", PLAIN
        if kind == "dictionary" and type != BOOLEAN:
            long = random.choice((0, 100, 1 << 20, 1 << 24, 17 << 20))
            value = long.to_bytes(4, "little") + bytes(long) if type == TEXT else bytes(width)
            made.append(self.page(codec, value, 1, dictionary=True))
            bits = random.choice((0, 1, 1, 1))
            indices = b"" if not bits else run(count, 0)
            if random.random() < 0.3 and count > 1:
                indices = run(count - 1, 0) + run(random.choice((1, 3)), random.choice((0, 1)))
            head, encoding, size = bytes([bits]) + indices, wire.ENCODING_RLE_DICTIONARY, 0
        elif kind == "delta":
            head, encoding, size = delta(1 << 30, 1, count, rest=b"\0\0"), DELTA, 0
        elif kind == "rle":
            body = run(count, 1)
            head, encoding, size = len(body).to_bytes(4, "little") + body, RLE, 0
        elif kind == "lengths":
            length = random.choice((0, 1, 100))
            head = delta(1 << 30, 1, count, length, b"\0\0")
            encoding, size = wire.ENCODING_DELTA_LENGTH_BYTE_ARRAY, min(count * length, 1 << 26)
        elif kind == "prefixes":
            long = random.choice((0, 5, 1 << 12, 1 << 20, 12 << 20))
            prefix = delta(128, 1, 2, 0, b"\0\0") if count == 2 else delta(128, 1, count, 0, bytes([0, 0]))
            prefix = delta(1 << 30, 1, count, 0, b"\0\0") if random.random() < 0.5 else prefix
            suffixes = delta(1 << 30, 1, count, long, b"\0\0")
            head, encoding, size = prefix + suffixes, wire.ENCODING_DELTA_BYTE_ARRAY, long
        made.append(self.page(codec, head, count, size, encoding, **levels))
        return made, codec

    def page(self, codec: int, head: bytes, count: int, size: int = 0, encoding=PLAIN, *, dictionary=False, **levels):
        random = self.random
        if dictionary:
            page = pages.dictionary_page(b"", count)
            body = compressed(codec, head, 0)
            page = pages.Page(page.header | {"uncompressed_page_size": len(head)}, body)
        else:
            is_v2 = random.random() < 0.3
            definition, repetition = levels.get("definition"), levels.get("repetition")
            if is_v2:
                parts = {name: value for name, value in levels.items() if value is not None}
                nulls = count if self.is_null and definition is not None else 0
                nulls = random.choice((nulls, nulls, nulls, count - 1))
                rows = 1 if self.is_one_row and repetition is not None else count
                page = pages.data_page_v2(b"", count, encoding, nulls=nulls, rows=rows, **parts)
                front = (repetition or b"") + (definition or b"")
                if codec == wire.CODEC_UNCOMPRESSED:
                    size = min(size, 100)
                body = front + compressed(codec, head, size)
                whole = len(front) + len(head) + size
            else:
                if definition is not None and codec != wire.CODEC_UNCOMPRESSED and random.random() < 0.15:
                    return self.packed_nulls(codec, count, repetition)
                page = pages.data_page(b"", count, encoding, definition=definition, repetition=repetition)
                if codec == wire.CODEC_UNCOMPRESSED:
                    size = min(size, 100)
                front = page.body
                body = compressed(codec, front + head, size)
                whole = len(front) + len(head) + size
            page = pages.Page(page.header | {"uncompressed_page_size": whole}, body)
        header = dict(page.header) | {"compressed_page_size": len(page.body)}
        header.pop("crc", None)
        if random.random() < 0.07:
            name = random.choice(("uncompressed_page_size", "uncompressed_page_size", "compressed_page_size"))
            header[name] = random.choice((header[name] + 1, max(header[name] - 1, 0), (1 << 31) - 1, 64))
        return pages.Page(header, page.body)

    def packed_nulls(self, codec: int, count: int, repetition: bytes | None) -> pages.Page:
        """A page of nulls alone, whose levels are packed, not repeated: the codec makes them small."""
        groups = (count + 7) // 8
        size = min(groups, 1 << 26)
        header = varint(groups << 1 | 1)
        page = pages.data_page(b"", count, PLAIN, definition=header, repetition=repetition)
        front = page.body[: -4 - len(header)] + (len(header) + size).to_bytes(4, "little") + header
        body = compressed(codec, front, size)
        sizes = {"uncompressed_page_size": len(front) + size, "compressed_page_size": len(body)}
        return pages.Page({name: value for name, value in page.header.items() if name != "crc"} | sizes, body)


def damaged(data: bytes, random: Random) -> bytes:
    """The file with a byte or three of it changed, as they come."""
    found = bytearray(data)
    for _ in range(random.randint(1, 3)):
        found[random.randrange(4, len(found) - 8)] = random.choice((0, 1, 0x7F, 0x80, 0xFF, random.randrange(256)))
    return bytes(found)


def blown_up_file(random: Random, *, vast: bool = False) -> bytes:
    """A file; `vast`: of up to 2³¹ values, and never valid: its last column has no values."""
    while True:
        maker = Maker(random, is_one_row=random.random() < 0.4)
        count = random.choice(VAST_COUNTS if vast else COUNTS)
        fields = random.choice((1, 1, 2, 3, 4))
        for number in range(fields):
            maker.field("xyzwv"[number], count)
        rows = 1 if maker.is_one_row else count
        if vast:
            maker.columns.append(Column("e", wire.PHYSICAL_INT32, [pages.data_page(bytes(4), count, PLAIN)]))
            maker.elements.append({"type": wire.PHYSICAL_INT32, "repetition_type": 0, "name": "e"})
            fields += 1
        schema = [{"name": "r", "num_children": fields}, *maker.elements]
        data = pages.parquet_file(maker.columns, rows, schema=schema)
        if len(data) <= LARGEST_FILE:
            return data
