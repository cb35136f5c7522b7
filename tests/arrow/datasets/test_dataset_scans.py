"""Scans, fragments and derived datasets return the results of pyarrow.dataset for the same files."""

from __future__ import annotations

import copy
import pickle
import random
from itertools import product
from pathlib import Path
from threading import current_thread

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.fs as pafs
import pyarrow.parquet as pq
import pytest
from support.lakes import hive_files

import parquetext
from parquetext.arrow.datasets.fragment_rows import FragmentRows
from parquetext.arrow.datasets.fragments import Fragment
from parquetext.arrow.datasets.scanner import Scanner
from parquetext.errors import ColumnError

F = pc.field
ROWS = 120


def table(begin: int, rows: int) -> pa.Table:
    numbers = range(begin, begin + rows)
    return pa.table(
        {
            "v": pa.array(numbers, pa.int64()),
            "t": [f"t{number % 7}" if number % 5 else None for number in numbers],
            "s": [{"x": number, "y": {"z": str(number)}} for number in numbers],
        },
        metadata={"made by": "a test"},
    )


@pytest.fixture(scope="module")
def lake(tmp_path_factory) -> Path:
    """Three files in Hive directories, with row groups of 25 rows; the middle one has a flat footer."""
    folder = tmp_path_factory.mktemp("lake")
    for number, path in hive_files(folder, "part.parquet"):
        pq.write_table(table(number * 40, 40), path, row_group_size=25)
    parquetext.upgrade(folder / "k=1" / "part.parquet", form="flat")
    return folder


@pytest.fixture
def both(lake):
    return parquetext.dataset(lake), ds.dataset(str(lake), partitioning="hive")


@pytest.fixture
def read(monkeypatch) -> list[Fragment]:
    """The fragments that are read, in order."""
    found, batches = [], Fragment.batches
    monkeypatch.setattr(
        Fragment, "batches", lambda self, *given, **how: found.append(self) or batches(self, *given, **how)
    )
    return found


COLUMNS = [
    None,
    ["v"],
    ["k", "v"],
    ["t", "v", "t"],
    ["s.x", "s.y.z", "v"],
    {"w": F("v") * 2, "z": F("s", "y", "z"), "k": F("k")},
    {"one": pc.scalar(1)},
    [],
]
FILTERS = [None, F("v") > 77, (F("k") == 1) & (F("t") == "t3"), F("s", "x") < 9, F("v") < 0, F("t").is_null()]
FILTERS += [pc.scalar(True), pc.scalar(False)]  # of no column


