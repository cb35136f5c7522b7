"""Footers of gigabytes: refused if no reader accepts them, and never twice in memory."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from support import flat_footers as thrift

import parquetext
from parquetext import errors, footer, sidecar
from parquetext.catalog.footers import read_footer
from parquetext.inspection.integrity.inspection import inspect

MIB, GIB = 1 << 20, 1 << 30
MOST = (1 << 31) - 1

WORK = """
import gc, json, sys
import parquetext
from parquetext import footer, kernels
from parquetext.inspection.integrity.inspection import inspect

def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) * 1024

def look(path):
    with parquetext.open(path) as file:
        assert file.form == "thrift" and file.num_columns == 1

def upgrade(path):
    result = parquetext.upgrade(path, form="index", dry_run=True)
    assert result.outcome == "would-upgrade"

def verify(path):
    assert not parquetext.verify(path).findings

kernels.use(sys.argv[1])
small, large = sys.argv[2:]
took = {}
for work in (look, footer.scan, verify, inspect, upgrade):
    work(small)                          # so that imports do not count
    gc.collect()
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    before = peak()
    work(large)
    took[work.__name__] = peak() - before
print(json.dumps(took))
"""


def sparse(path: Path, footer_bytes: int, head: bytes = b"", end: bytes = b"") -> str:
    """A file that is a footer of so many bytes, of which few are on the disk: `head`, zeros, `end`."""
    with open(path, "wb") as file:
        file.write(b"PAR1" + head)
        file.seek(4 + footer_bytes - len(end))
        file.write(end + struct.pack("<I", footer_bytes) + b"PAR1")
    return str(path)


def sound(path: Path, footer_bytes: int) -> str:
    """A sound footer of so many bytes: one column, and a value of zeros."""
    whole = thrift.footer(
        [thrift.element(b"schema", children=1), thrift.element(b"a", type=1)],
        [],
        key_values=[thrift.key_value(b"zeros", b"")],
    )
    value = whole.rindex(b"\x18\x00")
    rest = len(whole) - 1
    zeros = next(zeros for width in range(1, 6) if len(thrift.varint(zeros := footer_bytes - rest - width)) == width)
    return sparse(path, footer_bytes, whole[: value + 1] + thrift.varint(zeros), whole[value + 2 :])


def taken(implementation: str, folder: Path, footer_bytes: int) -> dict[str, int]:
    """Bytes of memory that each of the verbs takes at most for such a file, in a process of its own."""
    paths = sound(folder / "small.parquet", 4096), sound(folder / "large.parquet", footer_bytes)
    done = subprocess.run(
        [sys.executable, "-c", WORK, implementation, *paths], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    "verb",
    [
        parquetext.open,
        footer.scan,
        inspect,
        read_footer,
        sidecar.build,
        parquetext.read_table,
        parquetext.strip,
        lambda path: parquetext.upgrade(path, form="flat", dry_run=True),
        lambda path: parquetext.upgrade(path),
    ],
    ids=["open", "scan", "inspect", "catalog", "sidecar", "read_table", "strip", "would upgrade", "upgrade"],
)
def test_a_footer_that_no_reader_takes_is_refused_before_it_is_read(implementation, tmp_path, verb):
    path = sparse(tmp_path / "large.parquet", 3 * GIB + GIB // 2)
    if verb is inspect:
        assert [finding.kind for finding in inspect(path).findings] == ["unreadable"]
        return
    message = f"a footer of {7 * GIB // 2} bytes: readers take {MOST} at most"
    with pytest.raises(errors.Unsupported, match=message) as caught:
        verb(path)
    assert (caught.value.expected, caught.value.found) == (MOST, 7 * GIB // 2)


def test_a_footer_that_no_reader_takes_is_a_finding(implementation, tmp_path):
    path = sparse(tmp_path / "large.parquet", MOST + 1)
    report = parquetext.verify(path)
    assert not report.ok
    assert any("readers take" in finding.message for finding in report.findings)


def test_a_footer_is_in_memory_once(implementation, tmp_path):
    size = 96 * MIB
    took = taken(implementation, tmp_path, size)
    assert len(took) == 5
    copies = {verb: 2 if verb == "upgrade" else 1 for verb in took}  # a new tail has the footer in it
    assert {verb: most for verb, most in took.items() if most > (copies[verb] + 0.25) * size} == {}


@pytest.mark.usefixtures("long")
def test_a_footer_of_2_gib_is_in_memory_once(tmp_path):
    size = 2 * GIB - 8192
    took = taken("native", tmp_path, size)
    assert took.pop("upgrade") < 2.1 * size
    assert {verb: most for verb, most in took.items() if most > 1.1 * size} == {}


def wide(path: Path, columns: int) -> bytes:
    """Write a file of one row of INT32 columns, whose data are zeros, and return its footer."""
    chunk_bytes = 8

    def element(number: int) -> bytes:
        name = b"column %d" % number
        return b"\x15\x02\x25\x00\x18" + bytes([len(name)]) + name + b"\0"

    def chunk(number: int) -> bytes:
        name, offset = b"column %d" % number, thrift.zigzag(4 + chunk_bytes * number)
        path_in_schema = b"\x19\x18" + bytes([len(name)]) + name
        sizes = b"\x16\x02\x16" + thrift.zigzag(chunk_bytes) + b"\x16" + thrift.zigzag(chunk_bytes)
        metadata = b"\x15\x02\x19\x15\x00" + path_in_schema + b"\x15\x00" + sizes + b"\x26" + offset + b"\0"
        return b"\x26" + offset + b"\x1c" + metadata + b"\0"

    total = thrift.zigzag(chunk_bytes * columns)
    root = b"\x48\x06schema\x15" + thrift.zigzag(columns) + b"\0"
    many = b"\xfc" + thrift.varint(columns)
    footer = b"".join(
        (
            *(b"\x15\x02\x19", b"\xfc" + thrift.varint(columns + 1), root, *map(element, range(columns))),
            *(b"\x16\x02\x19\x1c\x19", many, *map(chunk, range(columns)), b"\x16" + total + b"\x16\x02\0\0"),
        )
    )
    end = struct.pack("<I", len(footer)) + b"PAR1"
    path.write_bytes(b"PAR1" + bytes(chunk_bytes * columns) + footer + end)
    return footer


@pytest.mark.usefixtures("long")
@pytest.mark.parametrize("form", ["packed", "flat", "index", "modular", "jump-table"])
def test_a_million_columns_get_each_form_and_come_back(tmp_path, form):
    columns = 1_000_000
    path = tmp_path / "wide.parquet"
    wide(path, columns)
    original = path.read_bytes()
    assert parquetext.upgrade(path, form=form).outcome == "upgraded"
    with parquetext.open(path, form=form) as file:
        assert (file.num_columns, file.num_rows) == (columns, 1)
        column = file.column("column 987654")
        assert list(column.chunks.begins()) == [4 + 8 * 987_654]
    assert not parquetext.verify(path).findings
    parquetext.strip(path)
    assert path.read_bytes() == original


def test_many_columns_are_written_as_expected(tmp_path):
    """The file of the test above, with fewer columns, is a file for pyarrow too."""
    path = tmp_path / "wide.parquet"
    wide(path, 300)
    metadata = pq.read_metadata(path)
    assert (metadata.num_columns, metadata.num_rows) == (300, 1)
    assert metadata.row_group(0).column(299).path_in_schema == "column 299"
    assert not parquetext.verify(path).findings
