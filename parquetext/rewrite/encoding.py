"""Rewrite a file with copies of some columns in other encodings (docs/formats.md, sections 9 and 10).

Each row group contains the copies first, then the columns without a copy, then the chunks that have copies. The chunk
of the first leaf always follows the copies directly: parquet-java assigns a row group to the split that contains the
offset of its first column plus half its size, and this position must be within the row group.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain
from threading import Condition, Event
from typing import Any, NamedTuple

from .. import kernels, wire
from ..encoding.carried import Carried, append_copy, copies_of, with_copies
from ..encoding.chunk_reader import chunk_of
from ..encoding.codecs import compress
from ..encoding.registry import Encoding
from ..errors import Damaged, Malformed, Refused, wire_error
from ..records import frozen
from .chunks import MovedChunk, moved_group
from .original import Original, Range, Rest, step_of
from .recode import Leaf, leaves_of, recode, rows_per_page
from .segments import COPY, Claim, RowGroupBytes, divided
from .structs import Fields, row_groups_of, structs, with_row_groups

AHEAD = 32 << 20  # bytes by which copying may be ahead of the SHA-256; they are kept in memory


class SharedReads:
    """Blocks of a file that two threads read: the first one reads a block, and the other one gets it from memory.

    Parameters
    ----------
    source
        The file: `size`, and `read(offset, length)` from any thread.
    """

    def __init__(self, source):
        self._source, self._step = source, step_of(source)
        self._blocks: dict[int, Future[bytes]] = {}  # by their offsets; the oldest first
        self._most_blocks = AHEAD // self._step + 2
        self._digested = 0
        self._changed = Condition()

    def digest(self, stopped: Event) -> bytes:
        """Return the file's SHA-256; the result is invalid once `stopped` is set. `pieces` needs it to run."""
        found = hashlib.sha256()
        try:
            for at in range(0, self._source.size, self._step):
                if stopped.is_set():
                    break
                found.update(self._block(at))
                self._have_digested(at)
        finally:
            self._have_digested(self._source.size)  # so that no thread waits for a reader that has ended
        return found.digest()

    def pieces(self, begin: int, end: int) -> Iterator[memoryview]:
        """Yield a range of the file, a block at a time."""
        for at in range(begin - begin % self._step, end, self._step):
            with self._changed:
                self._changed.wait_for(lambda at=at: at <= self._digested + AHEAD)
            yield memoryview(self._block(at))[max(begin - at, 0) : end - at]

    def _have_digested(self, at: int) -> None:
        with self._changed:
            self._digested = at
            self._changed.notify()

    def _block(self, at: int) -> bytes:
        with self._changed:
            found = self._blocks.get(at)
            is_here = found is not None
            if found is None:
                found = self._blocks[at] = Future()
                while len(self._blocks) > self._most_blocks:
                    del self._blocks[next(iter(self._blocks))]
        if not is_here:
            try:
                found.set_result(self._source.read(at, min(self._step, self._source.size - at)))
            except BaseException as error:  # after any error, the other thread must not wait for the block
                found.set_exception(error)
        return found.result()


SMALL = 1 << 10  # smaller data is not compressed


class Wanted(NamedTuple):
    """The encoding and codec for a column's copy."""

    encoding: Encoding
    codec: int


@frozen
class Encoded:
    """The result of `Encoder.write`.

    Attributes
    ----------
    footer : bytes
        The Thrift footer with all new offsets, without an extension.
    size : int
        The offset of the footer.
    original : Original
    copies : tuple of Carried
        The copies that were added.
    """

    footer: bytes
    size: int
    original: Original
    copies: tuple[Carried, ...]


@dataclass(slots=True)
class _Chunk:
    """A chunk that is being copied: its struct, its copies before the change, and its copies after the change."""

    moved: MovedChunk
    old_copies: list[Carried]
    copies: list[Carried] = field(default_factory=list)
    new: Carried | None = None

    def to_bytes(self) -> bytes:
        metadata = self.moved.metadata.to_bytes()
        if self.copies:
            metadata = with_copies(metadata, self.copies)
        if self.new is not None:
            metadata = append_copy(metadata, self.new)
        return self.moved.to_bytes(metadata)


