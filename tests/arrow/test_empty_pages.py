"""Flat columns with pages of no values, after which pyarrow loses rows: every path of reading gives all rows."""

from __future__ import annotations

import itertools
import struct

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from support import samples
from support.pages import Column, Page, data_page, data_page_v2, file_of_row_groups, levels
from support.parquet_bytes import footer_of, with_footer
from support.typer_runner import CliRunner

import parquetext
from parquetext import sidecar, wire
from parquetext.cli.app import app
from parquetext.thrift import read, write

PLAIN, INT32, OPTIONAL = wire.ENCODING_PLAIN, wire.PHYSICAL_INT32, wire.REPETITION_OPTIONAL


def page_v1(values: list[int]) -> Page:
    body = struct.pack(f"<{len(values)}i", *values)
    return data_page(body, len(values), PLAIN, definition=levels([1] * len(values), 1))


def page_v2(values: list[int]) -> Page:
    body = struct.pack(f"<{len(values)}i", *values)
    return data_page_v2(body, len(values), PLAIN, definition=levels([1] * len(values), 1))


# Row groups, each of the pages of its columns; every column has the same number of values in a row group.
LAYOUTS = {
    "between": [{"x": [[1, 2, 3], [], [4, 5, 6]]}],
    "two in succession": [{"x": [[1, 2, 3], [], [], [4, 5, 6]]}],
    "first": [{"x": [[], [1, 2, 3], [4, 5, 6]]}],
    "last": [{"x": [[1, 2, 3], [4, 5, 6], []]}],
    "two row groups": [{"x": [[1, 2, 3], [], [4, 5, 6]]}, {"x": [[7, 8, 9], [10, 11, 12]]}],
    "of one of two columns": [
        {"x": [[1, 2], [], [], [3, 4, 5]], "y": [[-1, -2, -3, -4, -5]]},
        {"x": [[6, 7, 8]], "y": [[-6, -7, -8]]},
        {"x": [[9], [], [10, 11, 12]], "y": [[-9, -10, -11, -12]]},
    ],
    "of both columns at different rows": [
        {"x": [[1, 2, 3], [], [], [4]], "y": [[-1], [], [], [-2, -3, -4]]},
        {"x": [[], [5, 6, 7, 8]], "y": [[-5, -6, -7, -8]]},
        {"x": [[9, 10]], "y": [[], [], [-9, -10]]},
    ],
}


def file_with(layout: list[dict], page) -> tuple[bytes, list[dict]]:
    """Return a file of a layout, and its rows."""
    groups, rows = [], []
    for columns in layout:
        values = {name: list(itertools.chain(*pages)) for name, pages in columns.items()}
        group = [dict(zip(values, row, strict=True)) for row in zip(*values.values(), strict=True)]
        made = [Column(name, INT32, list(map(page, pages)), repetition=OPTIONAL) for name, pages in columns.items()]
        groups.append((made, len(group)))
        rows += group
    return file_of_row_groups(groups), rows


@pytest.fixture(params=itertools.product(LAYOUTS, [page_v1, page_v2]), ids=lambda p: f"{p[0]}, {p[1].__name__}")
def made(request, tmp_path):
    """A path, and the rows of its file."""
    name, page = request.param
    data, rows = file_with(LAYOUTS[name], page)
    path = tmp_path / "lake" / "x.parquet"
    path.parent.mkdir()
    path.write_bytes(data)
    return path, rows


ENGINES = [None, "auto", "pyarrow", "parquetext"]


def rows_of(batches) -> list[dict]:
    return [row for batch in batches for row in batch.to_pylist()]


@pytest.mark.parametrize("engine", ENGINES)
def test_files_give_every_row(made, engine):
    path, rows = made
    with parquetext.open(path) as file:
        assert file.read(engine=engine).to_pylist() == rows
        parts = [file.read_row_group(number, engine=engine) for number in range(file.num_row_groups)]
        assert rows_of(parts) == rows
        some = [row for row in rows if row["x"] > 2]
        assert file.read(filters=[("x", ">", 2)], engine=engine).to_pylist() == some
        for size, use_threads in itertools.product((1, 2, 3, 4, 5, 100), (False, True)):
            batches = list(file.iter_batches(batch_size=size, use_threads=use_threads, engine=engine))
            assert rows_of(batches) == rows
            assert max(batch.num_rows for batch in batches) <= size
            assert rows_of(file.iter_batches(["x"], batch_size=size, engine=engine)) == [{"x": r["x"]} for r in rows]
        order = range(file.num_row_groups)[::-1]
        backwards = [row for number in order for row in parts[number].to_pylist()]
        assert rows_of(file.iter_batches(row_groups=list(order), batch_size=3, engine=engine)) == backwards
    with parquetext.ParquetFile(path, engine=engine) as file:
        assert file.read().to_pylist() == rows
        assert file.scan_contents(batch_size=3) == len(rows)
        for size in (1, 3, 100):
            assert rows_of(file.iter_batches(size)) == rows
    assert parquetext.read_table(path, memory_map=True, engine=engine).to_pylist() == rows


@pytest.mark.parametrize("form", ["flat", "index"])
def test_files_with_other_footers_give_every_row(made, form):
    path, rows = made
    parquetext.upgrade(path, form=form)
    with parquetext.open(path) as file:
        assert rows_of(file.iter_batches(batch_size=3)) == rows
    sidecar.build(path)
    assert parquetext.read_table(path, sidecar=True).to_pylist() == rows
    lake = parquetext.dataset(path, sidecar=True)
    assert rows_of(lake.to_batches(batch_size=3)) == rows


