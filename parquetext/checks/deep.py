"""The third tier: decode every value with pyarrow, its page checksums checked."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from ..findings import Finding
from ..footer.pyarrow_footer import metadata_of
from ..storage import resolve

__all__ = ["decode_all"]

BATCH_ROWS = 1 << 16
REFUSED = (pa.ArrowException, OSError, UnicodeError)


def decode_all(
    path: object, row_counts: list[int], report, footer_of: Callable[[int], bytes] | None = None
) -> Iterator[Finding]:
    """Decode row group by row group, bounded in memory by a batch; count the rows.

    `footer_of` gives a Thrift footer that has one row group alone, where pyarrow cannot read the file's own footer.
    """
    report.rows = 0
    try:
        whole = None if footer_of else _open(path)
    except REFUSED as error:
        yield Finding("unreadable", str(error))
        return
    with whole or contextlib.nullcontext():
        for row_group, expected in enumerate(row_counts):
            place = f"row group {row_group}"
            rows = 0
            try:
                for batch in _batches(whole, row_group) if whole else _sliced(path, footer_of(row_group)):
                    batch.validate(full=True)
                    rows += batch.num_rows
            except REFUSED as error:
                yield Finding("undecodable", str(error), place=place)
                continue
            report.rows += rows
            if rows != expected:
                yield Finding("row-count", f"{rows} rows decoded, the footer says {expected}", place=place)


def _open(path: object, footer: bytes | None = None) -> pq.ParquetFile:
    target = resolve(path)
    metadata = None if footer is None else metadata_of(footer)
    filesystem = getattr(target, "filesystem", None)
    # A local name may be no UTF-8, which pyarrow takes as bytes alone.
    file = filesystem.open_input_file(target.path) if filesystem else pa.OSFile(os.fsencode(target.path))
    return pq.ParquetFile(file, metadata=metadata, page_checksum_verification=True)


def _batches(file: pq.ParquetFile, row_group: int) -> Iterator[pa.RecordBatch]:
    return file.iter_batches(batch_size=BATCH_ROWS, row_groups=[row_group])


def _sliced(path: object, footer: bytes) -> Iterator[pa.RecordBatch]:
    with _open(path, footer) as file:
        yield from _batches(file, 0)
