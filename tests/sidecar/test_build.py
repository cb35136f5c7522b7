"""Sidecars of Parquet files: values from the footer, from QuestDB's key-value metadata, and from the data."""

from __future__ import annotations

import decimal
import io
import json
import struct
from ipaddress import IPv4Address

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext import kernels, sidecar, wire
from parquetext.errors import Conflict, Malformed, Unsupported
from parquetext.pruning import predicate_of
from parquetext.sidecar.origin import CODE, Origin
from parquetext.sidecar.questdb_types import type_name
from parquetext.storage import operations
from parquetext.thrift import values

pytestmark = pytest.mark.usefixtures("implementation")

DESIGNATED = 8 | 1 << 17


def required(table: pa.Table, *names: str) -> pa.Table:
    return table.cast(pa.schema([field.with_nullable(field.name not in names) for field in table.schema]))


def ticks(count: int = 10, **more) -> pa.Table:
    """A required timestamp and other columns."""
    return required(pa.table({"ts": pa.array(range(count), pa.timestamp("us")), **more}), "ts")


def declared(table: pa.Table, columns: list[dict], **more) -> pa.Table:
    """The table with QuestDB's key-value."""
    return table.replace_schema_metadata({"questdb": json.dumps({"version": 1, "schema": columns, **more})})


@pytest.fixture
def path(tmp_path):
    return tmp_path / "part-0.parquet"


def built(path, table: pa.Table, **options) -> sidecar.Plan:
    pq.write_table(table, path, **options)
    sidecar.build(path)
    return sidecar.open(path)


class TestTypes:
    """Without the key-value a column's type follows from the Parquet type."""

    @pytest.mark.parametrize(
        ("values", "name"),
        [
            (pa.array([True]), "BOOLEAN"),
            (pa.array([1], pa.int8()), "BYTE"),
            (pa.array([1], pa.int16()), "SHORT"),
            (pa.array([1], pa.int32()), "INT"),
            (pa.array([1], pa.int64()), "LONG"),
            (pa.array([1], pa.uint8()), "INT"),
            (pa.array([1], pa.uint32()), "INT"),
            (pa.array([1], pa.uint64()), "LONG"),
            (pa.array([1.0]), "DOUBLE"),
            (pa.array([1.0], pa.float32()), "FLOAT"),
            (pa.array(["a"]), "VARCHAR"),
            (pa.array([b"a"]), "BINARY"),
            (pa.array([1], pa.timestamp("us")), "TIMESTAMP"),
            (pa.array([1], pa.timestamp("ns")), "TIMESTAMP_NS"),
            (pa.array([1], pa.timestamp("ms")), "DATE"),
            (pa.array([1], pa.date32()), "DATE"),
            (pa.array([bytes(16)], pa.binary(16)), "LONG128"),
            (pa.array([bytes(32)], pa.binary(32)), "LONG256"),
            (pa.array([bytes(5)], pa.binary(5)), "UNKNOWN"),
            (pa.array([bytes(16)], pa.uuid()), "UUID"),
            (pa.array([decimal.Decimal(1)], pa.decimal128(18, 2)), "DECIMAL64(18,2)"),
            (pa.array([decimal.Decimal(1)], pa.decimal128(38, 0)), "DECIMAL128(38,0)"),
            (pa.array([[1.5]]), "DOUBLE[]"),
            (pa.array([[[1.5]]]), "DOUBLE[][]"),
            (pa.array([[1]]), "UNKNOWN"),
            (pa.array([{"x": 1}]), "UNKNOWN"),
            (pa.array([1], pa.time64("us")), "LONG"),
            (pa.array([[{"x": 1.5}]]), "UNKNOWN"),
            (pa.array([{"x": [1.5]}]), "UNKNOWN"),
            (pa.array([[[{"x": [1.5]}]]]), "UNKNOWN"),
            (pa.array([[("a", 1.5)]], pa.map_(pa.string(), pa.float64())), None),
        ],
    )
    def test_inferred(self, path, values, name):
        assert built(path, pa.table({"x": values})).columns[-1].type == (name or "UNKNOWN")

    @pytest.mark.parametrize(("dimensions", "name"), [(32, "DOUBLE" + "[]" * 32), (33, "UNKNOWN")])
    def test_arrays_have_up_to_32_dimensions(self, path, dimensions, name):
        values, kind = 1.5, pa.float64()
        for _ in range(dimensions):
            values, kind = [values], pa.list_(kind)
        assert built(path, pa.table({"x": pa.array([values], kind)})).columns[0].type == name

    def test_a_list_of_structs_of_several_fields_is_no_array(self, path):
        columns = built(path, pa.table({"x": [[{"a": 1.5, "b": 2.5}]]})).columns
        assert [column.type for column in columns] == ["UNKNOWN"] * 2

    def test_int96_is_a_timestamp_of_nanoseconds(self, path):
        table = pa.table({"x": pa.array([1], pa.timestamp("ns"))})
        assert built(path, table, use_deprecated_int96_timestamps=True).columns[0].type == "TIMESTAMP_NS"

    @pytest.mark.parametrize(
        ("code", "name"),
        [
            (-1, "UNKNOWN"),
            (0, "UNKNOWN"),
            (200, "UNKNOWN"),
            (262152, "TIMESTAMP_NS"),
            (DESIGNATED, "TIMESTAMP"),
            (27 | 10 << 8 | 2 << 14, "DOUBLE[][][]"),
        ],
    )
    def test_names_of_codes(self, code, name):
        assert type_name(code) == name

    def test_leaves_have_the_name_and_repetition_of_their_top_level_field(self, path):
        table = pa.table(
            {"s": [{"x": 1, "y": [2]}]},
            pa.schema([pa.field("s", pa.struct({"x": pa.int64(), "y": pa.list_(pa.int64())}), nullable=False)]),
        )
        columns = built(path, table).columns
        assert [(c.name, c.repetition, c.max_repetition, c.max_definition) for c in columns] == [
            ("s", "REQUIRED", 0, 1),
            ("s", "REQUIRED", 1, 3),
        ]
        with pytest.raises(parquetext.errors.ColumnError, match="columns 0, 1"):
            sidecar.open(path).column("s")

    def test_field_ids_become_ids(self, path):
        schema = pa.schema([pa.field("x", pa.int64(), metadata={"PARQUET:field_id": "77"}), pa.field("y", pa.int64())])
        assert [column.id for column in built(path, pa.table({"x": [1], "y": [1]}, schema)).columns] == [77, -1]

    def test_nested_columns_have_the_id_of_their_top_level_field(self, path):
        def field(name: str, kind: pa.DataType, number: int) -> pa.Field:
            return pa.field(name, kind, metadata={"PARQUET:field_id": str(number)})

        inner = pa.struct([field("a", pa.int64(), 3), field("b", pa.list_(field("element", pa.float64(), 5)), 4)])
        schema = pa.schema([field("s", inner, 2), field("l", pa.list_(field("element", pa.float64(), 7)), 6)])
        table = pa.table({"s": [{"a": 1, "b": [1.5]}], "l": [[1.5]]}, schema)
        assert [column.id for column in built(path, table).columns] == [2, 2, 6]


