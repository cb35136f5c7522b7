"""Footers with many key-values or columns take time in proportion to their bytes."""

from __future__ import annotations

import io
import time

import pyarrow as pa
import pyarrow.parquet as pq
from support.footers import footer_of

import parquetext
from parquetext import kernels, thrift
from parquetext.footer.form_agreement import compare_form
from parquetext.footer.forms import THRIFT
from parquetext.footer.thrift_form import ThriftForm

MANY, SECONDS = 40_000, 1.5


def written(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink, store_schema=False, write_statistics=False)
    return sink.getvalue()


def test_many_key_values_are_read_in_one_pass():
    data = written(pa.table({"x": [1]}))
    footer = footer_of(data)
    fields = thrift.read("FileMetaData", footer)
    fields["key_value_metadata"] = [{"key": f"key {number}", "value": "value"} for number in range(MANY)]
    changed = thrift.write("FileMetaData", fields)
    data = data[: -8 - len(footer)] + changed + len(changed).to_bytes(4, "little") + b"PAR1"
    begin = time.process_time()
    with parquetext.open(data, form="thrift") as file:
        assert len(file.key_values) == MANY and file.key_values[b"key 39999"] == b"value"
    assert time.process_time() - begin < SECONDS


def test_the_schemas_of_two_forms_are_compared_in_one_pass():
    columns = 2 * MANY
    fields = thrift.read("FileMetaData", footer_of(written(pa.table({"x": [1]}))))
    root, leaf = fields["schema"]
    leaves = [leaf | {"name": f"column {number}"} for number in range(columns)]
    fields |= {"schema": [root | {"num_children": columns}, *leaves], "row_groups": [], "num_rows": 0}
    del fields["column_orders"]
    footer = thrift.write("FileMetaData", fields)
    scan, form = kernels.scan.scan(footer), ThriftForm(footer)
    begin = time.process_time()
    assert [*compare_form(scan, form, THRIFT)] == []
    assert time.process_time() - begin < 2 * SECONDS