class Encoder:
    """Write a file up to its footer with copies of columns, and record the new offset of each byte.

    Parameters
    ----------
    source : Source
        The file. Two more threads read it; at most 32 MiB of it and two re-encoded column chunks are kept in memory.
    footer : bytes
        Its Thrift footer without an extension.
    end : int
        The end of its data: the offset of the footer, or of a flat footer or index before it.
    wanted : mapping of int to Wanted
        By leaf.

    Attributes
    ----------
    is_needed : bool
        True if a chunk lacks a copy that is wanted.

    Raises
    ------
    Malformed, Damaged, Unsupported
        If the file cannot be read, if parts of it overlap, or if an existing copy does not belong to its column.
    """

    def __init__(self, source, footer: bytes, end: int, wanted: Mapping[int, Wanted]):
        self._source, self._wanted, self._end = source, wanted, end
        self._scan = kernels.scan.scan(footer)
        self._leaves: Sequence[Leaf] = leaves_of(self._scan)
        self._groups = [Fields(group) for group in row_groups_of(footer)]
        self._chunks = [[_chunk(struct) for struct in chunk_structs(group)] for group in self._groups]
        self._moved: list[tuple[int, int, int]] = []  # old begin and end, new begin
        self._footer, self._size = footer, 0
        self._sink: Any = None
        self._reads: Any = None
        self._recoded: Iterator[tuple[list[bytes], Carried]] = iter(())
        self.is_needed = any(
            self._lacks(number, leaf, chunk)
            for number, chunks in enumerate(self._chunks)
            for leaf, chunk in enumerate(chunks)
        )

    def write(self, sink) -> Encoded:
        """Write everything before the new footer to `sink`, which has `write(data)`."""
        self._sink, self._reads, stopped = sink, SharedReads(self._source), Event()
        tasks = [
            (number, leaf)
            for number, chunks in enumerate(self._chunks)
            for leaf, chunk in enumerate(chunks)
            if self._lacks(number, leaf, chunk)
        ]
        with ThreadPoolExecutor(2) as pool:
            try:
                digest = pool.submit(self._reads.digest, stopped)
                self._recoded = _ahead(pool, self._recode, tasks)
                footer = self._write_data()
                rest = self._write_rest()
                sha256 = digest.result()
            finally:
                stopped.set()
        struct_crc = kernels.checksum.crc32(footer)
        original = Original(self._source.size, sha256, tuple(self._ranges()), rest, len(footer), struct_crc)
        copies = [chunk.new for chunk in self._all_chunks() if chunk.new is not None]
        return Encoded(footer, self._size, original, tuple(copies))

    def _write_data(self) -> bytes:
        """Write everything except the rest, and return the new footer."""
        segments = divided(self._claims(), len(self._groups), self._end)
        for span in segments.front:
            self._copy(*span)
        for number, positioned in enumerate(segments.row_groups):
            self._write_row_group(number, positioned)
        self._move_kept()
        self._write_offset_indexes()
        return with_row_groups(
            self._footer,
            [
                moved_group(group, [chunk.moved for chunk in chunks], map(_Chunk.to_bytes, chunks))
                for group, chunks in zip(self._groups, self._chunks, strict=True)
            ],
        )

    def _lacks(self, number: int, leaf: int, chunk: _Chunk) -> bool:
        """Return True if the chunk needs a copy: one is wanted, none exists, and the chunk has values."""
        wanted = self._wanted.get(leaf)
        has_values = chunk.moved.metadata.number(wire.COLUMN_META_DATA_NUM_VALUES) > 0
        return wanted is not None and has_values and not _has(chunk, wanted)

    def _claims(self) -> Iterator[Claim]:
        for group, chunks in enumerate(self._chunks):
            for leaf, chunk in enumerate(chunks):
                yield from chunk.moved.claims(self._source, group, leaf)
                yield from (Claim(copy.offset, copy.end, COPY, group, leaf) for copy in chunk.old_copies)

    def _write_row_group(self, number: int, positioned: RowGroupBytes) -> None:
        """Write the copies, the chunks in their order, and the remaining bytes of the row group."""
        chunks = self._chunks[number]
        begins = {leaf: self._write_copies(number, leaf, chunk) for leaf, chunk in enumerate(chunks)}
        encoded = {leaf for leaf, found in begins.items() if found}
        in_file = list(dict.fromkeys((*positioned.chunks, *range(len(chunks)))))
        for leaf in sorted(in_file, key=lambda leaf: (leaf != 0, leaf in encoded)):
            self._write_chunk(number, leaf, positioned.chunks.get(leaf, []))
        for span in positioned.rest:
            self._copy(*span)

    def _write_copies(self, number: int, leaf: int, chunk: _Chunk) -> bool:
        """Write the chunk's existing copies and its new one; return True if there are any."""
        for copy in chunk.old_copies:
            begin, crc = self._copy(copy.offset, copy.end, summed=True)
            if crc != copy.crc:
                raise self._damaged(number, leaf, "its copy has", copy.offset, copy.crc, crc)
            chunk.copies.append(copy.moved(begin, 0))
        if self._lacks(number, leaf, chunk):
            offset, (pages, copy) = self._size, next(self._recoded)
            for page in pages:
                self._write(page)
            chunk.new = copy.moved(offset, 0)
        return bool(chunk.copies or chunk.new)

    def _recode(self, number: int, leaf: int) -> tuple[list[bytes], Carried]:
        """Return a chunk's re-encoded pages and the copy's entry; the caller sets the offsets."""
        fields = chunk_of(self._scan, self._leaves[leaf], number, number, self._source.size)
        wanted, rows = self._wanted[leaf], rows_per_page(self._source, fields)
        pages = list(recode(self._source, fields, rows, *wanted))
        entries = sum(page.entries for page in pages)
        if entries != fields.num_values:
            raise Malformed(
                f"row group {number}, column {self._leaves[leaf].path}: {entries} values in its pages",
                offset=fields.begin,
                expected=fields.num_values,
                found=entries,
            )
        crc, crcs = 0, []
        for page in pages:
            crc = kernels.checksum.crc32(page.data, crc)
            crcs.append(kernels.checksum.crc32(page.data))
        lengths = tuple(len(page.data) for page in pages)
        copy = Carried(
            encoding=wanted.encoding.id,
            uuid=wanted.encoding.uuid,
            codec=wanted.codec,
            offset=0,
            length=sum(lengths),
            uncompressed_length=sum(page.uncompressed_length for page in pages),
            num_values=entries,
            null_count=sum(page.nulls for page in pages),
            rows_per_page=rows,
            crc=crc,
            chunk_offset=fields.begin,
            chunk_length=fields.size,
            chunk_crc=0,
            page_lengths=lengths,
            page_crcs=tuple(crcs),
        )
        return [page.data for page in pages], copy

    def _write_chunk(self, number: int, leaf: int, spans: Sequence[tuple[int, int]]) -> None:
        """Write a chunk, and update the entries of its copies."""
        chunk, begin, crc = self._chunks[number][leaf], self._size, 0
        for index, span in enumerate(spans):
            found = self._copy(*span, summed=index == 0 and bool(chunk.copies or chunk.new))
            crc = crc if index else found[1]
        chunk.moved.move_pages(begin)
        for copy in chunk.copies:
            if crc != copy.chunk_crc:
                raise self._damaged(number, leaf, "what has a copy has", chunk.moved.begin, copy.chunk_crc, crc)
        chunk.copies = [copy.moved(copy.offset, begin) for copy in chunk.copies]
        if chunk.new is not None:
            chunk.new = chunk.new.of_chunk(begin, crc)

    def _damaged(self, number: int, leaf: int, what: str, offset: int, expected: int, found: int) -> Damaged:
        position = f"row group {number}, column {self._leaves[leaf].path}"
        return Damaged(
            f"{position}: {what} the checksum {found:#010x}, expected {expected:#010x}",
            offset=offset,
            expected=expected,
            found=found,
        )

    def _move_kept(self) -> None:
        """Set the new offsets of Bloom filters and column indexes."""
        self._moved.sort()
        for chunk in self._all_chunks():
            moved = chunk.moved
            if (position := moved.bloom_filter(self._source)) is not None:
                moved.move_bloom_filter(self._new_offset(position[0]))
            if moved.column_index is not None:
                moved.move_column_index(self._new_offset(moved.column_index[0]))

    def _write_offset_indexes(self) -> None:
        for chunk in self._all_chunks():
            moved = chunk.moved
            if moved.offset_index is not None:
                index = moved.shifted(self._source.read(*moved.offset_index))
                moved.move_offset_index(self._write(index), len(index))

    def _all_chunks(self) -> Iterator[_Chunk]:
        return chain.from_iterable(self._chunks)

    def _copy(self, begin: int, end: int, *, summed: bool = False) -> tuple[int, int]:
        """Copy bytes of the file; return their new offset, and their CRC-32 if `summed` is set (else 0)."""
        at, crc = self._size, 0
        for data in self._reads.pieces(begin, end):
            if summed:
                crc = kernels.checksum.crc32(data, crc)
            self._write(data)
        self._moved.append((begin, end, at))
        return at, crc

    def _write(self, data: bytes) -> int:
        """Write bytes, and return their offset."""
        at = self._size
        self._sink.write(data)
        self._size += len(data)
        return at

    def _new_offset(self, old: int) -> int:
        """Return the new offset of a copied byte."""
        index = bisect_right(self._moved, old, key=lambda moved: moved[0]) - 1
        begin, end, new = self._moved[index]
        if not begin <= old < end:
            raise wire_error(wire.TRUNCATED, old, 1, 0)
        return new + old - begin

    def _ranges(self) -> Iterator[Range]:
        """Yield all bytes of the file in order with their new offsets; None for the rest, which was not copied."""
        merged: list[Range] = []
        at = 0
        for begin, end, new in (*self._moved, (self._source.size, self._source.size, 0)):
            if at < begin:
                merged.append(Range(at, begin - at, None))
            last = merged[-1] if merged else None
            if last is not None and last.new is not None and at == begin and last.new + last.length == new:
                merged[-1] = Range(last.old, last.length + end - begin, last.new)
            elif begin < end:
                merged.append(Range(begin, end - begin, new))
            at = end
        yield from merged

    def _write_rest(self) -> Rest:
        """Write the bytes that were not copied, compressed if that makes them smaller."""
        parts = (self._source.read(part.old, part.length) for part in self._ranges() if part.new is None)
        plain, codec = b"".join(parts), wire.CODEC_UNCOMPRESSED
        packed = plain
        if len(plain) > SMALL:
            packed = compress(wire.CODEC_ZSTD, plain)
            codec = wire.CODEC_ZSTD
        if len(packed) >= len(plain):
            packed, codec = plain, wire.CODEC_UNCOMPRESSED
        return Rest(self._write(packed), len(packed), codec, kernels.checksum.crc32(packed))


