"""Reading tables: projections, row groups and filters give pyarrow's results."""

from __future__ import annotations

import datetime
import inspect
import pickle
from functools import partial
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from support.flat_files import write_with_flat_footer

import parquetext
from parquetext import sidecar
from parquetext.errors import ColumnError, LimitExceeded, Unsupported
from parquetext.footer.pyarrow_footer import metadata_of
from parquetext.reading.execute.pyarrow_reading import PyarrowReader
from parquetext.reading.request.read_request import ReadOptions
from parquetext.reading.stages import plan_file

ROWS = 40
SCHEMA = pa.schema(
    [
        pa.field("id", pa.int64(), nullable=False),
        pa.field("price", pa.float64()),
        pa.field("name", pa.large_string()),
        pa.field("word", pa.dictionary(pa.int32(), pa.string())),
        pa.field("took", pa.duration("us")),
        pa.field("when", pa.timestamp("ms", tz="Europe/Berlin")),
        pa.field(
            "place", pa.struct([("x", pa.int32()), ("y", pa.struct([("deep", pa.string()), ("wide", pa.int8())]))])
        ),
        pa.field("points", pa.list_(pa.struct([("u", pa.int16()), ("v", pa.bool_())]))),
        pa.field("pairs", pa.map_(pa.string(), pa.int64())),
        pa.field("a.b", pa.int32()),
        pa.field("key", pa.uuid()),
    ],
    metadata={"owner": "somebody"},
)


def row(n: int) -> dict:
    return {
        "id": n,
        "price": None if n % 7 == 0 else n * 1.5,
        "name": f"name {n:03}",
        "word": ["yes", "no", None][n % 3],
        "took": datetime.timedelta(seconds=n),
        "when": datetime.datetime(2024, 1, 1 + n % 28, tzinfo=datetime.UTC),
        "place": None if n % 5 == 0 else {"x": n, "y": {"deep": f"d{n}", "wide": n % 100}},
        "points": [{"u": n, "v": bool(i % 2)} for i in range(n % 4)] if n % 6 else None,
        "pairs": [(f"k{i}", n + i) for i in range(n % 3)],
        "a.b": -n,
        "key": n.to_bytes(16, "big"),
    }


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return pa.Table.from_pylist([row(n) for n in range(ROWS)], SCHEMA)


def assert_same(ours: pa.Table, theirs: pa.Table) -> None:
    """Equal values, types, order and field metadata."""
    assert ours.schema.remove_metadata() == theirs.schema.remove_metadata()
    for mine, other in zip(ours.schema, theirs.schema, strict=True):
        assert mine.equals(other, check_metadata=True)
    assert ours.num_rows == theirs.num_rows
    assert ours.equals(theirs)


class TestColumns:
    @pytest.mark.parametrize(
        "columns",
        [
            None,
            [],
            ["id"],
            ["name", "id"],
            ["id", "name", "id"],
            ["place"],
            ["place.y"],
            ["place.y.wide"],
            ["place.y.wide", "id", "place.x"],
            ["points"],
            ["points.list.element.v"],
            ["points.list.element.v", "id"],
            ["pairs"],
            ["word", "took", "when", "key"],
            ["a.b"],
            ["place.x", "points.list.element.u", "pairs"],
        ],
        ids=str,
    )
    def test_projections_are_those_of_pyarrow(self, path, columns):
        with parquetext.open(path) as file:
            assert_same(file.read(columns), pq.ParquetFile(path).read(columns))
            assert file.findings == []

    def test_paths_are_tuples_too(self, path):
        with parquetext.open(path) as file:
            theirs = pq.ParquetFile(path).read(["place.y.deep", "a.b"])
            assert_same(file.read([("place", "y", "deep"), ("a.b",)]), theirs)

    def test_the_slice_contains_only_the_requested_fields_of_a_struct(self, path):
        with parquetext.open(path) as file:
            footer = plan_file(file, ["place.y.deep"], None, None, ReadOptions(key_values=False)).part.footer
            assert [column.path for column in metadata_of(footer).schema] == ["place.y.deep"]

    def test_an_unknown_name_is_an_error(self, path):
        with parquetext.open(path) as file, pytest.raises(ColumnError, match=f"{path}: no column 'nope'"):
            file.read(["id", "nope"])

    def test_a_filter_of_no_column_is_an_error(self, path):
        for engine in ("pyarrow", "parquetext"):
            with pytest.raises(ColumnError, match=f"{path}: no column 'nope'"):
                parquetext.read_table(path, filters=[("nope", "=", 1)], engine=engine)

    def test_row_groups_and_batches_by_pyarrows_names(self, path):
        theirs = pq.ParquetFile(path)
        with parquetext.open(path) as file:
            assert file.num_row_groups == theirs.num_row_groups
            assert file.schema_arrow.equals(theirs.schema_arrow, check_metadata=True)
            last = file.num_row_groups - 1
            assert_same(file.read_row_group(last), theirs.read_row_group(last))
            assert_same(file.read_row_group(last, ["id"]), theirs.read_row_group(last, ["id"]))
            assert_same(file.read_row_groups([last, 0], ["id"]), theirs.read_row_groups([last, 0], ["id"]))
            ours, theirs = list(file.iter_batches(7)), list(theirs.iter_batches(7))
        assert [batch.num_rows for batch in ours] == [batch.num_rows for batch in theirs]
        assert all(one.equals(other) for one, other in zip(ours, theirs, strict=True))

    def test_one_string_is_no_list_of_names(self, path):
        with parquetext.open(path) as file, pytest.raises(TypeError, match="list of names"):
            file.read("id")

    def test_many_columns_in_any_order(self, path, table):
        names = list(reversed(table.schema.names))
        with parquetext.open(path) as file:
            assert_same(file.read(names), pq.ParquetFile(path).read(names))


