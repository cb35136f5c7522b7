"""Find the pages of a chunk that contain the rows to read, and read these rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from ...encoding.chunk_reader import Chunk, ChunkReader, Dictionary, Stretch
from ...footer.page_index import PagePlaces
from ..plan.page_rows import Rows, pages_with_rows
from ..plan.picks import Picks


def stretches_of(chunk: Chunk, positions: PagePlaces | None, ranges: Rows) -> Iterator[Stretch]:
    """Yield the dictionary page and the pages that contain the rows; without an offset index, yield all pages."""
    if positions is None:
        yield Stretch(chunk.begin, chunk.end, 0, chunk.num_rows)
        return
    first = positions.offsets[0]
    if chunk.begin < first:
        yield Stretch(chunk.begin, first, 0, 0, ())
    for begin, end in _runs(positions, ranges):
        offset, stop = positions.offsets[begin], positions.offsets[end - 1] + positions.sizes[end - 1]
        rows = positions.rows_of(begin, end)
        yield Stretch(offset, stop, positions.first_rows[begin], sum(rows), tuple(rows))


def read_stretch(reader: ChunkReader, stretch: Stretch, picks: Picks) -> None:
    """Decode the picked rows of a stretch."""
    reader.open(stretch)
    turns = picks.turns(stretch.first_row, stretch.num_rows)
    reader.turn(turns)
    if stretch.row_counts is not None:
        reader.skip(stretch.num_rows - sum(turns))
        reader.close()


def _runs(positions: PagePlaces, ranges: Rows) -> list[tuple[int, int]]:
    """Return the runs of pages (first, last + 1) that contain rows of the ranges; adjacent pages are merged."""
    runs: list[tuple[int, int]] = []
    for page in pages_with_rows(positions, ranges):
        is_next = bool(runs) and runs[-1][1] == page
        if is_next and positions.offsets[page - 1] + positions.sizes[page - 1] == positions.offsets[page]:
            runs[-1] = runs[-1][0], page + 1
        else:
            runs.append((page, page + 1))
    return runs


def rows_of_chunk(
    made: Callable[[], ChunkReader], chunk: Chunk, stretches: Iterable[Stretch], picks: Picks
) -> tuple[list, Dictionary | None]:
    """Return the picked rows of a chunk, and its dictionary."""
    reader = made()
    reader.begin(chunk)
    for stretch in stretches:
        read_stretch(reader, stretch, picks)
    return reader.take(), reader.dictionary
