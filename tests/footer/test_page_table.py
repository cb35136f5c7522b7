"""The page table: one row per page of a column."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from datetime import date
from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from support.copied_files import change_blocks, copied_file, copies

import parquetext
from parquetext import wire
from parquetext.errors import ColumnError, Malformed, Unsupported

ROWS = 6000
TABLE = pa.table(
    {
        "n": pa.array([None if n % 9 == 0 else n for n in range(ROWS)], pa.int64()),
        "small": pa.array([n % 100 for n in range(ROWS)], pa.int8()),
        "text": [f"value {n:05}" for n in range(ROWS)],
        "day": pa.array([date(2020, 1, 1 + n // 300) for n in range(ROWS)]),
        "money": pa.array([Decimal(n) / 100 for n in range(ROWS)], pa.decimal128(20, 2)),
        "list": [[n, n + 1] for n in range(ROWS)],
        "nothing": pa.nulls(ROWS, pa.float64()),
    }
)


@pytest.fixture(params=["1.0", "2.0"])
def path(request, tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(
        TABLE,
        path,
        data_page_version=request.param,
        row_group_size=2500,
        data_page_size=1500,
        write_batch_size=100,
        write_page_checksum=True,
        use_dictionary=["small"],
        write_page_index=False,
    )
    return path


def data_pages(pages: pa.Table) -> pa.Table:
    return pages.filter(pc.not_equal(pages["type"].cast(pa.string()), "DICTIONARY_PAGE"))


@pytest.mark.parametrize("name", ["n", "small", "text", "day", "money", "nothing"])
def test_pages_of_a_column_hold_its_rows(implementation, path, name):
    with parquetext.open(path) as file:
        pages, column = file.pages(name), file.column(name)
    data = data_pages(pages)
    assert pages["row_group"].unique().to_pylist() == [0, 1, 2]
    counts = data.group_by("row_group").aggregate([("num_values", "sum"), ("num_rows", "sum"), ("num_nulls", "sum")])
    assert counts["num_values_sum"].to_pylist() == counts["num_rows_sum"].to_pylist() == list(column.num_values)
    assert sum(counts["num_nulls_sum"].to_pylist()) == TABLE[name].null_count
    assert pages["crc"].null_count == 0
    rows = data.filter(pc.equal(data["row_group"], 1))
    first = 0
    for page in rows.to_pylist():
        assert page["first_row"] == first
        values = TABLE[name][2500 + first : 2500 + first + page["num_rows"]]
        expected = pc.min_max(values).as_py() if name != "nothing" else {"min": None, "max": None}
        assert {"min": page["min"], "max": page["max"]} == expected
        first += page["num_rows"]
    assert first == 2500


def test_pages_tile_their_chunks(implementation, path):
    with parquetext.open(path) as file:
        for column in file.columns():
            pages = file.pages(column.path)
            for number, (start, size) in enumerate(
                zip(column.chunks.begins(), column.total_compressed_size, strict=True)
            ):
                at = start
                chunk = pages.filter(pc.equal(pages["row_group"], number)).to_pylist()
                assert [page["page"] for page in chunk] == list(range(len(chunk)))
                for page in chunk:
                    assert page["offset"] == at
                    at += page["header_size"] + page["compressed_size"]
                assert at == start + size


def test_a_dictionary_page_is_a_separate_row(implementation, path):
    with parquetext.open(path) as file:
        pages = file.pages("small").to_pylist()
    first = pages[0]
    assert (first["type"], first["encoding"], first["num_values"]) == ("DICTIONARY_PAGE", "PLAIN", 100)
    assert first["num_rows"] is first["first_row"] is first["min"] is first["num_nulls"] is None
    assert pages[1]["encoding"] == "RLE_DICTIONARY" and pages[1]["first_row"] == 0


def test_rows_of_lists_are_known_if_the_header_contains_them(implementation, path, request):
    with parquetext.open(path) as file:
        pages = file.pages(("list", "list", "element"))
    is_v2 = pages["type"][0].as_py() == "DATA_PAGE_V2"
    assert sum(pages["num_values"].to_pylist()) == 2 * ROWS
    assert (pages["num_rows"].null_count == 0) == is_v2
    assert pages["first_row"][0].as_py() == 0
    assert (pages["first_row"][1].as_py() is None) != is_v2


def test_few_bytes_are_read_of_large_pages(tmp_path):
    path = tmp_path / "large.parquet"
    pq.write_table(
        pa.table({"n": range(400_000)}), path, use_dictionary=False, compression="none", data_page_size=400_000
    )
    import parquetext.footer.page_table as module

    class Counting:
        read_bytes = 0

        def __init__(self, source):
            self.source, self.size = source, source.size

        def read(self, offset, length):
            Counting.read_bytes += length
            return self.source.read(offset, length)

    with parquetext.open(path) as file:
        pages = module.page_table(Counting(file._source), file.column("n"))
        assert pages.equals(file.pages("n"))
    assert len(pages) >= 8 and Counting.read_bytes <= 4096 * (len(pages) + 1)


def test_a_header_that_cannot_be_read_is_an_error_with_its_offset(implementation, path):
    with parquetext.open(path) as file:
        offset = file.pages("n")["offset"][3].as_py()
    data = bytearray(path.read_bytes())
    data[offset] = 0xFF
    path.write_bytes(data)
    with parquetext.open(path) as file:
        with pytest.raises(Malformed) as caught:
            file.pages("n")
        assert (caught.value.file, caught.value.offset) == (str(path), offset)
        with pytest.raises(ColumnError):
            file.pages("none such")
        assert len(file.pages("text"))


def test_a_file_without_row_groups_has_no_pages(implementation, tmp_path):
    path = tmp_path / "empty.parquet"
    pq.ParquetWriter(path, TABLE.schema).close()
    with parquetext.open(path) as file:
        pages = file.pages("n")
        assert len(pages) == 0
        assert pages.schema.field("min").type == pa.int64()


def test_an_encrypted_column_is_refused(implementation, corpus):
    path = corpus / "parquet-testing/data/encrypt_columns_plaintext_footer.parquet.encrypted"
    with parquetext.open(path) as file:
        encrypted = [
            column
            for column in file.columns()
            if any(column.present[i] & wire.PRESENT_CRYPTO for i in range(len(column)))
        ]
        assert encrypted
        with pytest.raises(Unsupported, match="are encrypted"):
            file.pages(encrypted[0].path)


@pytest.mark.parametrize(
    "name",
    [
        "parquet-testing/data/alltypes_tiny_pages.parquet",
        "parquet-testing/data/datapage_v2.snappy.parquet",
        "parquet-testing/data/concatenated_gzip_members.parquet",
    ],
)
def test_tables_of_the_corpus_hold_every_page(implementation, corpus, expected, name):
    (known,) = (file for file in expected if file["file"] == name)
    with parquetext.open(corpus / name) as file:
        assert sum(len(file.pages(column.path)) for column in file.columns()) == known["pages"]


def cli(*arguments) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "parquetext", "pages", *map(str, arguments)], capture_output=True, text=True, check=False
    )


def test_the_command_prints_pages_as_json_and_as_a_table(path):
    done = cli(path, "--column", "day", "--json")
    documents = [json.loads(line) for line in done.stdout.splitlines()]
    with parquetext.open(path) as file:
        pages = file.pages("day").to_pylist()
    assert done.returncode == 0 and len(documents) == len(pages)
    assert documents[0] == {"column": "day", **pages[0], "min": str(pages[0]["min"]), "max": str(pages[0]["max"])}
    done = cli(path, "--column", "day", "--column", "n")
    assert done.returncode == 0 and "day" in done.stdout and pages[0]["encoding"].lower() in done.stdout


def test_the_command_reports_unsupported_requests(path):
    done = cli(path, "--column", "none such")
    assert done.returncode == 2 and "none such" in done.stderr and not done.stdout
    assert json.loads(cli(path.with_name("absent"), "--json").stdout)["outcome"] == "failed"


@pytest.mark.parametrize("form", [None, "flat", "index"])
def test_pages_of_copies_are_distinguished_from_those_of_chunks(tmp_path, form):
    path = copied_file(tmp_path / "x.parquet", {"price": "alp", "list": "delta_binary_packed"})
    message = copies(path)
    if form is not None:
        parquetext.upgrade(path, form=form)
    with parquetext.open(path) as file:
        own, copied, lists = (
            file.pages("price"),
            file.pages("price", copies=True),
            file.pages("list.list.element", copies=True),
        )
        none = file.pages("id", copies=True)
    assert set(copied["type"].to_pylist()) == {"DATA_PAGE_V2"} != set(own["type"].to_pylist())
    assert set(copied["encoding"].to_pylist()) == {"ALP"}
    assert copied["offset"].to_pylist() == [copy.offset for copy in message[::2]]
    assert lists["offset"].to_pylist() == [copy.offset for copy in message[1::2]]
    assert pc.sum(copied["num_rows"]).as_py() == pc.sum(lists["num_rows"]).as_py() == 2000
    assert (none.num_rows, none.column_names) == (0, own.column_names)


def test_copies_of_other_chunks_have_no_pages(tmp_path):
    path = copied_file(tmp_path / "x.parquet", {"price": "alp"})
    change_blocks(path, lambda copy: replace(copy, chunk_length=copy.chunk_length + 1))
    with parquetext.open(path) as file:
        assert file.pages("price", copies=True).num_rows == 0


def test_copies_beyond_the_file_are_an_error(tmp_path):
    path = copied_file(tmp_path / "x.parquet", {"price": "alp"})
    size = path.stat().st_size
    change_blocks(path, lambda copy: replace(copy, offset=size))
    with parquetext.open(path) as file, pytest.raises(Malformed, match="a copy of column 'price'"):
        file.pages("price", copies=True)


def test_encodings_of_copies_alone_have_their_names(tmp_path):
    path = copied_file(tmp_path / "x.parquet", {"id": "pfor", "text": "fsst"})
    with parquetext.open(path) as file:
        assert set(file.pages("id", copies=True)["encoding"].to_pylist()) == {"PFOR"}
        assert set(file.pages("text", copies=True)["encoding"].to_pylist()) == {"FSST"}
