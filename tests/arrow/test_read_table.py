"""`read_table` accepts the arguments of pyarrow's, and returns the same table."""

from __future__ import annotations

import re
import sys
from functools import partial
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe
import pytest

import parquetext
from parquetext import sidecar
from parquetext.errors import ColumnError, Refused, Unsupported

KEY = b"0123456789abcdef"
TABLE = pa.table(
    {
        "id": [1, 2, 3, 4],
        "place": pa.array([{"x": 1, "y": {"z": 2}}, None, {"x": 3, "y": None}, {"x": None, "y": {"z": 4}}]),
        "points": pa.array([[{"u": 1, "v": 2}]] * 4),
        "a.b": [7, 8, 9, 10],
        "word": ["p", "q", "p", None],
    },
    metadata={"owner": "somebody"},
)
OTHER_SCHEMA = pa.schema(
    {"id": pa.float64(), "new": pa.string(), "place": TABLE.schema.field("place").type}, {"k": "v"}
)


@pytest.fixture(params=["thrift", "flat"])
def path(request, tmp_path, implementation) -> str:
    path = tmp_path / "table.parquet"
    pq.write_table(TABLE, path, row_group_size=2)
    if request.param == "flat":
        parquetext.upgrade(path, form="flat")
    return str(path)


def assert_same(ours: pa.Table, theirs: pa.Table) -> None:
    assert ours.schema.equals(theirs.schema, check_metadata=True)
    assert ours.equals(theirs)


class TestColumns:
    @pytest.mark.parametrize(
        "columns",
        [
            None,
            [],
            ["id", "id"],
            ["place.x"],
            ["place.y.z"],
            ["place.x", "place.y"],
            ["place", "place.x", "id", "place.x"],
            ["a.b"],
            ["points"],
            {"double": pc.field("id") * 2},
        ],
        ids=str,
    )
    def test_names_have_pyarrows_meaning(self, path, columns):
        for filters in (None, [("id", ">", 1)]):
            theirs = pq.read_table(path, columns=columns, filters=filters)
            assert_same(parquetext.read_table(path, columns, filters), theirs)

    def test_our_own_decoder_gives_the_same(self, path):
        columns = ["place.x", "id", "id"]
        assert_same(parquetext.read_table(path, columns, engine="parquetext"), pq.read_table(path, columns=columns))

    def test_tuples_and_paths_through_lists_come_nested(self, path):
        nested = parquetext.read_table(path, [("place", "x"), "points.list.element.u"])
        assert nested == pq.ParquetFile(path).read(["place.x", "points.list.element.u"])

    @pytest.mark.parametrize("columns", [["a.b"], ["a.b", "a"], ["a", "a.b.c"], ["a.b", "a.b"]], ids=str)
    @pytest.mark.parametrize("form", ["thrift", "flat"])
    def test_a_top_level_name_with_dots_is_rather_that_column_than_a_field(self, tmp_path, form, columns):
        parquetext.write_table(pa.table({"a.b": [{"c": 1}], "a": [{"b": {"c": 2}}]}), tmp_path / "a", form=form)
        theirs = pq.read_table(tmp_path / "a", columns=columns)
        assert_same(parquetext.read_table(tmp_path / "a", columns), theirs)
        assert_same(parquetext.read_table([tmp_path / "a"], columns), theirs)

    def test_one_string_is_a_value_error_as_for_pyarrow(self, path):
        for source in (path, [path]):
            with pytest.raises(ValueError, match="one string"):
                parquetext.read_table(source, "id")

    def test_one_letter_is_a_name_for_pandas_as_for_pyarrow(self, tmp_path):
        path = tmp_path / "pandas.parquet"
        pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}).to_parquet(path)
        theirs = pq.read_table(path, columns="a", use_pandas_metadata=True)
        assert_same(parquetext.read_table(path, "a", use_pandas_metadata=True), theirs)
        assert_same(parquetext.read_pandas(path, "a"), theirs)
        with pytest.raises(ValueError, match="one string"):
            parquetext.read_table(path, "ab", use_pandas_metadata=True)  # pyarrow reads its letters

    def test_a_name_of_many_columns_is_arrow_invalid(self, tmp_path):
        table = pa.Table.from_arrays([pa.array([1]), pa.array([2]), pa.array([3])], ["a", "a", "b"])
        pq.write_table(table, tmp_path / "twice.parquet")
        with pytest.raises(pa.ArrowInvalid, match="ambiguous"):
            parquetext.read_table(tmp_path / "twice.parquet", ["a"])
        theirs = pq.read_table(tmp_path / "twice.parquet", columns=["b", "b"])
        assert_same(parquetext.read_table(tmp_path / "twice.parquet", ["b", "b"]), theirs)

    @pytest.mark.parametrize("columns", [["place.x"], ["place.y"], ["place.x", "place"]], ids=str)
    def test_a_column_whose_name_has_dots_comes_before_a_field(self, tmp_path, columns):
        positions = pa.array([{"x": 1, "y": "a"}])
        pq.write_table(
            pa.Table.from_arrays([positions, pa.array([7])], ["place", "place.x"]), tmp_path / "dots.parquet"
        )
        theirs = pq.read_table(tmp_path / "dots.parquet", columns=columns)
        assert_same(parquetext.read_table(tmp_path / "dots.parquet", columns), theirs)