class TestDeclared:
    """The key-value `questdb` says more than the Parquet schema."""

    def test_types_ids_and_flags(self, path):
        table = declared(
            pa.table({"sym": ["a"], "text": ["b"], "n": [1]}),
            [
                {"column_type": 12, "column_top": 0, "format": 1, "id": 5},
                {"column_type": 26, "column_top": 0, "ascii": True},
                {"column_type": 25, "column_top": 0},
            ],
            unused_bytes=4096,
            squash_tracker=9,
            seq_txn=3,
        )
        plan = built(path, table)
        assert [(c.type, c.id, c.has_global_keys, c.is_ascii) for c in plan.columns] == [
            ("SYMBOL", 5, True, False),
            ("VARCHAR", -1, False, True),
            ("IPv4", -1, False, False),
        ]
        assert (plan.footer.unused_bytes, plan.footer.seq_txn, plan.reader.squash_tracker) == (4096, 3, 9)

    @pytest.mark.parametrize(
        ("kind", "code", "found"),
        [
            (pa.timestamp("ms"), 8, "DATE"),
            (pa.timestamp("us"), 7, "TIMESTAMP"),
            (pa.timestamp("us"), 8, "TIMESTAMP"),
            (pa.timestamp("ns"), DESIGNATED, "TIMESTAMP_NS"),
            (pa.timestamp("ms"), 7, "DATE"),
            (pa.date32(), 7, "DATE"),
            (pa.decimal128(5, 2), 30 | 9 << 8 | 3 << 18, "DECIMAL32(5,2)"),
            (pa.decimal128(5, 2), 30 | 9 << 8 | 2 << 18, "DECIMAL32(9,2)"),
            (pa.decimal128(5, 2), 30 | 9 << 8 | 2 << 24, "DECIMAL32(5,2)"),
            (pa.int64(), 8, "TIMESTAMP"),
        ],
        ids=str,
    )
    def test_a_type_with_another_unit_or_scale_is_ignored(self, path, kind, code, found):
        table = declared(pa.table({"x": pa.nulls(2, kind)}), [{"column_type": code}])
        assert built(path, table).columns[0].type == found

    @pytest.mark.parametrize(("more", "sorting", "descends"), [(0, [1], False), (1 << 20, [1], True)])
    def test_rows_are_sorted_by_the_designated_timestamp_and_nothing_else(self, path, more, sorting, descends):
        table = declared(
            required(pa.table({"n": [1, 2], "ts": pa.array([1, 2], pa.timestamp("us"))}), "ts"),
            [{"column_type": 6}, {"column_type": DESIGNATED | more}],
        )
        plan = built(path, table, sorting_columns=[pq.SortingColumn(0)])
        assert (plan.designated_timestamp, plan.sorting_columns) == (1, sorting)
        assert plan.columns[1].is_descending == descends
        implicit = bool(plan.reader.features & wire.PM_FEATURE_SORTED_BY_TIMESTAMP)
        assert implicit == (not descends)

    @pytest.mark.parametrize(
        ("text", "error", "words"),
        [
            (b"{", Malformed, "cannot be read"),
            (b"[]", Malformed, "cannot be read"),
            (b'{"version": 1}', Malformed, "schema"),
            (b'{"version": 2, "schema": []}', Unsupported, "unsupported questdb metadata version: 2"),
            (b'{"version": 1, "schema": 5}', Malformed, "no list"),
            (b'{"version": 1, "schema": [5]}', Malformed, "is 5"),
            (b'{"version": 1, "schema": [{"column_type": "x"}]}', Malformed, "column_type"),
            (b'{"version": 1, "schema": [{"column_type": 5, "format": 2}]}', Unsupported, "unsupported format: 2"),
            (b'{"version": 1, "schema": []}', Unsupported, "does not match the schema: 0, expected 1"),
            (b'{"version": 1, "schema": [{"column_type": 5}], "unused_bytes": -1}', Malformed, "unused_bytes"),
        ],
    )
    def test_invalid_key_values_are_errors(self, path, text, error, words):
        pq.write_table(pa.table({"x": [1]}).replace_schema_metadata({"questdb": text}), path)
        with pytest.raises(error, match=words) as caught:
            sidecar.build(path)
        assert caught.value.file == str(path)


