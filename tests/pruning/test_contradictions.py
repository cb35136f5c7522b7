"""Rows are never lost to statistics, page indexes or Bloom filters that cannot be right."""

from __future__ import annotations

import shutil
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.changed_metadata import with_footer
from support.contradicting_indexes import (
    CONTRADICTIONS,
    HIGH,
    LOW,
    ROWS,
    ROWS_OF_GROUP,
    ROWS_OF_PAGE,
    TABLE,
    D,
    I,
    N,
    O,
    change_column_index,
    write_indexed,
)
from support.page_indexes import why_untrusted
from support.parquet_bytes import footer_of

import parquetext
from parquetext import thrift
from parquetext.catalog import batches_of
from parquetext.footer.column_index import ChunkCounts, ColumnIndex, find_contradiction

FORMS = "thrift", "flat", "index", "par3"


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "x.parquet"
    write_indexed(path)
    return path


def change_statistics(path, leaf: int, **changes) -> None:
    """Change members of the statistics of a leaf's chunks; None removes one."""

    def changed(footer: dict) -> None:
        for group in footer["row_groups"]:
            statistics = group["columns"][leaf]["meta_data"]["statistics"]
            statistics |= changes
            for name in [name for name, value in statistics.items() if value is None]:
                del statistics[name]

    with_footer(path, changed)


