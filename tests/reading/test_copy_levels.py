"""A copy with right checksums whose levels make no lists is left for the chunk, with a finding."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext.rewrite import encoding, recode

ROWS = 3000
PAGE_ROWS = 700
TABLE = pa.table(
    {
        "list": [[float(row), row / 2, row / 4] if row % 2 else [] for row in range(ROWS)],
        "items": [[{"a": row, "b": str(row)}] * (row % 4) for row in range(ROWS)],
        "number": pa.array(range(ROWS), pa.int32()),
    }
)
COLUMNS = {"list": {"list": "byte_stream_split"}, "items": {("items", "list", "element", "a"): "delta_binary_packed"}}
REPETITION = 1  # the highest level of both columns


def contradicting(name: str, levels: list[int], highest: int) -> list[int]:
    """Levels of as many rows and values, by which an item follows an empty list, or an empty list has an item."""
    if name == "list" and highest == REPETITION:
        ends = [at for at in range(len(levels) - 1) if levels[at : at + 2] == [1, 0]]
        levels[ends[0] : ends[0] + 2] = [0, 1]
    if name == "items" and highest > REPETITION:
        levels[levels.index(1)] = highest - 1
    return levels


@pytest.fixture(params=[(name, page) for name in COLUMNS for page in (0, 2)], ids=str)
def path(request, tmp_path, monkeypatch):
    """A file with a copy of a list column, of which one page's levels are others than the column's."""
    (name, page), real, seen = request.param, recode._levels, []

    def levels(found, entries: int, highest: int) -> bytes:
        seen.append(highest)
        if seen.count(highest) == page + 1:
            message = pa.array(
                contradicting(name, memoryview(found).cast("B").cast("H").tolist(), highest), pa.uint16()
            )
            found = memoryview(message.buffers()[1])
        return real(found, entries, highest)

    file = tmp_path / "x.parquet"
    pq.write_table(TABLE.select([name, "number"]), file)
    with monkeypatch.context() as patched:
        patched.setattr(recode, "_levels", levels)
        patched.setattr(encoding, "rows_per_page", lambda *_: PAGE_ROWS)
        parquetext.encode(file, COLUMNS[name])
    return file


def test_a_table_is_read_by_the_chunk(implementation, path):
    with parquetext.open(path) as file:
        assert file.read(engine="parquetext").equals(pq.read_table(path))
        [finding] = file.findings
        assert finding.kind == "copy-damaged" and finding.place.startswith("row group 0, column ")


def test_batches_continue_with_the_chunk_at_the_same_row(implementation, path):
    with parquetext.open(path) as file:
        batches = list(file.iter_batches(batch_size=400, engine="parquetext"))
        assert pa.Table.from_batches(batches).equals(pq.read_table(path))
        assert [finding.kind for finding in file.findings] == ["copy-damaged"]


def test_filtered_rows_are_read_by_the_chunk(path):
    filters = [("number", "<", 2000)]
    assert parquetext.read_table(path, engine="parquetext", filters=filters).equals(
        pq.read_table(path, filters=filters)
    )