class TestSchema:
    @pytest.mark.parametrize("columns", [None, ["new", "id"], ["place.x", "id", "id"]], ids=str)
    @pytest.mark.parametrize("filters", [None, [("id", ">", 1.5)], pc.field("place", "x") == 3], ids=str)
    def test_columns_are_cast_or_null(self, path, columns, filters):
        given = {"schema": OTHER_SCHEMA, "columns": columns, "filters": filters}
        assert_same(parquetext.read_table(path, **given), pq.read_table(path, **given))

    def test_a_name_that_the_schema_lacks_is_an_error_with_the_file(self, path):
        with pytest.raises(
            pa.ArrowInvalid, match=f"^{path}: no column 'ids' in the schema; the nearest: 'id'"
        ) as caught:
            parquetext.read_table(path, ["ids"], schema=OTHER_SCHEMA)
        assert isinstance(caught.value, ColumnError)

    def test_bytes_have_a_schema_too(self, path):
        data = pa.BufferReader(open(path, "rb").read())  # noqa: SIM115
        assert_same(parquetext.read_table(data, schema=OTHER_SCHEMA), pq.read_table(path, schema=OTHER_SCHEMA))


class TestArguments:
    @pytest.mark.parametrize(
        "given",
        [
            {"read_dictionary": ["word", "nowhere"]},
            {"read_dictionary": ["word"], "columns": ["id"]},
            {"read_dictionary": ["word"], "filters": [("word", "=", "p")], "columns": ["id"]},
            {"memory_map": True},
            {"buffer_size": 4096},
            {"pre_buffer": True},
            {"list_type": pa.LargeListType},
            {"binary_type": pa.large_binary()},
            {"arrow_extensions_enabled": False},
            {"ignore_prefixes": ["table"]},
            {"partitioning": None},
        ],
        ids=str,
    )
    def test_each_option_has_pyarrows_meaning(self, path, given):
        assert_same(parquetext.read_table(path, **given), pq.read_table(path, **given))
        assert parquetext.read_table(path, **given, engine="parquetext") == pq.read_table(path, **given)

    def test_pyarrow_reads_through_a_mapping_on_request(self, path, monkeypatch):
        mapped, map_file = [], pa.memory_map
        monkeypatch.setattr(pa, "memory_map", lambda *given: mapped.append(given) or map_file(*given))
        parquetext.read_table(path, engine="pyarrow")
        assert not mapped
        parquetext.read_table(path, engine="pyarrow", memory_map=True)
        assert len(mapped) == 1

    def test_dictionaries_may_be_numbers_of_leaves_for_open_files(self, path):
        leaf = pq.ParquetFile(path).metadata.num_columns - 1
        with parquetext.open(path) as file:
            assert file.read(["word"], read_dictionary=[leaf]).schema.field("word").type == pa.dictionary(
                pa.int32(), pa.string()
            )

    def test_schemas_have_the_arguments_of_pyarrow(self, tmp_path):
        path = tmp_path / "uuid.parquet"
        pq.write_table(pa.table({"key": pa.array([bytes(16)], pa.uuid())}), path, store_schema=False)
        for given in ({}, {"arrow_extensions_enabled": False}, {"memory_map": True}):
            assert parquetext.read_schema(path, **given) == pq.read_schema(path, **given)


