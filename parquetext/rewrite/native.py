"""Rewrite a file so that the ALP copies become the columns; the chunks that they copy are left out."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from .. import extension, wire
from ..encoding.carried import Carried, copies_of
from ..encoding.chunk_reader import chunk_of
from ..errors import Damaged
from ..thrift import integer
from .chunks import MovedChunk
from .encoding import Encoder, chunk_structs
from .original import Rest, read_steps
from .recode import are_same, leaves_of, opened, take
from .segments import COPY, OFFSET_INDEX, Claim
from .structs import Fields, row_groups_of, struct_list, with_row_groups, without

MOST_ROWS = 1 << 16  # rows compared at once
OF_OLD_PAGES = (
    wire.COLUMN_META_DATA_INDEX_PAGE_OFFSET,
    wire.COLUMN_META_DATA_DICTIONARY_PAGE_OFFSET,
    wire.COLUMN_META_DATA_ENCODING_STATS,
)
PAGE_INDEXES = (
    wire.COLUMN_CHUNK_OFFSET_INDEX_OFFSET,
    wire.COLUMN_CHUNK_OFFSET_INDEX_LENGTH,
    wire.COLUMN_CHUNK_COLUMN_INDEX_OFFSET,
    wire.COLUMN_CHUNK_COLUMN_INDEX_LENGTH,
)


class Replaced(NamedTuple):
    """A chunk that its copy replaces; `others` are its copies in other encodings, which are removed, too."""

    row_group: int
    leaf: int
    chunk: MovedChunk
    copy: Carried
    others: tuple[Carried, ...]


def replaced(footer: bytes, leaves: Collection[int]) -> list[Replaced]:
    """Return the chunks of these leaves that have a copy in ALP."""
    found = []
    for number, group in enumerate(row_groups_of(footer)):
        for leaf, struct in enumerate(chunk_structs(Fields(group))):
            if leaf not in leaves:
                continue
            chunk = MovedChunk(struct)
            copies = [copy for copy in copies_of(chunk.metadata.data) if _is_of(chunk, copy)]
            native = [copy for copy in copies if copy.encoding == wire.ENCODING_ALP and copy.uuid is None]
            if native:
                others = tuple(copy for copy in copies if copy is not native[-1])
                found.append(Replaced(number, leaf, chunk, native[-1], others))
    return found


def _is_of(chunk: MovedChunk, copy: Carried) -> bool:
    return copy.fits(chunk.begin, chunk.size, chunk.metadata.number(wire.COLUMN_META_DATA_NUM_VALUES))


class Native(Encoder):
    """Write a file up to its footer without the chunks that have a copy.

    Parameters
    ----------
    source, footer, end
        See `Encoder`.
    gone : list of Replaced
        The chunks.
    rest : Rest or None
        The stored remainder of the file without copies; it is left out, too.
    """

    def __init__(self, source, footer: bytes, end: int, gone: list[Replaced], rest: Rest | None):
        self._gone, self._rest = gone, rest
        super().__init__(source, _native_footer(footer, gone), end, {})

    def check(self, scan) -> None:
        """Decode each copy and its chunk, and compare them; `scan` is a scan of the file's footer.

        Raises
        ------
        Damaged
            If they differ. Nothing has been written.
        Malformed, Unsupported
            If one of them cannot be read.
        """
        leaves = leaves_of(scan)
        for number, leaf, _, copy, _ in self._gone:
            chunk = chunk_of(scan, leaves[leaf], number, number, self._source.size)
            readers = opened(self._source, chunk), opened(self._source, chunk.by(copy))
            step = min(copy.rows_per_page, MOST_ROWS)
            for first in range(0, chunk.num_rows, step):
                rows = min(step, chunk.num_rows - first)
                one, other = (take(reader, chunk, rows) for reader in readers)
                if not are_same(chunk, one, other):
                    position = f"row group {number}, column {chunk.leaf.path}, rows {first} to {first + rows - 1}"
                    raise Damaged(f"{position}: the copy has other values than the column", offset=copy.offset)

    def write(self, sink) -> tuple[bytes, int]:  # type: ignore[override]  # it has no copies to describe
        """Write everything before the new footer; return that footer, without an extension, and its offset."""
        self._sink, self._reads = sink, _Pieces(self._source)
        return self._write_data(), self._size

    def _claims(self) -> Iterator[Claim]:
        """Yield the claims; ranges that are left out have kinds that are not copied."""
        yield from super()._claims()
        for number, leaf, chunk, _, others in self._gone:
            yield Claim(chunk.begin, chunk.begin + chunk.size, COPY, number, leaf)
            for copy in others:
                yield Claim(copy.offset, copy.end, COPY, number, leaf)
            for position in (chunk.offset_index, chunk.column_index):
                if position is not None:
                    yield Claim(position[0], sum(position), OFFSET_INDEX, number, leaf)
        if self._rest is not None:
            yield Claim(self._rest.offset, self._rest.offset + self._rest.length, COPY, 0, 0)


class _Pieces:
    """Read a file's bytes in pieces."""

    def __init__(self, source):
        self._source = source

    def pieces(self, begin: int, end: int) -> Iterator[bytes]:
        return read_steps(self._source, begin, end - begin)


