"""Many files as one table: the result of pyarrow.dataset for the same directory, planned from the footers alone."""

from __future__ import annotations

import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.flat_files import as_par3, with_flat_footer
from support.objects import BUCKET, put, s3_server
from support.samples import examples

import parquetext
from parquetext import sidecar
from parquetext.errors import ColumnError, ParquetextError

F = pc.field
NULL = "__HIVE_DEFAULT_PARTITION__"


def put_file(folder: Path, name: str, table: pa.Table, form: str = "thrift", **options) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path, **options)
    if form == "index":
        parquetext.upgrade(path, form="index")
    elif form != "thrift":
        path.write_bytes({"flat": with_flat_footer, "par3": as_par3}[form](path.read_bytes()))
    return path


@pytest.fixture
def lake(tmp_path) -> Path:
    """Partitions with a null and escaped names, both footers, other columns and types, and files without data."""
    first = pa.table({"v": pa.array([1, 2, 3, 4], pa.int64()), "t": list("abcd")})
    second = pa.table({"t": ["x", None], "v": pa.array([5, None], pa.int32())})
    put_file(tmp_path, "day=2024-01-01/n=1/a.parquet", first, "flat", row_group_size=2)
    put_file(tmp_path, "day=2024-01-02/n=2/b.parquet", second)
    put_file(tmp_path, f"day={NULL}/n=3/c.parquet", pa.table({"v": pa.array([7], pa.int16()), "more": [1.5]}), "flat")
    put_file(tmp_path, f"day=a%20b%2Fc/n={NULL}/d.parquet", pa.table({"v": [9], "t": ["é"]}), "index")
    put_file(tmp_path, "_temporary/n=1/no.parquet", pa.table({"v": [100]}))
    put_file(tmp_path, "day=2024-01-01/n=1/.hidden.parquet", pa.table({"v": [100]}))
    return tmp_path


EXPRESSIONS = [
    F("v") > 3,
    F("v").is_null(),
    F("day").is_null(),
    F("day") == "a b/c",
    F("n") == 2,
    ~(F("n") == 2),
    F("n").is_null(),
    (F("n") < 3) & (F("v") == 2),
    (F("n") == 3) | (F("t") == "d"),
    F("t").isin(["x", "é"]),
    F("v") > 1000,
    [("v", "=", 2)],
    [[("n", "=", 1), ("t", "in", ["c"])], [("day", "==", "2024-01-02")]],
    [("n", "not in", [1, 2])],
]


