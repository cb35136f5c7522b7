"""Claims of a few bytes cost no memory: batches stay small, and contradicting counts are refused first."""

from __future__ import annotations

import io
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.copied_column import file_of_copy
from support.pages import Column, data_page, dictionary_page, parquet_file
from support.peaks import peaks
from support.varints import varint

import parquetext
from parquetext import wire
from parquetext.encoding.decoded_sizes import VARIABLE
from parquetext.encoding.experimental import FSST, PFOR
from parquetext.encoding.registry import Encoding
from parquetext.thrift import values

MOST = (1 << 31) - 1
ROOM = 64 << 20

BATCHES = """if True:
    import resource, sys
    import parquetext
    from parquetext.errors import ParquetextError

    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10

    with parquetext.open(sys.argv[1]) as file:
        list(file.iter_batches(engine="parquetext"))
    before = peak()
    try:
        with parquetext.open(sys.argv[2]) as file:
            rows = 0
            for batch in file.iter_batches(engine="parquetext"):
                rows += batch.num_rows
                if rows > 20_000_000:
                    break
        outcome = str(rows > 20_000_000)
    except ParquetextError as error:
        outcome = error.message
    print(peak() - before, outcome)
"""
TABLE = BATCHES.replace('list(file.iter_batches(engine="parquetext"))', 'file.read(engine="parquetext")').replace(
    'for batch in file.iter_batches(engine="parquetext"):', 'for batch in file.read(engine="parquetext").to_batches():'
)
CHECKS = """if True:
    import resource, sys
    import parquetext

    def found(path):
        report, layout = parquetext.verify(path, deep=True), parquetext.layout(path, decompress=True)
        return [finding.kind for finding in [*report.findings, *layout.findings] if not finding.is_note]

    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10

    found(sys.argv[1])
    before = peak()
    outcome = found(sys.argv[2])
    print(peak() - before, outcome)
"""


def run(count: int, value: int) -> bytes:
    return varint(count << 1) + bytes([value])


def nulls(count: int, kind: int = wire.PHYSICAL_INT64, **metadata) -> Column:
    page = data_page(b"", count, wire.ENCODING_PLAIN, definition=run(count, 0))
    return Column("x", kind, [page], repetition=wire.REPETITION_OPTIONAL, metadata=metadata)


def wide_nulls(count: int, width: int = 1 << 20) -> Column:
    page = data_page(b"", count, wire.ENCODING_PLAIN, definition=run(count, 0))
    kind = wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY
    return Column("x", kind, [page], type_length=width, repetition=wire.REPETITION_OPTIONAL)


def long_row(count: int, **metadata) -> Column:
    repetition = run(1, 0) + run(count - 1, 1)
    page = data_page(b"", count, wire.ENCODING_PLAIN, definition=run(count, 0), repetition=repetition)
    return Column("x", wire.PHYSICAL_INT64, [page], repetition=wire.REPETITION_REPEATED, metadata=metadata)


def values_of_a_long_row(count: int) -> Column:
    levels = {"definition": run(count, 1), "repetition": run(1, 0) + run(count - 1, 1)}
    page = data_page(bytes([1]) + run(count, 0), count, wire.ENCODING_RLE_DICTIONARY, **levels)
    return Column("x", wire.PHYSICAL_INT64, [dictionary_page(bytes(8), 1), page], repetition=wire.REPETITION_REPEATED)


def repeated_text(count: int, **metadata) -> Column:
    text = b"x" * 200
    dictionary = dictionary_page(len(text).to_bytes(4, "little") + text, 1)
    page = data_page(bytes([1]) + run(count, 0), count, wire.ENCODING_RLE_DICTIONARY)
    return Column("x", wire.PHYSICAL_BYTE_ARRAY, [dictionary, page], metadata=metadata)


def contradicting_row(count: int) -> Column:
    """A row whose last entry is an item of a list, and none."""
    levels = {"definition": run(count - 1, 1) + run(1, 0), "repetition": run(1, 0) + run(count - 1, 1)}
    page = data_page(bytes([1]) + run(count, 0), count, wire.ENCODING_RLE_DICTIONARY, **levels)
    return Column("x", wire.PHYSICAL_INT64, [dictionary_page(bytes(8), 1), page], repetition=wire.REPETITION_REPEATED)