class TestRowGroups:
    @pytest.mark.parametrize("row_groups", [[0], [3], [1, 2], [2, 0], [], [1, 1]], ids=str)
    def test_are_read_in_the_order_given(self, path, row_groups):
        with parquetext.open(path) as file:
            theirs = pq.ParquetFile(path).read_row_groups(row_groups, columns=["id", "points"])
            assert_same(file.read(["id", "points"], row_groups), theirs)

    @pytest.mark.parametrize("row_group", [-1, 4])
    def test_that_do_not_exist_are_an_error(self, path, row_group):
        with parquetext.open(path) as file, pytest.raises(IndexError, match="the file has 4"):
            file.read(["id"], [row_group])


FILTERS = [
    [("id", "=", 7)],
    [("id", ">", 25)],
    [("id", "<", 0)],
    [("id", "in", [1, 39])],
    [("id", "not in", [1, 2])],
    [("price", ">=", 30.0), ("word", "=", "no")],
    [[("id", "<", 3)], [("id", ">", 37)]],
    [("name", "<=", "name 005")],
    [("took", ">", datetime.timedelta(seconds=35))],
    [("a.b", "=", -12)],
    [("word", "!=", "yes")],
    [("when", ">", pa.scalar(datetime.datetime(2024, 1, 20), pa.timestamp("ms", tz="Europe/Berlin")))],
    [("price", "in", [3.0, None])],
    pc.field("id") * 2 == 30,
    pc.field("price").is_null(),
    (pc.field("place", "x") > 30) & (pc.field("id") < 35),
    pc.field(0) == 3,
    ~(pc.field("name") == "name 004"),
    pc.is_in(pc.field("word"), pa.array(["no"])),
]


class TestFilters:
    @pytest.mark.parametrize("filters", FILTERS, ids=str)
    @pytest.mark.parametrize("columns", [None, ["name"], ["place.y.deep", "id"]], ids=str)
    def test_rows_are_those_of_read_table(self, path, filters, columns):
        theirs = pq.read_table(path, columns=columns, filters=filters, partitioning=None)
        assert_same(parquetext.read_table(path, columns=columns, filters=filters), theirs)

    def test_row_groups_that_cannot_match_are_not_read(self, path, table):
        damage_row_group(path, 0)
        ours = parquetext.read_table(path, columns=["id"], filters=[("id", ">=", 20)])
        assert_same(ours, table.select(["id"]).slice(20))

    def test_filters_and_row_groups_go_together(self, path):
        with parquetext.open(path) as file:
            assert file.read(["id"], [0, 1], [("id", ">", 15)]).column(0).to_pylist() == [16, 17, 18, 19]

    @pytest.mark.parametrize(
        "filters", [[("nope", "=", 1)], pc.field("nope") == 1, [], [("id", "~", 1)], [("id", "=", "x")]], ids=str
    )
    def test_files_that_pyarrow_refuses_are_refused(self, path, filters):
        with pytest.raises((ValueError, pa.ArrowException)):
            pq.read_table(path, filters=filters, partitioning=None)
        with pytest.raises((ValueError, pa.ArrowException)):
            parquetext.read_table(path, filters=filters)