class TestAsPyarrow:
    @pytest.fixture
    def both(self, lake):
        return parquetext.dataset(lake), ds.dataset(str(lake), partitioning="hive")

    def test_files_schema_and_rows(self, both):
        ours, theirs = both
        assert ours.files == theirs.files
        assert ours.schema.equals(theirs.schema, check_metadata=True)
        assert ours.to_table().equals(theirs.to_table())
        assert ours.count_rows() == theirs.count_rows()

    @pytest.mark.parametrize("filter", EXPRESSIONS, ids=str)
    def test_filters(self, both, filter):
        ours, theirs = both
        expression = pq.filters_to_expression(filter)
        assert ours.to_table(filter=filter).equals(theirs.to_table(filter=expression))
        assert ours.to_table(["t", "n"], filter).equals(theirs.to_table(["t", "n"], expression))
        assert ours.count_rows(filter) == theirs.count_rows(expression)
        assert ours.head(2, filter=filter).equals(theirs.head(2, filter=expression))
        batches = list(ours.to_batches(filter=filter, batch_size=1))
        assert all(batch.num_rows == 1 for batch in batches) or [len(batch) for batch in batches] == [0]
        assert pa.Table.from_batches(batches, ours.schema).equals(theirs.to_table(filter=expression))

    def test_keys_of_directories_rule_files_out_as_pyarrow_does(self, both):
        ours, theirs = both
        for expression in (F("n") == 2, ~(F("n") == 2), F("day").is_null(), F("day") == "a b/c", F("n") > 5):
            assert [each.path for each in ours.get_fragments(expression)] == [
                each.path for each in theirs.get_fragments(expression)
            ]

    def test_computed_columns_and_no_columns_are_read(self, both):
        ours, theirs = both
        columns = {"w": F("v") + F("n"), "day": F("day")}
        assert ours.to_table(columns, F("v") > 2).equals(theirs.to_table(columns, F("v") > 2))
        assert ours.scanner(columns).projected_schema == theirs.scanner(columns=columns).projected_schema
        assert ours.to_table([]).num_rows == theirs.to_table([]).num_rows
        assert ours.scanner(["v"]).to_reader().read_all().equals(theirs.to_table(["v"]))

    def test_an_explicit_schema(self, lake):
        schema = pa.schema([("more", pa.float64()), ("n", pa.int64()), ("v", pa.float64()), ("never", pa.string())])
        ours = parquetext.dataset(str(lake), schema)
        theirs = ds.dataset(str(lake), schema=schema, partitioning="hive")
        assert ours.to_table().equals(theirs.to_table())
        for expression in (F("never").is_null(), F("more") > 1, F("v") >= 5.0, F("n") == 3):
            assert ours.to_table(filter=expression).equals(theirs.to_table(filter=expression))

    def test_lists_of_files_and_one_file(self, both, lake):
        files = both[1].files[::-1]
        assert parquetext.dataset(files[-1]).to_table().equals(ds.dataset(files[-1], partitioning="hive").to_table())
        assert parquetext.dataset(files[:2]).to_table().equals(ds.dataset(files[:2], partitioning="hive").to_table())
        assert parquetext.dataset(lake, partitioning=None).schema.names == ["v", "t"]

    def test_keys_count_for_more_than_columns_of_their_name(self, tmp_path):
        put_file(tmp_path, "k=1/a.parquet", pa.table({"k": pa.array([7, 8], pa.int32()), "v": [1, 2]}))
        ours, theirs = parquetext.dataset(tmp_path), ds.dataset(str(tmp_path), partitioning="hive")
        assert ours.to_table().equals(theirs.to_table())
        for filter in (F("k") == 7, F("k") == 1, [("k", "=", 7)], [("k", "=", 1)]):
            assert ours.to_table(filter=filter).equals(theirs.to_table(filter=pq.filters_to_expression(filter)))

    @pytest.mark.parametrize("text", ["01", "+1", "-3", " 4", "99999999999", "1.5", "x%3Dy"])
    def test_types_of_keys(self, tmp_path, text):
        put_file(tmp_path, f"k={text}/a.parquet", pa.table({"v": [1]}))
        ours, theirs = parquetext.dataset(tmp_path), ds.dataset(str(tmp_path), partitioning="hive")
        assert ours.to_table().equals(theirs.to_table())


def test_statistics_rule_out_row_groups_of_all_files_together(lake):
    dataset = parquetext.dataset(lake)
    kept = {Path(each.path).name: each.row_groups for each in dataset.get_fragments(F("v") > 3)}
    assert kept == {"a.parquet": [1], "b.parquet": [0], "c.parquet": [0], "d.parquet": [0]}
    fragment = next(dataset.get_fragments([("v", "=", 4)]))
    assert (Path(fragment.path).name, fragment.row_groups, fragment.count_rows()) == ("a.parquet", [1], 2)
    assert fragment.to_table(columns=["t"], filter=F("v") == 4).to_pydict() == {"t": ["d"]}
    assert fragment.physical_schema.names == ["v", "t"]


def test_bloom_filters_rule_out_more(tmp_path):
    for name, start in (("a", 0), ("b", 1)):
        put_file(
            tmp_path,
            f"{name}.parquet",
            pa.table({"v": list(range(start, 100, 2))}),
            bloom_filter_options={"v": {"ndv": 50, "fpp": 0.0001}},
        )
    dataset = parquetext.dataset(tmp_path)
    assert [Path(each.path).name for each in dataset.get_fragments([("v", "=", 31)])] == ["b.parquet"]
    assert dataset.to_table(filter=[("v", "in", [30, 31])])["v"].to_pylist() == [30, 31]


