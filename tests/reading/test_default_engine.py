"""Where the default engine and pyarrow differ, and where not: odd files of many rows."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext import kernels, wire
from parquetext.reading.plan.part import SMALL_ROWS
from parquetext.thrift import values

ROWS = SMALL_ROWS  # from here on the default engine decodes by itself
NULLABLE = {"type": wire.PHYSICAL_INT64, "repetition_type": wire.REPETITION_OPTIONAL, "name": "a"}


@pytest.fixture(autouse=True)
def _compiled():
    """The twin is never the sooner one."""
    if kernels.implementation() != "native":
        pytest.skip("the compiled kernels are not built")


def file_of_pages(folder, pages: list[tuple[dict, bytes]], encodings: list[int]) -> str:
    """A file of one nullable column of 64 bits, uncompressed, in one row group."""
    written, offsets = bytearray(b"PAR1"), []
    for header, body in pages:
        offsets.append(len(written))
        header |= {"uncompressed_page_size": len(body), "compressed_page_size": len(body)}
        written += values.write("PageHeader", header) + body
    size = len(written) - 4
    metadata = {
        "type": wire.PHYSICAL_INT64,
        "encodings": encodings,
        "path_in_schema": ["a"],
        "codec": wire.CODEC_UNCOMPRESSED,
        "num_values": ROWS,
        "total_uncompressed_size": size,
        "total_compressed_size": size,
        "data_page_offset": offsets[-1],
    }
    if len(offsets) > 1:
        metadata["dictionary_page_offset"] = offsets[0]
    group = {"columns": [{"file_offset": 0, "meta_data": metadata}], "total_byte_size": size, "num_rows": ROWS}
    footer = {
        "version": 1,
        "schema": [{"name": "schema", "num_children": 1}, NULLABLE],
        "num_rows": ROWS,
        "row_groups": [group],
    }
    struct = values.write("FileMetaData", footer)
    path = folder / "a.parquet"
    path.write_bytes(bytes(written) + struct + len(struct).to_bytes(4, "little") + b"PAR1")
    return str(path)


def data_page(encoding: int, levels: int) -> dict:
    fields = {
        "num_values": ROWS,
        "encoding": encoding,
        "definition_level_encoding": levels,
        "repetition_level_encoding": wire.ENCODING_RLE,
    }
    return {"type": wire.PAGE_DATA_PAGE, "data_page_header": fields}


def present(levels: list[int]) -> bytes:
    return kernels.encode.levels(pa.array(levels, pa.uint16()).buffers()[1], len(levels), 1)


def test_indices_of_no_bits_need_no_runs(tmp_path):
    """They can be nothing but 0; pyarrow wants a run for them, and calls the page ended."""
    dictionary = {"num_values": 1, "encoding": wire.ENCODING_PLAIN}
    levels = present([1] * ROWS)
    path = file_of_pages(
        tmp_path,
        [
            ({"type": wire.PAGE_DICTIONARY_PAGE, "dictionary_page_header": dictionary}, (7).to_bytes(8, "little")),
            (
                data_page(wire.ENCODING_RLE_DICTIONARY, wire.ENCODING_RLE),
                len(levels).to_bytes(4, "little") + levels + b"\0",
            ),
        ],
        [wire.ENCODING_PLAIN, wire.ENCODING_RLE, wire.ENCODING_RLE_DICTIONARY],
    )
    with pytest.raises(OSError, match="Unexpected end of stream"):
        pq.read_table(path)
    assert parquetext.read_table(path)["a"].to_pylist() == [7] * ROWS


def test_such_indices_are_read_in_a_small_file_too(corpus):
    path = corpus / "impala/testdata/data/bad_rle_literal_count.parquet"
    with pytest.raises(OSError, match="Unexpected end of stream"):
        pq.read_table(path)
    assert parquetext.read_table(path)["c"].to_pylist() == [1, 1, 1]


@pytest.mark.parametrize("is_listed", [True, False], ids=["listed", "not listed"])
def test_bit_packed_levels_are_pyarrows(tmp_path, is_listed):
    """pyarrow reads their bits in another order than the format has them."""
    levels = [1, 1, 1, 0, 0, 0, 0, 0] * (ROWS // 8)
    packed = bytes([0b11100000]) * (ROWS // 8)
    stored = range(sum(levels))
    path = file_of_pages(
        tmp_path,
        [
            (
                data_page(wire.ENCODING_PLAIN, wire.ENCODING_BIT_PACKED),
                packed + pa.array(stored).buffers()[1].to_pybytes(),
            )
        ],
        [wire.ENCODING_PLAIN, *([wire.ENCODING_BIT_PACKED] if is_listed else [])],
    )
    numbers = iter(stored)
    by_the_format = [next(numbers) if level else None for level in levels]
    theirs = pq.read_table(path)
    assert theirs["a"].to_pylist() != by_the_format
    assert parquetext.read_table(path, engine="parquetext")["a"].to_pylist() == by_the_format
    assert parquetext.read_table(path) == theirs


def test_a_footer_whose_row_groups_lost_rows_is_refused_as_by_pyarrow(tmp_path):
    """The file has further damage: our decoder returned a table without rows."""
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": range(ROWS)}), path)
    data = path.read_bytes()
    begin = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    footer = values.read("FileMetaData", data[begin:-8])
    group = footer["row_groups"][0]
    group["num_rows"] = 0
    del group["columns"][0]["meta_data"]["codec"]
    struct = values.write("FileMetaData", footer)
    path.write_bytes(data[:begin] + struct + len(struct).to_bytes(4, "little") + b"PAR1")
    for read in (pq.read_table, parquetext.read_table):
        with pytest.raises((OSError, pa.ArrowInvalid)):
            read(path)
