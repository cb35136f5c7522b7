"""A column's facts over all row groups, as pyarrow's metadata has them."""

from __future__ import annotations

import datetime
import decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.corpus_files import readable
from support.flat_files import write_with_flat_footer
from support.samples import some

import parquetext
from parquetext.errors import ColumnError, ParquetextError, Unsupported
from parquetext.thrift import write

NESTED = pa.schema(
    [
        pa.field("id", pa.int64()),
        pa.field("place", pa.struct([("x", pa.float64()), ("y", pa.float64())])),
        pa.field("a.b", pa.int32()),
        pa.field("a", pa.struct([("b", pa.int32())])),
        pa.field("tags", pa.list_(pa.string())),
    ]
)
ROWS = [{"id": n, "place": {"x": n / 2, "y": None}, "a.b": n, "a": {"b": -n}, "tags": [f"t{n}", "u"]} for n in range(6)]


@pytest.fixture
def nested(tmp_path):
    path = str(tmp_path / "nested.parquet")
    pq.write_table(pa.Table.from_pylist(ROWS, NESTED), path, row_group_size=2)
    return path


@pytest.mark.usefixtures("implementation")
def test_a_fact_that_a_caller_releases_stays_readable(nested):
    with parquetext.open(nested) as file:
        column = file.column("id")
        for _ in range(2):
            with column.num_values as values, column.data_page_offset as offsets:
                assert list(values) == [2, 2, 2] and offsets[0] > 0
        assert file.read(["id"]).num_rows == 6


@pytest.mark.usefixtures("implementation")
@pytest.mark.parametrize("form", ["flat", "index"])
def test_requests_for_an_eighth_of_the_columns_keep_the_footer_in_memory(tmp_path, form):
    path, count = str(tmp_path / "wide.parquet"), 1024
    pq.write_table(pa.table({f"c{n:04}": [n] for n in range(count)}), path)
    parquetext.upgrade(path, form=form)
    with parquetext.open(path) as file:
        costs = []
        for n in range(count):
            column = file.column(f"c{n * 97 % count:04}")
            assert column.max_bytes.to_list() == [(n * 97 % count).to_bytes(8, "little")]
            costs.append(file.io_stats.requests)
        assert costs[99] < costs[100] and costs[-1] == costs[count // 8]
        assert costs[-1] <= 4 * count // 8


@pytest.mark.usefixtures("implementation")
class TestNames:
    def test_a_string_is_a_top_level_name(self, nested):
        with parquetext.open(nested) as file:
            assert file.column("id").path == ("id",)

    def test_a_dotted_string_is_a_leaf_path(self, nested):
        with parquetext.open(nested) as file:
            assert file.column("place.y").path == ("place", "y")
            assert file.column("tags.list.element").path == ("tags", "list", "element")

    def test_a_tuple_is_a_path(self, nested):
        with parquetext.open(nested) as file:
            assert file.column(("place", "x")).path == ("place", "x")
            assert list(file.column(("a", "b")).max) == [pa.scalar(n, pa.int32()) for n in (0, -2, -4)]
            assert list(file.column(("a.b",)).max) == [pa.scalar(n, pa.int32()) for n in (1, 3, 5)]

    def test_a_dotted_name_that_could_be_both_lists_the_candidates(self, nested):
        candidates = r"ambiguous: .*\('a\.b',\).*\('a', 'b'\)"
        with parquetext.open(nested) as file, pytest.raises(ColumnError, match=candidates):
            file.column("a.b")

    @pytest.mark.parametrize("form", ["thrift", "flat"])
    def test_many_names_give_their_columns_in_order(self, nested, tmp_path, form):
        path = nested if form == "thrift" else write_with_flat_footer(nested, tmp_path / "flat.parquet")
        with parquetext.open(path) as file:
            names = ["tags.list.element", "id", ("a.b",), "place.x", "id", ("a", "b")]
            assert [column.leaf for column in file.columns(names)] == [5, 0, 3, 1, 0, 4]
            assert [column.leaf for column in file.columns(iter(["id"]))] == [0]
            assert file.columns([]) == []
            for wrong, match in ((["id", "a.b"], "ambiguous"), (["id", "place"], "group"), (["nope"], "no column")):
                with pytest.raises(ColumnError, match=match):
                    file.columns(wrong)
            assert file.form == form

    def test_a_group_lists_its_leaves(self, nested):
        leaves = r"group; .*\('place', 'x'\), \('place', 'y'\)"
        with parquetext.open(nested) as file, pytest.raises(ColumnError, match=leaves):
            file.column("place")

    def test_an_unknown_name_is_an_error_of_three_kinds(self, nested):
        with parquetext.open(nested) as file:
            for kind in (KeyError, ValueError, parquetext.errors.ParquetextError):
                with pytest.raises(kind, match=f"{nested}: no column 'nope'"):
                    file.column("nope")

    @pytest.mark.parametrize("name", [1, b"id", (), ("id", 1), ["id"]])
    def test_an_object_that_cannot_be_a_name_is_a_type_error(self, nested, name):
        with parquetext.open(nested) as file, pytest.raises(TypeError, match="named by a string or a tuple"):
            file.column(name)

    def test_duplicate_names_are_ambiguous(self, tmp_path):
        path = str(tmp_path / "twice.parquet")
        pq.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["x", "x"]), path)
        with parquetext.open(path) as file, pytest.raises(ColumnError, match="ambiguous"):
            file.column("x")

    def test_field_ids_find_leaves_and_groups(self, tmp_path):
        path = str(tmp_path / "ids.parquet")

        def field(name: str, kind: pa.DataType, number: int) -> pa.Field:
            return pa.field(name, kind, metadata={"PARQUET:field_id": str(number)})

        schema = pa.schema([field("p", pa.int32(), 7), field("q", pa.struct([field("r", pa.int64(), 9)]), 8)])
        pq.write_table(pa.Table.from_pylist([{"p": 1, "q": {"r": 2}}], schema), path)
        with parquetext.open(path) as file:
            assert file.column(field_id=9).path == ("q", "r")
            assert file.column(field_id=7).field_id == 7
            with pytest.raises(ColumnError, match=r"field id 8 is a group; .*\('q', 'r'\)"):
                file.column(field_id=8)
            with pytest.raises(ColumnError, match="no field id 1"):
                file.column(field_id=1)
            with pytest.raises(TypeError, match="either a name or a field id"):
                file.column("p", field_id=7)


