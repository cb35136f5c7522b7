"""Statistics of unknown combinations of physical type, annotation and column order: neither shown nor used."""

from __future__ import annotations

import json
import struct

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from support.changed_metadata import with_footer
from support.cli_runs import run

import parquetext
from parquetext import catalog, wire
from parquetext.thrift.values import Unknown

EMPTY = Unknown(wire.TYPE_STRUCT, b"\0")
TABLE = pa.table(
    {
        "x": pa.array([1, 2, 3, 4], pa.int32()),
        "d": [1.0, 2.0, 3.0, 4.0],
        "f": pa.array([bytes(12), b"a" * 12, b"b" * 12, b"c" * 12], pa.binary(12)),
    }
)
LITERALS = {"x": 100, "d": 100.0, "f": b"z" * 12}
COMBINATIONS = {
    "order 4": ("x", {}, {4: EMPTY}),
    "order 15": ("d", {}, {15: EMPTY}),
    "order 16": ("x", {}, {16: EMPTY}),
    "order 300": ("d", {}, {300: EMPTY}),
    "total order of integers": ("x", {}, {"IEEE_754_TOTAL_ORDER": {}}),
    "order of INT96 for doubles": ("d", {}, {"INT96_TIMESTAMP_ORDER": {}}),
    "unknown annotation": ("x", {"logicalType": {77: EMPTY}}, {"TYPE_ORDER": {}}),
    "unknown annotation in total order": ("d", {"logicalType": {77: EMPTY}}, {"IEEE_754_TOTAL_ORDER": {}}),
    "INTERVAL": ("f", {"converted_type": 21}, {"TYPE_ORDER": {}}),
}


@pytest.fixture(params=COMBINATIONS.values(), ids=COMBINATIONS)
def file(request, tmp_path):
    """A file with such a column, and the column's name."""
    name, annotation, order = request.param
    path = tmp_path / "x.parquet"
    pq.write_table(TABLE, path, row_group_size=2, write_page_index=True)

    def changed(footer: dict) -> None:
        leaf = TABLE.column_names.index(name)
        footer["schema"][leaf + 1] |= annotation
        footer["column_orders"][leaf] = order
        for row_group in footer["row_groups"]:  # writers store the deprecated pair, too
            statistics = row_group["columns"][leaf]["meta_data"]["statistics"]
            statistics |= {"min": statistics["min_value"], "max": statistics["max_value"]}

    with_footer(path, changed)
    return path, name


@pytest.mark.parametrize("form", ["thrift", "flat", "index", "packed", "jump-table"])
def test_bounds_are_neither_used_nor_shown(file, form):
    path, name = file
    if form != "thrift":
        parquetext.upgrade(path, form=form)
    with parquetext.open(path) as opened:
        column = opened.column(name)
        assert opened.form == form
        assert column.min_bytes.to_list() == column.max_bytes.to_list() == [None, None]
        assert column.min.null_count == column.max.null_count == 2
        pages = opened.pages(name)
        assert pages["min"].null_count == pages["max"].null_count == pages.num_rows
        for filters in ([(name, ">", LITERALS[name])], pc.field(name) > LITERALS[name]):
            assert [group.is_read for group in opened.explain(filters=filters).row_groups] == [True, True]
            assert opened.read(filters=filters).num_rows == 0
        statistics = opened.metadata.row_group(0).column(opened.parquet_schema.paths.index((name,))).statistics
        assert statistics is None or not statistics.has_min_max
    for options in ((), ("--per-row-group",)):
        for line in run("columns", path, name, "--json", *options).stdout.splitlines():
            assert json.loads(line)["stats_min"] is json.loads(line)["stats_max"] is None
    rows = pa.Table.from_batches(catalog.batches_of([path])).filter(pc.field("column") == name)
    bounds = [each for each in rows.column_names if each.startswith(("min", "max")) and each != "max_repetition_level"]
    assert all(rows[each].null_count == len(rows) for each in bounds)
    assert parquetext.verify(path, deep=True).ok


@pytest.mark.parametrize("is_declared", [False, True])
def test_bounds_of_int96_are_used_only_in_their_own_order(tmp_path, is_declared):
    path = tmp_path / "x.parquet"
    times = pa.array([1, 2, 86_400_000_000_001, 86_400_000_000_002], pa.timestamp("ns"))
    pq.write_table(pa.table({"t": times}), path, row_group_size=2, use_deprecated_int96_timestamps=True)

    def changed(footer: dict) -> None:
        footer["column_orders"] = [{"INT96_TIMESTAMP_ORDER" if is_declared else "TYPE_ORDER": {}}]
        for day, row_group in enumerate(footer["row_groups"]):
            low, high = (struct.pack("<qi", nanoseconds, 2_440_588 + day) for nanoseconds in (1, 2))
            row_group["columns"][0]["meta_data"]["statistics"] = {"max_value": high, "min_value": low}

    with_footer(path, changed)
    late = pc.field("t") > pa.scalar(5, pa.timestamp("ns"))
    with parquetext.open(path) as opened:
        assert [group.is_read for group in opened.explain(filters=late).row_groups] == [not is_declared, True]
        assert opened.column("t").min.null_count == (0 if is_declared else 2)
        assert opened.read(filters=late).num_rows == 2
