"""The third tier: decode every value twice, by pyarrow and by our own decoder, page checksums checked, and compare.

A value that the two decoders read differently is a finding, and so is a value that neither can read. If pyarrow alone
refuses a file that our decoder reads completely, this is a note. If our decoder alone refuses a file, this is a note if
the decoder lacks a feature, and a finding if it reports damage.
"""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Callable, Iterator, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from ... import wire
from ...encoding.pages import read_headers
from ...errors import LimitExceeded, OutOfProportion, ParquetextError, Unsupported
from ...findings import Finding
from ...footer.expansion import check_expansion
from ...footer.leaf_types import leaf_type_of
from ...footer.pyarrow_footer import metadata_of
from ...footer.thrift_form import ThriftForm
from ...reading.execute.assemble_leaves import BeyondArrow
from ...reading.execute.decoder import Decoder
from ...reading.execute.proportion import refuse_much_in_python
from ...reading.plan.part import Part
from ...storage import resolve
from .copy_values import first_difference, shown

LITTLE = 1 << 24
BYTES_OF_ENTRY = 8  # levels, and offsets of lists and texts


def most_of(source, footer: bytes) -> tuple[int, int]:
    """Return the most bytes that a footer's row groups may take according to their pages: without texts, and with them.

    A text may be as long as its page or dictionary page, and may be repeated in every row.
    """
    form = ThriftForm(footer)
    fixed = texts = 0
    for leaf in range(form.leaf_count):
        chunks, kind = form.column(leaf), leaf_type_of(form.node(leaf).thrift)
        fields = (chunks.begins(), *(chunks.array(name) for name in ("total_compressed_size", "num_values")))
        for begin, size, values in zip(*fields, strict=True):
            pages = _claims(source, begin, size)
            values = max(values, sum(count for count, _ in pages))
            fixed += values * (kind.width + BYTES_OF_ENTRY) + sum(length for _, length in pages)
            if kind.physical == wire.PHYSICAL_BYTE_ARRAY:
                texts += values * max((length for _, length in pages), default=0)
    return fixed, fixed + texts


def _claims(source, begin: int, size: int) -> list[tuple[int, int]]:
    """Return (values, decompressed bytes) of the pages that can be read; none if the chunk is outside of the file."""
    if not 0 <= begin <= source.size or not 0 <= size <= source.size - begin:
        return []
    try:
        headers = read_headers(source, begin, begin + size)
    except ParquetextError:
        return []
    pages = zip(headers.array("num_values"), headers.array("uncompressed_size"), strict=True)
    return [(max(count, 0), max(length, 0)) for count, length in pages]


BATCH_ROWS = 1 << 16
REFUSED = (pa.ArrowException, OSError, UnicodeError, ParquetextError)
# pyarrow reserves memory for the values that a page claims; for more, it reads only files that can contain them.
FEW_BYTES, BYTES_OF_VALUE, MOST_OF_BYTE = 1 << 25, 8, 64
SMALL_FILE, SMALL_BATCH_ROWS = 1 << 16, 1 << 10  # whose few bytes may repeat a long text
Batches = Iterator[pa.RecordBatch]


def decode_all(
    path: object,
    source,
    row_counts: list[int],
    values: Sequence[int],
    report,
    footer_of: Callable[[int], bytes],
    *,
    by_slices: bool = False,
) -> Iterator[Finding]:
    """Decode row group by row group; count the rows.

    Memory is that of a batch of each engine, and of one column chunk as it is stored for each leaf.

    Parameters
    ----------
    source
        The file's bytes for our decoder: `size` and `read(offset, length)`.
    row_counts : list of int
        The rows of each row group.
    values : sequence of int
        Of each column chunk. Without compiled kernels, chunks with many values are left to pyarrow alone. Chunks whose
        claims are out of proportion to the file are left to our decoder, whose memory is bounded by the file.
    footer_of : callable
        Gives a Thrift footer that has one row group alone.
    by_slices : bool
        pyarrow cannot read the file's own footer: it gets those of `footer_of`.
    """
    report.rows, is_ours = 0, True
    if note := _expansion_note(source, footer_of, len(row_counts)):
        yield note
        return
    try:
        refuse_much_in_python(sum(values))
    except Unsupported as error:
        is_ours = False
        yield Finding("decoded-once", f"by pyarrow alone: {error.message}", is_note=True)

    @functools.cache
    def ours_of(row_group: int) -> _Side:
        return _Side(_ours(source, footer_of, row_group))

    columns_of = functools.partial(_column_by_column, source, footer_of)
    known = ours_of if is_ours else None
    if source.size <= SMALL_FILE and (message := _memory_note(source, known, footer_of, len(row_counts))):
        if is_ours:
            yield Finding("decoded-once", f"by parquetext alone: {message}", is_note=True)
            yield from _decode_alone(ours_of, row_counts, report, columns_of)
        else:
            yield Finding("undecoded", message, is_note=True)
        return
    ours_of.cache_clear()  # those that were read from are compared from their first row
    most = max(values, default=0)
    if is_ours and most * BYTES_OF_VALUE > max(FEW_BYTES, MOST_OF_BYTE * source.size):
        text = f"by parquetext alone: a column chunk of {most} values in a file of {source.size} bytes"
        yield Finding("decoded-once", text, is_note=True)
        yield from _decode_alone(ours_of, row_counts, report, columns_of)
        return
    try:
        whole = None if by_slices else _open(path)
    except MemoryError:
        raise
    except REFUSED as error:
        found = list(_decode_alone(ours_of, row_counts, report, columns_of)) if is_ours else []
        is_read = is_ours and bool(row_counts) and not found
        prefix = "parquetext reads it, pyarrow does not: " if is_read else ""
        yield from [*found, Finding("unreadable", f"{prefix}{_message(error)}", is_note=is_read)]
        return
    with whole or contextlib.nullcontext():
        for row_group, expected in enumerate(row_counts):
            rows = BATCH_ROWS if source.size > SMALL_FILE else SMALL_BATCH_ROWS
            theirs = _Side(_batches(whole, row_group, rows) if whole else _sliced(path, footer_of, row_group, rows))
            ours = ours_of(row_group) if is_ours else None
            yield from _decode_twice(ours, theirs, row_group, expected, report, columns_of)


