"""Each reader of chunks names the first row group that does not have one chunk per leaf."""

from __future__ import annotations

import pytest
from support import flat_footers as thrift
from support.flat_payloads import irregular

import parquetext
from parquetext import kernels, wire
from parquetext.errors import Unsupported
from parquetext.footer.forms import THRIFT
from parquetext.footer.pyarrow_chunks import PyarrowChunks
from parquetext.footer.regularity import check_regular
from parquetext.footer.thrift_form import ThriftForm


def two_row_groups() -> bytes:
    """A footer of one leaf, whose row groups have no chunk, and two."""
    elements = [thrift.element(b"schema", children=1), thrift.element(b"a", type=1)]
    chunk = thrift.chunk(thrift.metadata(1, [b"a"]))
    return thrift.footer(elements, [thrift.row_group([]), thrift.row_group([chunk, chunk])])


@pytest.mark.parametrize("footer", [irregular(), two_row_groups()], ids=["one row group", "as many chunks as leaves"])
@pytest.mark.parametrize(
    "ask",
    [
        lambda footer: check_regular(kernels.scan.scan(footer)),
        lambda footer: THRIFT.chunk_structs(ThriftForm(footer), 0, 0, 1),
        lambda footer: PyarrowChunks(footer)[0, 0],
    ],
    ids=["check", "structs", "pyarrow"],
)
def test_the_first_irregular_row_group_is_named(footer, ask):
    with pytest.raises(Unsupported, match="0 column chunks, the schema 1 leaves") as error:
        ask(footer)
    offset = kernels.scan.scan(footer).row_groups("columns_offset")[0]
    assert offset > 0
    assert (error.value.code, error.value.offset) == (wire.IRREGULAR, offset)


@pytest.mark.parametrize(
    "ask",
    [lambda file: file.column("a"), lambda file: file.columns(), lambda file: file.columns(["a"])],
    ids=["column", "all columns", "columns"],
)
def test_an_open_file_names_itself_and_the_offset_in_the_file(tmp_path, ask):
    footer, data = irregular(), b"PAR1" + bytes(100)
    path = tmp_path / "ragged.parquet"
    path.write_bytes(data + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    offset = len(data) + kernels.scan.scan(footer).row_groups("columns_offset")[0]
    with parquetext.open(path) as file, pytest.raises(Unsupported, match="0 column chunks") as error:
        ask(file)
    assert (error.value.file, error.value.offset) == (str(path), offset)
