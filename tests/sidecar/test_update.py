"""Sidecars updated by appending, and the state of their older commits."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.growing import grow
from support.powercut import Recording, put, states

import parquetext
from parquetext import kernels, sidecar
from parquetext.errors import Conflict, ParquetextError, Refused

BLOOMS = {"bloom_filter_options": {"b": {"ndv": 100, "fpp": 0.01}}}


def rows(first: int, count: int = 100) -> pa.Table:
    numbers = range(first, first + count)
    return pa.table({"a": pa.array(numbers), "b": [f"text {n}" for n in numbers]})


def chain(path: Path) -> list:
    return kernels.sidecar.Reader(path.read_bytes()).footers()


@pytest.fixture
def file(tmp_path) -> Path:
    path = tmp_path / "x.parquet"
    pq.write_table(rows(0, 300), path, row_group_size=100, **BLOOMS)
    sidecar.build(path)
    return path


class TestUpdate:
    def test_appended_row_groups_are_appended_to_the_sidecar(self, file, implementation):
        position = file.with_name("_x.parquet.pm")
        before, size = position.read_bytes(), file.stat().st_size
        grow(file, rows(300), **BLOOMS)
        done = sidecar.update(file)
        assert (done.outcome, done.row_groups, done.size) == ("updated", 1, position.stat().st_size)
        assert position.read_bytes()[8 : len(before)] == before[8:]
        assert sidecar.compare(file) == []
        with sidecar.open(file) as plan:
            assert list(plan.row_counts) == [100] * 4
            assert [plan.reader.bloom(group, 1)[0] for group in range(4)] == ["inline"] * 4
            assert plan.footer.unused_bytes == size - kernels.sidecar.Reader(before).footer.parquet_footer_offset
        with sidecar.open(file, parquet_size=size) as plan:
            assert plan.num_rows == 300, "readers of the snapshot before"

    def test_replaced_row_groups_are_written_again(self, file):
        grow(file, rows(1000), at=1)
        assert sidecar.update(file).row_groups == 1
        with sidecar.open(file) as plan:
            assert plan.column("a").min.to_pylist() == [0, 1000, 200]
        assert sidecar.compare(file) == []
        assert len(chain(file.with_name("_x.parquet.pm"))) == 2

    @pytest.mark.parametrize("same", [True, False], ids=["untouched", "touched"])
    def test_update_without_changed_row_groups_appends_none(self, file, same):
        position = file.with_name("_x.parquet.pm")
        before = position.read_bytes()
        if not same:
            os.utime(file)
        done = sidecar.update(file)
        assert (done.outcome, done.row_groups) == ("current" if same else "updated", 0)
        assert (position.read_bytes() == before) is same
        with sidecar.open(file) as plan:
            assert plan.belongs.value == "file"

    def test_other_values_of_the_same_size_are_found_out(self, tmp_path):
        path = tmp_path / "x.parquet"
        contents = []
        for value in (b"aaaa", b"bbbb"):
            table = pa.table({"a": [value] * 10})
            pq.write_table(
                table,
                path,
                write_statistics=False,
                use_dictionary=False,
                compression="none",
                **{"bloom_filter_options": {"a": {"ndv": 10, "fpp": 0.01}}},
            )
            contents.append(path.stat().st_size)
            if len(contents) == 1:
                sidecar.build(path)
        assert contents[0] == contents[1]
        assert sidecar.update(path).row_groups == 1, "the Bloom filter is another one"
        assert sidecar.compare(path) == []

    def test_there_was_none(self, file):
        position = file.with_name("_x.parquet.pm")
        made = position.read_bytes()
        position.unlink()
        assert sidecar.update(file).outcome == "built"
        assert position.read_bytes() == made

    @pytest.mark.parametrize("change", ["columns", "fewer", "damaged", "empty"])
    def test_sidecars_that_cannot_be_appended_to_are_rewritten(self, file, change):
        position = file.with_name("_x.parquet.pm")
        if change == "columns":
            pq.write_table(rows(0, 300).rename_columns(["a", "c"]), file, row_group_size=100)
        elif change == "fewer":
            pq.write_table(rows(0, 200), file, row_group_size=100)
        else:
            position.write_bytes(b"" if change == "empty" else position.read_bytes()[:-9] + bytes(9))
        with open(position, "rb") as held:
            inode = os.fstat(held.fileno()).st_ino
            assert sidecar.update(file).outcome == "rebuilt"
            assert position.stat().st_ino != inode, "a mapping of the old sidecar stays unchanged"
        assert sidecar.compare(file) == []
        assert len(chain(position)) == 1

    def test_foreign_notes_are_kept(self, file):
        position = file.with_name("_x.parquet.pm")
        data = position.read_bytes()
        reader = kernels.sidecar.Reader(data)
        footer = reader.footer
        tail = kernels.sidecar.Writer.on(reader).finish(
            footer.parquet_footer_offset, footer.parquet_footer_length, scratchpad=[(7, b"somebody's"), (8, b"else")]
        )
        position.write_bytes((len(data) + len(tail)).to_bytes(8, "little") + data[8:] + tail)
        grow(file, rows(300), **BLOOMS)
        assert sidecar.update(file, ignore="foreign-sidecar").outcome == "updated"
        notes = kernels.sidecar.Reader(position.read_bytes()).scratchpad
        assert (notes[7], notes[8], len(notes)) == (b"somebody's", b"else", 4)
        with sidecar.open(file) as plan:
            assert plan.num_rows == 400

    def test_external_filters_stay_external(self, file):
        sidecar.build(file, external_blooms=True)
        grow(file, rows(300), **BLOOMS)
        assert sidecar.update(file).outcome == "updated"
        with sidecar.open(file) as plan:
            assert [plan.reader.bloom(group, 1)[0] for group in range(4)] == ["external"] * 4
        assert sidecar.compare(file) == []

    def test_designated_timestamps_without_bounds_are_read_from_the_new_rows(self, tmp_path):
        path = tmp_path / "x.parquet"
        schema = pa.schema([pa.field("ts", pa.timestamp("us"), nullable=False)])
        tables = [pa.table([pa.array([10 * n, 10 * n + 5], pa.timestamp("us"))], schema=schema) for n in range(2)]
        options = {"write_statistics": False, "sorting_columns": [pq.SortingColumn(0)]}
        pq.write_table(tables[0], path, **options)
        sidecar.build(path)
        grow(path, tables[1], **options)
        assert sidecar.update(path).outcome == "updated"
        with sidecar.open(path) as plan:
            assert list(plan.column("ts").min_bytes) == [struct.pack("<q", 0), struct.pack("<q", 10)]
            assert list(plan.column("ts").max_bytes) == [struct.pack("<q", 5), struct.pack("<q", 15)]

    def test_a_second_one_at_the_same_time(self, file):
        import fcntl

        grow(file, rows(300))
        with open(file.with_name("_x.parquet.pm"), "rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            with pytest.raises(Conflict):
                sidecar.update(file)

    def test_a_power_cut_leaves_the_sidecar_before_or_after(self, file, tmp_path):
        grow(file, rows(300))
        recording = Recording(tmp_path, block=512)
        sidecar.update(file, operations=recording)
        cut = tmp_path / "cut"
        cut.mkdir()
        counts = set()
        for state in states(recording):
            put(state, cut)
            reader = kernels.sidecar.Reader((cut / "_x.parquet.pm").read_bytes())
            counts.add(reader.row_group_count)
        assert counts == {3, 4}


class TestCompact:
    def test_older_commits_are_removed_if_they_take_half(self, file):
        position = file.with_name("_x.parquet.pm")
        made = position.read_bytes()
        assert sidecar.compact(file).outcome == "current"
        for _ in range(3):
            os.utime(file)
            sidecar.update(file)
        for first in (500, 700):
            grow(file, rows(first), at=0)
            sidecar.update(file)
        assert len(chain(position)) == 6
        done = sidecar.compact(file)
        assert (done.outcome, done.row_groups) == ("compacted", 3)
        assert len(chain(position)) == 1
        assert done.size == position.stat().st_size
        assert abs(done.size - len(made)) < 600
        assert sidecar.compare(file) == []

    def test_always(self, file):
        os.utime(file)
        sidecar.update(file)
        assert sidecar.compact(file).outcome == "current"
        assert sidecar.compact(file, always=True).outcome == "compacted"

    def test_compact_without_a_sidecar_is_an_error(self, file):
        file.with_name("_x.parquet.pm").unlink()
        with pytest.raises(FileNotFoundError):
            sidecar.compact(file)


class TestStores:
    @pytest.fixture
    def store(self, tmp_path) -> sidecar.Store:
        store = sidecar.Store(tmp_path / "store")
        store.append(rows(0))
        return store

    @pytest.mark.parametrize(
        "call", [lambda store: store.commit(), lambda store: sidecar.update(store.path)], ids=["commit", "update"]
    )
    def test_row_groups_appended_by_another_program_are_committed(self, store, call):
        held = store.snapshot()
        grow(os.path.realpath(store.path), rows(100))
        with store.snapshot() as snapshot:
            assert snapshot.num_rows == 100
        call(store)
        with store.snapshot() as snapshot:
            assert snapshot.token.sequence == 2
            assert snapshot.read().equals(rows(0, 200))
            assert snapshot.footer.unused_bytes == held.footer.parquet_footer_length + 8
        assert held.read().equals(rows(0))
        held.close()
        store.append(rows(200))
        assert pq.read_table(store.path).equals(rows(0, 300))

    def test_nothing_to_commit(self, store):
        assert store.commit() == store.token()
        assert sidecar.update(store.path).outcome == "current"

    def test_other_columns_are_refused(self, store):
        pq.write_table(pa.table({"other": range(1000)}), os.path.realpath(store.path))
        with pytest.raises(Refused, match="columns"):
            store.commit()

    def test_a_torn_end_is_no_commit(self, store):
        with open(store.path, "ab") as file:
            file.write(b"torn")
        with pytest.raises(ParquetextError):
            store.commit()
        store.recover()
        assert store.commit().sequence == 2

    def test_a_store_is_compacted_with_its_file(self, store):
        for number in range(5):
            store.replace(0, rows(number))
        done = sidecar.compact(store.path)
        assert (done.outcome, store.token().generation) == ("compacted", 1)
        assert sidecar.compact(os.path.realpath(store.path)).outcome == "current"
        assert parquetext.read_table(store.path).equals(rows(4))