class TestAsPyarrow:
    @pytest.mark.parametrize("columns", COLUMNS, ids=str)
    def test_every_way_to_read(self, both, columns):
        ours, theirs = both
        for filter in FILTERS:
            given = {"columns": columns, "filter": filter}
            expected = theirs.to_table(**given)
            found = ours.to_table(**given)
            assert found.equals(expected) and found.num_rows == expected.num_rows
            assert found.schema.metadata == expected.schema.metadata
            scanner = ours.scanner(**given, batch_size=11)
            assert scanner.projected_schema.equals(expected.schema, check_metadata=True)
            assert scanner.count_rows() == theirs.count_rows(filter=filter)
            batches = list(scanner.to_batches())
            assert sum(batch.num_rows for batch in batches) == expected.num_rows
            assert all(0 < batch.num_rows <= 11 for batch in batches) or [len(batch) for batch in batches] == [0]
            assert pa.Table.from_batches(batches, expected.schema).equals(expected)
            assert scanner.head(7).num_rows == min(7, expected.num_rows)
            assert columns == [] or scanner.head(7).equals(expected.slice(0, 7))

    def test_rows_have_their_file_and_fragment(self, both):
        ours, theirs = both
        columns = ["v", "__filename", "__fragment_index", "__batch_index", "__last_in_fragment"]
        for filter in (None, F("v") > 77, F("t") == "t3"):
            expected = theirs.to_table(columns, filter=filter)
            assert ours.to_table(columns, filter).equals(expected)
            assert pa.Table.from_batches(ours.to_batches(columns, filter)).equals(expected)

    @pytest.mark.parametrize("filter", FILTERS, ids=str)
    def test_take(self, both, filter):
        ours, theirs = both
        count = theirs.count_rows(filter=filter)
        for seed in range(3 if count else 0):
            positions = random.Random(seed).choices(range(count), k=9)
            given = {"columns": ["v", "k"], "filter": filter}
            assert ours.take(positions, **given).equals(theirs.take(positions, **given))
        assert ours.take(pa.array([], pa.int64()), filter=filter).equals(ours.schema.empty_table())
        for wrong in (count, -1):
            with pytest.raises(IndexError, match="no row"):
                ours.take([wrong], filter=filter)

    def test_take_with_a_filter_takes_a_slice_like_a_list_of_the_matching_rows(self, both):
        ours, _ = both
        bounds = None, 0, 2, 7, -3, 1 << 33
        for filter in (None, F("v") > 77, F("t") == "t3", F("v") < 0):
            rows = ours.to_table(filter=filter).to_pylist()
            for wanted in (slice(*parts) for parts in product(bounds, bounds, (None, 3, -1, -2))):
                assert ours.take(wanted, filter=filter).to_pylist() == rows[wanted], wanted
            for wanted, error in ((slice(0, 5, 0), ValueError), (slice("a"), TypeError)):
                with pytest.raises(error):
                    ours.take(wanted, filter=filter)

    def test_take_of_a_slice_from_the_begin_reads_no_file_after_it(self, both, read):
        assert both[0].take(slice(0, 2), filter=F("v") >= 0)["v"].to_pylist() == [0, 1]
        assert [fragment.number for fragment in read] == [0]

    @pytest.mark.parametrize("columns", [["s.x"], {"w": F("v") + 1}, {"w": F("s", "x")}, {"w": pc.scalar(1)}], ids=str)
    def test_computed_columns_read_only_their_inputs(self, tmp_path, columns):
        path = tmp_path / "part.parquet"
        pq.write_table(table(0, 100), path, compression="none", use_dictionary=False)
        with parquetext.open(path) as file:
            begin, size = file.column("t").data_page_offset[0], file.column("t").total_compressed_size[0]
        data = bytearray(path.read_bytes())
        data[begin : begin + size] = bytes(size)
        path.write_bytes(data)
        expected = ds.dataset(path).to_table(columns, F("v") > 50)
        assert parquetext.dataset(path).to_table(columns, F("v") > 50).equals(expected)
        assert parquetext.read_table(path, columns, F("v") > 50).equals(expected)
        with pytest.raises(OSError, match=r"part\.parquet"):
            parquetext.dataset(path).to_table({"w": F("t")})

    def test_take_reads_only_row_groups_that_have_such_rows(self, lake, tmp_path):
        path = tmp_path / "part.parquet"
        pq.write_table(table(0, 100), path, row_group_size=25, compression="none", use_dictionary=False)
        with parquetext.open(path) as file:
            begin, size = file.column("v").data_page_offset[2], file.column("v").total_compressed_size[2]
        data = bytearray(path.read_bytes())
        data[begin : begin + size] = bytes(size)
        path.write_bytes(data)
        assert parquetext.dataset(path).take([99, 3], columns=["v"])["v"].to_pylist() == [99, 3]
        with pytest.raises(OSError, match=r"part\.parquet"):
            parquetext.dataset(path).take([60], columns=["v"])

    def test_head_reads_no_file_after_its_rows(self, both, read):
        assert both[0].head(30).num_rows == 30
        assert [fragment.number for fragment in read] == [0]

    @pytest.mark.parametrize("filter", [None, F("v") > 3], ids=str)
    def test_without_threads_the_caller_reads(self, both, monkeypatch, filter):
        threads = set()

        def noting(method):
            return lambda *given: threads.add(current_thread()) or method(*given)

        for name in ("_rows_of", "_stored"):  # of which each way to read asks one
            monkeypatch.setattr(FragmentRows, name, noting(getattr(FragmentRows, name)))
        for name in ("SLOW", "LONG"):  # whatever a call takes
            monkeypatch.setattr(f"parquetext.arrow.datasets.in_order.{name}", -1)
        for read in (Scanner.to_table, lambda scanner: list(scanner.to_batches()), Scanner.count_rows):
            read(both[0].scanner(filter=filter, use_threads=False))
        assert threads == {current_thread()}

    def test_rows_of_batches_are_of_one_row_group(self, both):
        ours, theirs = both
        assert [len(batch) for batch in ours.to_batches()] == [len(batch) for batch in theirs.to_batches()]

    def test_filtered_datasets(self, both):
        ours, theirs = both
        filtered, expected = ours.filter(F("v") > 30), theirs.filter(F("v") > 30)
        assert filtered.schema.equals(expected.schema)
        assert filtered.count_rows() == expected.count_rows()
        assert (
            filtered.filter(F("k") < 2)
            .to_table(filter=F("t") == "t1")
            .equals(expected.filter(F("k") < 2).to_table(filter=F("t") == "t1"))
        )
        lists = ours.filter([[("v", "<", 9)], [("v", ">", 99)]]).filter([("k", "in", [0])])
        assert lists.to_table()["v"].to_pylist() == list(range(9))
        with pytest.raises(ValueError, match="filtered"):
            filtered.get_fragments()
        with pytest.raises(TypeError):
            ours.filter(None)

    def test_datasets_in_memory(self, both):
        schema = pa.schema([("v", pa.int64()), ("t", pa.string())])  # structs cannot be joined
        both = ours, theirs = [one.replace_schema(schema) for one in both]
        right = ds.dataset(pa.table({"v": [3, 50, 300], "more": ["a", "b", "c"]}))
        for kind in ("inner", "left outer", "right outer", "left anti", "full outer"):
            joined = [one.join(right, "v", join_type=kind).to_table().sort_by("v") for one in both]
            assert joined[0].equals(joined[1].select(joined[0].column_names))
        nearest = ours.join_asof(right, on="v", by=[], tolerance=-5).to_table()
        assert nearest.equals(theirs.to_table().join_asof(right.to_table(), on="v", by=[], tolerance=-5))
        order = [("t", "descending"), ("v", "ascending")]
        assert ours.sort_by(order).to_table().equals(theirs.sort_by(order).to_table())

    def test_another_schema(self, both):
        ours, theirs = both
        schema = pa.schema([("k", pa.int32()), ("new", pa.string()), ("v", pa.int64())])
        assert ours.replace_schema(schema).to_table().equals(theirs.replace_schema(schema).to_table())
        for one in both:
            with pytest.raises(pa.ArrowTypeError, match="differing types"):
                one.replace_schema(pa.schema([("v", pa.string())]))
            with pytest.raises(pa.ArrowTypeError, match="not nullable"):
                one.replace_schema(pa.schema([pa.field("v", pa.int64(), nullable=False)]))
            with pytest.raises(TypeError, match="schema"):
                one.replace_schema(["v"])

    def test_several_datasets_as_one(self, lake, both):
        parts = [lake / "k=2" / "part.parquet", lake / "k=0"]
        ours = parquetext.dataset([parquetext.dataset(part, partitioning=None) for part in parts])
        theirs = ds.dataset([ds.dataset(str(part)) for part in parts])
        assert ours.schema.equals(theirs.schema)
        assert ours.to_table().equals(theirs.to_table())
        assert ours.to_table(filter=F("v") > 30).equals(theirs.to_table(filter=F("v") > 30))
        assert ours.count_rows() == 80
        with pytest.raises(ValueError, match="additional"):
            parquetext.dataset([both[0]], format="parquet")