class TestSorting:
    def test_an_ascending_required_timestamp_that_rows_are_sorted_by_is_designated(self, path):
        plan = built(path, ticks(x=list(range(10))), sorting_columns=[pq.SortingColumn(0)])
        assert (plan.designated_timestamp, plan.sorting_columns) == (0, [0])

    @pytest.mark.parametrize(
        "sorting",
        [[], [pq.SortingColumn(0, descending=True)], [pq.SortingColumn(1)], [pq.SortingColumn(1), pq.SortingColumn(0)]],
    )
    def test_no_other_column_is(self, path, sorting):
        plan = built(path, ticks(x=list(range(10))), sorting_columns=sorting or None)
        assert plan.designated_timestamp is None
        assert plan.sorting_columns == [column.column_index for column in sorting]
        assert [c.is_descending for c in plan.columns] == [
            any(s.descending and s.column_index == index for s in sorting) for index in range(2)
        ]

    def test_one_that_may_be_null_is_not(self, path):
        table = pa.table({"ts": pa.array([1], pa.timestamp("us"))})
        assert built(path, table, sorting_columns=[pq.SortingColumn(0)]).designated_timestamp is None

    @pytest.mark.parametrize(
        ("second", "sorting"),
        [
            (None, [0]),
            ([], [0]),
            ([(0, False)], [0]),
            ([(0, True)], None),
            ([(1, False)], None),
            ([(0, False), (1, False)], None),
            ([(9, False)], None),
        ],
    )
    def test_row_groups_that_declare_any_have_to_agree(self, path, second, sorting):
        sink = io.BytesIO()
        pq.write_table(ticks(x=list(range(10))), sink, row_group_size=5, sorting_columns=[pq.SortingColumn(0)])
        data = sink.getvalue()
        start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
        fields = values.read("FileMetaData", data[start:-8])
        del fields["row_groups"][1]["sorting_columns"]
        if second is not None:
            fields["row_groups"][1]["sorting_columns"] = [
                {"column_idx": column, "descending": falls, "nulls_first": False} for column, falls in second
            ]
        thrift = values.write("FileMetaData", fields)
        path.write_bytes(data[:start] + thrift + len(thrift).to_bytes(4, "little") + b"PAR1")
        if sorting is None:
            with pytest.raises(Unsupported, match=r"sorted by different columns|does not match the schema"):
                sidecar.build(path)
        else:
            sidecar.build(path)
            assert sidecar.open(path).sorting_columns == sorting