def _expansion_note(source, footer_of: Callable[[int], bytes], row_groups: int) -> Finding | None:
    """Return a note that the values take more memory than the limit; None if they do not."""
    for row_group in range(row_groups):
        try:
            check_expansion(ThriftForm(footer_of(row_group)), None, source)
        except LimitExceeded as error:
            return _undecoded(error, f"row group {row_group}")
        except ParquetextError:
            continue  # both engines report it
    return None


def _memory_note(source, ours_of: Callable[[int], _Side] | None, footer_of, row_groups: int) -> str | None:
    """Return a sentence if pyarrow may take very much memory for a small file, else None."""
    for row_group in range(row_groups):
        try:
            least, most = most_of(source, footer_of(row_group))
        except ParquetextError:
            continue  # both engines report it
        ours = ours_of(row_group) if ours_of is not None and least <= LITTLE < most else None
        if most > LITTLE and (ours is None or not ours.is_little()):
            return f"row group {row_group} may take {most} bytes in memory, although the file has only {source.size}"
    return None


class _Side:
    """Read a row group with one engine until the engine refuses."""

    def __init__(self, batches: Batches):
        self._batches, self.rows = batches, 0
        self._head: pa.RecordBatch | None = None
        self.refused: Exception | None = None

    def head(self) -> pa.RecordBatch | None:
        """Return the rows that come next; None at the end."""
        while self._head is None or not self._head.num_rows:
            try:
                self._head = next(self._batches, None)
                if self._head is None:
                    return None
                self._head.validate(full=True)
            except MemoryError:
                raise
            except REFUSED as error:
                self.refused, self._head, self._batches = _without_frames(error), None, iter(())
                return None
        return self._head

    def take(self, head: pa.RecordBatch, rows: int) -> pa.RecordBatch:
        """Return the next rows, of the head."""
        taken, self._head = head.slice(0, rows), head.slice(rows)
        self.rows += rows
        return taken

    def is_little(self) -> bool:
        """Return True if all rows are read, and take little memory."""
        taken = 0
        while (head := self.head()) is not None and taken <= LITTLE:
            taken += self.take(head, head.num_rows).nbytes
        return self.refused is None and taken <= LITTLE

    def drain(self) -> None:
        while (head := self.head()) is not None:
            self.take(head, head.num_rows)


def _without_frames(error: Exception) -> Exception:
    """Return the error without its traceback, which would keep the decoded values in memory."""
    cause: BaseException | None = error
    while cause is not None:
        cause.__traceback__, cause = None, cause.__context__
    return error


def _decode_twice(
    ours: _Side | None, theirs: _Side, row_group: int, expected: int, report, columns_of: Callable
) -> Iterator[Finding]:
    position = f"row group {row_group}"
    if ours is not None:
        yield from _compare(ours, theirs, position)
        ours.drain()
        if isinstance(ours.refused, OutOfProportion):
            yield _undecoded(ours.refused, position)
            return
        if isinstance(ours.refused, BeyondArrow):
            yield from columns_of(row_group)
            return
    theirs.drain()
    if theirs.refused is None:
        rows = theirs.rows
        if ours is not None and ours.refused is not None:
            is_note = isinstance(ours.refused, Unsupported)
            message = f"pyarrow reads it, parquetext does not: {_message(ours.refused)}"
            yield Finding("undecodable", message, _offset(ours.refused), position, is_note)
        elif ours is not None and theirs.rows < ours.rows == expected:
            rows = expected
            message = f"parquetext reads it, pyarrow does not: of a list it gives {theirs.rows} of {expected} rows"
            yield Finding("undecodable", message, place=position, is_note=True)
    elif ours is not None and ours.refused is None:
        rows = ours.rows
        message = f"parquetext reads it, pyarrow does not: {_message(theirs.refused)}"
        yield Finding("undecodable", message, place=position, is_note=True)
    else:
        message, offset = _message(theirs.refused), _offset(theirs.refused)
        if ours is not None and ours.refused is not None:
            message, offset = f"{message}; parquetext: {_message(ours.refused)}", _offset(ours.refused)
        yield Finding("undecodable", message, offset, position)
        return
    report.rows += rows
    if rows != expected:
        yield Finding("row-count", f"{rows} rows decoded, the footer says {expected}", place=position)


