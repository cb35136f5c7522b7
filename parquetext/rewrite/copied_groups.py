"""Copy row groups from one file into another, and patch the offsets in their structs."""

from __future__ import annotations

from collections.abc import Iterator

from .. import extension, kernels, wire
from ..encoding.carried import copies_of
from ..encoding.pages import OVERRUN
from ..errors import Malformed, ParquetextError
from .chunks import MovedChunk
from .encoding import chunk_structs
from .segments import CHUNK, KEPT, OFFSET_INDEX, Claim, divided
from .structs import Fields, list_header

__all__ = ["CopiedGroups"]


class CopiedGroups:
    """Row groups, their Bloom filters and their page indexes.

    Parameters
    ----------
    part : joined.Part
    groups : list of bytes
        The row groups' structs.
    leaf_count : int
        Number of leaves in the schema.
    is_odd : bool
        True if the writer excluded the dictionary page's header from the chunk's size: some bytes after each chunk
        are then copied, too.

    Attributes
    ----------
    lost : set of str
        Descriptions of everything that could not be copied.

    Raises
    ------
    Malformed
        If chunks, filters or indexes overlap or exceed the file, or if a row group does not have one chunk per leaf.
    Unsupported
        If a chunk is in another file.
    """

    def __init__(self, part, groups: list[bytes], leaf_count: int, *, is_odd: bool):
        self.lost: set[str] = set()
        self._source, self._end, self._slack = part.source, part.end, OVERRUN if is_odd else 0
        self._groups = [Fields(self._bare(group, "row groups")) for group in groups]
        self._chunks = [[self._chunk(struct) for struct in chunk_structs(group)] for group in self._groups]
        for number, chunks in enumerate(self._chunks):
            if len(chunks) != leaf_count:
                raise Malformed(f"row group {number} has {len(chunks)} column chunks, the schema {leaf_count} leaves")
        self._new: dict[tuple[int, int], int] = {}  # new offsets of filters and column indexes, which chunks may share
        divided(self._claims(), len(self._groups), self._end)

    def write(self, sink) -> list[bytes]:
        """Write the row groups to `sink`, a `storage.Appender` of the file, and return their structs."""
        for chunks in self._chunks:
            for chunk in sorted(chunks, key=lambda chunk: chunk.begin):
                at = sink.size
                sink.copy(chunk.begin, min(chunk.begin + chunk.size + self._slack, self._end))
                chunk.move_pages(at)
        for chunk in self._all_chunks():
            if (place := chunk.bloom_filter(self._source)) is not None:
                chunk.move_bloom_filter(self._kept(sink, place))
        for chunk in self._all_chunks():
            if chunk.column_index is not None:
                chunk.move_column_index(self._kept(sink, chunk.column_index))
        for chunk in self._all_chunks():
            if chunk.offset_index is not None:
                index = chunk.shifted(self._source.read(*chunk.offset_index))
                chunk.move_offset_index(sink.size, len(index))
                sink.write(index)
        return [self._struct(group, chunks) for group, chunks in zip(self._groups, self._chunks, strict=True)]

    def _kept(self, sink, place: tuple[int, int]) -> int:
        """Copy a range unless it has been copied before, and return its new offset."""
        if place not in self._new:
            self._new[place] = sink.size
            sink.copy(place[0], sum(place))
        return self._new[place]

    def _all_chunks(self) -> Iterator[MovedChunk]:
        for chunks in self._chunks:
            yield from chunks

    def _claims(self) -> Iterator[Claim]:
        for group, chunks in enumerate(self._chunks):
            for leaf, chunk in enumerate(chunks):
                ranges = [(CHUNK, (chunk.begin, chunk.size)), (OFFSET_INDEX, chunk.offset_index)]
                ranges += [(KEPT, chunk.bloom_filter(self._source)), (KEPT, chunk.column_index)]
                for kind, place in ranges:
                    if place is not None:
                        yield Claim(place[0], sum(place), kind, group, leaf)

    def _bare(self, struct: bytes, what: str) -> bytes:
        """Remove the extension of a struct, because an extension may contain offsets."""
        if kernels.extension.find(struct) is None:
            return struct
        self.lost.add(f"extensions of {what} are left out")
        return extension.strip(struct)

    def _chunk(self, struct: bytes) -> MovedChunk:
        struct = self._bare(struct, "column chunks")
        outer = Fields(struct)
        place = outer.places.get(wire.COLUMN_CHUNK_META_DATA)
        if place is not None:
            outer.put(wire.COLUMN_CHUNK_META_DATA, self._bare_metadata(struct[slice(*place)]))
        chunk = MovedChunk(outer.to_bytes())
        if chunk.size < 0:
            raise Malformed(f"a column chunk of {chunk.size} bytes", offset=chunk.begin)
        return chunk

    def _bare_metadata(self, metadata: bytes) -> bytes:
        if kernels.extension.find(metadata) is None:
            return metadata
        try:
            has_copies = bool(copies_of(metadata))
        except ParquetextError:
            has_copies = False
        what = "copies of columns in other encodings" if has_copies else "extensions of columns"
        self.lost.add(f"{what} are left out" + "; encode makes them anew" * has_copies)
        return extension.strip(metadata)

    def _struct(self, group: Fields, chunks: list[MovedChunk]) -> bytes:
        structs = [chunk.to_bytes() for chunk in chunks]
        group.put(wire.ROW_GROUP_COLUMNS, b"".join((list_header(len(structs)), *structs)))
        if group.number(wire.ROW_GROUP_FILE_OFFSET) > 0 and chunks:
            group.put(wire.ROW_GROUP_FILE_OFFSET, chunks[0].begin + chunks[0].shift)
        return group.to_bytes()