@pytest.mark.parametrize("engine", ENGINES)
def test_datasets_give_every_row(made, engine):
    path, rows = made
    some = [row for row in rows if row["x"] > 2]
    lake = parquetext.dataset(path.parent, engine=engine)
    assert lake.to_table().to_pylist() == rows
    assert lake.take([0, len(rows) - 1]).to_pylist() == [rows[0], rows[-1]]
    assert lake.count_rows() == len(rows)
    assert lake.count_rows(filter=pc.field("x") > 2) == len(some)
    for size in samples.some((1, 2, 3, 100), 2, ENGINES.index(engine)):
        assert rows_of(lake.to_batches(batch_size=size)) == rows
        assert rows_of(lake.to_batches(batch_size=size, filter=pc.field("x") > 2)) == some
        assert lake.head(len(rows) - 1, batch_size=size).to_pylist() == rows[:-1]
        assert lake.scanner(batch_size=size).to_reader().read_all().to_pylist() == rows
        for fragment in lake.get_fragments():
            assert rows_of(fragment.to_batches(batch_size=size)) == rows
            assert fragment.head(len(rows), batch_size=size).to_pylist() == rows
            assert fragment.count_rows(pc.field("x") > 2) == len(some)


def test_query_engines_give_every_row(made):
    polars, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    path, rows = made
    frame = parquetext.scan_polars(path)
    assert frame.collect().to_dicts() == rows
    assert frame.filter(polars.col("x") > 2).collect().to_dicts() == [row for row in rows if row["x"] > 2]
    con = duckdb.connect()
    parquetext.register_duckdb(con, path, "x")
    assert con.execute("SELECT * FROM x").fetchall() == [tuple(row.values()) for row in rows]
    assert con.execute("SELECT count(*) FROM x WHERE x > 2").fetchall() == [(sum(row["x"] > 2 for row in rows),)]


def test_commands_give_every_row(made, tmp_path):
    path, rows = made

    def run(*arguments: object) -> str:
        done = CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done.output

    assert run("cat", path).splitlines()[1:] == [",".join(map(str, row.values())) for row in rows]
    new = tmp_path / "new.parquet"
    run("rewrite", path, "--out", new)
    assert pq.read_table(new).to_pylist() == rows
    run("diff", path, new, "--only", "values")
    run("split", path, "--out", tmp_path / "parts", "--row-groups", 1)
    parts = sorted((tmp_path / "parts").iterdir())
    assert rows_of(map(parquetext.read_table, parts)) == rows
    joined = tmp_path / "joined.parquet"
    run("merge", *parts, "--out", joined)
    assert rows_of(parquetext.dataset(joined).to_batches(batch_size=3)) == rows


def test_rows_that_neither_decoder_finds_are_an_error(tmp_path):
    path = tmp_path / "x.parquet"
    column = Column("x", INT32, [page_v1([1, 2, 3])], repetition=OPTIONAL, metadata={"num_values": 6})
    path.write_bytes(file_of_row_groups([([column], 6)]))
    message = "pyarrow gives 3 of 6 rows"
    assert parquetext.dataset(path).count_rows() == 6
    with parquetext.ParquetFile(path) as file:
        for give in (file.read, lambda: list(file.iter_batches(2)), lambda: file.read_row_group(0)):
            with pytest.raises(pa.ArrowInvalid, match=message):
                give()
    for give in (
        lambda: parquetext.read_table(path),
        lambda: parquetext.dataset(path).to_table(),
        lambda: list(parquetext.dataset(path).to_batches(batch_size=2)),
        lambda: parquetext.dataset(path).count_rows(pc.field("x") > 0),
    ):
        with pytest.raises(pa.ArrowInvalid, match=message):
            give()


def with_changed_footer(data: bytes, change) -> bytes:
    footer = read("FileMetaData", footer_of(data))
    change(footer)
    return with_footer(data, write("FileMetaData", footer))


def test_the_total_of_the_footer_does_not_count(tmp_path):
    """The footer says three rows; the row groups have twelve, of which pyarrow gives three with these batches."""
    path = tmp_path / "x.parquet"
    data, rows = file_with([*LAYOUTS["first"], {"x": [[1, 2, 3]]}], page_v1)
    path.write_bytes(with_changed_footer(data, lambda footer: footer.update(num_rows=3)))
    assert pq.read_table(pa.BufferReader(data)).num_rows == 3
    assert parquetext.read_table(path).to_pylist() == rows
    with parquetext.open(path) as file:
        assert rows_of(file.iter_batches(batch_size=3)) == rows


def test_sidecars_have_no_bounds_of_values_that_pyarrow_loses(tmp_path):
    """The designated timestamp has no statistics, and its smallest value is behind pages without values."""
    path = tmp_path / "x.parquet"
    stored = [struct.pack("<2q", 100, 200), b"", b"", struct.pack("<q", 50)]
    pages = [data_page(body, len(body) // 8, PLAIN) for body in stored]
    element = {"converted_type": wire.CONVERTED_TIMESTAMP_MICROS}
    column = Column("t", wire.PHYSICAL_INT64, pages, element=element)
    order = [{"column_idx": 0, "descending": False, "nulls_first": False}]
    data = with_changed_footer(
        file_of_row_groups([([column], 3)]), lambda footer: footer["row_groups"][0].update(sorting_columns=order)
    )
    path.write_bytes(data)
    assert pq.read_table(pa.BufferReader(data)).num_rows == 2
    assert sidecar.build(path).backfilled == 0
    moment = pa.scalar(100, pa.timestamp("us", "UTC"))
    found = parquetext.read_table(path, sidecar=True, filters=[("t", "<", moment)])
    assert found["t"].cast(pa.int64()).to_pylist() == [50]
