"""Footer fields that the arrow dialect cannot store are listed; different values in it are findings."""

from __future__ import annotations

import contextlib
import random

import pytest
from support.arrow_dialect import LZ4, ONE_CHUNK, framed, with_block
from support.parquet_bytes import TABLE, footer_of, parquet_bytes, with_footer
from support.samples import examples

import parquetext
from parquetext import thrift
from parquetext.errors import Malformed, ParquetextError
from parquetext.footer.dialect.builder import Builder
from parquetext.footer.dialect.field_differences import Kind, differences, prepare
from parquetext.footer.dialect.from_thrift import encode
from parquetext.footer.dialect.slots import LAYOUTS
from parquetext.footer.dialect.to_thrift import Decoded

PLAIN = parquet_bytes()
_, LOSSES = prepare(footer_of(PLAIN))

pytestmark = pytest.mark.usefixtures("implementation")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "x.parquet"


def test_losses_are_listed_field_by_field():
    assert {loss.field: (loss.kind, loss.count) for loss in LOSSES} == {
        "ColumnMetaData.encodings": (Kind.LOST, 9),
        "ColumnMetaData.encoding_stats": (Kind.LOST, 9),
        "ColumnMetaData.size_statistics": (Kind.LOST, 9),
        "Statistics.max": (Kind.LOST, 6),
        "Statistics.min": (Kind.LOST, 6),
    }
    assert str(LOSSES[0]).startswith("the arrow dialect: ColumnMetaData.encodings is lost: row group 0, column a")


def changed_footer(change) -> dict:
    footer = thrift.read("FileMetaData", footer_of(PLAIN))
    change(footer, footer["row_groups"][0]["columns"][0])
    return footer


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda footer, chunk: chunk.update(offset_index_offset=7), "ColumnChunk.offset_index_offset"),
        (lambda footer, chunk: chunk["meta_data"]["statistics"].update(nan_count=1), "Statistics.nan_count"),
        (lambda footer, chunk: chunk["meta_data"]["statistics"].update(distinct_count=1), "Statistics.distinct_count"),
        (lambda footer, chunk: chunk["meta_data"]["statistics"].update(null_count=1 << 31), "Statistics.null_count"),
        (
            lambda footer, chunk: footer.update(
                column_orders=[{"IEEE_754_TOTAL_ORDER": {}}, *footer["column_orders"][1:]]
            ),
            "FileMetaData.column_orders",
        ),
        (lambda footer, chunk: footer.pop("column_orders"), "Statistics.min_value"),
        (lambda footer, chunk: footer["schema"][1].update(converted_type=21), "SchemaElement.converted_type"),
        (
            lambda footer, chunk: footer.update(key_value_metadata=[{"key": "k", "value": "\udcff"}]),
            "FileMetaData.key_value_metadata",
        ),
        (lambda footer, chunk: footer.update({77: thrift.Unknown(5, b"\2")}), "FileMetaData.field 77"),
        (
            lambda footer, chunk: chunk["meta_data"].update(geospatial_statistics={}),
            "ColumnMetaData.geospatial_statistics",
        ),
    ],
)
def test_each_field_that_the_dialect_cannot_store_is_listed(change, field):
    _, losses = prepare(thrift.write("FileMetaData", changed_footer(change)))
    assert field in {loss.field for loss in losses}