@pytest.mark.usefixtures("implementation")
class TestBounds:
    @pytest.mark.parametrize(
        ("kind", "low", "high"),
        [
            (pa.bool_(), False, True),
            (pa.int8(), -128, 127),
            (pa.uint8(), 0, 255),
            (pa.int16(), -2, 3),
            (pa.uint32(), 0, 2**32 - 1),
            (pa.int64(), -(2**63), 2**63 - 1),
            (pa.uint64(), 1, 2**64 - 1),
            (pa.float32(), -1.5, 2.5),
            (pa.float64(), -1e300, 1e300),
            (pa.string(), "Ärger", "étude"),
            (pa.binary(), b"\x00", b"\xff\x00"),
            (pa.binary(3), b"abc", b"abd"),
            (pa.date32(), datetime.date(1, 1, 1), datetime.date(9999, 12, 31)),
            (pa.time32("ms"), datetime.time(0, 0), datetime.time(23, 59, 59)),
            (pa.time64("us"), datetime.time(0, 0), datetime.time(23, 59, 59, 999_999)),
            (pa.timestamp("us"), datetime.datetime(1900, 1, 1), datetime.datetime(2100, 1, 1, 1, 1, 1, 5)),
            (
                pa.timestamp("ms", tz="UTC"),
                datetime.datetime(1900, 1, 1, tzinfo=datetime.UTC),
                datetime.datetime(2100, 1, 1, tzinfo=datetime.UTC),
            ),
            (pa.decimal128(7, 2), decimal.Decimal("-99999.99"), decimal.Decimal("12345.67")),
            (pa.decimal128(30, 10), decimal.Decimal("-1.5"), decimal.Decimal("2.5")),
            (pa.decimal256(60, 1), decimal.Decimal("-1.5"), decimal.Decimal("2.5")),
        ],
        ids=lambda value: str(value) if isinstance(value, pa.DataType) else "",
    )
    def test_are_arrays_of_the_logical_type(self, tmp_path, kind, low, high):
        path = str(tmp_path / "bounds.parquet")
        pq.write_table(pa.table({"x": pa.array([high, None, low], kind)}), path)
        with parquetext.open(path) as file:
            column = file.column("x")
            assert column.type == kind
            assert column.min.equals(pa.array([low], kind))
            assert column.max.equals(pa.array([high], kind))

    def test_values_are_null_if_unknown(self, tmp_path):
        path = str(tmp_path / "none.parquet")
        pq.write_table(pa.table({"x": pa.array([None, None, 1, 2], pa.int32())}), path, row_group_size=2)
        with parquetext.open(path) as file:
            column = file.column("x")
            assert column.min.to_pylist() == [None, 1]
            assert column.max.to_pylist() == [None, 2]
            assert list(column.min_bytes) == [None, b"\x01\0\0\0"]
            assert column.max_bytes[-1] == b"\x02\0\0\0"

    def test_exactness_is_null_if_there_is_no_bound(self, tmp_path):
        path = str(tmp_path / "exact.parquet")
        pq.write_table(pa.table({"x": pa.array([None, None, 1, 2], pa.int32())}), path, row_group_size=2)
        with parquetext.open(path) as file:
            assert not file.column("x").min_is_exact[0].is_valid
            assert file.column("x").min_is_exact.type == pa.bool_()


def test_a_float_that_is_not_a_number_is_no_bound(tmp_path):
    path = str(tmp_path / "nan.parquet")
    pq.write_table(pa.table({"x": [float("nan"), 1.0, 2.0]}), path)
    with parquetext.open(path) as file:
        assert file.column("x").max.to_pylist() == [2.0]