def _native_footer(footer: bytes, gone: list[Replaced]) -> bytes:
    """Return the same file's footer in which the copies replace these columns."""
    groups = [Fields(group) for group in row_groups_of(footer)]
    chunks = [chunk_structs(group) for group in groups]
    grown: dict[tuple[int, int], int] = {}
    for number, leaf, chunk, copy, _ in gone:
        chunks[number][leaf] = _native_chunk(chunks[number][leaf], chunk, copy)
        for id, old, new in (
            (wire.ROW_GROUP_TOTAL_BYTE_SIZE, _uncompressed(chunk), copy.uncompressed_length),
            (wire.ROW_GROUP_TOTAL_COMPRESSED_SIZE, chunk.size, copy.length),
        ):
            grown[number, id] = grown.get((number, id), 0) + new - old
    for (number, id), more in grown.items():
        if id in groups[number].places:
            groups[number].put(id, groups[number].number(id) + more)
    for group, structs in zip(groups, chunks, strict=True):
        group.put(wire.ROW_GROUP_COLUMNS, struct_list(structs))
    return with_row_groups(footer, [group.to_bytes() for group in groups])


def _uncompressed(chunk: MovedChunk) -> int:
    return chunk.metadata.number(wire.COLUMN_META_DATA_TOTAL_UNCOMPRESSED_SIZE)


def _native_chunk(struct: bytes, chunk: MovedChunk, copy: Carried) -> bytes:
    metadata = Fields(without(_without_copies(chunk.metadata.data), OF_OLD_PAGES))
    metadata.put(wire.COLUMN_META_DATA_ENCODINGS, _encodings(wire.ENCODING_RLE, wire.ENCODING_ALP))
    metadata.put(wire.COLUMN_META_DATA_CODEC, copy.codec)
    metadata.put(wire.COLUMN_META_DATA_TOTAL_UNCOMPRESSED_SIZE, copy.uncompressed_length)
    metadata.put(wire.COLUMN_META_DATA_TOTAL_COMPRESSED_SIZE, copy.length)
    metadata.put(wire.COLUMN_META_DATA_DATA_PAGE_OFFSET, copy.offset)
    fields = Fields(without(struct, PAGE_INDEXES))
    fields.put(wire.COLUMN_CHUNK_META_DATA, metadata.to_bytes())
    if fields.number(wire.COLUMN_CHUNK_FILE_OFFSET) > 0:
        fields.put(wire.COLUMN_CHUNK_FILE_OFFSET, copy.offset)
    return fields.to_bytes()


def _without_copies(metadata: bytes) -> bytes:
    for _ in copies_of(metadata):
        metadata = extension.strip(metadata, wire.UUID_COLUMN_ENCODING)
    return metadata


def _encodings(*numbers: int) -> bytes:
    """Return an encoded list of enums."""
    return b"".join((bytes([len(numbers) << 4 | wire.TYPE_I32]), *map(integer, numbers)))