def zeros(items: int, claimed: int | None = None, count: int | None = None) -> Column:
    """Integers in a page that brotli compresses a hundred thousand times; it may claim more bytes, or more values."""
    page = data_page(bytes(8 * items), count or items, wire.ENCODING_PLAIN, codec=wire.CODEC_BROTLI)
    page = page.changed(uncompressed_page_size=claimed or 8 * items)
    return Column("x", wire.PHYSICAL_INT64, [page], codec=wire.CODEC_BROTLI)


def cut_short(count: int) -> Column:
    page = data_page(bytes(4), count, wire.ENCODING_RLE)
    return Column("y", wire.PHYSICAL_BOOLEAN, [page])


def measured(program: str, tmp_path, data: bytes) -> tuple[int, str]:
    """Return the bytes that reading a file takes beyond those of a small one, and the outcome."""
    assert len(data) <= 500
    (tmp_path / "small.parquet").write_bytes(parquet_file([nulls(3)], rows=3))
    (tmp_path / "x.parquet").write_bytes(data)
    arguments = [str(tmp_path / "small.parquet"), str(tmp_path / "x.parquet")]
    done = subprocess.run([sys.executable, "-P", "-c", program, *arguments], capture_output=True, text=True, check=True)
    taken, _, outcome = done.stdout.strip().partition(" ")
    return int(taken), outcome


@pytest.fixture(autouse=True)
def _without_limit(monkeypatch):
    """Raise the limit for disproportionate values, so that the checks behind it report the damage."""
    monkeypatch.setenv(VARIABLE, str(1 << 62))


@pytest.mark.parametrize(
    ("columns", "rows", "outcome"),
    [
        ([nulls(MOST)], MOST, "True"),
        ([wide_nulls(50)], 50, "False"),
        ([long_row(MOST)], 1, "a row of up to 2147483647 values"),
    ],
    ids=["nulls", "wide nulls", "one long row"],
)
def test_batches_of_a_file_of_500_bytes_stay_small(tmp_path, columns, rows, outcome):
    taken, found = measured(BATCHES, tmp_path, parquet_file(columns, rows))
    assert outcome in found and taken < ROOM


@pytest.mark.parametrize(
    ("columns", "rows", "outcome"),
    [
        ([nulls(3)], MOST, "rows too early"),
        ([nulls(3, num_values=MOST)], MOST, "rows too early"),
        ([nulls(MOST, num_values=3)], 3, "False"),
        ([long_row(MOST, num_values=3)], 1, "a page of 2147483647 entries, the column chunk has"),
    ],
    ids=["rows", "chunk", "page", "list"],
)
def test_a_table_whose_counts_disagree_takes_no_memory(tmp_path, columns, rows, outcome):
    taken, found = measured(TABLE, tmp_path, parquet_file(columns, rows))
    assert outcome in found and taken < ROOM


@pytest.mark.parametrize(
    ("columns", "rows", "outcome"),
    [
        ([repeated_text(2_000_000), cut_short(2_000_000)], 2_000_000, "column y, page 0: the input ends"),
        ([repeated_text(2_000_000, num_values=2_000_001)], 2_000_001, "rows too early"),
        ([nulls(12_000_000, wire.PHYSICAL_BYTE_ARRAY), cut_short(12_000_000)], 12_000_000, "column y, page 0"),
        ([wide_nulls(20, MOST), cut_short(20)], 20, "column y, page 0: the input ends"),
        ([values_of_a_long_row(1 << 25)], 2, "rows too early"),
        ([values_of_a_long_row(1 << 25), cut_short(1)], 1, "column y, page 0: the input ends"),
        ([zeros(1 << 20, MOST)], 1 << 20, "decompresses to 2147483647; its 1048576 values need"),
        ([zeros(1 << 20, 4 << 20)], 1 << 20, "a page decompresses to more than 4194304 bytes"),
        ([zeros(1 << 24)], 1 << 24, "bytes of brotli that decompress to 134217728, more than 32768 times as many"),
        ([zeros(1 << 20), cut_short(1 << 20)], 1 << 20, "column y, page 0: the input ends"),
        ([zeros(1 << 20, count=(1 << 20) + 1)], (1 << 20) + 1, "column x, page 0: the input ends"),
        ([contradicting_row(1 << 28)], 1, "column x, page 0: a definition level of 0 within a list, the least is 1"),
    ],
    ids=[
        "texts",
        "cut texts",
        "null texts",
        "wide nulls",
        "cut row",
        "one long row",
        "brotli's claim",
        "more brotli",
        "vast brotli",
        "brotli beside",
        "cut brotli",
        "contradicting row",
    ],
)
def test_a_table_of_few_bytes_is_checked_before_it_is_kept(tmp_path, columns, rows, outcome):
    taken, found = measured(TABLE, tmp_path, parquet_file(columns, rows))
    assert outcome in found and taken < ROOM


