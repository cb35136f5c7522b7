"""A store: commits, and snapshots that never change."""

from __future__ import annotations

import itertools
import math
import os
import re
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from pyarrow.fs import LocalFileSystem

import parquetext
from benchmarks.commits import commits
from benchmarks.workspace import Workspace
from parquetext import kernels, sidecar, wire
from parquetext.errors import ColumnError, Conflict, Damaged, Refused
from parquetext.sidecar.store_compaction import is_due
from parquetext.sidecar.token import FILE_BYTES, STEP, Token, newest

SCHEMA = pa.schema({"time": pa.timestamp("us"), "text": pa.string(), "nested": pa.struct({"x": pa.int32()})})


def rows(first: int, count: int) -> pa.Table:
    numbers = range(first, first + count)
    return pa.table(
        [
            pa.array(numbers, pa.timestamp("us")),
            [f"text {n}" for n in numbers],
            pa.array([{"x": n} for n in numbers], SCHEMA.field("nested").type),
        ],
        schema=SCHEMA,
    )


@pytest.fixture
def store(tmp_path) -> sidecar.Store:
    return sidecar.Store(tmp_path / "store")


class TestCommits:
    def test_appended_rows_are_read(self, store):
        store.append(rows(0, 100), row_group_size=40)
        token = store.append(rows(100, 10))
        assert (token.sequence, token.generation) == (2, 0)
        with store.snapshot() as snapshot:
            assert list(snapshot.row_counts) == [40, 40, 20, 10]
            assert snapshot.read().equals(rows(0, 110))
            assert snapshot.schema.equals(SCHEMA)
            assert snapshot.read(["nested", "time"]).equals(rows(0, 110).select(["nested", "time"]))
            assert snapshot.read(["text"], row_groups=[3, 0]).num_rows == 50
            assert snapshot.read([]).num_rows == 110

    def test_a_row_group_is_replaced(self, store):
        store.append(rows(0, 30), row_group_size=10)
        store.replace(1, rows(500, 3))
        with store.snapshot() as snapshot:
            assert list(snapshot.row_counts) == [10, 3, 10]
            assert snapshot.read().equals(pa.concat_tables([rows(0, 10), rows(500, 3), rows(20, 10)]))

    def test_the_plan_knows_every_row_group(self, store):
        for first in (0, 50, 7):
            store.append(rows(first, 10))
        store.replace(0, rows(90, 10))
        with store.snapshot() as snapshot:
            assert [bound.value for bound in snapshot.column("time").min] == [90, 50, 7]
            assert list(snapshot.column("text").null_count) == [0, 0, 0]
        assert sidecar.compare(os.path.join(store.directory, "data.parquet")) == []

    def test_columns_may_come_in_any_order_and_in_types_that_fit(self, store):
        store.append(pa.table({"a": pa.array([1, 2], pa.int64()), "b": ["x", "y"]}))
        store.append(pa.table({"b": ["z"], "a": pa.array([3], pa.int8())}))
        with store.snapshot() as snapshot:
            assert snapshot.read().to_pydict() == {"a": [1, 2, 3], "b": ["x", "y", "z"]}

    def test_dead_bytes_are_all_that_the_newest_commit_does_not_need(self, store):
        store.append(rows(0, 100), row_group_size=25, write_page_index=True)
        assert dead_bytes(store) == 0
        for step in (
            lambda: store.append(rows(0, 5)),
            lambda: store.replace(2, rows(9, 9), write_page_index=True),
            lambda: store.replace(0, rows(1, 1)),
            lambda: store.append(rows(3, 3)),
        ):
            step()
            with store.snapshot() as snapshot:
                assert snapshot.footer.unused_bytes == dead_bytes(store)

    def test_each_row_group_adds_the_same_size_to_the_sidecar(self, store):
        """A block has 8 + 64 bytes per column and out-of-line values; each footer has 4 bytes more than the last."""
        store.append(rows(0, 1))
        sizes = []
        for _ in range(40):
            store.append(rows(5, 1))
            sizes.append(os.path.getsize(os.path.join(store.directory, "_pm")))
        added = [after - before for before, after in itertools.pairwise(sizes)]
        rest = [size - 4 * earlier for earlier, size in enumerate(added)]
        assert max(rest) - min(rest) < 8, "only the padding of a block to a multiple of 8 differs"


def test_a_thousand_row_groups_before_cost_a_commit_4_bytes_each(tmp_path):
    rows = commits(Workspace(str(tmp_path)), 1, None)
    few, many = (row.value for row in rows if row.unit == "B")
    assert abs(many - few) < 8, "only 4 bytes each and the padding of a block to a multiple of 8 differ"
    assert few < 1_000 * (64 + 16), "a block, and little more"