@pytest.mark.parametrize("filter", [F("v") > 1000, F("v") * 2 > 1000, F("k") == 7], ids=str)
@pytest.mark.parametrize("columns", [None, ["s.x"], {"w": F("v") * 2}, []], ids=str)
def test_batches_without_matching_rows_have_the_schema(both, filter, columns):
    given = {"columns": columns, "filter": filter}
    expected = both[1].to_table(**given)
    for use_threads in (True, False):
        (batch,) = both[0].to_batches(**given, use_threads=use_threads)
        assert batch.num_rows == 0 and batch.schema.equals(expected.schema, check_metadata=True)
    assert pa.Table.from_batches(both[0].to_batches(**given)).equals(expected)
    assert both[0].scanner(**given).to_reader().read_all().equals(expected)


def test_batches_of_a_fragment_without_matching_rows_have_the_schema(both):
    (batch,) = next(both[0].get_fragments()).to_batches(filter=F("v") > 1000)
    assert batch.num_rows == 0 and batch.schema.equals(next(both[1].get_fragments()).physical_schema)


@pytest.mark.parametrize("filter", [[("v", ">", 1000), ("t", "=", 1)], [("v", ">", 1000), ("s", "=", 1)]], ids=str)
def test_filters_of_another_type_are_refused_without_any_rows(both, filter):
    with pytest.raises(pa.ArrowNotImplementedError) as expected:
        both[1].to_table(filter=pq.filters_to_expression(filter))
    for read in (both[0].to_table, both[0].count_rows, next(both[0].get_fragments()).count_rows):
        with pytest.raises(pa.ArrowNotImplementedError) as refused:
            read(filter=filter)
        assert str(refused.value) == str(expected.value)