class TestFacts:
    def test_chunks_have_the_offsets_of_the_footer(self, path):
        table = pa.table({"a": [1, None, 3] * 100, "b": [f"text {n}" for n in range(300)]})
        plan = built(path, table, row_group_size=100, compression="zstd")
        metadata = pq.read_metadata(path)
        assert list(plan.row_counts) == [100, 100, 100]
        assert plan.num_rows == 300
        for leaf, column in enumerate(plan.columns):
            for group in range(3):
                chunk = metadata.row_group(group).column(leaf)
                start = chunk.dictionary_page_offset or chunk.data_page_offset
                assert column.byte_range_start[group] == start
                assert column.total_compressed_size[group] == chunk.total_compressed_size
                assert column.num_values[group] == chunk.num_values
                assert column.null_count[group] == chunk.statistics.null_count
                assert column.min[group].as_py() == chunk.statistics.min
                assert column.max[group].as_py() == chunk.statistics.max
                assert column.codec[group] == 6

    def test_statistics_are_verbatim_at_the_physical_width(self, path):
        plan = built(path, pa.table({"x": pa.array([-74, 3], pa.int16()), "d": pa.array([1, 5], pa.date32())}))
        assert list(plan.columns[0].min_bytes) == [struct.pack("<i", -74)]
        assert plan.columns[0].min.to_pylist() == [-74]
        assert list(plan.columns[1].max_bytes) == [struct.pack("<i", 5)]

    def test_a_required_leaf_has_no_nulls_with_or_without_a_count(self, path):
        plan = built(path, ticks(x=list(range(10))), write_statistics=False)
        assert [list(column.null_count) for column in plan.columns] == [[0], [-1]]

    @pytest.mark.parametrize(("values", "kept"), [([1, 5], True), ([1, (1 << 32) - 1], False)])
    def test_unsigned_bounds_that_a_signed_reader_would_misread_are_left_out(self, path, values, kept):
        plan = built(path, pa.table({"x": pa.array(values, pa.uint32())}))
        assert plan.columns[0].max.to_pylist() == [5 if kept else None]

    @pytest.mark.parametrize("kind", [pa.uint32(), pa.int32()], ids=str)
    def test_bounds_of_addresses_are_unsigned_and_stored(self, path, kind):
        values = pa.array([0x80000001, 0xC0A80001, 0xFFFFFFFF], pa.uint32())
        table = declared(pa.table({"ip": values.view(kind)}), [{"column_type": 25}])
        plan = built(path, table, row_group_size=2)
        assert plan.column("ip").min.to_pylist() == [0x80000001, 0xFFFFFFFF]
        assert plan.column("ip").max.to_pylist() == [0xC0A80001, 0xFFFFFFFF]
        assert [plan.can_skip(group, [("ip", ">", IPv4Address("192.168.0.1"))]) for group in range(2)] == [True, False]
        assert [plan.can_skip(group, [("ip", "<", IPv4Address("127.0.0.1"))]) for group in range(2)] == [True, True]
        assert parquetext.read_table(path, filters=[("ip", "<", 0)], sidecar=True).num_rows == (
            3 if kind == pa.int32() else 0
        )
        assert plan.surviving(predicate_of(pc.field("ip") < -5)) == [0, 1], "Arrow's integers may have a sign"

    def test_filters_are_copied(self, path):
        table = pa.table({"x": [f"v{n}" for n in range(1000)], "y": list(range(1000))})
        pq.write_table(table, path, row_group_size=500, bloom_filter_options={"x": True})
        assert sidecar.build(path).filters == 2
        plan = sidecar.open(path)
        for group in range(2):
            kind, offset, length = plan.bloom(group, 0)
            assert kind == "inline"
            bitset = memoryview(plan.reader.data)[offset : offset + length]
            hashes = [kernels.checksum.xxh64(f"v{group * 500 + n}".encode()) for n in range(500)]
            assert all(kernels.bloom.might_contain(bitset, hashes))
            assert plan.bloom(group, 1) == ("none", 0, 0)

    def test_external_filters_have_the_offsets_of_the_footer(self, path):
        pq.write_table(pa.table({"x": ["a"]}), path, bloom_filter_options={"x": True})
        sidecar.build(path, external_blooms=True)
        with parquetext.open(path) as file:
            column = file.column("x")
            position = column.bloom_filter_offset[0], column.bloom_filter_length[0]
        assert sidecar.open(path).bloom(0, 0) == ("external", *position)
        assert sidecar.compare(path) == []

    def test_bounds_of_the_timestamp_are_computed_if_the_footer_has_none(self, path):
        table = ticks(1000, x=list(range(1000)))
        pq.write_table(table, path, row_group_size=300, write_statistics=["x"], sorting_columns=[pq.SortingColumn(0)])
        assert sidecar.build(path).backfilled == 4
        column = sidecar.open(path).columns[0]
        assert [value.value for value in column.min] == [0, 300, 600, 900]
        assert [value.value for value in column.max] == [299, 599, 899, 999]
        exact = wire.PM_STAT_MIN_EXACT | wire.PM_STAT_MAX_EXACT
        assert all(flags & exact == exact for flags in column.flags)

    @pytest.mark.parametrize("form", ["flat", "index", "packed", "modular", "jump-table", "par3"])
    def test_the_footer_s_form_makes_no_difference(self, path, form):
        pq.write_table(pa.table({"a": [1, 2], "b": [{"x": "y"}, None]}), path)
        plain = sidecar.build(path)
        fields = describing(sidecar.open(path))
        if form == "par3":
            parquetext.upgrade(path, form="flat")
            parquetext.finalize(path, confirm=True)
        else:
            parquetext.upgrade(path, form=form)
        assert sidecar.build(path).columns == plain.columns
        assert describing(sidecar.open(path)) == fields
        assert sidecar.compare(path) == []

    def test_an_empty_file_and_one_without_columns(self, tmp_path):
        tables = {"rows": pa.table({"x": pa.array([], pa.int64())}), "columns": pa.table({"x": [1]}).select([])}
        for name, table in tables.items():
            path = tmp_path / f"{name}.parquet"
            pq.write_table(table, path)
            sidecar.build(path)
            assert sidecar.compare(path) == []


