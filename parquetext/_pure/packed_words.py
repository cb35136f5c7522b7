"""The texts of a tile's chunks: bounds of texts, and others (docs/formats.md, 15.5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import wire
from ..libraries import libzstd, zstd_by_arrow
from . import packed_numbers as numbers
from . import varint
from .bits import bytes_of, pack, unpack
from .packed_content import Content
from .packed_numbers import Table
from .packed_roles import SAME, Book
from .packed_template import WORDS

RAW, ALPHABET, ZSTD = wire.WORDS_RAW, wire.WORDS_ALPHABET, wire.WORDS_ZSTD
MOST_SYMBOLS = 128
LONG, HOT = wire.WORDS_LONG, wire.WORDS_HOT  # a longer text has only its first HOT bytes in the tile's first cell
LEAST_COMPRESSED = 64

Compress = Callable[[bytes], bytes]


# ---- writing


def write_words(book: Book, columns: Sequence[Sequence[Any]], compress: Compress | None) -> tuple[bytes, bytes]:
    """Return the contents of the tile's cells of texts: the begins of all texts, and the rests of the long ones."""
    roles = [number for number, role in enumerate(book.roles) if role.area == WORDS]
    if not roles:
        return b"", b""
    aliases = {number for number in roles if is_alias(book, number, columns)}
    stored = [number for number in roles if number not in aliases]
    blocks = [write_block(column, stored, compress) for column in columns]
    flags = bytes(number in aliases for number in roles)
    hot, cold = (join([block[part] for block in blocks]) for part in (0, 1))
    return flags + hot, cold


def is_alias(book: Book, number: int, columns) -> bool:
    """Return True if each value of a role is that of another role in the same chunk."""
    role = book.roles[number]
    return role.predictor == SAME and all(
        chunk.values[number] == chunk.values.get(role.first)
        for column in columns
        for chunk in column
        if number in chunk.values
    )


def join(blocks: list[bytes]) -> bytes:
    return numbers.encode([[len(block)] for block in blocks]) + b"".join(blocks)


def common_prefix(texts: Sequence[bytes]) -> bytes:
    least, most = min(texts), max(texts)
    different = (at for at, (one, other) in enumerate(zip(least, most, strict=False)) if one != other)
    return least[: next(different, len(least))]


def write_block(column, roles: list[int], compress: Compress | None) -> tuple[bytes, bytes]:
    texts = [chunk.values[number] for number in roles for chunk in column if number in chunk.values]
    if not texts:
        return b"", b""
    prefix = common_prefix(texts)
    rests = [text[len(prefix) :] for text in texts]
    hot = b"".join(rest if len(rest) <= LONG else rest[:HOT] for rest in rests)
    cold = b"".join(rest[HOT:] for rest in rests if len(rest) > LONG)
    head = varint.encode(len(prefix)) + prefix + numbers.encode([[len(rest) for rest in rests]])
    return head + code(hot, None), code(cold, compress) if cold else b""


def code(data: bytes, compress: Compress | None) -> bytes:
    """Return the shortest form of some bytes; of equally short forms, the first one."""
    forms = [bytes((RAW,)) + data]
    symbols = bytes(sorted(set(data)))
    if len(symbols) <= MOST_SYMBOLS:
        width = max(len(symbols) - 1, 0).bit_length()
        packed = pack([symbols.index(symbol) for symbol in data], width)
        forms.append(bytes((ALPHABET, len(symbols))) + symbols + packed)
    if compress is not None and len(data) >= LEAST_COMPRESSED:
        forms.append(bytes((ZSTD,)) + compress(data))
    return min(forms, key=len)


# ---- reading


