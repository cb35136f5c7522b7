"""`sidecar.compare` reports every field that differs from the Parquet footer."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support import sidecars

from benchmarks import sidecars as measured
from benchmarks.shapes import Shape
from benchmarks.workspace import Workspace
from parquetext import kernels, sidecar, wire
from parquetext.errors import Damaged

RESERVED = range(28, 32)
UNKNOWN_FEATURES = range(1, 4)  # bytes of flags that no reader knows, and that mean nothing
SLOT = 8


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A file with a row group, its sidecar's place and bytes."""
    path = tmp_path_factory.mktemp("lake") / "a.parquet"
    table = pa.table({"ts": pa.array([1, 2], pa.timestamp("us")), "s": ["short", "a long text"], "n": [None, 7]})
    schema = pa.schema([pa.field("ts", pa.timestamp("us"), nullable=False), *list(table.schema)[1:]])
    pq.write_table(table.cast(schema), path, sorting_columns=[pq.SortingColumn(0)], bloom_filter_options={"s": True})
    position = sidecar.build(path).sidecar
    with open(position, "rb") as file:
        return path, position, file.read()


def meaningless(data: bytes) -> set[int]:
    """Bytes that say nothing: reserved ones, padding, numbers without their flags."""
    reader = kernels.sidecar.Reader(data)
    footer, block = reader.footer.offset, reader.block_offsets[0]
    names_end = max(
        int.from_bytes(data[at : at + 8], "little") + int.from_bytes(data[at + 24 : at + 28], "little")
        for at in range(32, 32 + 32 * reader.column_count, 32)
    )
    header_end = names_end + 4 + 4 * len(reader.bloom_columns)
    found = {*RESERVED, *(8 + byte for byte in UNKNOWN_FEATURES), *range(header_end, block)}
    found |= set(range(footer + 32, footer + 36))  # sections of the writer's own
    found |= {32 + 32 * column + 31 for column in range(reader.column_count)}
    for column in range(reader.column_count):
        chunk = block + 8 + 64 * column
        found |= set(range(chunk + 4, chunk + 8))
        if not data[chunk + 2] & wire.PM_STAT_DISTINCT_COUNT:
            found |= set(range(chunk + 40, chunk + 48))
    behind = [block + 8 + 64 * reader.column_count, footer]
    kind, start, length = reader.bloom(0, 1)
    assert kind == "inline"
    reached = {*range(start - 4, start + length)}
    for column in range(reader.column_count):
        _, lows, low_sizes, highs, high_sizes = reader.chunks(column).bounds()
        for at, size in ((lows[0], low_sizes[0]), (highs[0], high_sizes[0])):
            reached |= set(range(at, at + size))
            if at < behind[0]:
                found |= set(range(at + size, at + SLOT))
    return found | (set(range(*behind)) - reached)


def test_every_field(made):
    path, position, data = made
    reader = kernels.sidecar.Reader(data)
    sections = reader.footer.offset + 40 + 4 + 4  # after the entry and the filter's offset
    unseen = []
    for at in range(8, sections):
        changed = bytearray(data)
        changed[at] ^= 0xFF
        with open(position, "wb") as file:
            file.write(sidecars.with_checksum(bytes(changed)))
        if not sidecar.compare(path):
            unseen.append(at)
    assert sorted(set(unseen) - meaningless(data)) == []


@pytest.mark.parametrize("bit", [2, 5], ids=["minimum", "maximum"])
def test_whether_a_statistic_is_exact(made, bit):
    """The position of a statistic is the writer's choice; its exactness is not."""
    path, position, data = made
    changed = bytearray(data)
    changed[kernels.sidecar.Reader(data).block_offsets[0] + 8 + wire.PM_CHUNK_STAT_FLAGS] ^= 1 << bit
    with open(position, "wb") as file:
        file.write(sidecars.with_checksum(bytes(changed)))
    assert [finding.message.split(":")[0] for finding in sidecar.compare(path)] == ["flags"]


def test_an_unknown_repetition_is_an_error_on_access(made):
    path, position, data = made
    changed = bytearray(data)
    changed[32 + wire.PM_COLUMN_FLAGS] |= 3 << 2
    with open(position, "wb") as file:
        file.write(sidecars.with_checksum(bytes(changed)))
    column = sidecar.open(path).columns[0]
    assert column.name == "ts"
    with pytest.raises(Damaged) as caught:
        column.repetition  # noqa: B018
    assert (caught.value.code, caught.value.offset, caught.value.found) == (wire.PM_REPETITION, 48, 3)


def test_the_sequence_number_is_compared_if_the_file_has_one(tmp_path):
    path = tmp_path / "a.parquet"
    text = '{"version": 1, "schema": [{"column_type": 6}], "seq_txn": 5}'
    pq.write_table(pa.table({"x": [1]}).replace_schema_metadata({"questdb": text}), path)
    position = sidecar.build(path).sidecar
    with open(position, "r+b") as file:
        data = file.read()
        at = kernels.sidecar.Reader(data).footer.offset + 40 + 4
        file.seek(0)
        file.write(sidecars.with_checksum(data[:at] + b"\6" + data[at + 1 :]))
    assert [finding.message for finding in sidecar.compare(path)] == ["seq_txn: 6, the file says 5"]


def test_equal_sidecars_have_no_findings(made):
    path, position, data = made
    with open(position, "wb") as file:
        file.write(data)
    assert sidecar.compare(path) == []


def test_the_benchmark_of_sidecars_measures_its_cases(tmp_path):
    with Workspace(str(tmp_path)) as workspace:
        subject = workspace.of_shape(Shape(14, 2))
        rows = measured.opened(subject, 1, {}) + measured.builds(subject, 1, 2.0)
    assert [row.contender for row in rows] == [
        "parquetext",
        "pyarrow",
        "parquetext, verify=False",
        "pyarrow",
        "plain scan",
        "sidecar built",
    ]
    assert all(row.value > 0 for row in rows)
    assert [row.target for row in rows] == [None] * 5 + [2.0]
    assert rows[-1].at_most