def describing(plan) -> list:
    return [
        (column.name, column.type, *map(list, (column.byte_range_start, column.null_count, column.min_bytes)))
        for column in plan.columns
    ]


class TestPlace:
    def test_the_sidecar_of_a_lone_data_parquet_is_pm(self, tmp_path):
        pq.write_table(pa.table({"x": [1]}), tmp_path / "data.parquet")
        assert sidecar.build(tmp_path / "data.parquet").sidecar == str(tmp_path / "_pm")

    def test_any_other_has_its_name(self, tmp_path):
        for name in ("data.parquet", "more.parquet"):
            pq.write_table(pa.table({"x": [1]}), tmp_path / name)
        for name in ("data.parquet", "more.parquet"):
            assert sidecar.build(tmp_path / name).sidecar == str(tmp_path / f"_{name}.pm")
            assert sidecar.open(tmp_path / name).sidecar.endswith(f"_{name}.pm")

    def test_readers_of_directories_pass_over_it(self, tmp_path):
        pq.write_table(pa.table({"x": [1]}), tmp_path / "a.parquet")
        sidecar.build(tmp_path / "a.parquet")
        assert pq.read_table(tmp_path).num_rows == 1

    def test_it_is_whole_or_not_there(self, path, monkeypatch):
        pq.write_table(pa.table({"x": [1]}), path)
        sidecar.build(path)
        before = (path.parent / f"_{path.name}.pm").read_bytes()

        def fail(*arguments):
            raise OSError("the disk is full")

        monkeypatch.setattr(operations.Operations, "rename", fail)
        with pytest.raises(OSError, match="full"):
            sidecar.build(path)
        assert sorted(file.name for file in path.parent.iterdir()) == [f"_{path.name}.pm", path.name]
        assert (path.parent / f"_{path.name}.pm").read_bytes() == before

    def test_a_file_that_changes_meanwhile_gets_none(self, path, monkeypatch):
        pq.write_table(pa.table({"x": [1]}), path)
        monkeypatch.setattr("parquetext.sidecar.building.sidecar_bytes", lambda *_, **__: (path.touch(), (b"", ())))
        with pytest.raises(Conflict):
            sidecar.build(path)
        assert [file.name for file in path.parent.iterdir()] == [path.name]

    def test_the_note_identifies_the_file(self, path):
        plan = built(path, pa.table({"x": [1]}))
        status, data = path.stat(), path.read_bytes()
        footer = data[plan.footer.parquet_footer_offset : -8]
        assert plan.footer.parquet_footer_length == len(footer)
        assert Origin.from_bytes(plan.reader.scratchpad[CODE]) == plan.origin
        assert plan.origin == Origin(
            kernels.checksum.crc32(footer),
            len(footer),
            status.st_mtime_ns,
            status.st_ctime_ns,
            status.st_dev,
            status.st_ino,
        )

    def test_no_parquet_file(self, path):
        path.write_bytes(b"no Parquet file at all")
        with pytest.raises(Malformed):
            sidecar.build(path)