def test_pages_of_brotli_are_read_up_to_the_expansion_of_zstd(tmp_path):
    file = parquet_file([zeros(1 << 20)], 1 << 20)
    for program in (BATCHES, TABLE):
        taken, found = measured(program, tmp_path, file)
        assert found == "False" and taken < ROOM


def test_a_sound_row_that_no_batch_could_hold_is_read_in_a_table(tmp_path):
    file = parquet_file([values_of_a_long_row(1 << 22)], 1)
    taken, found = measured(BATCHES, tmp_path, file)
    assert "bytes of pages is read in a table alone" in found and taken < ROOM
    (tmp_path / "long.parquet").write_bytes(file)
    table = parquetext.read_table(tmp_path / "long.parquet", engine="parquetext")
    assert table["x"].combine_chunks().value_lengths().to_pylist() == [1 << 22]


def test_leaves_that_disagree_about_a_long_list_are_refused_before_it_is_kept(tmp_path):
    """A list of structs of two numbers: the second leaf has one item less."""
    count = 1 << 26

    def leaf(name: str, items: int) -> Column:
        levels = {"definition": run(items, 1), "repetition": run(1, 0) + run(items - 1, 1)}
        page = data_page(bytes([1]) + run(items, 0), items, wire.ENCODING_RLE_DICTIONARY, **levels)
        return Column(f"s.{name}", wire.PHYSICAL_INT64, [dictionary_page(bytes(8), 1), page])

    number = {"type": wire.PHYSICAL_INT64, "repetition_type": wire.REPETITION_REQUIRED}
    schema = [
        {"name": "root", "num_children": 1},
        {"repetition_type": wire.REPETITION_REPEATED, "name": "s", "num_children": 2},
        *({**number, "name": name} for name in "ab"),
    ]
    file = parquet_file([leaf("a", count), leaf("b", count - 1)], 1, schema=schema)
    taken, found = measured(TABLE, tmp_path, file)
    assert f"the lists of 's' hold {count} items by one leaf and {count - 1} by another" in found and taken < ROOM


def test_batches_of_repeated_texts_come_although_a_name_is_no_utf_8(tmp_path):
    sink = io.BytesIO()
    pq.write_table(pa.table({"zz": ["text"] * 5000}), sink, store_schema=False, compression="none")
    (tmp_path / "x.parquet").write_bytes(sink.getvalue().replace(b"zz", b"\xff\xfe"))
    with parquetext.open(tmp_path / "x.parquet") as file:
        assert sum(batch.num_rows for batch in file.iter_batches(engine="parquetext")) == 5000


def test_a_row_of_long_texts_that_few_bytes_repeat_comes_in_no_batch(tmp_path):
    count, text = 1 << 16, (1 << 20).to_bytes(4, "little") + bytes(1 << 20)
    levels = {"definition": run(count, 1), "repetition": run(1, 0) + run(count - 1, 1)}
    indices = data_page(b"\1" + run(count, 0), count, wire.ENCODING_RLE_DICTIONARY, codec=wire.CODEC_ZSTD, **levels)
    texts = [dictionary_page(text, 1, codec=wire.CODEC_ZSTD), indices]
    options = {"repetition": wire.REPETITION_REPEATED, "codec": wire.CODEC_ZSTD}
    (tmp_path / "small.parquet").write_bytes(parquet_file([nulls(3)], rows=3))
    (tmp_path / "x.parquet").write_bytes(parquet_file([Column("x", wire.PHYSICAL_BYTE_ARRAY, texts, **options)], 1))
    for pure in (False, True):
        paths = tmp_path / "small.parquet", [tmp_path / "x.parquet"]
        batches, verified = peaks(*paths, ["batches", "verify"], pure=pure)
        assert "a row whose byte arrays take more than 16777216 bytes" in batches.outcome
        assert max(batches.taken, verified.taken) < ROOM