def damage_row_group(path: str, row_group: int) -> None:
    """Overwrite all pages of a row group with zeros."""
    metadata = pq.read_metadata(path).row_group(row_group)
    with open(path, "r+b") as file:
        for leaf in range(metadata.num_columns):
            chunk = metadata.column(leaf)
            start = chunk.dictionary_page_offset if chunk.has_dictionary_page else chunk.data_page_offset
            file.seek(start)
            file.write(bytes(chunk.total_compressed_size))


class TestMetadata:
    def test_key_values_are_kept_unless_they_are_not_wanted(self, path):
        theirs = pq.ParquetFile(path).read(["id"]).schema.metadata
        with parquetext.open(path) as file:
            for engine in ("pyarrow", "parquetext"):
                assert file.read(["id"], engine=engine).schema.metadata == theirs == {b"owner": b"somebody"}
                assert file.read(["id"], key_values=False, engine=engine).schema.metadata is None
            assert next(file.iter_batches(["id"])).schema.metadata == theirs

    @pytest.mark.parametrize("engine", ["pyarrow", "parquetext"])
    def test_tables_without_columns_have_key_values_too(self, path, engine):
        theirs = pq.read_table(path, columns=[])
        assert theirs.schema.metadata == {b"owner": b"somebody"}
        ours = parquetext.read_table(path, [], engine=engine)
        assert ours.schema.equals(theirs.schema, check_metadata=True) and ours.num_rows == theirs.num_rows == ROWS
        assert parquetext.read_table(path, [], key_values=False, engine=engine).schema.metadata is None

    def test_pandas_index_columns_come_along(self, tmp_path):
        pytest.importorskip("pandas")
        path = str(tmp_path / "pandas.parquet")
        index = pa.table({"v": [1, 2], "w": [3, 4], "i": ["p", "q"]}).to_pandas().set_index("i")
        index.to_parquet(path)
        ours = parquetext.read_table(path, columns=["v"], use_pandas_metadata=True)
        assert_same(ours, pq.read_table(path, columns=["v"], use_pandas_metadata=True))
        assert ours.to_pandas().equals(pq.read_table(path, columns=["v"], use_pandas_metadata=True).to_pandas())

    def test_field_ids_stay_in_the_fields(self, tmp_path):
        path = str(tmp_path / "ids.parquet")
        metadata = {"PARQUET:field_id": "5", "note": "kept"}
        schema = pa.schema([pa.field("a", pa.int32(), metadata=metadata), ("b", pa.int8())])
        pq.write_table(pa.Table.from_pylist([{"a": 1, "b": 2}], schema), path)
        assert_same(parquetext.read_table(path, columns=["a"]), pq.ParquetFile(path).read(["a"]))


class TestArguments:
    def test_those_of_pyarrow_are_passed_on(self, path):
        with parquetext.open(path) as file:
            for options in (
                {"read_dictionary": ["name"]},
                {"pre_buffer": True},
                {"buffer_size": 4096},
                {"page_checksum_verification": True},
                {"arrow_extensions_enabled": False},
            ):
                theirs = pq.ParquetFile(path, **options).read(["name", "key"])
                assert_same(file.read(["name", "key"], **options), theirs)

    def test_columns_and_filters_may_come_by_position(self, path):
        some = pq.read_table(path, columns=["id"], filters=[("id", ">", 3)], partitioning=None)
        assert_same(parquetext.read_table(path, ["id"], [("id", ">", 3)]), some)

    def test_every_argument_of_pyarrow_is_known_at_its_default(self, path):
        theirs = inspect.signature(pq.read_table).parameters
        ours = inspect.signature(parquetext.read_table).parameters
        assert theirs.keys() <= ours.keys()
        differing = {name for name in theirs if ours[name].default != theirs[name].default}
        assert differing == {"pre_buffer"}
        whole = parquetext.read_table(path)
        for name, parameter in list(theirs.items())[1:]:
            assert parquetext.read_table(path, **{name: parameter.default}) == whole

    def test_an_unknown_argument_is_a_type_error(self, path):
        for name in ("row_groups", "nonsense"):
            with pytest.raises(TypeError, match=name):
                parquetext.read_table(path, **{name: True})
        with parquetext.open(path) as file, pytest.raises(TypeError, match=r"partitioning: parquetext\.read_table"):
            file.read(partitioning="hive")