def test_a_type_without_an_order_has_no_bounds(tmp_path):
    path = str(tmp_path / "int96.parquet")
    pq.write_table(pa.table({"x": pa.array([1, 2], pa.timestamp("ns"))}), path, use_deprecated_int96_timestamps=True)
    with parquetext.open(path) as file:
        column = file.column("x")
        assert column.physical_type == "INT96"
        assert column.min.equals(pa.nulls(1, pa.timestamp("ns")))


def test_bounds_of_a_length_that_only_the_schema_claims_are_an_error(tmp_path, implementation):
    path, length = tmp_path / "claims.parquet", 2**31 - 1
    chunk = {
        "meta_data": {
            "type": 7,
            "encodings": [],
            "path_in_schema": ["x"],
            "codec": 0,
            "num_values": 1,
            "total_uncompressed_size": 1,
            "total_compressed_size": 1,
            "data_page_offset": 4,
        }
    }
    footer = write(
        "FileMetaData",
        {
            "version": 1,
            "schema": [{"name": "r", "num_children": 1}, {"name": "x", "type": 7, "type_length": length}],
            "num_rows": 2,
            "row_groups": [{"columns": [chunk], "total_byte_size": 1, "num_rows": 1}] * 2,
        },
    )
    path.write_bytes(b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    with (
        parquetext.open(path) as file,
        pytest.raises(Unsupported, match=f"'x' are too large: {2 * length} bytes") as caught,
    ):
        file.column("x").min  # noqa: B018
    assert caught.value.file == str(path)


def test_metadata_are_typed_memoryviews(nested):
    with parquetext.open(nested) as file:
        column = file.column("id")
    assert column.data_page_offset.format == "q"
    assert column.codec.format == "i"
    assert list(column.null_count) == [0, 0, 0]
    assert list(column.bloom_filter_offset) == [-1, -1, -1]


def test_every_file_of_the_corpus_gives_all_its_metadata_or_a_clear_error(corpus, expected, implementation):
    opened, tried = 0, some(expected, 3 if implementation == "pure" else 1)
    for fields in tried:
        path = str(corpus / fields["file"])
        try:
            with parquetext.open(path) as file:
                assert len(list(file.parquet_schema)) >= file.num_columns
                for column in file.columns():
                    assert len(column.min) == len(column.max_bytes) == len(column.min_is_exact) == len(file.row_groups)
                    assert column.type == column.max.type
                opened += 1
        except ParquetextError as error:
            assert fields["class"] != "readable"
            assert str(error).startswith(path)
    assert opened > sum(fields["class"] == "readable" for fields in tried)


def test_metadata_are_those_of_pyarrow_for_every_readable_file(corpus, expected):
    differences = []
    for path in readable(corpus, expected):
        with parquetext.open(str(path)) as file:
            metadata = pq.read_metadata(path)
            assert (file.num_rows, file.num_columns, len(file.row_groups)) == (
                metadata.num_rows,
                metadata.num_columns,
                metadata.num_row_groups,
            )
            for leaf, column in enumerate(file.columns()):
                theirs = metadata.schema.column(leaf)
                assert (column.name, column.physical_type) == (theirs.path, theirs.physical_type)
                for row_group in range(metadata.num_row_groups):
                    chunk = metadata.row_group(row_group).column(leaf)
                    for fact in ("num_values", "total_compressed_size", "total_uncompressed_size", "data_page_offset"):
                        assert getattr(column, fact)[row_group] == getattr(chunk, fact)
                    if chunk.statistics is not None and chunk.statistics.has_null_count:
                        assert column.null_count[row_group] == chunk.statistics.null_count
                    differences += bound_differences(path, column, chunk.statistics, row_group)
    assert not differences


def bound_differences(path, column, statistics, row_group: int) -> list[str]:
    """Bounds that are there are those that pyarrow gives; it has no typed ones for half floats."""
    if statistics is None or not statistics.has_min_max or pa.types.is_float16(column.type):
        return []
    pairs = ((column.min[row_group], statistics.min_raw), (column.max[row_group], statistics.max_raw))
    return [
        f"{path}: {column.name}, row group {row_group}: {ours} is not {theirs}"
        for ours, theirs in pairs
        if ours.is_valid and plain(ours, column.physical_type, theirs) != theirs
    ]


def plain(value: pa.Scalar, physical: str, theirs: object) -> object:
    """A value as its physical type has it."""
    kind = value.type
    if pa.types.is_string(kind):
        return value.as_py().encode()
    if pa.types.is_temporal(kind):
        return value.value
    if pa.types.is_decimal(kind):
        unscaled = int(value.as_py().scaleb(kind.scale, decimal.Context(prec=80)))
        return unscaled if physical in ("INT32", "INT64") else unscaled.to_bytes(len(theirs), "big", signed=True)
    return value.as_py()