def test_valid_texts_out_of_proportion_are_read(tmp_path):
    (tmp_path / "x.parquet").write_bytes(parquet_file([repeated_text(100_000)], 100_000))
    table = parquetext.read_table(tmp_path / "x.parquet", engine="parquetext")
    assert table.num_rows == 100_000 and set(table["x"].to_pylist()) == {b"x" * 200}


@pytest.mark.parametrize(
    ("columns", "rows"),
    [([wide_nulls(20, 1 << 25), nulls(20)], 20), ([zeros(1 << 20)], 1 << 20), ([repeated_text(500_000)], 500_000)],
    ids=["wide nulls", "brotli", "texts"],
)
def test_sound_values_out_of_proportion_are_verified_and_laid_out_in_little_memory(tmp_path, columns, rows):
    taken, found = measured(CHECKS, tmp_path, parquet_file(columns, rows))
    assert found == "[]" and taken < ROOM


def test_the_twin_refuses_few_bytes_that_claim_many_values(tmp_path):
    """It decodes a page as a whole, so it refuses by name the pages that the compiled kernels read in parts."""
    few = "bytes of pages are not decoded in Python"
    files = [
        ([nulls(MOST)], MOST, few),
        ([contradicting_row(1 << 28)], 1, few),
        ([contradicting_row(1 << 15)], 1, "a definition level of 0 within a list, the least is 1"),
        ([wide_nulls(50)], 50, few),
        ([zeros(1 << 16, MOST)], 1 << 16, "decompresses to 2147483647"),
        ([zeros(1 << 16, count=1 << 15), cut_short(1 << 15)], 1 << 15, "column y, page 0: the input ends"),
        ([repeated_text(1 << 16), cut_short(1 << 16)], 1 << 16, "column y, page 0: the input ends"),
    ]
    (tmp_path / "small.parquet").write_bytes(parquet_file([nulls(3)], rows=3))
    paths = []
    for number, (columns, rows, _) in enumerate(files):
        paths.append(tmp_path / f"{number}.parquet")
        paths[-1].write_bytes(parquet_file(columns, rows))
    found = list(peaks(tmp_path / "small.parquet", paths, ["table"], pure=True))
    for (_, _, message), peak in zip(files, found, strict=True):
        assert message in peak.outcome and peak.taken < ROOM


def with_nulls_twice(count: int, encoding: Encoding) -> bytes:
    """A column of nulls, and a copy of it in another encoding, each one page of a few bytes."""
    definition = run(count, 0)

    def page(number: int) -> bytes:
        levels = {"definition_levels_byte_length": len(definition), "repetition_levels_byte_length": 0}
        counts = {"num_values": count, "num_nulls": count, "num_rows": count, "encoding": number}
        sizes = {"uncompressed_page_size": len(definition), "compressed_page_size": len(definition)}
        header = {"type": wire.PAGE_DATA_PAGE_V2, **sizes, "data_page_header_v2": counts | levels}
        return values.write("PageHeader", header) + definition

    copy, chunk = page(encoding.id), page(wire.ENCODING_PLAIN)
    counts = {"uncompressed": len(copy), "nulls": count, "repetition": 1}
    return file_of_copy(encoding, copy, chunk, count, kind=min(encoding.types), **counts)


@pytest.mark.parametrize("encoding", [PFOR, FSST], ids=["pfor", "fsst"])
def test_nulls_of_a_copy_take_no_memory(tmp_path, encoding):
    taken, outcome = measured(BATCHES, tmp_path, with_nulls_twice(100_000_000, encoding))
    assert outcome == "True"
    assert taken < ROOM