class TestPandas:
    def test_a_frame_comes_back_with_its_index_and_types(self, tmp_path):
        frame = pd.DataFrame(
            {
                "large": pd.array([9007199254740993, None], "Int64"),
                "word": pd.Categorical(["p", "q"]),
                "flag": pd.array([True, None], "boolean"),
            },
            index=pd.Index(["first", "second"], name="key"),
        )
        path = tmp_path / "pandas.parquet"
        frame.to_parquet(path)
        for form in ("thrift", "flat"):
            if form == "flat":
                parquetext.upgrade(path, form="flat")
            pd.testing.assert_frame_equal(parquetext.read_table(path).to_pandas(), frame)
            part = parquetext.read_table(path, ["large"], use_pandas_metadata=True)
            assert_same(part, pq.read_table(path, columns=["large"], use_pandas_metadata=True))
            pd.testing.assert_frame_equal(part.to_pandas(), frame[["large"]])
            assert parquetext.read_table(path, key_values=False).schema.metadata is None

    def test_key_values_are_read_without_arrows_schema(self, tmp_path, implementation):
        """ARROW:schema of a wide file takes more than all that a column needs."""
        path = tmp_path / "wide.parquet"
        table = pa.table({f"column {number}": [number] for number in range(2000)}).replace_schema_metadata({"k": "v"})
        pq.write_table(table, path)
        parquetext.upgrade(path, form="flat")
        with parquetext.open(path) as file:
            assert len(file.key_values[b"ARROW:schema"]) > 100_000
        with parquetext.open(path) as file:
            assert file.read(["column 7"]).schema.metadata == {b"k": b"v"}
            assert file.io_stats.bytes < 20_000


class TestPlans:
    @pytest.mark.parametrize(
        "given", [{"columns": ["place.x", "id"]}, {"schema": OTHER_SCHEMA}, {"columns": ["id"]}, {}], ids=str
    )
    def test_a_plan_does_not_change_the_result(self, path, given):
        sidecar.build(path)
        filters = [("id", ">", 2)]
        theirs = pq.read_table(path, filters=filters, **given)
        with sidecar.open(path) as plan:
            for planned in (True, plan):
                assert parquetext.read_table(path, filters=filters, sidecar=planned, **given) == theirs