class Words:
    """The texts of a tile.

    Parameters
    ----------
    book : Book
    columns : int
    hot, cold : callable
        Return the contents of the cells.
    limit : int
        Of the bytes that one call makes.
    has_cells : bool
        True if each part is a cell of its own.
    """

    def __init__(
        self,
        book: Book,
        columns: int,
        hot: Callable[[], Content],
        cold: Callable[[], Content],
        limit: int,
        has_cells: bool,
    ):
        self.book, self._load_cold, self.columns = book, cold, columns
        self.limit, self.has_cells = limit, has_cells
        self.roles = [number for number, role in enumerate(book.roles) if role.area == WORDS]
        self._load_hot = hot
        self._is_loaded = False
        self._cold: tuple[Content, list[int]] | None = None

    def load(self) -> None:
        """Read the begins of the texts, once."""
        if self._is_loaded or not self.roles:
            return
        self.content = content = self._load_hot()
        at, flags = content.at, content.take(len(self.roles))
        for number, flag in enumerate(flags):
            if flag > (self.book.roles[self.roles[number]].predictor == SAME):
                raise content.fail(wire.BAD_VALUE, at + number, 0, flag)
        self.aliases = {role for role, flag in zip(self.roles, flags, strict=True) if flag}
        self.ends = ends_of(content, self.columns)
        if self.has_cells:
            content.end()
        self._is_loaded = True

    def load_rests(self) -> tuple[Content, list[int]]:
        """Read the rests of the long texts, once."""
        if self._cold is None:
            content = self._load_cold()
            loaded = content, ends_of(content, self.columns) if self.roles else []
            if self.has_cells:
                content.end()
            self._cold = loaded
        return self._cold

    def column(self, column: int, templates: Sequence[Sequence[int]]) -> list[dict[int, bytes]]:
        """Return the texts of each of a column's chunks by role; `templates` are the roles of texts of each chunk."""
        found: list[dict[int, bytes]] = [{} for _ in templates]
        self.load()
        wanted = [
            (row, number)
            for number in self.roles
            if number not in self.aliases
            for row, roles in enumerate(templates)
            if number in roles
        ]
        if wanted:
            for (row, number), text in zip(wanted, self._block(column, len(wanted)), strict=True):
                found[row][number] = text
        for row, roles in enumerate(templates):
            for number in self.roles:
                if number in roles and number in self.aliases:
                    found[row][number] = found[row].get(self.book.roles[number].first, b"")
        return found

    def _block(self, column: int, count: int) -> list[bytes]:
        content = part_of(self.content, self.ends, column)
        prefix = bytes(content.take(content.varint()))
        at = content.at
        lengths = Table(content, 1, count).column(0)
        lengths = [min(length, self.limit + 1) for length in lengths]
        hot_lengths = [length if length <= LONG else HOT for length in lengths]
        cold_lengths = [length - hot for length, hot in zip(lengths, hot_lengths, strict=True)]
        if min(lengths) < 0:
            raise content.fail(wire.BAD_VALUE, at, 0, min(lengths) % (1 << 64))
        hot = self._decode(content, sum(hot_lengths))
        cold = b""
        if any(cold_lengths):
            cold = self._decode(part_of(*self.load_rests(), column), sum(cold_lengths))
        size = len(hot) + len(cold) + count * len(prefix)
        if size > self.limit:
            raise self.content.fail(wire.BAD_CELL, self.ends[column], self.limit, size)
        texts, begins = [], [0, 0]
        for lengths_of in zip(hot_lengths, cold_lengths, strict=True):
            ends = [begin + length for begin, length in zip(begins, lengths_of, strict=True)]
            texts.append(prefix + hot[begins[0] : ends[0]] + cold[begins[1] : ends[1]])
            begins = ends
        return texts

    def _decode(self, content: Content, size: int) -> bytes:
        at, form = content.at, content.byte()
        if form == RAW and content.left != size:
            raise content.fail(wire.BAD_CELL, content.at, size, content.left)
        if form > ZSTD:
            raise content.fail(wire.BAD_VALUE, at, ZSTD, form)
        if size > self.limit:
            raise content.fail(wire.BAD_CELL, at, self.limit, size)
        if form == RAW:
            return bytes(content.take(size))
        if form == ZSTD:
            return decompress(content, at, content.take(content.left), size)
        at, count = content.at, content.byte()
        symbols = bytes(content.take(count))
        width = max(count - 1, 0).bit_length()
        packed = content.take(bytes_of(size, width))
        found = unpack(packed, 0, width, size)
        if found and max(found) >= count:
            raise content.fail(wire.BAD_VALUE, at, count, max(found))
        return bytes([symbols[number] for number in found])


def decompress(content: Content, at: int, frame: bytes | memoryview, size: int) -> bytes:
    """Return the `size` bytes of a zstd frame, whose form is at `at` of the content."""
    functions = libzstd()  # as in C: versions of zstd decode damaged frames differently
    if functions is not None:
        import ctypes

        address, is_error = functions[2:4]
        create, release = functions[:2]
        context = ctypes.CFUNCTYPE(ctypes.c_void_p)(create)()
        out = ctypes.create_string_buffer(size + 1)
        pointers = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t
        made = ctypes.CFUNCTYPE(ctypes.c_size_t, *pointers)(address)(context, out, size, bytes(frame), len(frame))
        ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_void_p)(release)(context)
        if made == size and not ctypes.CFUNCTYPE(ctypes.c_uint, ctypes.c_size_t)(is_error)(made):
            return out.raw[:size]
    elif (found := zstd_by_arrow(bytes(frame), size)) is not None:
        return found
    raise content.fail(wire.COMPRESSED_TEXT, at, size, len(frame))


def ends_of(content: Content, columns: int) -> list[int]:
    """Return the begin of the first block and the ends of all blocks."""
    table = Table(content, columns, 1)
    ends = [content.at]
    for column in range(columns):
        (length,) = table.column(column)
        if not 0 <= length <= len(content.data) - ends[-1]:
            raise content.fail(wire.BAD_CELL, ends[-1], len(content.data) - ends[-1], length % (1 << 64))
        ends.append(ends[-1] + length)
    content.at = ends[-1]
    return ends


def part_of(content: Content, ends: list[int], column: int) -> Content:
    return Content(content.data[: ends[column + 1]], content.place, ends[column])
