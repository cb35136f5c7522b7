"""Structs inside a footer: found by address, replaced and extended, and every reader still reads the file."""

from __future__ import annotations

import uuid

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support import addresses
from support.samples import some

from parquetext import extension, kernels
from parquetext.errors import ColumnError, Malformed, ParquetextError
from parquetext.footer.locate import locate

pytestmark = pytest.mark.usefixtures("implementation")
KIND = uuid.UUID(int=9)


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return pa.table({"n": range(100), "s": [{"x": i, "y": str(i)} for i in range(100)], "a.b": [1.5] * 100})


@pytest.fixture(scope="module")
def data(table) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, row_group_size=40)
    return sink.getvalue().to_pybytes()


@pytest.fixture(scope="module")
def footer(data) -> bytes:
    tail = locate(data, len(data))
    return data[tail.footer_offset : -8]


def with_footer(data: bytes, footer: bytes) -> bytes:
    head = data[: locate(data, len(data)).footer_offset]
    return head + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def places(footer: bytes) -> dict[str, tuple[int, ...]]:
    return {
        "FileMetaData": addresses.FILE_METADATA,
        "RowGroup": addresses.row_group(1),
        "ColumnChunk": addresses.column_chunk(footer, 2, "s.x"),
        "ColumnMetaData": addresses.column_metadata(footer, 0, ("s", "y")),
        "SchemaElement, a leaf": addresses.schema_element(footer, "n"),
        "SchemaElement, a group": addresses.schema_element(footer, "s"),
        "SchemaElement, the root": addresses.schema_element(footer, 0),
    }


STRUCTS = [
    "FileMetaData",
    "RowGroup",
    "ColumnChunk",
    "ColumnMetaData",
    "SchemaElement, a leaf",
    "SchemaElement, a group",
    "SchemaElement, the root",
]


def test_elements_have_paths_and_leaf_ordinals(footer):
    found = [(element.path, element.leaf) for element in addresses.elements(footer)]
    assert found == [((), None), (("n",), 0), (("s",), None), (("s", "x"), 1), (("s", "y"), 2), (("a.b",), 3)]
    for element in addresses.elements(footer):
        struct = addresses.find_struct(footer, addresses.schema_element(footer, element.index))
        assert struct == footer[element.offset : element.offset + element.length]


def test_a_leaf_is_its_ordinal_its_dotted_path_or_its_path(footer):
    forms = [addresses.column_metadata(footer, 1, column) for column in (2, "s.y", ("s", "y"))]
    assert forms == [(4, 1, 1, 2, 3)] * 3
    assert addresses.column_chunk(footer, 0, "a.b") == (4, 0, 1, 3)


@pytest.mark.parametrize("column", ["s", "none", ("a", "b"), "S.X"])
def test_a_name_that_is_no_leafs_is_an_error(footer, column):
    with pytest.raises(ColumnError):
        addresses.column_chunk(footer, 0, column)


@pytest.mark.parametrize("address", [(4, 3), (4, 0, 1, 4), (2, 6), (1,), (4,), (9,)])
def test_an_address_without_a_struct_is_an_error(footer, address):
    with pytest.raises(ParquetextError, match="/".join(map(str, address))):
        addresses.find_struct(footer, address)


@pytest.mark.parametrize("name", STRUCTS)
def test_a_struct_is_extended_and_stripped(footer, name):
    address = places(footer)[name]
    extended = addresses.extend(footer, address, KIND, b"payload")
    assert kernels.thrift.struct_end(extended) == len(extended) > len(footer)
    [block] = extension.blocks(addresses.find_struct(extended, address))
    assert (block.uuid, block.payload) == (KIND, b"payload")
    assert addresses.strip(extended, address, KIND) == footer
    assert addresses.strip(extended, address) == footer


@pytest.mark.parametrize("marker", ["spec", "thrift"])
@pytest.mark.parametrize("name", STRUCTS)
def test_pyarrow_reads_a_file_whose_structs_carry_extensions(data, footer, table, name, marker):
    extended = addresses.extend(footer, places(footer)[name], KIND, bytes(range(256)) * 8, marker=marker)
    file = pq.ParquetFile(pa.BufferReader(with_footer(data, extended)))
    assert file.read().equals(table)
    plain = pq.ParquetFile(pa.BufferReader(data))
    assert file.metadata.row_group(0).to_dict() == plain.metadata.row_group(0).to_dict()