def test_files_that_cannot_be_sliced_are_read_by_their_footer(path, monkeypatch):
    with parquetext.open(path) as file:
        form = file._form
        refusing = SimpleNamespace(**{name: getattr(form, name) for name in dir(form) if not name.startswith("_")})
        refusing.slice = refuse
        monkeypatch.setattr(file, "_form", refusing)
        theirs = pq.ParquetFile(path)
        assert_same(file.read(["name", "place.x"]), theirs.read(["name", "place.x"]))
        assert_same(file.read(["id"], [2, 0]), theirs.read_row_groups([2, 0], columns=["id"]))


def refuse(*_, **__):
    raise Unsupported("not to be sliced")


def test_tables_larger_than_the_small_limit_are_equal(tmp_path, implementation):
    path = tmp_path / "long.parquet"
    pq.write_table(pa.table({"n": pa.array(range(300_000), pa.int64()), "m": pa.array([1.5] * 300_000)}), path)
    flat = write_with_flat_footer(path, tmp_path / "flat.parquet")
    assert_same(parquetext.read_table(flat), pq.read_table(path))


class TestThreads:
    """Where a read is small it is done by the thread that asks for it."""

    @pytest.fixture
    def threads(self, monkeypatch):
        """Whether each read may use threads."""
        used: list[bool] = []

        def table(reader, *, use_threads, **options):
            used.append(use_threads)
            return original(reader, use_threads=use_threads, **options)

        original = PyarrowReader.table
        monkeypatch.setattr(PyarrowReader, "table", table)
        return used

    @staticmethod
    def write(path, rows: int, size: int) -> str:
        """A column of values that have some bytes each, and one of small numbers."""
        values = [bytes([n % 256]) * size for n in range(rows)]
        table = pa.table({"large": pa.array(values, pa.binary(size)), "small": pa.array(range(rows), pa.int32())})
        pq.write_table(table, path, use_dictionary=False)
        return write_with_flat_footer(path, str(path) + ".flat")

    def test_few_values_that_are_large_are_read_by_threads(self, tmp_path, threads, implementation):
        path = self.write(tmp_path / "large.parquet", 300, 8192)
        parquetext.read_table(path, engine="pyarrow")
        parquetext.read_table(path, columns=["large"], engine="pyarrow")
        parquetext.read_table(path, columns=["small"], engine="pyarrow")
        parquetext.read_table(path, use_threads=False, engine="pyarrow")
        assert threads == [True, True, False, False]

    def test_few_bytes_are_not(self, tmp_path, threads):
        parquetext.read_table(self.write(tmp_path / "small.parquet", 300, 64), engine="pyarrow")
        assert threads == [False]

    def test_many_values_are_read_by_threads_however_few_bytes_they_take(self, tmp_path, threads):
        path = str(tmp_path / "same.parquet")
        pq.write_table(pa.table({"same": pa.array([7] * 300_000, pa.int32())}), path)
        parquetext.read_table(path, engine="pyarrow")
        assert threads == [True]


