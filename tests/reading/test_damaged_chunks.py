"""Column chunks that contradict themselves: ours says where, and by default none is read that pyarrow refuses."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.pages import Column, Page, data_page, dictionary_page, parquet_file
from support.varints import varint

import parquetext
from parquetext import wire
from parquetext.errors import Malformed, Unsupported
from parquetext.reading.plan.part import SMALL_ROWS
from parquetext.thrift import values

FIRST_PAGE = 4
DICTIONARY = dictionary_page((7).to_bytes(8, "little"), 1)
SMALL, MANY_CHUNKS, MANY_ROWS = (16, 1), (16, 64), (SMALL_ROWS, 1)


def indices(rows: int, *, run: bytes | None = None, level: int = 1, width: int = 1) -> Page:
    """Indices that are all 0, of entries that all have one level."""
    levels = varint(rows << 1) + bytes([level])
    body = bytes([width]) + (varint(rows << 1) + b"\0" if run is None else run)
    return data_page(body, rows, wire.ENCODING_RLE_DICTIONARY, definition=levels)


def plain(rows: int) -> Page:
    return data_page(bytes(8 * rows), rows, wire.ENCODING_PLAIN, definition=varint(rows << 1) + b"\1")


def packed(groups: int, there: int) -> bytes:
    """A run of bit-packed ones, of so many groups of eight, of which some are there."""
    return varint(groups << 1 | 1) + b"\xff" * there


def deltas(rows: int, *, padding: int) -> bytes:
    """Zeros as blocks of 4 miniblocks of 32 differences: the last one that is needed has a byte for each."""
    blocks, left = divmod(rows - 1, 128)
    last = (left - 1) // 32
    widths = bytes(8 if number == last else 0 for number in range(4))
    header = varint(128) + varint(4) + varint(rows) + b"\0"
    return header + bytes(5) * blocks + b"\0" + widths + bytes(left - 32 * last + padding)


def sound(rows: int) -> Column:
    return column(DICTIONARY, indices(rows))


def column(*pages: Page, **metadata) -> Column:
    return Column("x", wire.PHYSICAL_INT64, pages, repetition=wire.REPETITION_OPTIONAL, metadata=metadata)


def file_of(tmp_path, one: Column, rows: int, columns: int = 1) -> str:
    path = tmp_path / "x.parquet"
    path.write_bytes(parquet_file([replace(one, name=f"x{number}") for number in range(columns)], rows))
    return str(path)


REFUSED = {
    "a dictionary in another encoding": lambda rows: column(
        DICTIONARY.changed(encoding=wire.ENCODING_RLE_DICTIONARY), indices(rows)
    ),
    "a page of no type": lambda rows: column(
        DICTIONARY, replace(DICTIONARY, header=DICTIONARY.header | {"type": 9}), indices(rows, level=0)
    ),
    "levels that end before their run": lambda rows: column(
        data_page(bytes(8 * rows), rows, wire.ENCODING_PLAIN, definition=packed(rows // 8 + 1, rows // 8))
    ),
    "indices that end before their run": lambda rows: column(
        DICTIONARY, indices(rows, run=varint((rows // 8 + 1) << 1 | 1) + bytes(rows // 8))
    ),
    "differences that end before their miniblock": lambda rows: column(
        data_page(
            deltas(rows, padding=0), rows, wire.ENCODING_DELTA_BINARY_PACKED, definition=varint(rows << 1) + b"\1"
        )
    ),
    "indices of no entry, too wide": lambda rows: column(DICTIONARY, indices(rows, level=0, width=33)),
    "data pages in front of all pages": lambda rows: column(DICTIONARY, indices(rows), data_page_offset=0),
    "a codec of no name": lambda rows: replace(sound(rows), codec=-2),
}


def outcome(path: str, **options) -> str:
    try:
        return repr(parquetext.read_table(path, **options).to_pydict())
    except (pa.ArrowException, OSError) as error:
        return str(error)


@pytest.mark.parametrize(("rows", "columns"), [SMALL, MANY_CHUNKS, MANY_ROWS], ids=["small", "chunks", "rows"])
@pytest.mark.parametrize("damage", REFUSED)
def test_the_default_engine_reads_and_refuses_the_chunks_that_pyarrow_does(tmp_path, damage, rows, columns):
    path = file_of(tmp_path, REFUSED[damage](rows), rows, columns)
    assert outcome(path) == outcome(path, engine="pyarrow")


@pytest.mark.parametrize(("rows", "columns"), [MANY_CHUNKS, MANY_ROWS], ids=["chunks", "rows"])
def test_pages_that_run_over_their_chunk_are_pyarrows_to_judge(tmp_path, rows, columns):
    size = sum(len(page.to_bytes()) for page in sound(rows).pages)
    path = file_of(tmp_path, column(DICTIONARY, indices(rows), total_compressed_size=size - 1), rows, columns)
    with pytest.raises(OSError, match="Page was smaller"):
        pq.read_table(path)
    assert outcome(path) == outcome(path, engine="pyarrow")


@pytest.mark.parametrize(("rows", "columns"), [SMALL, MANY_ROWS], ids=["small", "rows"])
def test_values_whose_padding_is_there_are_read(tmp_path, rows, columns):
    levels = packed(rows // 8, rows // 8)
    padded = data_page(
        deltas(rows, padding=-(rows - 1) % 32), rows, wire.ENCODING_DELTA_BINARY_PACKED, definition=levels
    )
    path = file_of(tmp_path, column(padded), rows, columns)
    for engine in (None, "parquetext", "pyarrow"):
        assert parquetext.read_table(path, engine=engine)["x0"].to_pylist() == [0] * rows


def refused(tmp_path, one: Column, rows: int = 16) -> Malformed:
    with pytest.raises(Malformed) as caught:
        parquetext.read_table(file_of(tmp_path, one, rows), engine="parquetext")
    return caught.value


@pytest.mark.parametrize("codec", [wire.CODEC_UNCOMPRESSED, wire.CODEC_SNAPPY])
def test_a_dictionary_in_another_encoding_is_refused_with_its_offset(implementation, tmp_path, codec):
    pages = (
        dictionary_page((7).to_bytes(8, "little"), 1, codec=codec).changed(encoding=wire.ENCODING_RLE_DICTIONARY),
        data_page(b"\1\x20\0", 16, wire.ENCODING_RLE_DICTIONARY, definition=varint(32) + b"\1", codec=codec),
    )
    error = refused(tmp_path, replace(column(*pages), codec=codec))
    assert (error.offset, error.expected, error.found) == (
        FIRST_PAGE,
        wire.ENCODING_PLAIN,
        wire.ENCODING_RLE_DICTIONARY,
    )


def test_a_dictionary_after_data_pages_is_refused_with_its_offset(implementation, tmp_path):
    error = refused(tmp_path, column(plain(8), DICTIONARY, indices(8), data_page_offset=FIRST_PAGE))
    assert "a dictionary page after data pages" in str(error)
    assert error.offset == FIRST_PAGE + len(plain(8).to_bytes())


def test_data_pages_in_front_of_all_pages_are_refused(implementation, tmp_path):
    error = refused(tmp_path, column(DICTIONARY, indices(16), data_page_offset=3))
    assert (error.expected, error.found) == (FIRST_PAGE, 3)


def test_a_codec_of_no_name_is_refused_though_no_page_is_compressed(implementation, tmp_path):
    path = file_of(tmp_path, column(DICTIONARY, indices(16), codec=-2), 16)
    with pytest.raises(Unsupported, match="codec -2 is not read"):
        parquetext.read_table(path, engine="parquetext")


def test_a_type_of_no_name_is_refused(implementation, tmp_path):
    one = replace(column(DICTIONARY, indices(16)), element={"type": 13}, metadata={"type": wire.PHYSICAL_BYTE_ARRAY})
    assert "13 is not a physical type of Parquet" in str(refused(tmp_path, one))


def test_a_column_whose_type_is_lost_is_not_lost_itself(implementation, tmp_path):
    path = file_of(tmp_path, replace(sound(16), element={"type": -1}), 16)
    with pytest.raises(OSError, match="Invalid physical column type"):
        pq.read_table(path)
    for engine in (None, "pyarrow"):
        with pytest.raises(OSError, match="Invalid physical column type"):
            parquetext.read_table(path, engine=engine)
    with pytest.raises(Unsupported, match="row groups do not match its schema"):
        parquetext.read_table(path, engine="parquetext")


@pytest.mark.parametrize(
    ("writer", "is_read"),
    [
        ("parquet-mr version 1.2.8 (build 0)", True),
        ("parquet-mr", True),
        ("parquet-mr version 1.2.9 (build 0)", False),
        ("parquet-mr version 1.10.0", False),
        ("parquet-cpp version 1.0.0", False),
    ],
)
def test_pages_may_exceed_their_chunk_only_for_known_writers(implementation, tmp_path, writer, is_read):
    size = sum(len(page.to_bytes()) for page in sound(16).pages)
    path = file_of(tmp_path, column(DICTIONARY, indices(16), total_compressed_size=size - 3), 16)
    write_footer(path, lambda footer: footer | {"created_by": writer})
    if is_read:
        for engine in (None, "parquetext", "pyarrow"):
            assert parquetext.read_table(path, engine=engine).to_pydict() == {"x0": [7] * 16}
        return
    with pytest.raises(Malformed) as caught:
        parquetext.read_table(path, engine="parquetext")
    last = len(indices(16).to_bytes())
    assert caught.value.offset == FIRST_PAGE + size - last
    assert (caught.value.expected, caught.value.found) == (last - 3, last)


def write_footer(path: str, change) -> None:
    """Write a file's footer anew, as `change` makes it."""
    with open(path, "r+b") as file:
        data = file.read()
        begin = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
        struct = values.write("FileMetaData", change(values.read("FileMetaData", data[begin:-8])))
        file.seek(begin)
        file.truncate()
        file.write(struct + len(struct).to_bytes(4, "little") + b"PAR1")