@pytest.mark.parametrize("filter", [F("v") > "x", F("s") == 1, (F("v") > 1000) & (F("t") == 1)], ids=str)
def test_expressions_of_another_type_are_refused_in_empty_datasets(tmp_path, filter):
    pq.write_table(table(0, 10).slice(0, 0), tmp_path / "x.parquet")
    with pytest.raises(pa.ArrowNotImplementedError) as expected:
        ds.dataset(tmp_path / "x.parquet").count_rows(filter=filter)
    ours = parquetext.dataset(tmp_path / "x.parquet")
    for read in (ours.to_table, ours.count_rows, lambda filter: ours.head(1, filter=filter)):
        with pytest.raises(pa.ArrowNotImplementedError) as refused:
            read(filter=filter)
        assert str(refused.value) == str(expected.value)


READS = {
    "table": lambda scanner: scanner.to_table(),
    "batches": lambda scanner: pa.Table.from_batches(scanner.to_batches()),
    "head": lambda scanner: scanner.head(ROWS),
    "take": lambda scanner: scanner.take(range(scanner.count_rows())),
}


@pytest.mark.parametrize("read", READS.values(), ids=READS)
@pytest.mark.parametrize("columns", [None, ["t", "v"], {"w": F("v") + 1}], ids=str)
def test_results_are_in_the_given_memory_pool(both, columns, read):
    ours, theirs = both
    pool = pa.system_memory_pool()
    for filter in (None, F("v") > 77):
        given, found = {"columns": columns, "filter": filter}, None
        before = pool.bytes_allocated()
        found = read(ours.scanner(**given, memory_pool=pool))
        assert pool.bytes_allocated() - before >= found.nbytes
        assert found.equals(theirs.to_table(**given))
        assert ours.head(0, **given, memory_pool=pool).num_rows == 0
    with pytest.raises(TypeError, match=r"memory_pool must be a pyarrow\.MemoryPool, not str"):
        ours.to_table(memory_pool="system")