def test_a_column_that_a_file_lacks_is_null_there_and_prunes(tmp_path):
    put_file(tmp_path, "a.parquet", pa.table({"v": [1], "w": [2]}))
    put_file(tmp_path, "b.parquet", pa.table({"v": [3]}))
    dataset = parquetext.dataset(tmp_path)
    assert dataset.to_table()["w"].to_pylist() == [2, None]
    assert [Path(each.path).name for each in dataset.get_fragments(F("w") > 0)] == ["a.parquet"]
    assert [Path(each.path).name for each in dataset.get_fragments(F("w").is_null())] == ["b.parquet"]


def test_a_file_that_does_not_fit_is_named_with_its_column(tmp_path):
    put_file(tmp_path, "a.parquet", pa.table({"v": pa.array([1], pa.int8())}))
    wrong = put_file(tmp_path, "b.parquet", pa.table({"v": [1000]}))
    with pytest.raises(pa.ArrowInvalid, match=f"{wrong}.*'v'"):
        parquetext.dataset(tmp_path).to_table()


@pytest.mark.parametrize("filter", [None, F("v") > 0])
def test_a_damaged_file_is_named(lake, filter):
    bad = lake / "day=2024-01-02/n=2/b.parquet"
    bad.write_bytes(b"PAR1 this is no footer PAR1")
    with pytest.raises(ParquetextError, match=r"b\.parquet"):
        parquetext.dataset(lake).to_table(filter=filter)
    assert parquetext.dataset(lake).to_table(filter=F("n") == 3)["v"].to_pylist() == [7]


def test_damaged_pages_are_named(tmp_path):
    path = put_file(tmp_path, "a.parquet", pa.table({"v": list(range(100))}))
    data = bytearray(path.read_bytes())
    data[4:200] = bytes(196)
    path.write_bytes(data)
    with pytest.raises(OSError, match=r"a\.parquet"):
        parquetext.dataset(tmp_path).to_table()


def test_files_of_a_flat_footer_alone_are_read(tmp_path):
    put_file(tmp_path, "a.parquet", pa.table({"v": [1]}), "par3")
    put_file(tmp_path, "b.parquet", pa.table({"v": [2]}))
    assert parquetext.dataset(tmp_path).to_table(filter=F("v") < 3)["v"].to_pylist() == [1, 2]


def test_a_path_that_has_files_methods_is_a_path(lake):
    """As py.path has them, which pytest gives as `tmpdir`."""

    class Local:
        def __fspath__(self):
            return str(lake)

        def read(self):
            raise AssertionError("read as an open file")

    assert parquetext.dataset(Local()).to_table().equals(parquetext.dataset(lake).to_table())
    assert parquetext.read_table(Local()).to_pydict() == pq.read_table(Local()).to_pydict()
    assert parquetext.ParquetDataset(Local()).read().to_pydict() == pq.ParquetDataset(Local()).read().to_pydict()


def test_wrong_calls_raise_errors_with_the_reason(lake, tmp_path):
    dataset = parquetext.dataset(lake)
    with pytest.raises(ColumnError, match="'nope'"):
        dataset.to_table(["nope"])
    with pytest.raises(ColumnError, match="'nope'"):
        dataset.to_table(filter=[("nope", "=", 1)])
    with pytest.raises(pa.ArrowInvalid, match="nope"):
        dataset.to_table(filter=F("nope") == 1)
    with pytest.raises(ValueError, match="one string"):  # the class that pyarrow.dataset raises
        dataset.to_table("v")
    with pytest.raises(ValueError, match="hive"):
        parquetext.dataset(lake, partitioning=3)
    with pytest.raises(FileNotFoundError):
        parquetext.dataset(tmp_path / "nowhere")
    (tmp_path / "_empty").mkdir()
    assert parquetext.dataset(tmp_path / "_empty").schema.names == []
    assert parquetext.dataset(tmp_path / "_empty", dataset.schema).to_table().equals(dataset.schema.empty_table())