def test_every_struct_of_a_footer_may_carry_one_at_once(data, footer, table):
    extended = footer
    for address in places(footer).values():
        extended = addresses.extend(extended, address, KIND, b"payload")
    assert pq.ParquetFile(pa.BufferReader(with_footer(data, extended))).read().equals(table)
    for address in places(footer).values():
        extended = addresses.strip(extended, address)
    assert extended == footer


def test_pyarrow_reads_a_file_whose_page_headers_carry_extensions():
    values = pa.table({"x": range(1000)})
    sink = pa.BufferOutputStream()
    pq.write_table(values, sink, compression="none", use_dictionary=False)
    data = sink.getvalue().to_pybytes()
    tail = locate(data, len(data))
    chunk = pq.ParquetFile(pa.BufferReader(data)).metadata.row_group(0).column(0)
    start = chunk.data_page_offset
    end = kernels.thrift.struct_end(data, start)
    header = extension.append_block(data[start:end], KIND, bytes(range(256)), page_header=True)
    assert [bytes(block.payload) for block in extension.blocks(header, page_header=True)] == [bytes(range(256))]
    footer = bytearray(data[tail.footer_offset : -8])
    grown = len(header) - (end - start)
    for id in (6, 7):
        _, value, behind = kernels.thrift.path(footer, [4, 0, 1, 0, 3, id])
        size = kernels.varint.zigzag_decode(kernels.varint.decode64(footer, value)[0])
        footer[value:behind] = kernels.varint.encode(kernels.varint.zigzag_encode(size + grown))
    file = data[:start] + header + data[end : tail.footer_offset] + footer + len(footer).to_bytes(4, "little") + b"PAR1"
    assert pq.ParquetFile(pa.BufferReader(file)).read().equals(values)


def test_replacing_a_struct_by_itself_changes_nothing_and_by_half_a_struct_is_refused(footer):
    for address in places(footer).values():
        struct = bytes(addresses.find_struct(footer, address))
        assert addresses.replace_struct(footer, address, struct) == footer
    for broken in (struct[:-1], struct + b"\x00", b""):
        with pytest.raises(Malformed):
            addresses.replace_struct(footer, address, broken)


def test_errors_count_from_the_footer(footer):
    address = addresses.row_group(0)
    start = footer.index(bytes(addresses.find_struct(footer, address)))
    free = addresses.replace_struct(footer, address, extension.append(addresses.find_struct(footer, address), b"free"))
    with pytest.raises(ParquetextError) as caught:
        addresses.extend(free, address, KIND, b"x")
    assert free[caught.value.offset : caught.value.offset + 4] == b"free" and caught.value.offset > start


def parsing_footers(corpus, expected):
    for entry in expected:
        if entry["footer"]["parses"]:
            data = (corpus / entry["file"]).read_bytes()
            tail = locate(data, len(data))
            yield entry, data[tail.footer_offset : tail.footer_offset + tail.footer_length]


def test_strip_undoes_append_on_every_corpus_footer(corpus, expected, implementation):
    """The twin takes those below 20 kB, and without --long a third: all of them would cost it half a minute."""
    checked, step = 0, 3 if implementation == "pure" else 1
    tried = some(expected, step)
    for entry, footer in parsing_footers(corpus, tried):
        if implementation == "pure" and len(footer) > 20_000:
            continue
        if entry["footer"]["trailing_bytes"]:
            with pytest.raises(Malformed):
                extension.append(footer, b"x")
            continue
        for options in ({}, {"marker": "thrift"}, {"placement": "after-stop"}):
            extended = extension.append_block(footer, KIND, b"payload", **options)
            assert len(extension.blocks(extended)) == 1, entry["file"]
            assert extension.strip(extended, KIND) == extension.strip(extended) == footer, entry["file"]
        checked += 1
    assert checked > 400 * len(tried) / len(expected)


def test_strip_undoes_extend_on_each_kind_of_struct_of_corpus_footers(corpus, expected):
    sample = [pair for pair in parsing_footers(corpus, expected) if len(pair[1]) < 20_000][::9]
    assert len(sample) > 30
    for entry, footer in sample:
        for address in ((2, 0), (2, 1), (4, 0), (4, 0, 1, 0), (4, 0, 1, 0, 3)):
            if kernels.thrift.path(footer, address) is None:
                continue
            extended = addresses.extend(footer, address, KIND, b"payload")
            assert addresses.strip(extended, address) == footer, entry["file"]