class TestFragments:
    def test_row_groups_and_their_bounds(self, both):
        for ours, theirs in zip(*(one.get_fragments() for one in both), strict=True):
            assert ours.path == theirs.path and ours.physical_schema.equals(theirs.physical_schema, check_metadata=True)
            assert ours.partition_expression.equals(theirs.partition_expression)
            assert ours.num_row_groups == theirs.num_row_groups == 2
            assert ours.row_groups == [0, 1]
            for info, expected in zip(ours.row_groups, theirs.row_groups, strict=True):
                assert repr(info) == repr(expected) and info.id == expected.id
                assert (info.num_rows, info.total_byte_size) == (expected.num_rows, expected.total_byte_size)
                assert info.metadata.to_dict() == expected.metadata.to_dict()
                assert info.schema.equals(expected.schema)
                assert info.statistics == {name: expected.statistics[name] for name in ("v", "t")}

    def test_rows_in_the_files_own_schema_or_another(self, both):
        for ours, theirs in zip(*(one.get_fragments() for one in both), strict=True):
            assert ours.buffer is theirs.buffer is None
            assert ours.to_table().equals(theirs.to_table())
            assert ours.to_table(schema=both[0].schema).equals(theirs.to_table(schema=both[1].schema))
            given = {"columns": ["v"], "filter": F("v") > 50}
            assert ours.to_table(**given).equals(theirs.to_table(**given))
            assert ours.count_rows(F("v") > 50) == theirs.count_rows(F("v") > 50)
            assert ours.head(3).equals(theirs.head(3))
            assert ours.take([30, 1]).equals(theirs.take([30, 1]))
            assert [len(batch) for batch in ours.to_batches(batch_size=20)] == [20, 5, 15]
        with pytest.raises(ColumnError, match="'k'"):
            ours.to_table(columns=["k"])
        with pytest.raises(TypeError, match="schema"):
            ours.to_table(["v"])

    def test_some_of_its_row_groups(self, both):
        ours, theirs = (next(one.get_fragments(F("k") == 1)) for one in both)
        assert ours.subset(F("v") > 70).row_groups == theirs.subset(F("v") > 70).row_groups == [1]
        assert ours.subset(F("v") > 700).row_groups == []
        assert ours.subset(row_group_ids=[1, 0]).to_table().equals(theirs.subset(row_group_ids=[1, 0]).to_table())
        some = ours.subset(row_group_ids=[0])
        assert some.to_table(filter=F("v") > 0).num_rows == some.count_rows() == 25
        split = [[fragment.row_groups for fragment in one.split_by_row_group()] for one in (ours, theirs)]
        assert split[0] == split[1] == [[0], [1]]
        assert [fragment.row_groups for fragment in ours.split_by_row_group(F("v") > 70)] == [[1]]
        assert ours.subset(F("k") == 2, both[0].schema).row_groups == []
        for number, kind in ((5, pa.lib.ArrowIndexError), (-1, pa.ArrowInvalid)):  # pyarrow's classes
            with pytest.raises(kind, match=f"row group {number}") as caught:
                ours.subset(row_group_ids=[number])
            assert isinstance(caught.value, IndexError)
        with pytest.raises(ValueError, match="one of"):
            ours.subset()

    def test_batches_name_their_fragment(self, both):
        tagged = list(both[0].scanner(["v"]).scan_batches())
        assert [(one.fragment.number, one.record_batch.num_rows) for one in tagged] == [
            (number, rows) for number in range(3) for rows in (25, 15)
        ]


def test_complete_metadata_is_an_error_without_a_footer(lake, tmp_path):
    path = tmp_path / "part.parquet"
    path.write_bytes((lake / "k=0/part.parquet").read_bytes())
    for made in (ds.dataset, parquetext.dataset):
        (fragment,) = made(path, schema=pa.schema([("v", pa.int64())])).get_fragments()
        fragment.ensure_complete_metadata()
    path.write_bytes(b"no footer at all")
    for made in (ds.dataset, parquetext.dataset):
        (fragment,) = made(path, schema=pa.schema([("v", pa.int64())])).get_fragments()
        with pytest.raises(pa.ArrowInvalid, match=r"part\.parquet"):
            fragment.ensure_complete_metadata()