def test_a_directory_of_an_object_store(lake):
    with s3_server() as filesystem:
        for path in lake.rglob("*.parquet"):
            put(filesystem, f"{BUCKET}/lake/{path.relative_to(lake)}", path.read_bytes())
        ours = parquetext.dataset(f"{BUCKET}/lake", filesystem=filesystem)
        assert ours.to_table(filter=F("v") > 3).equals(parquetext.dataset(lake).to_table(filter=F("v") > 3))


TYPES = {
    "i": [(pa.int64(), st.integers(-3, 3)), (pa.int8(), st.integers(-3, 3)), (pa.int32(), st.integers(-3, 3))],
    "f": [
        (pa.float64(), st.sampled_from([-0.0, 0.0, 1.5, float("nan")])),
        (pa.float32(), st.sampled_from([-0.0, 0.0, 1.5, float("nan")])),
    ],
    "s": [
        (pa.string(), st.text("aé", max_size=2)),
        (pa.large_string(), st.text("aé", max_size=2)),
        (pa.dictionary(pa.int8(), pa.string()), st.text("aé", max_size=2)),
    ],
    "u": [
        (pa.timestamp("us"), st.datetimes(datetime.datetime(1969, 12, 31), datetime.datetime(1970, 1, 2))),
        (pa.timestamp("ms"), st.sampled_from([datetime.datetime(1970, 1, 1), datetime.datetime(1970, 1, 1, 5)])),
    ],
}
SCHEMA = pa.schema([(name, kinds[0][0]) for name, kinds in TYPES.items()] + [("k", pa.int32())])


@st.composite
def conditions(draw):
    name, operator = draw(st.sampled_from(SCHEMA.names)), draw(st.sampled_from(["=", "!=", "<", ">=", "in", "not in"]))
    values = st.integers(0, 2) if name == "k" else TYPES[name][0][1]
    return name, operator, draw(st.lists(values, min_size=1, max_size=2) if operator.endswith("in") else values)


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), filters=st.lists(st.lists(conditions(), min_size=1, max_size=2), min_size=1, max_size=2))
def test_no_row_is_lost_for_any_files(tmp_path_factory, data, filters):
    folder = tmp_path_factory.mktemp("lake")
    for number in range(data.draw(st.integers(1, 3))):
        rows, columns = data.draw(st.integers(1, 4)), {}
        for name in data.draw(st.sets(st.sampled_from(list(TYPES)), min_size=1)):
            kind, values = data.draw(st.sampled_from(TYPES[name]))
            columns[name] = pa.array(data.draw(st.lists(values | st.none(), min_size=rows, max_size=rows)), kind)
        key = data.draw(st.sampled_from(["0", "1", NULL]))
        blooms = {name: {"ndv": 5} for name in columns if data.draw(st.booleans())}
        form = data.draw(st.sampled_from(["thrift", "flat", "index"]))
        put_file(
            folder,
            f"k={key}/{number}.parquet",
            pa.table(columns),
            form,
            row_group_size=2,
            write_statistics=data.draw(st.booleans()),
            bloom_filter_options=blooms,
        )
        if data.draw(st.booleans()):
            sidecar.build(folder / f"k={key}/{number}.parquet")
    expression = pq.filters_to_expression(filters)
    ours, theirs = parquetext.dataset(folder, SCHEMA), ds.dataset(str(folder), schema=SCHEMA, partitioning="hive")
    whole = theirs.to_table()
    assert repr(ours.to_table().to_pydict()) == repr(whole.to_pydict())
    expected = repr(whole.filter(expression).to_pydict())
    assert repr(ours.to_table(filter=filters).to_pydict()) == expected
    assert repr(ours.to_table(filter=expression).to_pydict()) == expected
    by_sidecars = parquetext.dataset(folder, SCHEMA, sidecar=True)
    assert repr(by_sidecars.to_table(filter=filters).to_pydict()) == expected
