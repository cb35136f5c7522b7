"""Files of many writers moved together: the rows stay, and so do the row groups."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq

from parquetext.errors import ParquetextError
from parquetext.rewrite.structs import end_of_file
from parquetext.sidecar.building import footer_bytes
from parquetext.sidecar.store_compaction import Compacted
from parquetext.storage import LocalSource

LARGEST = 100_000
# A dictionary page's header that its chunk's size leaves out; pages that are none.
BROKEN = {"repeated_values.parquet", "nation.dict-malformed.parquet"}


def compacted(path) -> bytes:
    with LocalSource(str(path)) as source:
        made = Compacted(source, footer_bytes(source)[2])
        return b"".join((*made.data(), end_of_file(made.footer)))


def test_files_of_all_writers_keep_their_rows(corpus):
    seen = 0
    for path in sorted(corpus.rglob("*.parquet"))[::4]:
        if path.stat().st_size > LARGEST or path.name in BROKEN:
            continue
        try:
            table, metadata = pq.read_table(path), pq.read_metadata(path)
        except (pa.ArrowException, OSError):
            continue
        try:
            made = compacted(path)
        except ParquetextError as error:
            raise AssertionError(path) from error
        again = pq.read_table(io.BytesIO(made))
        assert again.equals(table) or repr(again.to_pydict()) == repr(table.to_pydict()), path  # nan is not nan
        assert pq.read_metadata(io.BytesIO(made)).num_row_groups == metadata.num_row_groups
        seen += 1
    assert seen > 30
