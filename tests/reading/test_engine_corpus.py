"""Our decoder on real files: equal to pyarrow if pyarrow reads the file, and the known outcome for every other file."""

from __future__ import annotations

import csv
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.corpus_files import readable
from support.paths_omitted import omit_paths

import parquetext
from parquetext.errors import Malformed, ParquetextError, Unsupported

IMPALA, TESTING = "impala/testdata/", "parquet-testing/"

# Impala's hacked writer packed these levels from the least significant bit, and pyarrow and Impala read them so. The
# format, and parquet-java, say the most significant one.
OTHERWISE = {"alltypes_agg_bitpacked_def_levels.parquet"}

# Files that our decoder reads and pyarrow does not: rows, and the reason.
OURS_ALONE = {
    f"{IMPALA}data/create_table_like_parquet_test.parquet": (1, "a group annotated as nothing but nulls"),
    f"{IMPALA}data/decimal_padded_fixed_len_byte_array.parquet": (5, "decimals of 17 bytes for 38 digits"),
    f"{IMPALA}max_nesting_depth/parquet/int_array/file.parq": (1, "lists within lists, 100 deep"),
    f"{IMPALA}max_nesting_depth/parquet/int_map/file.parq": (1, "maps within maps, 100 deep"),
    f"{IMPALA}max_nesting_depth/parquet/struct/file.parq": (1, "structs within structs, 100 deep"),
    f"{IMPALA}max_nesting_depth/parquet/struct_array/file.parq": (1, "structs within lists, 100 deep"),
    f"{IMPALA}max_nesting_depth/parquet/struct_map/file.parq": (1, "structs within maps, 100 deep"),
    f"{TESTING}data/incorrect_map_schema.parquet": (1, "a map whose keys may be null: a list of entries"),
    f"{IMPALA}data/bad_rle_literal_count.parquet": (3, "indices of 0 bits without a run for them"),
}
TOO_LARGE = f"{TESTING}data/large_string_map.brotli.parquet"  # keys of more than 2 GiB

# Files declared bad that neither reads.
NEITHER = {
    f"{IMPALA}bad_parquet_data/dict-encoded-negative-len.parq": "a byte array of 4294967285 bytes, 11 are left",
    f"{IMPALA}bad_parquet_data/dict-encoded-out-of-bounds.parq": "a byte array of 12 bytes, 11 are left",
    f"{IMPALA}bad_parquet_data/illegal_decimals.parq": "the chunk has values of type 7, the schema says 6",
    f"{IMPALA}bad_parquet_data/plain-encoded-negative-len.parq": "a byte array of 4294967285 bytes, 11 are left",
    f"{IMPALA}bad_parquet_data/plain-encoded-out-of-bounds.parq": "a byte array of 12 bytes, 11 are left",
    f"{IMPALA}data/bad_codec.parquet": "codec 5000 is not read",
    f"{IMPALA}data/bad_compressed_dict_page_size.parquet": "a page that snappy does not decompress",
    f"{IMPALA}data/bad_compressed_size.parquet": "1000000 bytes of pages at 4, the file has 245",
    f"{IMPALA}data/bad_dict_page_offset.parquet": "47 bytes of pages at 10000, the file has 249",
    f"{IMPALA}data/bad_magic_number.parquet": "not a Parquet file",
    f"{IMPALA}data/bad_metadata_len.parquet": "does not fit in the file of 241 bytes",
    f"{IMPALA}data/bad_rle_repeat_count.parquet": "a run of 0 values",
    f"{IMPALA}data/corrupt_footer_len_decr.parquet": "required field 2 is absent",
    f"{IMPALA}data/corrupt_footer_len_incr.parquet": "does not fit in the file of 320 bytes",
    f"{IMPALA}data/huge_num_rows.parquet": "4294967294 values take 17179869176 bytes in memory",
    f"{IMPALA}data/num_values_def_levels_mismatch.parquet": "needs 1 bytes, 0 left (byte 6 of the decompressed levels)",
    f"{TESTING}bad_data/ARROW-GH-41317.parquet": "the pages end 3 rows too early",
    f"{TESTING}bad_data/ARROW-GH-41321.parquet": "column int64, page 0",
    f"{TESTING}bad_data/ARROW-GH-45185.parquet": "a page that begins within a row",
    f"{TESTING}bad_data/ARROW-GH-47662.parquet": "column flba_field, page 0",
    f"{TESTING}bad_data/ARROW-RS-GH-6229-DICTHEADER.parquet": "125 bytes of pages at 466, the file has 533",
    f"{TESTING}bad_data/ARROW-RS-GH-6229-LEVELS.parquet": "needs 1 bytes, 0 left (byte 6 of the decompressed levels)",
    f"{TESTING}bad_data/PARQUET-1481.parquet": "-7 is not a physical type of Parquet",
}
# Fuzzed files that pyarrow reads and that are none: a footer over the first magic, Thrift types that do not exist.
FUZZED_READ = {
    "clusterfuzz-testcase-minimized-parquet-arrow-fuzz-5068991573000192",
    "clusterfuzz-testcase-minimized-parquet-arrow-fuzz-5382863341289472",
    "crash-649c71a618ae2fd80cec177a9676eb3e280fc1fa",
}


def plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column without its dictionaries, which may be in another order."""
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def assert_same(ours: pa.Table, theirs: pa.Table, where: str) -> None:
    assert ours.schema.equals(theirs.schema, check_metadata=True), where
    for name, one, other in zip(theirs.column_names, ours.columns, theirs.columns, strict=True):
        one, other = plain(one), plain(other)
        assert one.equals(other) or repr(one.to_pylist()) == repr(other.to_pylist()), f"{where}: {name}"


def test_every_readable_file_reads_as_pyarrow_reads_it(corpus, expected):
    for path in readable(corpus, expected):
        ours = parquetext.read_table(str(path), engine="parquetext")
        ours.validate(full=True)
        if path.name not in OTHERWISE:
            assert_same(ours, pq.ParquetFile(path).read(), str(path))


def test_levels_packed_against_the_format_are_read_as_specified(corpus):
    path = corpus / IMPALA / "data/alltypes_agg_bitpacked_def_levels.parquet"
    theirs = pq.ParquetFile(path).read(["int_col"])["int_col"]
    ours = parquetext.read_table(str(path), ["int_col"], engine="parquetext")["int_col"]
    assert ours.drop_null().equals(theirs.drop_null()) and not ours.equals(theirs)


@pytest.mark.parametrize("engine", ["parquetext", "auto"])
@pytest.mark.parametrize("file", OURS_ALONE)
def test_valid_files_that_pyarrow_refuses_are_read(corpus, file, engine):
    path = corpus / file
    with pytest.raises((pa.ArrowException, OSError)):
        pq.ParquetFile(path).read()
    table = parquetext.read_table(str(path), engine=engine)
    table.validate(full=True)
    assert table.num_rows == OURS_ALONE[file][0]


def test_all_files_that_pyarrow_does_not_read_are_listed(expected):
    refused = {fields["file"] for fields in expected if fields["class"] == "not_read_by_pyarrow"}
    assert refused <= OURS_ALONE.keys() | {TOO_LARGE}
    bad = {fields["file"] for fields in expected if fields["class"] == "declared_bad"}
    by_pyarrow = {fields["file"] for fields in expected if fields["readers"].get("pyarrow", {}).get("ok")}
    assert bad - by_pyarrow == NEITHER.keys() | (OURS_ALONE.keys() & bad)


def test_declared_bad_files_that_pyarrow_reads_give_equal_tables(corpus, expected):
    compared = 0
    for fields in expected:
        if fields["class"] != "declared_bad" or not fields["readers"].get("pyarrow", {}).get("ok"):
            continue
        path = str(corpus / fields["file"])
        assert_same(parquetext.read_table(path, engine="parquetext"), pq.ParquetFile(path).read(), path)
        compared += 1
    assert compared == 11


@pytest.mark.parametrize("file", NEITHER)
def test_bad_files_are_refused_with_their_reason(corpus, file):
    path = str(corpus / file)
    with pytest.raises((Malformed, Unsupported)) as caught:
        parquetext.read_table(path, engine="parquetext")
    assert NEITHER[file] in str(caught.value)
    assert caught.value.file == path


def test_fuzzed_files_end_in_our_errors_or_read_as_pyarrow_reads_them(corpus, expected):
    for fields in expected:
        if fields["class"] != "fuzz":
            continue
        path = corpus / fields["file"]
        try:
            ours = parquetext.read_table(str(path), engine="parquetext")
        except ParquetextError:
            assert path.name not in FUZZED_READ, path
            continue
        ours.validate(full=True)
        if path.name in FUZZED_READ:
            assert_same(ours, pq.ParquetFile(path).read(), str(path))


def test_encrypted_columns_are_refused_by_name(corpus):
    path = str(corpus / TESTING / "data/encrypt_columns_plaintext_footer.parquet.encrypted")
    with parquetext.open(path) as file, pytest.raises(Unsupported) as caught:
        file.read(engine="parquetext")
    assert "column" in str(caught.value) and "encrypted" in str(caught.value) and caught.value.file == path


def test_checksums_of_pages_are_compared_on_request(corpus):
    path = str(corpus / TESTING / "data/datapage_v1-corrupt-checksum.parquet")
    with pytest.raises(ParquetextError, match=r"row group 0, column .*checksum") as caught:
        parquetext.read_table(path, engine="parquetext", page_checksum_verification=True)
    assert caught.value.offset is not None


def as_text(value) -> str:
    if value is None:
        return ""
    return value.decode() if isinstance(value, bytes) else str(value)


def expectations(corpus: Path) -> list[Path]:
    return sorted((corpus / TESTING / "data").glob("*_expect.csv"))


def test_values_are_those_that_the_files_authors_expect(corpus):
    compared = 0
    for path in expectations(corpus):
        table = parquetext.read_table(str(path).replace("_expect.csv", ".parquet"), engine="parquetext")
        with path.open(newline="") as file:
            rows = list(csv.reader(file))
        assert len(rows) == table.num_rows + 1
        for position, name in enumerate(table.column_names):
            for row, value in zip(rows[1:], table.column(position).to_pylist(), strict=True):
                message = row[position].strip()
                same = as_text(value) == message or (
                    message and isinstance(value, (int, float)) and value == Decimal(message)
                )
                assert same, f"{path.name}: {name}: {value!r} is not {message!r}"
                compared += 1
    assert compared > 20_000


def test_a_file_without_path_in_schema_reads_like_one_with(tmp_path):
    table = pa.table({"a": [1, None, 3], "s": [{"x": [1], "y": "q"}, None, {"x": [], "y": None}]})
    pq.write_table(table, tmp_path / "with.parquet")
    path = omit_paths(tmp_path / "with.parquet", tmp_path / "without.parquet")
    assert parquetext.read_table(str(path), engine="parquetext").equals(table)