class TestMany:
    @pytest.fixture
    def lake(self, tmp_path) -> str:
        for part in ("p", "q"):
            folder = tmp_path / f"part={part}"
            folder.mkdir()
            pq.write_table(TABLE, folder / "table.parquet")
        return str(tmp_path)

    def test_a_directory_and_lists_of_files_are_datasets(self, lake):
        ours = parquetext.read_table(lake, ["id", "part"], [("part", "=", "q"), ("id", ">", 2)])
        assert ours.to_pydict() == {"id": [3, 4], "part": ["q", "q"]}
        files = [f"{lake}/part={part}/table.parquet" for part in ("q", "p")]
        assert parquetext.read_table(files, ["place.x", "id"], partitioning=None) == pq.read_table(
            files, columns=["place.x", "id"], partitioning=None
        )

    @pytest.mark.parametrize(
        "given",
        [
            {},
            {"columns": ["part", "place.x", "id"]},
            {"filters": [("part", "=", "q"), ("id", ">", 2)]},
            {"partitioning": None},
            {"read_dictionary": ["word"], "columns": ["word"]},
            {"schema_depth_limit": 100},
            {"ignore_prefixes": ["part=p"]},
            {"schema": pa.schema([("word", pa.string()), ("id", pa.float64())])},
            {"schema": pa.schema([("id", pa.int64())]), "columns": ["id"], "filters": [("id", ">", 2)]},
        ],
        ids=str,
    )
    def test_directories_give_pyarrows_result(self, lake, given):
        assert_same(parquetext.read_table(lake, **given), pq.read_table(lake, **given))

    def test_pandas_finds_its_index_in_folders_too(self, tmp_path):
        for number in range(2):
            frame = pd.DataFrame({"v": [1, 2], "w": [3, 4]}, index=pd.Index([5, 6], name="number"))
            frame.to_parquet(tmp_path / f"{number}.parquet")
        for read in (parquetext.read_pandas, partial(parquetext.read_table, use_pandas_metadata=True)):
            found = read(tmp_path, columns=["v"]).to_pandas()
            assert found.equals(pq.read_pandas(tmp_path, columns=["v"]).to_pandas())
            assert found.index.name == "number" and list(found) == ["v"]

    def test_a_schema_is_one(self, lake):
        for position in (lake, f"{lake}/part=p/table.parquet"):
            for read in (pq.read_table, parquetext.read_table, parquetext.ParquetDataset, parquetext.dataset):
                with pytest.raises(TypeError, match="schema"):
                    read(position, schema=["id"])

    def test_limits_hold_for_each_of_many_files(self, lake):
        for limit in ("schema_depth_limit", "thrift_string_size_limit"):
            with pytest.raises(OSError, match=limit):
                parquetext.read_table(lake, **{limit: 1})

    def test_a_pattern_selects_files(self, lake):
        found = parquetext.read_table(f"{lake}/part=*/*.parquet", ["id"], partitioning=None)
        assert found["id"].to_pylist() == [1, 2, 3, 4] * 2
        with pytest.raises(FileNotFoundError, match="none"):
            parquetext.read_table(f"{lake}/none*.parquet")

    def test_key_values_are_left_out_of_many_files_too(self, lake):
        assert parquetext.read_table(lake).schema.metadata == {b"owner": b"somebody"}
        assert parquetext.read_table(lake, key_values=False).schema.metadata is None

    def test_a_directory_of_another_filesystem_is_a_dataset(self):
        fsspec = pytest.importorskip("fsspec")
        files = fsspec.filesystem("memory")
        files.pipe("/many/table.parquet", pq_bytes(TABLE))
        assert parquetext.read_table("memory://many") == TABLE
        assert parquetext.read_table("/many", filesystem=files) == TABLE

    def test_a_missing_path_is_not_found(self, tmp_path):
        for source in (tmp_path / "nowhere", [str(tmp_path / "nowhere")], "memory://nowhere"):
            with pytest.raises(FileNotFoundError, match="nowhere"):
                parquetext.read_table(source)


