"""Bounds that a packed footer keeps in the bytes of a template, because they are written in an unusual way."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.twins import both

import parquetext
from parquetext import kernels
from parquetext.footer.form_spec import Memory

TEXT = b"t" * 100
ROWS = 3


def rewritten(fields: tuple[bytes, ...], row_group_size: int) -> tuple[bytes, bytes]:
    """Return the data and the footer of a file, the length of these bounds in a byte more than necessary."""
    sink = io.BytesIO()
    table = pa.table({name: [TEXT] * ROWS for name in "st"})
    pq.write_table(table, sink, row_group_size=row_group_size, store_schema=False)
    file = sink.getvalue()
    end = len(file) - 8 - int.from_bytes(file[-8:-4], "little")
    whole = footer = file[end:-8]
    for field in fields:
        footer = footer.replace(field + b"\x64" + TEXT, field + b"\xe4\x00" + TEXT)
    assert len(footer) == len(whole) + 2 * len(fields) * ROWS // row_group_size
    return file[:end], footer


@pytest.mark.parametrize("fields", [(b"\x28",), (b"\x18",), (b"\x28", b"\x18")], ids=["maximum", "minimum", "both"])
@pytest.mark.parametrize("row_group_size", [ROWS, 1], ids=["one row group", "three row groups"])
def test_bounds_are_those_of_the_thrift_footer_if_a_template_contains_them(tmp_path, fields, row_group_size):
    data, footer = rewritten(fields, row_group_size)
    scan = kernels.scan.scan(footer)
    payloads = [m.write(s.scan(footer)) for m, s in zip(both("packed"), both("scan"), strict=True)]
    assert payloads[0] == payloads[1]
    for module in both("packed"):
        reader = module.Reader(Memory(payloads[0]), 0, len(payloads[0]), payloads[0])
        assert module.to_thrift(reader) == footer
        for leaf in range(2):
            for kind in (1, 2):
                assert reader.column(leaf).bound_values(kind) == scan.column(leaf).bound_values(kind)
                chunks = [reader.column(leaf, row_group, 1) for row_group in range(reader.row_group_count)]
                found = [value for one in chunks for value in one.bound_values(kind)]
                assert found == scan.column(leaf).bound_values(kind)
    path = tmp_path / "t.parquet"
    path.write_bytes(data + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    parquetext.upgrade(path, form="packed")
    assert parquetext.read_table(path, filters=[("s", "==", TEXT)]).num_rows == ROWS
