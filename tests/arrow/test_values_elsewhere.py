"""Footers whose column chunks lie in other files, as in a ``_metadata`` file: readers refuse, and name that file."""

from __future__ import annotations

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from support.parquet_bytes import footer_of, parquet_bytes, with_footer
from support.typer_runner import CliRunner

import parquetext
from parquetext.cli.app import app
from parquetext.errors import Unsupported
from parquetext.thrift import read, write

pytestmark = pytest.mark.usefixtures("implementation")
TABLE = pa.table({"x": range(10), "s": list("abcdefghij")})
OTHER = r"row group {}, column {}: the values are in another file, '{}'"
ENGINES = [None, "auto", "pyarrow", "parquetext"]


@pytest.fixture(scope="module", params=["thrift", "flat", "index", "par3"])
def folder_with_metadata(request, tmp_path_factory):
    """The folder of a ``_metadata`` file of three files of a row group each."""
    folder, collected = tmp_path_factory.mktemp("metadata"), []
    for number in range(3):
        pq.write_table(TABLE, folder / f"p{number}.parquet", metadata_collector=collected)
        collected[-1].set_file_path(f"p{number}.parquet")
    path = folder / "_metadata"
    pq.write_metadata(TABLE.schema, path, metadata_collector=collected)
    if request.param != "thrift":
        parquetext.upgrade(path, form="flat" if request.param == "par3" else request.param)
    if request.param == "par3":
        parquetext.finalize(path, confirm=True)
    return folder


@pytest.fixture
def metadata_file(folder_with_metadata):
    return folder_with_metadata / "_metadata"


READS = {
    "read_table": lambda path, engine: parquetext.read_table(path, engine=engine),
    "filters": lambda path, engine: parquetext.read_table(path, filters=[("x", ">", 3)], engine=engine),
    "from memory": lambda path, engine: parquetext.read_table(path.read_bytes(), engine=engine),
    "File.read": lambda path, engine: parquetext.open(path).read(engine=engine),
    "File.iter_batches": lambda path, engine: list(parquetext.open(path).iter_batches(engine=engine)),
    "ParquetFile.read": lambda path, engine: parquetext.ParquetFile(path, engine=engine).read(),
    "ParquetFile.iter_batches": lambda path, engine: list(parquetext.ParquetFile(path, engine=engine).iter_batches()),
    "Dataset.to_table": lambda path, engine: parquetext.dataset(path, engine=engine).to_table(),
    "Dataset.to_batches": lambda path, engine: list(parquetext.dataset(path, engine=engine).to_batches(batch_size=3)),
    "Dataset.head": lambda path, engine: parquetext.dataset(path, engine=engine).head(3),
    "Dataset.take": lambda path, engine: parquetext.dataset(path, engine=engine).take([0]),
    "count_rows": lambda path, engine: parquetext.dataset(path, engine=engine).count_rows(filter=pc.field("x") > 3),
}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("give", READS.values(), ids=READS)
def test_every_reader_names_the_other_file(metadata_file, give, engine):
    with pytest.raises(Unsupported, match=OTHER.format(0, "[xs]", "p0.parquet")) as caught:
        give(metadata_file, engine)
    assert isinstance(caught.value, pa.ArrowNotImplementedError)
    assert str(caught.value).startswith(f"{metadata_file}: " if give is not READS["from memory"] else "<bytes>: ")


@pytest.mark.parametrize("engine", ENGINES)
def test_the_row_group_is_the_one_of_the_file(metadata_file, engine):
    with parquetext.open(metadata_file) as file:
        for give in (file.read, lambda *options, **more: list(file.iter_batches(*options, **more))):
            with pytest.raises(Unsupported, match=OTHER.format(2, "s", "p2.parquet")):
                give(["s"], [2], engine=engine)


def test_pages_and_query_engines_name_it(metadata_file):
    polars = pytest.importorskip("polars")
    with (
        parquetext.open(metadata_file) as file,
        pytest.raises(Unsupported, match=r"are in another file, 'p0\.parquet'"),
    ):
        file.pages("x")
    with pytest.raises((Unsupported, polars.exceptions.PolarsError), match=r"another file, 'p0\.parquet'"):
        parquetext.scan_polars(metadata_file).collect()
    con = duckdb.connect()
    parquetext.register_duckdb(con, metadata_file, "v")
    with pytest.raises(duckdb.Error, match=r"another file, 'p0\.parquet'"):
        con.execute("FROM v").fetchall()


@pytest.mark.parametrize("command", ["head", "cat"])
def test_commands_name_it(metadata_file, command):
    done = CliRunner().invoke(app, [command, str(metadata_file)])
    assert done.exit_code == 2
    assert "another file, 'p0.parquet'" in done.output


def test_metadata_of_the_footer_are_given(metadata_file):
    with parquetext.open(metadata_file) as file:
        assert file.read([]).num_rows == 30
        assert file.metadata.row_group(1).column(0).file_path == "p1.parquet"
        assert file.column("x").max.to_pylist() == [9, 9, 9]
    assert parquetext.layout(metadata_file).size == metadata_file.stat().st_size


@pytest.mark.parametrize("engine", ENGINES)
def test_the_other_columns_of_a_row_group_are_read(tmp_path, engine):
    """One chunk lies elsewhere, although pages of its kind are at its offset here."""
    path = tmp_path / "x.parquet"
    data = parquet_bytes(TABLE, row_group_size=5)
    footer = read("FileMetaData", footer_of(data))
    footer["row_groups"][1]["columns"][1]["file_path"] = "other.parquet"
    path.write_bytes(with_footer(data, write("FileMetaData", footer)))
    assert parquetext.read_table(path, ["x"], engine=engine) == TABLE.select(["x"])
    with parquetext.open(path) as file:
        assert file.read(row_groups=[0], engine=engine) == TABLE[:5]
        with pytest.raises(Unsupported, match=OTHER.format(1, "s", "other.parquet")):
            file.read(engine=engine)