def _ahead(pool: ThreadPoolExecutor, work: Callable, tasks: Sequence[tuple]) -> Iterator:
    """Yield the result of `work` for each task, in order.

    The next result is computed while the caller uses the current one.
    """
    futures = deque(pool.submit(work, *task) for task in tasks[:1])
    for task in (*tasks[1:], None):
        if not futures:
            return
        result = futures.popleft().result()
        if task is not None:
            futures.append(pool.submit(work, *task))
        yield result


def chunk_structs(group: Fields) -> list[bytes]:
    if wire.ROW_GROUP_COLUMNS not in group.places:
        raise wire_error(wire.MISSING_FIELD, 0, wire.ROW_GROUP_COLUMNS)
    return structs(group.data, group.places[wire.ROW_GROUP_COLUMNS][0])


def _chunk(struct: bytes) -> _Chunk:
    """Return a chunk with its existing copies.

    Raises
    ------
    Refused
        If a copy does not match the chunk: another program has moved the chunk, and the copy's location is unknown.
    """
    moved = MovedChunk(struct)
    copies = copies_of(moved.metadata.data)
    num_values = moved.metadata.number(wire.COLUMN_META_DATA_NUM_VALUES)
    if not all(copy.fits(moved.begin, moved.size, num_values) for copy in copies):
        raise Refused("a column has a copy of other bytes than its own: another program has moved it")
    return _Chunk(moved, copies)


def _has(chunk: _Chunk, wanted: Wanted) -> bool:
    """Return True if the chunk has a copy with this encoding and codec."""
    encoding, codec = wanted
    return any(
        (copy.encoding, copy.uuid, copy.codec) == (encoding.id, encoding.uuid, codec) for copy in chunk.old_copies
    )