class TestPyarrowsOwnClass:
    def test_over_pruned_fragments(self, both):
        ours, theirs = both
        made = ours.to_pyarrow()
        assert isinstance(made, ds.FileSystemDataset)
        assert made.files == theirs.files and made.to_table().equals(theirs.to_table())
        pruned = ours.to_pyarrow([("v", ">", 70), ("k", "<", 2)])
        assert [(one.path, one.row_groups) for one in pruned.get_fragments()] == [(theirs.files[1], [1])]
        assert pruned.to_table(filter=F("v") > 70).equals(theirs.to_table(filter=(F("v") > 70) & (F("k") < 2)))
        filtered = ours.filter(F("v") > 70).to_pyarrow()
        assert filtered.to_table().equals(theirs.to_table(filter=F("v") > 70))

    def test_other_formats_are_datasets_of_pyarrow(self, tmp_path):
        data = pa.table({"a": [1, 2]})
        for source in (data, [data], data.to_batches(), data.to_reader()):
            assert parquetext.dataset(source).to_table().equals(data)
        ds.write_dataset(data, tmp_path, format="ipc")
        assert parquetext.dataset(tmp_path, format="ipc").to_table().equals(data)
        with pytest.raises(ValueError, match="'nope'"):
            parquetext.dataset(tmp_path, format="nope")
        with pytest.raises(TypeError):
            parquetext.dataset(3)


@pytest.mark.parametrize(
    "copied",
    [lambda one: pickle.loads(pickle.dumps(one)), copy.deepcopy, copy.copy],
    ids=["pickle", "deepcopy", "copy"],
)
def test_copies_read_the_same(lake, copied):
    schema = pa.schema([("v", pa.int64()), ("k", pa.int8())])
    plain = parquetext.dataset(lake)
    made = [
        plain,
        plain.filter([("v", ">", 50)]),
        plain.replace_schema(pa.schema([("v", pa.int64())])),
        parquetext.dataset(lake, schema, partitioning=ds.partitioning(pa.schema([("k", pa.int8())]), flavor="hive")),
        parquetext.dataset(str(lake), filesystem=pafs.SubTreeFileSystem("/", pafs.LocalFileSystem())),
        parquetext.dataset([parquetext.dataset(lake / "k=0"), parquetext.dataset(lake / "k=1")]),
        parquetext.dataset(lake, format=ds.ParquetFileFormat(dictionary_columns=["t"])),
    ]
    for one in made:
        again = copied(one)
        assert again.schema.equals(one.schema) and again.files == one.files
        assert again.to_table().equals(one.to_table())
    for fragment in plain.get_fragments(F("v") > 70):
        again = copied(fragment)
        assert again.row_groups == fragment.row_groups and again.to_table().equals(fragment.to_table())


def test_wrong_scans_raise_errors_with_the_reason(both):
    ours = both[0]
    with pytest.raises(ColumnError, match="'nope'"):
        ours.to_table(["s.nope", "nope"])
    with pytest.raises(ValueError, match="BatchSize"):
        ours.scanner(batch_size=0)
    with pytest.raises(ValueError, match="num_rows"):
        ours.head(-1)
    with pytest.raises(TypeError, match="names"):
        ours.to_table([F("v")])
    with pytest.raises(ValueError, match="one string"):
        ours.to_table("v")
    with pytest.raises(TypeError, match="'w' is made of an Expression, not of a str"):
        ours.to_table({"w": "v"})
    for ahead in ("batch_readahead", "fragment_readahead"):
        with pytest.raises(pa.ArrowInvalid, match="readahead"):
            ours.to_table(**{ahead: -1})