def dead_bytes(store: sidecar.Store) -> int:
    """Return the ranges outside the magic, the footer and the row groups, according to the Parquet footer."""
    path = os.path.join(store.directory, "data.parquet")
    with store.snapshot() as snapshot:
        footer = snapshot.parquet_footer()
    scan = kernels.scan.scan(footer)
    live = sum(scan.chunks("total_compressed_size"))
    for name in ("column_index_length", "offset_index_length", "bloom_filter_length"):
        live += sum(max(0, size) for size in scan.places(name))
    return os.path.getsize(path) - 4 - live - len(footer) - 8


class TestReaders:
    def test_snapshots_do_not_change(self, store):
        held, seen = [], []
        for number in range(12):
            if number % 3 == 2:
                store.replace(number % 2, rows(1000 * number, 2))
            else:
                store.append(rows(10 * number, 10))
            held.append(store.snapshot())
            seen.append(held[-1].read())
        for snapshot, table in zip(held, seen, strict=True):
            assert snapshot.read().equals(table)
            snapshot.close()

    def test_a_token_opens_an_older_commit(self, store):
        first = store.append(rows(0, 10))
        store.append(rows(10, 10))
        with store.snapshot(first) as snapshot:
            assert snapshot.read().equals(rows(0, 10))
        with pytest.raises(Damaged):
            store.snapshot(Token(9, 0, first.parquet_size - 1))

    def test_a_commit_has_no_note_of_every_chunk(self, store):
        """It would grow with the row groups that are there: data is read by the Parquet footer."""
        for first in range(0, 30, 10):
            store.append(rows(first, 10))
            with sidecar.open(store.path) as plan:
                assert (plan.num_row_groups, list(plan.reader.scratchpad)) == (first // 10 + 1, [wire.PM_ORIGIN_CODE])
        found = parquetext.read_table(store.path, filters=[("text", "=", "text 15")], sidecar=True)
        assert found.equals(rows(15, 1))

    def test_readers_that_know_nothing_of_it_read_the_newest_commit(self, store):
        store.append(rows(0, 10))
        store.append(rows(10, 10))
        for path in (store.directory, os.path.join(store.directory, "data.parquet")):
            assert pq.read_table(path).equals(rows(0, 20))
        assert [os.path.basename(file) for file in ds.dataset(store.directory).files] == ["data.parquet"]

    def test_the_sidecar_is_found_next_to_the_file(self, store):
        store.append(rows(0, 10))
        store.append(rows(10, 10))
        with sidecar.open(os.path.join(store.directory, "data.parquet")) as plan:
            assert (plan.num_rows, plan.belongs.value) == (20, "footer")

    def test_exactly_the_committed_bytes_are_mapped(self, store):
        store.append(rows(0, 10))
        path = os.path.realpath(store.sidecar)
        size = os.path.getsize(path)
        with open(path, "ab") as file:
            file.write(b"a commit that never was")
        with store.snapshot() as snapshot:
            assert len(snapshot.reader.data) == size
        store.append(rows(10, 10))
        with store.snapshot() as snapshot:
            assert snapshot.read().equals(rows(0, 20))

    def test_a_snapshot_skips_row_groups(self, store):
        for first in (100, 110, 120):
            store.append(rows(first, 10))
        with store.snapshot() as snapshot:
            wanted = [("text", "=", "text 115")]
            kept = [group for group in range(3) if not snapshot.can_skip(group, wanted)]
            assert kept == [1]
            assert snapshot.read(["text"], row_groups=kept).num_rows == 10

    @pytest.mark.parametrize(
        "filters",
        [
            [("text", "=", "text 15")],
            [("time", ">=", pa.scalar(24, pa.timestamp("us")))],
            [("text", "in", ["none", None])],
            [[("text", "=", "text 3"), ("x", "!=", 1.0)], [("x", "in", [math.nan])]],
            [("x", "<", -1.0)],
            pc.field("nested", "x") == 27,
            pc.field("text").is_null() | (pc.field("x") > 14.0),
        ],
        ids=str,
    )
    def test_filters_find_the_rows_of_the_commit(self, store, filters):
        whole = rows(0, 30).append_column("x", [[math.nan if n % 10 == 9 else n / 2 for n in range(30)]])
        whole = whole.set_column(1, "text", [[None if n % 7 == 0 else f"text {n}" for n in range(30)]])
        for first in (0, 10, 20):
            store.append(whole.slice(first, 10), bloom_filter_options={"text": True})
        expression = filters if isinstance(filters, pc.Expression) else pq.filters_to_expression(filters)
        with store.snapshot() as snapshot:
            store.append(whole)
            found = snapshot.read(filters=filters)
            assert found.drop_columns(["x"]).equals(whole.filter(expression).drop_columns(["x"]))  # NaN is no NaN
            assert snapshot.read(["time"], filters=filters).equals(found.select(["time"]))
            assert snapshot.read([], filters=filters).num_rows == found.num_rows
            last = snapshot.read(["time"], row_groups=[2], filters=filters)
            assert last.equals(whole.slice(20).filter(expression).select(["time"]))

    def test_filters_leave_row_groups_unread(self, store):
        for first in (100, 110, 120):
            store.append(rows(first, 10))
        with store.snapshot() as snapshot:
            offset = snapshot.column("text").byte_range_start[0]
            with open(snapshot.path, "r+b") as file:
                file.seek(offset)
                file.write(bytes(20))
            assert snapshot.read(["text"], filters=[("text", "=", "text 115")])["text"].to_pylist() == ["text 115"]
            with pytest.raises((OSError, pa.ArrowException)):
                snapshot.read(["text"])

    def test_no_store(self, store):
        for call in (store.token, store.snapshot, lambda: store.replace(0, rows(0, 1))):
            with pytest.raises(FileNotFoundError):
                call()


class TestRefusals:
    def test_other_columns(self, store):
        store.append(rows(0, 10))
        for table in (
            pa.table({"other": [1]}),
            rows(0, 3).drop_columns(["text"]),
            rows(0, 3).append_column("more", [[1, 2, 3]]),
        ):
            with pytest.raises(ColumnError):
                store.append(table)
        with pytest.raises(Refused, match="written otherwise"):
            store.append(rows(0, 10), coerce_timestamps="ms", allow_truncated_timestamps=True)
        assert store.token().sequence == 1

    def test_wrong_numbers_and_names(self, store):
        store.append(rows(0, 10))
        with pytest.raises(IndexError):
            store.replace(1, rows(0, 1))
        with pytest.raises(ValueError, match="replaced by nothing"):
            store.replace(0, rows(0, 0))
        with store.snapshot() as snapshot:
            with pytest.raises(ColumnError):
                snapshot.read(["none"])
            with pytest.raises(IndexError):
                snapshot.read(row_groups=[1])

    def test_a_directory_with_a_foreign_file_is_refused(self, tmp_path):
        pq.write_table(rows(0, 1), tmp_path / "data.parquet")
        with pytest.raises(Refused):
            sidecar.Store(tmp_path).append(rows(1, 1))
        assert pq.read_table(tmp_path).equals(rows(0, 1))

    def test_other_verbs_do_not_change_the_file_and_the_sidecar(self, store):
        store.append(rows(0, 10))
        for path in (store.path, os.path.realpath(store.path)):
            for change in (parquetext.upgrade, sidecar.build):
                with pytest.raises(Refused, match=re.compile("store", re.IGNORECASE)):
                    change(path)
        with store.snapshot() as snapshot:
            assert snapshot.num_rows == 10

    def test_write_table_does_not_replace_its_file(self, store, tmp_path):
        store.append(rows(0, 10))
        link = tmp_path / "link.parquet"
        link.symlink_to(store.path)
        for path in (store.path, os.path.realpath(store.path), link, (LocalFileSystem(), store.path)):
            with pytest.raises(Refused, match="append to that"):
                parquetext.write_table(rows(0, 1), path)
        with pytest.raises(Refused, match="Store"):
            parquetext.upgrade(link, form="flat")
        with store.snapshot() as snapshot:
            assert snapshot.read().equals(rows(0, 10))

    def test_a_store_without_its_token_is_left_alone(self, store):
        store.append(rows(0, 10))
        (Path(store.directory) / "_token").unlink()
        for change in (lambda: store.append(rows(1, 1)), store.recover, store.release):
            with pytest.raises(Refused, match="token"):
                change()
        for name in ("data.parquet", "_pm"):
            os.unlink(os.path.join(store.directory, name))
        os.rename(os.path.join(store.directory, "_0"), os.path.join(store.directory, "_5"))
        with pytest.raises(Refused, match="token"):
            store.append(rows(1, 1))
        assert pq.read_table(os.path.join(store.directory, "_5", "data.parquet")).equals(rows(0, 10))

    @pytest.mark.parametrize("lost", [["_token"], ["_token", "_lock"]])
    def test_the_file_of_a_store_without_its_token_is_no_other_file(self, store, lost, tmp_path):
        """Its links show it, and so does the rest of the token and the lock in a generation."""
        store.append(rows(0, 10))
        own, link = os.path.realpath(store.path), tmp_path / "link.parquet"
        link.symlink_to(store.path)
        for name in lost:
            os.unlink(os.path.join(store.directory, name))
        for path in (store.path, *([own, link] if lost == ["_token"] else [])):
            for change in (parquetext.upgrade, sidecar.build, lambda path: parquetext.write_table(rows(0, 1), path)):
                if (change, path) != (sidecar.build, link):  # which is written next to the link
                    with pytest.raises(Refused, match=re.compile("store", re.IGNORECASE)):
                        change(path)
            with pytest.raises(FileNotFoundError, match="_token"):
                sidecar.update(path)
        assert pq.read_table(own).equals(rows(0, 10))
        assert os.path.islink(store.path)

    def test_a_second_writer(self, store):
        store.append(rows(0, 10))
        with store._writing(), pytest.raises(Conflict):
            sidecar.Store(store.directory).append(rows(0, 10))


class TestToken:
    def test_the_newest_whole_slot_counts(self):
        old, new = Token(7, 2, 5000), Token(8, 2, 6000)
        data = bytearray(FILE_BYTES)
        for token in (old, new):
            data[token.offset : token.offset + len(token.slot())] = token.slot()
        assert newest(bytes(data)) == new
        data[new.offset : new.offset + 2 * STEP] = bytes(2 * STEP)
        assert newest(bytes(data)) == old
        assert newest(bytes(FILE_BYTES)) is None
        assert newest(b"") is None

    def test_any_sectors_of_a_slot_may_be_lost(self):
        old, new, after = Token(7, 2, 5000), Token(8, 2, 6000), Token(9, 2, 7000)
        data = bytearray(FILE_BYTES)
        for token in (old, new):
            data[token.offset : token.offset + len(token.slot())] = token.slot()
        for written in range(4):
            torn = bytearray(data)
            for sector in range(2):
                if written >> sector & 1:
                    part = slice(after.offset + sector * STEP, after.offset + (sector + 1) * STEP)
                    torn[part] = after.slot()[sector * STEP : (sector + 1) * STEP]
            assert newest(bytes(torn)) == (after if written else new)

    def test_a_flipped_bit_loses_nothing(self, store):
        for number in range(3):
            token = store.append(rows(number, 1))
        path = Path(store.directory) / "_token"
        data = path.read_bytes()
        for bit in range(8 * len(data)):
            flipped = bytearray(data)
            flipped[bit // 8] ^= 1 << bit % 8
            assert newest(bytes(flipped)) == token

    def test_a_token_without_a_valid_slot_is_an_error(self, store):
        store.append(rows(0, 1))
        (Path(store.directory) / "_token").write_bytes(bytes(FILE_BYTES))
        with pytest.raises(Damaged, match="token"):
            store.snapshot()


def test_a_flipped_bit_in_the_sidecar_is_found_or_does_no_harm(store, implementation, tmp_path):
    for number in range(2):
        store.append(pa.table({"a": [number]}))
    path = Path(store.directory) / "_0" / "_pm"
    data = path.read_bytes()
    with store.snapshot() as snapshot:
        token, expected = snapshot.token, facts(snapshot.reader)
    for bit in range(8 * len(data)):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        size = int.from_bytes(flipped[:8], "little")
        try:
            reader = kernels.sidecar.Reader(bytes(flipped[:size]), parquet_size=token.parquet_size)
        except ValueError:
            continue
        assert facts(reader) == expected


def facts(reader) -> tuple:
    chunks = reader.chunks(0)
    return (
        list(reader.row_counts),
        list(chunks.array("byte_range_start")),
        chunks.bound_values(1),
        reader.scratchpad,
        reader.footer.parquet_footer_offset,
        reader.footer.unused_bytes,
    )


def test_writers_of_both_kernels_write_the_same_bytes(tmp_path):
    contents = []
    before = kernels.implementation()
    try:
        for name in ("native", "pure"):
            kernels.use(name)
            store = sidecar.Store(tmp_path / name)
            store.append(rows(0, 30), row_group_size=10)
            store.append(rows(30, 3))
            store.replace(1, rows(100, 4))
            contents.append([(Path(store.directory) / file).read_bytes() for file in ("data.parquet", "_pm", "_token")])
    finally:
        kernels.use(before)
    assert contents[0] == contents[1]


def test_a_copied_directory_is_the_same_store(store, tmp_path):
    store.append(rows(0, 10))
    shutil.copytree(store.directory, tmp_path / "copy", symlinks=True)
    copy = sidecar.Store(tmp_path / "copy")
    copy.append(rows(10, 10))
    with copy.snapshot() as snapshot:
        assert snapshot.num_rows == 20


class TestCompaction:
    @pytest.fixture
    def full(self, store) -> sidecar.Store:
        """A store with dead row groups, page indexes and Bloom filters."""
        options = {"write_page_index": True, "bloom_filter_options": {"text": {"ndv": 100, "fpp": 0.01}}}
        store.append(rows(0, 300), row_group_size=100, data_page_size=64, **options)
        for number in range(3):
            store.append(rows(1000 * number, 50), **options)
            store.replace(number, rows(100 * number, 99), **options)
        return store

    def test_compaction_keeps_live_rows_and_removes_dead_bytes(self, full):
        with full.snapshot() as before:
            table, counts = before.read(), list(before.row_counts)
            size, dead = before.token.parquet_size, before.footer.unused_bytes
            bounds, positions = before.column("text").min_bytes[:], list(before.column("text").total_compressed_size)
        token = full.compact(always=True)
        assert (token.sequence, token.generation) == (8, 1)
        assert abs(token.parquet_size - (size - dead)) < 200, "but for the numbers in the footer"
        with full.snapshot() as after:
            assert after.read().equals(table)
            assert list(after.row_counts) == counts
            assert list(after.column("text").min_bytes) == list(bounds)
            assert list(after.column("text").total_compressed_size) == positions
            assert after.footer.unused_bytes == dead_bytes(full) == 0
        path = os.path.join(full.directory, "data.parquet")
        assert sidecar.compare(path) == []
        assert pq.read_table(path).equals(table)
        assert parquetext.verify(path, deep=True).ok

    def test_page_indexes_and_filters_move_along(self, full):
        path = os.path.join(full.directory, "data.parquet")
        full.compact(always=True)
        wanted = ds.field("time") == pa.scalar(2049, pa.timestamp("us"))
        assert ds.dataset(path).to_table(filter=wanted).num_rows == 1
        assert pq.read_table(path, filters=[("text", "=", "text 2049")]).num_rows == 1
        scan = kernels.scan.scan(full.snapshot().parquet_footer())
        assert min(scan.places("offset_index_length")) > 0
        with full.snapshot() as snapshot:
            kinds = {snapshot.reader.bloom(group, 1)[0] for group in range(snapshot.num_row_groups)}
            assert kinds == {"inline"}

    def test_compaction_runs_if_half_is_dead(self, store):
        store.append(rows(0, 10_000), row_group_size=2_500)
        assert store.compact() is None
        store.replace(0, rows(0, 2_500))
        assert store.compact() is None
        for number in (1, 2, 3, 0):
            store.replace(number, rows(number, 2_500))
        with store.snapshot() as snapshot:
            assert snapshot.footer.unused_bytes > snapshot.token.parquet_size / 2
            table = snapshot.read()
        assert store.compact().generation == 1
        with store.snapshot() as snapshot:
            assert snapshot.read().equals(table)

    def test_a_gibibyte_is_enough(self):
        assert not is_due(1 << 30, 1 << 40)
        assert is_due((1 << 30) + 1, 1 << 40)
        assert not is_due(5, 10)
        assert is_due(6, 10)

    def test_the_previous_generation_stays_while_a_reader_uses_it(self, full):
        with full.snapshot() as held:
            table = held.read()
            full.compact(always=True)
            full.append(rows(7, 7))
            full.compact(always=True)
            assert full.release() == [0]
            assert sorted(os.listdir(full.directory)) == ["_0", "_2", "_lock", "_pm", "_token", "data.parquet"]
            assert held.read().equals(table)
            with full.snapshot(held.token) as again:
                assert again.read().equals(table)
        assert full.release() == []
        assert sorted(os.listdir(full.directory)) == ["_2", "_lock", "_pm", "_token", "data.parquet"]
        with pytest.raises(FileNotFoundError):
            full.snapshot(held.token)

    def test_a_snapshot_survives_the_removal_of_its_files(self, full):
        with full.snapshot() as held:
            table = held.read()
            full.compact(always=True)
            shutil.rmtree(os.path.join(full.directory, "_0"))
            assert held.read().equals(table)

    def test_other_readers_open_the_compacted_file(self, full):
        full.compact(always=True)
        path = os.path.join(full.directory, "data.parquet")
        assert os.path.realpath(path) == os.path.realpath(os.path.join(full.directory, "_1", "data.parquet"))
        with sidecar.open(path) as plan:
            assert plan.num_rows == full.snapshot().num_rows