def groups_of(tmp_path, rows: int | None, counts: list[int], *, chunks: list[int] | None = None) -> str:
    """Two row groups of 10 rows that say to have others, and so does the footer."""

    def change(footer: dict) -> dict:
        for number, (group, count) in enumerate(zip(footer["row_groups"], counts, strict=True)):
            group["num_rows"] = count
            if chunks is not None:
                group["columns"][0]["meta_data"]["num_values"] = chunks[number]
        return footer | {"num_rows": 20 if rows is None else rows}

    path = str(tmp_path / "x.parquet")
    pq.write_table(pa.table({"a": range(20)}), path, row_group_size=10)
    write_footer(path, change)
    return path


@pytest.mark.parametrize("engine", [None, "pyarrow", "auto", "parquetext"])
@pytest.mark.parametrize("counts", [[0, 0], [0, 10], [5, 10]], ids=str)
def test_the_first_rows_of_row_groups_with_more_values_are_read(implementation, tmp_path, counts, engine):
    path = groups_of(tmp_path, None, counts)
    expected = [*range(counts[0]), *range(10, 10 + counts[1])]
    assert (
        parquetext.read_table(path, engine=engine)["a"].to_pylist() == pq.read_table(path)["a"].to_pylist() == expected
    )
    with parquetext.open(path) as file:
        assert [row["a"] for batch in file.iter_batches(engine=engine) for row in batch.to_pylist()] == expected
    lake = parquetext.dataset(path, engine=engine)
    assert lake.to_table()["a"].to_pylist() == expected
    assert lake.count_rows() == len(expected)


def test_rows_that_the_footer_lost_are_read_as_by_pyarrow(implementation, tmp_path):
    path = groups_of(tmp_path, 0, [10, 10])
    for engine in (None, "auto", "parquetext"):
        assert parquetext.read_table(path, engine=engine) == pq.read_table(path)
    assert pq.read_table(path).num_rows == 20


@pytest.mark.parametrize("engine", [None, "pyarrow", "auto", "parquetext"])
def test_a_row_group_of_less_than_no_rows_is_refused(tmp_path, engine):
    path = groups_of(tmp_path, None, [-5, 10])
    with pytest.raises(OSError, match="Negative size"):
        pq.read_table(path)
    with pytest.raises(Malformed, match=r"row group 0.* has -5 rows"):
        parquetext.read_table(path, engine=engine)


@pytest.mark.parametrize("counts", [[5, 10], [0, 10], [100, 10]], ids=str)
def test_rows_without_columns_are_those_of_the_row_groups(tmp_path, counts):
    path = groups_of(tmp_path, None, counts)
    assert parquetext.read_table(path, []).num_rows == pq.read_table(path, columns=[]).num_rows == sum(counts)