def found_by_every_route(path, filters) -> dict[str, list[int]]:
    """The numbers of the rows that meet the filters, by every way to read them."""
    found = {}
    for form in FORMS:
        file = path.with_name(f"{form}.parquet")
        shutil.copy(path, file)
        if form == "par3":
            parquetext.upgrade(file, form="flat")
            parquetext.finalize(file, confirm=True)
        elif form != "thrift":
            parquetext.upgrade(file, form=form)
        tables = {
            "read_table": parquetext.read_table(file, filters=filters),
            "engine": parquetext.read_table(file, filters=filters, engine="parquetext"),
            "dataset": parquetext.dataset(file).to_table(filter=filters),
        }
        found |= {f"{form}, {name}": table["n"].to_pylist() for name, table in tables.items()}
    file = path.with_name("beside.parquet")
    shutil.copy(path, file)
    catalog = pa.Table.from_batches(batches_of([str(file)]))
    groups = [group for planned in parquetext.plan(catalog, filters) for group in planned.row_groups]
    with parquetext.open(file) as opened:
        found["catalog"] = opened.read(row_groups=groups, filters=filters)["n"].to_pylist()
    for external in (False, True):
        parquetext.sidecar.build(file, external_blooms=external)
        sidecar = {
            "one file": parquetext.read_table(file, filters=filters, sidecar=True),
            "dataset": parquetext.dataset(file, sidecar=True).to_table(filter=filters),
            "datasets": parquetext.dataset([str(file)] * 2, sidecar=True).to_table(filter=filters)[:ROWS],
        }
        found |= {f"sidecar {name}, {external}": table["n"].to_pylist() for name, table in sidecar.items()}
        plan = parquetext.sidecar.open(file)
        skipped = [group for group in range(2) if plan.can_skip(group, filters)]
        read = found["thrift, read_table"]
        found[f"skip, {external}"] = [n for n in read if n // ROWS_OF_GROUP not in skipped]
    return found


def assert_found(path, filters, wanted: list[int]) -> None:
    found = {name: sorted(set(rows)) for name, rows in found_by_every_route(path, filters).items()}
    assert found == dict.fromkeys(found, wanted)


@pytest.mark.parametrize("filters", [[("d", "=", Decimal("1.00"))], [("d", "<", Decimal("1.01")), ("n", ">", 99)]])
def test_decimals_of_no_bytes_are_no_bounds(path, implementation, filters):
    change_statistics(path, D, min_value=b"", max_value=b"")
    with parquetext.open(path) as file:
        assert (file.column("d").min.null_count, file.column("d").max.null_count) == (2, 2)
    assert_found(path, filters, [100])


@pytest.mark.parametrize("leaf, value", [(N, bytes(4)), (N, b""), (I, bytes(8)), (I, b"\0")])
def test_bounds_of_an_impossible_length_rule_nothing_out(path, implementation, leaf, value):
    change_statistics(path, leaf, min_value=value, max_value=value)
    assert_found(path, [("ni"[leaf == I], "=", 137)], [137])


@pytest.mark.parametrize("count", [ROWS_OF_GROUP, ROWS_OF_GROUP + 1, -1])
def test_null_counts_that_a_required_column_cannot_have_rule_nothing_out(path, implementation, count):
    change_statistics(path, N, null_count=count, min_value=None, max_value=None)
    assert_found(path, [("n", "=", 137)], [137])


@pytest.mark.parametrize("count", [ROWS_OF_GROUP + 1, 1 << 40, -1, -(1 << 40), ROWS_OF_GROUP])
def test_null_counts_that_contradict_the_values_rule_nothing_out(path, implementation, count):
    change_statistics(path, O, null_count=count)
    assert_found(path, [("o", "=", 137)], [137])


@pytest.mark.parametrize("leaf, change", CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_a_column_index_with_a_contradiction_rules_nothing_out(path, implementation, leaf, change):
    name = TABLE.column_names[leaf]
    change_column_index(path, leaf, change)
    with parquetext.open(path) as file:
        column = file.column(name)
        found = [why_untrusted(file._source, column.chunks, column.node, group, [ROWS_OF_PAGE] * 4) for group in (0, 1)]
        assert found[0 if leaf == O else 1], "the contradiction is reported"
        assert file.pages(name)["min"].null_count >= 4, "and its bounds are not"
    literal = Decimal("1.37") if leaf == D else 137
    for engine in ("auto", "parquetext"):
        assert parquetext.read_table(path, filters=[(name, "=", literal)], engine=engine)["n"].to_pylist() == [137]
    assert parquetext.dataset(path, engine="parquetext").to_table(filter=[(name, "=", literal)])["n"].to_pylist() == [
        137
    ]


@pytest.mark.parametrize("form", FORMS[1:])
@pytest.mark.parametrize("leaf, change", CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_a_column_index_with_a_contradiction_rules_nothing_out_in_any_form(path, form, leaf, change):
    name = TABLE.column_names[leaf]
    change_column_index(path, leaf, change)
    parquetext.upgrade(path, form="flat" if form == "par3" else form)
    if form == "par3":
        parquetext.finalize(path, confirm=True)
    parquetext.sidecar.build(path)
    numbers = [n for n in (0, 60, 137, 399) if TABLE[name][n].is_valid]
    for number in numbers:
        literal = Decimal(number).scaleb(-2) if leaf == D else number
        for sidecar in (False, True):
            read = parquetext.read_table(path, filters=[(name, "=", literal)], engine="parquetext", sidecar=sidecar)
            assert read["n"].to_pylist() == [number]


def test_a_sound_column_index_is_used(path, implementation):
    with parquetext.open(path) as file:
        for name in TABLE.column_names:
            column = file.column(name)
            values = [ROWS_OF_PAGE] * 4
            assert not why_untrusted(file._source, column.chunks, column.node, 0, values)
            assert not why_untrusted(file._source, column.chunks, column.node, 0)


def test_a_column_index_is_checked_without_the_pages_values(path, implementation):
    with parquetext.open(path) as file:
        node = file.column("n").node
    index = ColumnIndex([False, True], [LOW, b""], [HIGH, b""], 0, None)
    assert find_contradiction(index, node, ChunkCounts()) == "says that page 1 of a required column has nulls"
    with parquetext.open(path) as file:
        node = file.column("o").node
    assert find_contradiction(index, node, ChunkCounts()) is None
    assert "null pages of 1 values or more" in find_contradiction(index, node, ChunkCounts(None, 100, 0))
    assert "all are null" in find_contradiction(index, node, ChunkCounts(None, 100, 100))


def test_only_verify_deep_finds_that_bounds_belong_to_other_pages(path):
    """As docs/reading.md says: the index has no contradiction, and values are not compared with bounds."""

    def turned(index: dict) -> dict:
        sides = {name: [*index[name][1:], index[name][0]] for name in ("min_values", "max_values")}
        return index | sides | {"boundary_order": 0}

    change_column_index(path, N, turned)
    assert not parquetext.verify(path, pages=True).findings
    assert {finding.kind for finding in parquetext.verify(path, deep=True).findings} == {"column-index"}
    assert parquetext.read_table(path, filters=[("n", "=", 7)], engine="pyarrow")["n"].to_pylist() == [7]


@pytest.fixture
def filtered(tmp_path):
    path = tmp_path / "x.parquet"
    table = pa.table({"n": pa.array([10 * n for n in range(ROWS)], pa.int64())})
    pq.write_table(table, path, row_group_size=ROWS_OF_GROUP, bloom_filter_options={"n": {"ndv": 1000, "fpp": 0.01}})
    return path


def change_filters(path, header: dict | None = None, **metadata) -> None:
    """Change fields of Bloom filter headers, keeping their length, and the footer's fields about them."""
    data = bytearray(path.read_bytes())

    def changed(footer: dict) -> None:
        for group in footer["row_groups"]:
            fields = group["columns"][0]["meta_data"]
            at = fields["bloom_filter_offset"]
            found, end = thrift.read_at("BloomFilterHeader", bytes(data), at)
            new = thrift.write("BloomFilterHeader", found | (header or {}))
            assert len(new) == end - at
            data[at:end] = new
            fields |= metadata
            for name in [name for name, value in metadata.items() if value is None]:
                del fields[name]

    footer_at = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    before = data[:footer_at]
    data = before
    with_footer(path, changed, before)


@pytest.mark.parametrize(
    "header, metadata",
    [
        ({"numBytes": 1024}, {}),
        ({}, {"bloom_filter_length": 20}),
        ({}, {"bloom_filter_length": 0}),
        ({}, {"bloom_filter_length": -7}),
        ({}, {"bloom_filter_length": 1 << 30}),
        ({"numBytes": 1025}, {"bloom_filter_length": None}),
    ],
    ids=str,
)
def test_a_bloom_filter_with_a_contradiction_rules_nothing_out(filtered, implementation, header, metadata):
    change_filters(filtered, header, **metadata)
    for value in range(0, 10 * ROWS, 370):
        filters = [("n", "=", value)]
        for engine in ("auto", "parquetext"):
            assert parquetext.read_table(filtered, filters=filters, engine=engine).num_rows == 1
        assert parquetext.dataset(filtered).to_table(filter=filters).num_rows == 1
    if metadata.get("bloom_filter_length") == 1 << 30:
        return  # a sidecar is not made of a file whose footer leads out of it
    for external in (False, True):
        parquetext.sidecar.build(filtered, external_blooms=external)
        for value in range(0, 10 * ROWS, 370):
            filters = [("n", "=", value)]
            assert parquetext.read_table(filtered, filters=filters, sidecar=True).num_rows == 1
            assert parquetext.dataset(filtered, sidecar=True).to_table(filter=filters).num_rows == 1


def test_a_bloom_filter_without_any_bit_rules_nothing_out(filtered, implementation):
    clear_filters(filtered)
    for value in range(0, 10 * ROWS, 370):
        filters = [("n", "=", value)]
        assert parquetext.read_table(filtered, filters=filters).num_rows == 1
        assert parquetext.dataset(filtered).to_table(filter=filters).num_rows == 1
    parquetext.sidecar.build(filtered)
    assert parquetext.read_table(filtered, filters=[("n", "=", 370)], sidecar=True).num_rows == 1


def clear_filters(path) -> None:
    data = bytearray(path.read_bytes())
    for group in thrift.read("FileMetaData", footer_of(path))["row_groups"]:
        fields = group["columns"][0]["meta_data"]
        _, begin = thrift.read_at("BloomFilterHeader", bytes(data), fields["bloom_filter_offset"])
        end = fields["bloom_filter_offset"] + fields["bloom_filter_length"]
        data[begin:end] = bytes(end - begin)
    path.write_bytes(data)