def _compare(ours: _Side, theirs: _Side, label: str) -> Iterator[Finding]:
    """Yield the first row of each column in which the engines differ, as far as both read."""
    different: set[int] = set()
    while (one := ours.head()) is not None and (other := theirs.head()) is not None:
        first_row, rows = ours.rows, min(one.num_rows, other.num_rows)
        one, other = ours.take(one, rows), theirs.take(other, rows)
        for number, (mine, yours) in enumerate(zip(one.columns, other.columns, strict=True)):
            if number in different or (row := first_difference(mine, yours)) is None:
                continue
            different.add(number)
            message = f"row {first_row + row}: parquetext reads {shown(mine, row)}, pyarrow {shown(yours, row)}"
            yield Finding("engines-differ", message, place=f"{label}, column {one.schema.names[number]}")


def _decode_alone(
    ours_of: Callable[[int], _Side], row_counts: list[int], report, columns_of: Callable
) -> Iterator[Finding]:
    """Return the columns that our decoder cannot read."""
    for row_group in range(len(row_counts)):
        ours = ours_of(row_group)
        ours.drain()
        if ours.refused is None:
            report.rows += ours.rows
        elif isinstance(ours.refused, OutOfProportion):
            yield _undecoded(ours.refused, f"row group {row_group}")
        elif isinstance(ours.refused, BeyondArrow):
            yield from columns_of(row_group)
        else:
            yield Finding("undecodable", _message(ours.refused), _offset(ours.refused), f"row group {row_group}")


def _column_by_column(source, footer_of: Callable[[int], bytes], row_group: int) -> Iterator[Finding]:
    """Decode each column alone: a value that Arrow cannot hold is a note, and hides no fault of another column."""
    for column in _decoder(source, footer_of, row_group).columns:
        side = _Side(_ours(source, footer_of, row_group, [leaf.leaf for leaf in column.leaves]))
        side.drain()
        position = f"row group {row_group}, column {column.field.name}"
        if isinstance(side.refused, BeyondArrow):
            yield Finding("beyond-arrow", _message(side.refused), _offset(side.refused), position, is_note=True)
        elif isinstance(side.refused, OutOfProportion):
            yield _undecoded(side.refused, position)
        elif side.refused is not None:
            is_note = isinstance(side.refused, Unsupported)
            yield Finding("undecodable", _message(side.refused), _offset(side.refused), position, is_note)


def _undecoded(error: Unsupported, label: str) -> Finding:
    """Leave out values that neither engine may decode because of their memory: they are not known to be wrong."""
    return Finding("undecoded", _message(error), _offset(error), label, is_note=True)


def _message(error: Exception) -> str:
    return error.message if isinstance(error, ParquetextError) else str(error)


def _offset(error: Exception) -> int | None:
    return error.offset if isinstance(error, ParquetextError) else None


def _decoder(source, footer_of: Callable[[int], bytes], row_group: int, leaves: list[int] | None = None) -> Decoder:
    return Decoder(
        Part.of_slice(footer_of(row_group), leaves, [row_group]), source, {"page_checksum_verification": True}
    )


def _ours(source, footer_of: Callable[[int], bytes], row_group: int, leaves: list[int] | None = None) -> Batches:
    yield from _decoder(source, footer_of, row_group, leaves).batches(BATCH_ROWS)


def _open(path: object, footer: bytes | None = None) -> pq.ParquetFile:
    target = resolve(path)
    metadata = None if footer is None else metadata_of(footer)
    # A local name may be no UTF-8, which pyarrow takes as bytes alone.
    file = (
        pa.OSFile(os.fsencode(target.path)) if target.is_local else target.arrow_filesystem.open_input_file(target.path)
    )
    return pq.ParquetFile(file, metadata=metadata, page_checksum_verification=True)


def _batches(file: pq.ParquetFile, row_group: int, rows: int) -> Batches:
    return file.iter_batches(batch_size=rows, row_groups=[row_group])


def _sliced(path: object, footer_of: Callable[[int], bytes], row_group: int, rows: int) -> Batches:
    with _open(path, footer_of(row_group)) as file:
        yield from _batches(file, 0, rows)