@pytest.mark.parametrize(
    "change",
    [
        lambda footer, chunk: chunk.update(file_path="elsewhere.parquet"),
        lambda footer, chunk: chunk["meta_data"].update(codec=300),
        lambda footer, chunk: chunk["meta_data"].update(path_in_schema=["other"]),
        lambda footer, chunk: chunk["meta_data"].update(type=5),
        lambda footer, chunk: footer["schema"][1].update(logicalType={"FILE": {}}),
        lambda footer, chunk: footer["schema"][1].update(converted_type=2),
        lambda footer, chunk: footer["schema"][1].update(name="\udcff"),
        lambda footer, chunk: footer.update(footer_signing_key_metadata=b"k"),
        lambda footer, chunk: footer.update(encryption_algorithm={"AES_GCM_V1": {}}),
        lambda footer, chunk: chunk.update(crypto_metadata={"ENCRYPTION_WITH_FOOTER_KEY": {}}),
    ],
)
def test_footers_without_required_fields_are_refused(change):
    with pytest.raises(ParquetextError):
        prepare(thrift.write("FileMetaData", changed_footer(change)))


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda chunk: chunk["meta_data"].update(codec=2), "ColumnMetaData.codec"),
        (lambda chunk: chunk["meta_data"].update(num_values=1), "ColumnMetaData.num_values"),
        (lambda chunk: chunk["meta_data"].update(data_page_offset=1), "ColumnMetaData.data_page_offset"),
        (lambda chunk: chunk["meta_data"]["statistics"].update(null_count=1), "Statistics.null_count"),
        (lambda chunk: chunk["meta_data"]["statistics"].update(min_value=b"\7" * 8), "Statistics.min_value"),
    ],
)
def test_a_difference_from_thrift_is_a_finding(path, change, field):
    footer = changed_footer(lambda _, chunk: change(chunk))
    path.write_bytes(with_block(PLAIN, framed(encode(footer), LZ4)))
    report = parquetext.verify(path)
    [finding] = report.findings
    assert finding.kind == "forms-differ" and field in finding.message and "row group 0, column a" in finding.message


def test_names_that_are_no_utf8_can_be_printed(path):
    footer = ONE_CHUNK | {"schema": [{"name": b"root", "num_children": 1}, {"name": b"a\xff", "type": 1}]}
    block = framed(Builder(LAYOUTS["a77d277"]).finish("FileMetaData", footer))
    single = parquet_bytes(TABLE.select(["a"]).slice(0, 5))
    path.write_bytes(with_block(single, block))
    report = parquetext.verify(path)
    assert not report.ok
    for line in (*map(str, report.findings), *report.omitted):
        line.encode()


def test_a_footer_is_compared_row_group_by_row_group():
    footer = thrift.read("FileMetaData", footer_of(PLAIN))
    fewer = footer | {"row_groups": footer["row_groups"][:2]}
    for ours, theirs in ((footer, fewer), (fewer, footer)):
        found = [one for one in differences(ours, Decoded(encode(theirs))) if one.kind is Kind.DIFFERS]
        assert [one.field for one in found] == ["FileMetaData.row_groups"]


def test_a_missing_page_type_in_thrift_is_a_separate_finding(path):
    footer = changed_footer(lambda _, chunk: chunk["meta_data"].update(encoding_stats=[{"encoding": 8, "count": 1}]))
    whole = with_footer(PLAIN, thrift.write("FileMetaData", footer))
    path.write_bytes(with_block(whole, framed(encode(footer), LZ4)))
    messages = {finding.kind: finding.message for finding in parquetext.verify(path).findings}
    assert messages.keys() == {"missing-field"}
    assert "PageEncodingStats without page_type" in messages["missing-field"]


def test_a_footer_that_lacks_a_required_field_is_not_compared(path):
    footer = changed_footer(lambda _, chunk: None)
    del footer["row_groups"]
    whole = with_footer(PLAIN, thrift.write("FileMetaData", footer))
    path.write_bytes(with_block(whole, framed(encode(changed_footer(lambda _, chunk: None)), LZ4)))
    assert not parquetext.verify(path).ok
    with pytest.raises(Malformed, match=r"required field .* is absent"):
        prepare(thrift.write("FileMetaData", footer))


def test_changed_bytes_never_raise_anything_but_errors_of_the_package():
    footer = footer_of(PLAIN)
    buffer = encode(thrift.read("FileMetaData", footer))
    numbers = random.Random(28)
    for _ in range(examples(500)):
        changed, other = bytearray(footer), bytearray(buffer)
        for data in (changed, other):
            for _ in range(numbers.randint(1, 3)):
                data[numbers.randrange(len(data))] = numbers.choice((0, 1, 0x15, 0x19, 0x2C, 0xFF))
        for ours, theirs in ((bytes(changed), buffer), (footer, bytes(other))):
            with contextlib.suppress(ParquetextError):
                found = thrift.read("FileMetaData", ours)
                list(differences(found, Decoded(theirs)))
                encode(found)
