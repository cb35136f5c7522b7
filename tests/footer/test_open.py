"""Opening a file: the chosen form, findings, and errors."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq
import pytest
from support.flat_files import with_flat_footer, write_with_flat_footer
from support.journals import leave_half_changed, leave_journal
from support.systems import needs, needs_proc

import parquetext
from parquetext import errors, footer, kernels, storage
from parquetext.footer.model import GROUP
from parquetext.footer.thrift_form import ThriftForm
from parquetext.thrift import write


@pytest.fixture
def plain(tmp_path):
    path = str(tmp_path / "plain.parquet")
    table = pa.table({f"column_{n}": pa.array(range(n, n + 12), pa.int64()) for n in range(40)})
    pq.write_table(table.replace_schema_metadata({"k": "v"}), path, row_group_size=4)
    return path


@pytest.fixture
def flat(plain, tmp_path, implementation):
    return write_with_flat_footer(plain, tmp_path / "flat.parquet")


def change(path: str, offset: int, value: bytes) -> None:
    """Overwrite bytes of a file; a negative offset counts from its end."""
    with open(path, "r+b") as file:
        file.seek(offset, os.SEEK_SET if offset >= 0 else os.SEEK_END)
        file.write(value)


@pytest.mark.usefixtures("implementation")
class TestForms:
    def test_a_plain_file_opens_by_its_thrift_footer_without_findings(self, plain):
        with parquetext.open(plain) as file:
            assert (file.form, file.findings) == ("thrift", [])
            assert (file.num_rows, file.num_columns, len(file.row_groups)) == (12, 40, 3)
            assert file.key_values[b"k"] == b"v"
            assert file.created_by.startswith("parquet-cpp-arrow")

    def test_a_flat_footer_is_used_and_has_the_same_values(self, plain, flat):
        with parquetext.open(plain) as one, parquetext.open(flat) as other:
            assert (other.form, other.findings) == ("flat", [])
            assert (one.num_rows, one.num_columns, one.version) == (other.num_rows, other.num_columns, other.version)
            assert one.key_values == other.key_values
            assert one.created_by == other.created_by
            assert list(one.row_groups) == list(other.row_groups)
            assert one.to_arrow().drop_columns(["encodings"]).equals(other.to_arrow().drop_columns(["encodings"]))

    def test_a_sound_flat_footer_is_found_in_the_first_4_kib(self, flat):
        with parquetext.open(flat) as file:
            assert file.io_stats == (1, 4096)
            file.column("column_17")
            assert file.io_stats.requests <= 3
            assert file.io_stats.bytes < 3 * 4096

    @pytest.mark.parametrize("marker", ["spec", "thrift"])
    def test_both_markers_are_read(self, plain, tmp_path, marker):
        path = tmp_path / "marked.parquet"
        path.write_bytes(with_flat_footer(Path(plain).read_bytes(), marker=marker))
        with parquetext.open(str(path)) as file:
            assert file.form == "flat"


class TestFallback:
    def test_a_broken_tail_block_falls_back_to_thrift_with_a_finding(self, plain, flat):
        change(flat, -8 - 1 - 28 - 20, b"\xff\xff")
        with parquetext.open(flat) as file, parquetext.open(plain) as sound:
            assert file.form == "thrift"
            assert [finding.kind for finding in file.findings] == ["flat-damaged"]
            assert file.column("column_3").max.equals(sound.column("column_3").max)

    def test_a_broken_cell_affects_only_the_columns_that_need_it(self, plain, flat):
        start = Path(flat).read_bytes().index(b"column_7", len(Path(plain).read_bytes()) - 8)
        change(flat, start, b"kolumn_7")
        names = [f"column_{number}" for number in (9, 8, 3, 9)]
        with parquetext.open(flat) as file, parquetext.open(plain) as sound:
            assert [column.name for column in file.columns(names)] == names
            assert (file.form, file.findings) == ("flat", [])
            found = file.columns([*names, ("column_7",)])
            (finding,) = file.findings
            assert (file.form, finding.kind) == ("thrift", "flat-damaged")
            assert start - 4096 < finding.offset <= start
            for column, expected in zip(found, sound.columns([*names, "column_7"]), strict=True):
                assert (column.name, column.max) == (expected.name, expected.max)

    def test_a_broken_cell_shows_when_it_is_used_and_only_then(self, plain, flat):
        with parquetext.open(flat) as file:
            reads = file.io_stats.requests
            file.column("column_0")
            assert file.io_stats.requests > reads
        data = Path(flat).read_bytes()
        start = data.index(b"column_7", len(Path(plain).read_bytes()) - 8)
        change(flat, start, b"kolumn_7")
        with parquetext.open(flat) as file, parquetext.open(plain) as sound:
            assert file.column("column_8").max.equals(sound.column("column_8").max)
            assert (file.form, file.findings) == ("flat", [])
            assert file.column("column_7").max.equals(sound.column("column_7").max)
            assert file.form == "thrift"
            assert [finding.kind for finding in file.findings] == ["flat-damaged"]
            assert start - 4096 < file.findings[0].offset < start + 4096

    def test_a_damaged_file_gives_the_same_values(self, plain, flat):
        data = Path(flat).read_bytes()
        change(flat, data.index(b"column_7", len(Path(plain).read_bytes()) - 8), b"kolumn_7")
        with parquetext.open(flat) as file:
            assert file.read().equals(pq.read_table(plain))
            assert file.form == "thrift"

    def test_a_block_of_unknown_kind_is_reported(self, flat):
        change(flat, -8 - 1 - 16, b"\x11" * 16)
        with parquetext.open(flat) as file:
            assert file.form == "thrift"
            assert [finding.kind for finding in file.findings] == ["unknown-block"]

    def test_an_extension_without_a_whole_block_is_reported(self, flat):
        change(flat, -8 - 1 - 20, b"\x11")
        with parquetext.open(flat) as file:
            assert file.form == "thrift"
            assert [finding.kind for finding in file.findings] == ["extension-unread"]

    def test_the_bytes_of_a_marker_within_a_value_are_no_extension(self, tmp_path, monkeypatch):
        def walk(*arguments, **options):
            raise AssertionError("the footer is walked for an extension that the scan has not met")

        path = str(tmp_path / "marked.parquet")
        marked = {"a": b"\x08\xff\xff\x01", "b": b"\x08\xfe\xff\x03\0"}
        pq.write_table(pa.table({"a": [1]}).replace_schema_metadata(marked), path)
        monkeypatch.setattr(kernels.extension, "find", walk)
        with parquetext.open(path) as file:
            assert (file.form, file.findings) == ("thrift", [])
            assert [file.key_values[name.encode()] for name in marked] == list(marked.values())

    def test_damage_in_the_thrift_bytes_is_final(self, plain):
        length = int.from_bytes(Path(plain).read_bytes()[-8:-4], "little")
        change(plain, -8 - length, b"\xff\xff\xff\xff")
        with pytest.raises(errors.Malformed, match=re.escape(plain)):
            parquetext.open(plain)


@pytest.mark.usefixtures("implementation")
class TestErrors:
    def test_a_missing_file_is_an_oserror(self, tmp_path):
        with pytest.raises(FileNotFoundError):
            parquetext.open(str(tmp_path / "nope.parquet"))

    def test_a_folder_is_an_oserror(self, tmp_path):
        with pytest.raises(OSError):
            parquetext.open(str(tmp_path))

    @pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1PAR1", b"x" * 100, b"PAR1" + b"\xff\xff\xff\x7fPAR1"])
    def test_files_that_are_not_parquet_are_malformed(self, tmp_path, content):
        path = tmp_path / "no.parquet"
        path.write_bytes(content)
        with pytest.raises(errors.Malformed, match=r"no\.parquet"):
            parquetext.open(str(path))

    @needs("mkfifo")
    def test_a_pipe_does_not_block(self, tmp_path):
        os.mkfifo(tmp_path / "pipe.parquet")
        for work in (parquetext.open, parquetext.upgrade, parquetext.strip, footer.scan):
            with pytest.raises(errors.ParquetextError, match=r"pipe\.parquet"):
                work(str(tmp_path / "pipe.parquet"))

    def test_an_encrypted_footer_is_refused(self, tmp_path):
        path = tmp_path / "secret.parquet"
        path.write_bytes(b"PARE" + b"\0" * 20 + b"\x08\0\0\0PARE")
        with pytest.raises(errors.Refused, match="encrypted"):
            parquetext.open(str(path))

    @needs_proc()
    def test_errors_leave_no_descriptor_open(self, tmp_path):
        path = tmp_path / "no.parquet"
        path.write_bytes(b"x" * 100)
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(3):
            with pytest.raises(errors.Malformed):
                parquetext.open(str(path))
        assert len(os.listdir("/proc/self/fd")) == before

    def test_a_closed_file_raises(self, plain):
        with parquetext.open(plain) as file:
            column = file.column("column_1")
        assert list(column.null_count) == [0, 0, 0]
        file.close()
        assert "closed" in repr(file)
        for use in (lambda: file.num_rows, lambda: file.column("column_1"), lambda: file.read()):
            with pytest.raises(ValueError, match="closed"):
                use()


class TestPaths:
    def test_of_a_remote_file_16_kib_are_read_first(self, tmp_path, implementation):
        remote = pyarrow.fs._MockFileSystem()
        with remote.open_output_stream("plain.parquet") as out:
            pq.write_table(pa.table({"a": list(range(9000))}), out, compression="none", use_dictionary=False)
        with parquetext.open((remote, "plain.parquet")) as file:
            assert file.io_stats == (1, 16 << 10)

    def test_every_kind_of_source_is_opened(self, plain):
        local = pyarrow.fs.LocalFileSystem()
        for path in (plain, Path(plain), Path(plain).as_uri(), (local, plain), Path(plain).read_bytes()):
            with parquetext.open(path) as file:
                assert file.num_rows == 12
                assert file.read(["column_1"]).num_rows == 12

    def test_a_filesystem_is_read_in_few_requests(self, flat):
        remote = pyarrow.fs._MockFileSystem()  # in memory
        with remote.open_output_stream("flat.parquet") as out:
            out.write(Path(flat).read_bytes())
        with parquetext.open((remote, "flat.parquet")) as file:
            assert file.form == "flat"
            assert file.io_stats.requests == 1
            file.column("column_3")
            assert file.io_stats.requests <= 3
            assert file.read(["column_3"]).equals(pq.read_table(flat, columns=["column_3"]))
            requests = file.io_stats.requests
            assert file.schema.equals(pq.read_schema(flat))
            assert len(file.columns()) == file.to_arrow().num_rows / 3 == 40
            assert file.read().equals(pq.read_table(flat))
            assert file.io_stats.requests == requests + 1


@pytest.mark.usefixtures("implementation")
class TestNamesOfAThriftFooter:
    def test_names_are_found_in_small_and_large_requests(self, tmp_path):
        path, names = str(tmp_path / "wide.parquet"), [f"c{number}" for number in range(150)]
        columns = {name: pa.array([1]) for name in names} | {"g": pa.array([{"c1": 1, "h": {"c2": 2}}])}
        pq.write_table(pa.table(columns), path)
        with parquetext.open(path) as file:
            assert [file.column(name).leaf for name in names] == list(range(150))  # after some of them by a table
            assert [file.column(name).name for name in ("g.c1", ("g", "h", "c2"))] == ["g.c1", "g.h.c2"]
            with pytest.raises(errors.ColumnError, match=r"is a group; its leaves: \('g', 'h', 'c2'\)"):
                file.column("g.h")
        with parquetext.open(path) as file:
            assert [column.leaf for column in file.columns(reversed(names))] == list(range(149, -1, -1))

    def test_thousands_of_groups_in_each_other_take_no_memory_for_their_paths(self):
        depth = 1000
        elements = [{"name": "group", "num_children": 1}] * depth + [{"type": 1, "name": "leaf"}]
        data = write("FileMetaData", {"schema": elements, "num_rows": 0, "row_groups": []})
        form = ThriftForm(data)
        tracemalloc.start()
        try:
            assert form.find_columns(["group", "leaf"] * 32) == [None] * 64
            assert tracemalloc.get_traced_memory()[1] < 30 * len(data)
        finally:
            tracemalloc.stop()
        path = form.node(0).path
        assert path == b"\0".join([b"group"] * (depth - 1) + [b"leaf"])
        assert form.find_name(path) == [0]
        assert [form.node(GROUP | level).path.count(b"\0") for level in (3, 2, 1, 2, 900)] == [2, 1, 0, 1, 899]


def test_an_interrupted_change_is_read_from_its_journal(plain, tmp_path):
    leave_half_changed(Path(plain))
    with parquetext.open(plain) as file:
        assert [finding.kind for finding in file.findings] == ["change-interrupted"]
        assert file.num_rows == 12
        assert file.read(["column_2"]).column(0).to_pylist() == list(range(2, 14))


def test_a_valid_tail_is_read_with_any_journal_next_to_it(plain):
    """As after a kill after the last write: the journal is used only for tails that fail their checks."""
    original = Path(plain).read_bytes()
    beside = leave_journal(Path(plain), storage.TailEdit(len(original) - 9, original[-9:]))
    with parquetext.open(plain) as file:
        assert (file.num_rows, file.findings) == (12, [])
    assert beside.exists()


def test_opening_imports_nothing_that_reading_needs_alone(plain):
    code = (
        f"import sys, parquetext; parquetext.open({plain!r}).column('column_1'); "
        "print([name for name in ('pandas', 'pyarrow.dataset', 'pyarrow.parquet') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_implementation_is_reported(implementation):
    assert parquetext.implementation() == kernels.implementation() == implementation
