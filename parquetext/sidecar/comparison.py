"""Compare every field of a sidecar with the footer of its Parquet file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .. import kernels, wire
from ..errors import ParquetextError
from ..findings import Finding
from ..storage import open_source, resolve
from .append_blocks import NUMBERS
from .belonging import origin_of
from .building import sidecar_bytes
from .naming import candidates
from .plan import read_first

if TYPE_CHECKING:
    from ..storage import Source

MEANINGLESS = wire.PM_STAT_MIN_INLINED | wire.PM_STAT_MAX_INLINED  # position is the writer's choice
NONE = -1
HEADER = {
    "designated_timestamp": "the designated timestamp is column",
    "squash_tracker": "the squash tracker is",
    "sorting_columns": "sorted by columns",
}
FOOTER = ("parquet_footer_offset", "parquet_footer_length", "row_group_count")


def compare(path: object, *, sidecar: object = None, parquet_size: int | None = None) -> list[Finding]:
    """Compare every field of a sidecar with the Parquet file.

    Parameters
    ----------
    path : path
        The Parquet file.
    sidecar : path, optional
        By default the one beside it.
    parquet_size : int, optional
        The version token; by default the newest snapshot is compared.

    Returns
    -------
    list of Finding
        Empty if the sidecar equals the output of `build`, except for the positions of statistics and filters.

    Raises
    ------
    FileNotFoundError
        If there is no sidecar, or no file.

    Examples
    --------
    >>> from parquetext import sidecar
    >>> built = sidecar.build("wide.parquet")
    >>> sidecar.compare("wide.parquet")
    []
    """
    target = resolve(path)
    data, position = read_first(candidates(target) if sidecar is None else [resolve(sidecar)])
    try:
        reader = kernels.sidecar.Reader(data, parquet_size=parquet_size)
    except ParquetextError as error:
        return [Finding.of("sidecar-damaged", error, str(position))]
    with open_source(target) as source:
        external = bool(reader.features & wire.PM_FEATURE_BLOOM_FILTERS_EXTERNAL)
        try:
            made, _ = sidecar_bytes(source, external_blooms=external)
            expected = kernels.sidecar.Reader(made, verify=False)
        except ParquetextError as error:
            return [Finding.of("footer", error, str(target))]
        return [*_note(reader, source, expected), *_fields(reader, expected)]


def _note(reader: kernels.sidecar.Reader, source: Source, expected: kernels.sidecar.Reader) -> Iterator[Finding]:
    """Yield a finding if the sidecar's note identifies another content of the file."""
    origin = origin_of(reader)
    if origin is None:
        return
    footer = expected.footer
    there = source.read(footer.parquet_footer_offset, footer.parquet_footer_length)
    if not origin.has_footer(there):
        yield Finding("sidecar-stale", "the sidecar was made from another content of the file", place="footer")


def _fields(reader: kernels.sidecar.Reader, expected: kernels.sidecar.Reader) -> Iterator[Finding]:
    """Yield a finding for every field that differs."""
    for name, what in HEADER.items():
        yield from _differ(what, getattr(reader, name), getattr(expected, name), "header")
    for name in FOOTER:
        yield from _differ(name, getattr(reader.footer, name), getattr(expected.footer, name), "footer")
    if expected.footer.unused_bytes or not reader.footer.previous:  # else the chain of commits has the dead bytes
        yield from _differ("unused_bytes", reader.footer.unused_bytes, expected.footer.unused_bytes, "footer")
    if expected.footer.seq_txn != NONE:
        yield from _differ("seq_txn", reader.footer.seq_txn, expected.footer.seq_txn, "footer")
    yield from _differ("columns", reader.column_count, expected.column_count, "header")
    if (reader.column_count, reader.row_group_count) != (expected.column_count, expected.row_group_count):
        return
    try:
        yield from _row_counts(reader, expected)
        for column in range(reader.column_count):
            descriptor, wanted = reader.column(column), expected.column(column)
            for name in descriptor._fields:
                yield from _differ(name, getattr(descriptor, name), getattr(wanted, name), f"column {column}")
            yield from _chunks(reader, expected, column)
    except ParquetextError as error:
        yield Finding.of("sidecar-damaged", error)


def _differ(what: str, found: object, expected: object, label: str) -> Iterator[Finding]:
    if found != expected:
        yield Finding("sidecar-differs", f"{what}: {found!r}, the file says {expected!r}", place=label)


def _row_counts(reader: kernels.sidecar.Reader, expected: kernels.sidecar.Reader) -> Iterator[Finding]:
    for number, (found, wanted) in enumerate(zip(reader.row_counts, expected.row_counts, strict=True)):
        yield from _differ("rows", found, wanted, f"row group {number}")


def _chunks(reader: kernels.sidecar.Reader, expected: kernels.sidecar.Reader, column: int) -> Iterator[Finding]:
    ours, theirs = reader.chunks(column), expected.chunks(column)

    def label(row_group: int) -> str:
        return f"row group {row_group}, column {column}"

    pair: tuple[object, object]
    for name in NUMBERS:
        numbers, expected_numbers = ours.array(name), theirs.array(name)
        if numbers != expected_numbers:
            for number, pair in enumerate(zip(numbers, expected_numbers, strict=True)):
                yield from _differ(name, *pair, label(number))
    sizes = zip(ours.array("sizes"), theirs.array("sizes"), strict=True)
    for number, (found, wanted) in enumerate(zip(ours.array("flags"), theirs.array("flags"), strict=True)):
        yield from _differ("flags", found & ~MEANINGLESS, wanted & ~MEANINGLESS, label(number))
        pair = next(sizes)
        if found == wanted:
            yield from _differ("sizes of statistics", *pair, label(number))
    for number, pair in enumerate(zip(_bounds(ours), _bounds(theirs), strict=True)):
        yield from _differ("statistics", *pair, label(number))
    for number in range(reader.row_group_count):
        pair = _filter(reader, number, column), _filter(expected, number, column)
        yield from _differ("Bloom filter", *pair, label(number))


def _bounds(chunks: kernels.sidecar.Chunks) -> list[tuple[bytes, bytes]]:
    data, (_, *positions) = memoryview(chunks.buffer), chunks.bounds()
    return [
        (bytes(data[low : low + low_size]), bytes(data[high : high + high_size]))
        for low, low_size, high, high_size in zip(*positions, strict=True)
    ]


def _filter(reader: kernels.sidecar.Reader, row_group: int, column: int) -> object:
    kind, offset, length = reader.bloom(row_group, column)
    return bytes(memoryview(reader.data)[offset : offset + length]) if kind == "inline" else (kind, offset, length)
