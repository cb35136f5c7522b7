"""The third tier: decode every value with pyarrow, its page checksums checked."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq

from ..findings import Finding
from ..storage import resolve

__all__ = ["decode_all"]

BATCH_ROWS = 1 << 16


def decode_all(path: object, row_counts: list[int], report) -> Iterator[Finding]:
    """Decode row group by row group, bounded in memory by a batch; count the rows."""
    report.rows = 0
    try:
        target = resolve(path)
        filesystem = getattr(target, "filesystem", None)
        file = pq.ParquetFile(target.path, filesystem=filesystem, page_checksum_verification=True)
    except (pa.ArrowException, OSError) as error:
        yield Finding("unreadable", str(error))
        return
    with file:
        for row_group, expected in enumerate(row_counts):
            place = f"row group {row_group}"
            rows = 0
            try:
                for batch in file.iter_batches(batch_size=BATCH_ROWS, row_groups=[row_group]):
                    batch.validate(full=True)
                    rows += batch.num_rows
            except (pa.ArrowException, OSError) as error:
                yield Finding("undecodable", str(error), place=place)
                continue
            report.rows += rows
            if rows != expected:
                yield Finding("row-count", f"{rows} rows decoded, the footer says {expected}", place=place)