class TestLimits:
    """Limits that a caller sets for a footer, with pyarrow's meaning."""

    @pytest.fixture(params=["thrift", "flat", "index", "par3", "sidecar"])
    def limited(self, request, tmp_path, table):
        path = str(tmp_path / "limited.parquet")
        pq.write_table(table, path, row_group_size=10)
        options = {}
        if request.param in ("flat", "par3"):
            parquetext.upgrade(path, form="flat", placement="after-stop")
        if request.param == "index":
            parquetext.upgrade(path, form="index", placement="after-stop")
        if request.param == "par3":
            parquetext.finalize(path, confirm=True)
        if request.param == "sidecar":
            sidecar.build(path)
            options["sidecar"] = True
        return partial(parquetext.read_table, path, ["id"], **options)

    @pytest.fixture
    def plain(self, tmp_path, table):
        path = str(tmp_path / "plain.parquet")
        pq.write_table(table, path, row_group_size=10)
        return path

    @pytest.mark.parametrize(
        "limit, most, offence",
        [
            (
                "thrift_string_size_limit",
                1_000,
                r"a string of \d+ bytes, the limit is 1000 \(thrift_string_size_limit\)",
            ),
            (
                "thrift_container_size_limit",
                10,
                r"a list of 2\d items, the limit is 10 \(thrift_container_size_limit\)",
            ),
            ("schema_depth_limit", 3, r"the schema is deeper than 3 elements \(schema_depth_limit\)"),
        ],
    )
    def test_a_footer_beyond_a_limit_is_not_read(self, limited, limit, most, offence, implementation):
        with pytest.raises(LimitExceeded, match=offence) as caught:
            limited(**{limit: most})
        assert isinstance(caught.value, OSError) and "limited.parquet" in str(caught.value)
        assert caught.value.expected == most < caught.value.found

    @pytest.mark.parametrize(
        "limit, limits",
        [
            ("thrift_string_size_limit", (300, 3_000, 30_000)),
            ("thrift_container_size_limit", (20, 21, 22, 23, 24, 25)),
            ("schema_depth_limit", (1, 2, 3, 4, 5, 6)),
        ],
    )
    def test_a_limit_has_pyarrows_meaning(self, plain, limit, limits):
        def verdict(read, most: int) -> bool:
            try:
                return read(plain, columns=["id"], **{limit: most}).num_columns == 1
            except OSError:
                return False

        ours, theirs = ([verdict(read, most) for most in limits] for read in (parquetext.read_table, pq.read_table))
        assert ours == theirs and set(ours) == {True, False}

    def test_a_limit_is_above_zero(self, plain):
        for name in ("thrift_string_size_limit", "thrift_container_size_limit", "schema_depth_limit"):
            for limit in (0, -1):
                with pytest.raises(ValueError, match=f"{name} must be larger than zero, not {limit}"):
                    parquetext.read_table(plain, **{name: limit})
            assert parquetext.read_table(plain, **{name: None}).num_rows == ROWS

    def test_batches_have_limits_too(self, plain):
        with parquetext.open(plain) as file, pytest.raises(LimitExceeded):
            file.iter_batches(["id"], thrift_container_size_limit=1)

    def test_the_error_outlives_a_process(self, plain):
        with pytest.raises(LimitExceeded) as caught:
            parquetext.read_table(plain, schema_depth_limit=1)
        again = pickle.loads(pickle.dumps(caught.value))
        assert (str(again), again.offset, again.found) == (str(caught.value), caught.value.offset, 2)


class Point(pa.ExtensionType):
    """A type of one's own over a struct."""

    def __init__(self):
        super().__init__(pa.struct([("x", pa.int32()), ("y", pa.int32())]), "parquetext.test.point")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage, serialized):
        return cls()


@pytest.fixture
def point():
    kind = Point()
    pa.register_extension_type(kind)
    yield kind
    pa.unregister_extension_type(kind.extension_name)


@pytest.mark.parametrize("form", ["thrift", "flat"])
@pytest.mark.parametrize("columns", [["p"], ["p.x"], ["s.q.y"], ["s.n"], ["s.q"], ["n", "p.y", "s.q.x"]], ids=str)
def test_parts_of_an_extension_type_are_those_of_pyarrow(tmp_path, implementation, point, form, columns):
    path = tmp_path / "points.parquet"
    values = pa.array([{"x": 1, "y": 2}, None, {"x": 3, "y": 4}], point.storage_type)
    points = pa.ExtensionArray.from_storage(point, values)
    numbers = pa.array([1, 2, 3])
    struct = pa.StructArray.from_arrays([points, numbers], names=["q", "n"])
    pq.write_table(pa.table({"p": points, "n": numbers, "s": struct}), path)
    if form == "flat":
        path = write_with_flat_footer(path, tmp_path / "flat.parquet")
    try:
        theirs = pq.ParquetFile(path).read(columns)
    except pa.ArrowException as error:
        with parquetext.open(str(path)) as file, pytest.raises(type(error)):
            file.read(columns)
        return
    with parquetext.open(str(path)) as file:
        assert_same(file.read(columns), theirs)