def pq_bytes(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    return sink.getvalue().to_pybytes()


class TestWithoutPyarrowDataset:
    @pytest.fixture(autouse=True)
    def _missing(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "pyarrow.dataset", None)

    def test_a_file_is_read(self, path):
        assert_same(parquetext.read_table(path), pq.ParquetFile(path).read())
        assert parquetext.read_table(path, ["place.x"]).num_rows == 4
        assert parquetext.ParquetFile(path).read(["id"]) == TABLE.select(["id"])

    @pytest.mark.parametrize(
        ("make", "message"),
        [
            (lambda path: ((path,), {"filters": [("id", "=", 1)]}), "'filters' keyword"),
            (lambda path: ((str(Path(path).parent),), {}), "'source' argument"),
            (lambda path: (([path],), {}), "'source' argument"),
            (lambda path: ((str(Path(path).parent),), {"schema": OTHER_SCHEMA}), "'schema' argument"),
        ],
        ids=["filters", "folder", "list", "schema"],
    )
    def test_missing_required_options_are_value_errors_as_in_pyarrow(self, path, make, message):
        arguments, options = make(path)
        for read in (parquetext.read_table, pq.read_table):
            with pytest.raises(ValueError, match=message):
                read(*arguments, **options)


class TestEncrypted:
    @pytest.fixture(params=["encrypted footer", "plaintext footer"])
    def encrypted(self, request, tmp_path) -> str:
        path = tmp_path / "encrypted.parquet"
        plain = request.param == "plaintext footer"
        keys = pe.create_encryption_properties(footer_key=KEY, plaintext_footer=plain)
        pq.write_table(TABLE, path, encryption_properties=keys)
        return str(path)

    def test_a_caller_with_keys_reads_it(self, encrypted, tmp_path):
        keys = pe.create_decryption_properties(footer_key=KEY)
        given = {"columns": ["id", "place.x"], "filters": [("id", ">", 1)]}
        theirs = pq.read_table(encrypted, decryption_properties=keys, **given)
        with open(encrypted, "rb") as file:
            for source in (encrypted, file, pa.BufferReader(file.read()), [encrypted]):
                assert parquetext.read_table(source, decryption_properties=keys, **given) == theirs
        assert parquetext.read_schema(encrypted, decryption_properties=keys) == TABLE.schema
        bare = parquetext.read_table(encrypted, ["id"], decryption_properties=keys, key_values=False)
        assert bare.schema.metadata is None

    def test_missing_rows_raise_for_a_caller_with_keys(self, tmp_path):
        lists = pa.table({"a": pa.array([[1, 2], [None], [3]] * 3), "n": range(9)})
        path = tmp_path / "key=1" / "lists.parquet"
        path.parent.mkdir()
        written = pe.create_encryption_properties(footer_key=KEY, plaintext_footer=False)
        pq.write_table(lists, path, row_group_size=4, data_page_size=1, encryption_properties=written)
        keys = {"decryption_properties": pe.create_decryption_properties(KEY)}
        missing = pytest.raises(pa.ArrowInvalid, match=r"pyarrow gives \d of 9 rows")
        assert pq.read_table(path, columns=["a"], **keys).num_rows < 9  # else this test has no effect
        for source in (path, [path], tmp_path, pa.BufferReader(path.read_bytes())):
            with missing:
                parquetext.read_table(source, ["a"], **keys)
        with parquetext.ParquetFile(path, **keys) as file:
            for read in (
                lambda: file.read(["a"]),
                lambda: file.read_row_groups([0, 1, 2], ["a"]),
                lambda: list(file.iter_batches(4, columns=["a"])),
            ):
                with missing:
                    read()
            assert file.read(["n"])["n"].to_pylist() == [*range(9)]
            assert file.read_row_group(2, ["n"])["n"].to_pylist() == [8]
        assert parquetext.read_table(path, ["n"], **keys)["n"].to_pylist() == [*range(9)]

    def test_rows_and_entries_are_counted_with_filters_selections_and_several_files(self, tmp_path):
        keys = {"decryption_properties": pe.create_decryption_properties(KEY)}
        written = pe.create_encryption_properties(footer_key=KEY, plaintext_footer=False)
        lists = pa.table({"a": pa.array([[1, 2], [None], [3]] * 3), "n": range(9)})
        for folder, table in (("whole", lists), ("short", lists)):
            path = tmp_path / folder / "key=1" / "lists.parquet"
            path.parent.mkdir(parents=True)
            size = {"data_page_size": 1} if folder == "short" else {}
            pq.write_table(table, path, row_group_size=4, encryption_properties=written, **size)
            pq.write_table(table, path.with_name("more.parquet"), encryption_properties=written)
        short, whole = tmp_path / "short", tmp_path / "whole"
        lost = pytest.raises(pa.ArrowInvalid, match=r"pyarrow gives \d+ of \d+ rows")
        has_list = pc.field("a").is_valid()
        assert pq.read_table(short, columns=["a"], filters=has_list, **keys).num_rows < 18  # else this has no effect
        for source in (short, short / "key=1" / "lists.parquet"):
            with lost:
                parquetext.read_table(source, ["a"], filters=has_list, **keys)
            with lost:
                parquetext.ParquetDataset(source, filters=has_list, **keys).read(["a"])
        for rows in (has_list, [("n", ">", 4)], [[("n", ">", 4)], [("key", "=", 1)]], pc.field("n") > 4):
            expected = pq.read_table(whole, columns=["a", "n"], filters=rows, **keys)
            assert parquetext.read_table(whole, ["a", "n"], filters=rows, **keys).equals(expected)
            assert parquetext.ParquetDataset(whole, filters=rows, **keys).read(["a", "n"]).equals(expected)
        outside = parquetext.read_table(tmp_path / "short", ["a"], filters=[("n", ">", 100)], **keys)
        assert outside.num_rows == 0, "row groups without such rows are not read"
        with pytest.raises(pa.ArrowInvalid, match=r"pyarrow gives \d+ of 18 rows"):
            parquetext.ParquetDataset(tmp_path / "short", **keys).read(["a"])
        assert parquetext.ParquetDataset(tmp_path / "short", **keys).read(["n"]).num_rows == 18

    def test_a_caller_without_keys_gets_an_error(self, encrypted):
        with pytest.raises(OSError, match="give decryption_properties") as caught:
            parquetext.read_table(encrypted)
        assert isinstance(caught.value, Refused) and caught.value.file == encrypted

    def test_open_names_the_functions_that_accept_keys(self, encrypted):
        with pytest.raises(OSError, match="give decryption_properties") as caught:
            parquetext.open(encrypted).read()
        keys = {"decryption_properties": pe.create_decryption_properties(footer_key=KEY)}
        named = re.split(", | or ", caught.value.message.partition("decryption_properties to ")[2])
        assert named == ["read_table", "read_schema", "read_metadata", "ParquetFile", "ParquetDataset"]
        for name in named:
            for given in (encrypted, f"file://{encrypted}", Path(encrypted)):
                assert getattr(parquetext, name)(given, **keys) is not None

    def test_an_open_file_with_a_plaintext_footer_is_read_with_keys(self, tmp_path):
        path = str(tmp_path / "a.parquet")
        written = pe.create_encryption_properties(footer_key=KEY, plaintext_footer=True)
        pq.write_table(TABLE, path, row_group_size=2, encryption_properties=written)
        keys = pe.create_decryption_properties(footer_key=KEY)
        theirs = pq.read_table(path, decryption_properties=keys)
        with parquetext.open(path) as file:
            assert file.read(decryption_properties=keys) == theirs
            one = file.read(["place.x"], [1], [("id", ">", 3)], decryption_properties=keys, key_values=False)
            assert one.to_pydict() == {"place": [{"x": None}]} and one.schema.metadata is None
            with pytest.raises(NotImplementedError, match="cannot decrypt"):
                file.read(decryption_properties=keys, engine="parquetext")

    def test_rows_that_pyarrow_loses_of_an_encrypted_file_are_an_error(self, tmp_path):
        """A record of many values is preceded by a page without values, which pyarrow itself writes."""
        path = str(tmp_path / "a.parquet")
        written = pe.create_encryption_properties(footer_key=KEY, plaintext_footer=True)
        lists = pa.table({"a": [[1, 2], [None], [3]] * 3})
        pq.write_table(lists, path, row_group_size=4, data_page_size=1, encryption_properties=written)
        keys = pe.create_decryption_properties(footer_key=KEY)
        with pq.ParquetFile(path, decryption_properties=keys) as file:
            assert file.read().num_rows == 8
        with parquetext.open(path) as file:
            for options in ({}, {"row_groups": [0, 1, 2]}):
                with pytest.raises(pa.ArrowInvalid, match="pyarrow gives 8 of 9 rows"):
                    file.read(decryption_properties=keys, **options)

    def test_other_keys_and_our_own_decoder_are_errors(self, encrypted):
        wrong = pe.create_decryption_properties(footer_key=KEY[::-1])
        with pytest.raises((OSError, pa.ArrowInvalid), match=r"decrypt|signature verification failed"):
            parquetext.read_table(encrypted, decryption_properties=wrong)
        with pytest.raises(Unsupported, match="cannot decrypt"):
            parquetext.read_table(encrypted, decryption_properties=wrong, engine="parquetext")
