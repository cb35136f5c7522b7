"""Every verb of the package and every command that takes one file, each as a function of a path."""

from __future__ import annotations

import contextlib
import io
import pickle
from collections.abc import Callable
from pathlib import Path
from random import Random

import duckdb
import pyarrow.compute as pc
import typer

import parquetext
from parquetext import catalog, footer, sidecar
from parquetext.cli.app import app
from parquetext.errors import ParquetextError
from parquetext.inspection.integrity.inspection import inspect

from . import sidecars

__all__ = ["CHANGES", "READS"]

Verb = Callable[[Path], object]
FACTS = ("min", "max", "null_count", "num_values", "data_page_offset", "total_compressed_size", "min_is_exact")
BATCH_ROWS = 2
COMMANDS = typer.main.get_command(app)
CONNECTION = duckdb.connect(config={"threads": 1})
FILTERS = (
    [("number", ">", 1)],
    [("text", "in", ["x", "yy"]), ("amount", "<", 3)],
    pc.field("when").is_null() | (pc.field("half") >= 0.5),
)


def _columns(path: Path) -> None:
    with parquetext.open(path) as file:
        repr(file)
        for column in file.columns():
            for fact in FACTS:
                list(getattr(column, fact))
            repr(column)
        pickle.dumps(file)


def _model(path: Path) -> None:
    with parquetext.open(path) as file:
        assert file.schema is not None
        assert file.parquet_schema is not None
        repr(file.schema), repr(file.row_groups), list(file.extensions), file.to_arrow()
        len(file), list(file)


def _read(**options) -> Verb:
    def read(path: Path) -> None:
        with parquetext.open(path) as file:
            for column in file.columns():
                file.read([column.path], **options)

    return read


def _filtered(engine: str | None) -> Verb:
    def read(path: Path) -> None:
        for filters in FILTERS:
            parquetext.read_table(path, filters=filters, engine=engine)

    return read


def _batches(engine: str | None) -> Verb:
    def read(path: Path) -> None:
        with parquetext.open(path) as file:
            for batch in file.iter_batches(BATCH_ROWS, engine=engine):
                batch.validate(full=True)

    return read


def _parquet_file(path: Path) -> None:
    with parquetext.ParquetFile(path) as file:
        metadata = file.metadata
        for row_group in range(metadata.num_row_groups):
            for column in range(metadata.num_columns):
                chunk = metadata.row_group(row_group).column(column)
                with contextlib.suppress(OverflowError, UnicodeDecodeError):  # of bounds, in pyarrow's own objects
                    repr(chunk), chunk.statistics, chunk.to_dict()
        metadata.to_dict()
        repr(file.schema), file.schema_arrow
        file.read()


def _dataset(path: Path) -> None:
    dataset = parquetext.dataset([path])
    repr(dataset), dataset.schema
    dataset.to_table()
    dataset.head(3)
    dataset.count_rows()
    dataset.take([0, 2])


def _filtered_dataset(path: Path) -> None:
    for filters in FILTERS:
        dataset = parquetext.dataset([path])
        dataset.to_table(filter=filters)
        dataset.count_rows(filter=filters)


def _pages(path: Path) -> None:
    with parquetext.open(path) as file:
        for column in file.columns()[:3]:
            repr(file.pages(column.path))


def _layout(path: Path) -> None:
    layout = parquetext.layout(path)
    repr(layout), layout.kinds, layout.findings


def _catalog(path: Path) -> None:
    batches = list(catalog.batches_of([path]))
    parquetext.plan(batches, [("number", ">", 1)])


def _polars(path: Path) -> None:
    parquetext.scan_polars(path).collect()


def _duckdb(path: Path) -> None:
    parquetext.register_duckdb(CONNECTION, path, name="mutant")
    CONNECTION.sql("select * from mutant").fetchall()


def _advise(path: Path) -> None:
    repr(parquetext.advise(path, ["number", "text"]))


def _sidecar(path: Path) -> None:
    sidecar.build(path)
    _planned(path)


def _damaged_sidecar(path: Path) -> None:
    """Read by a sidecar some of whose bytes are changed, and its checksum made right."""
    sidecar.build(path)
    beside = path.with_name(f"_{path.name}.pm")
    data, random = bytearray(beside.read_bytes()), Random(path.read_bytes())
    for _ in range(3):
        data[random.randrange(8, len(data))] = random.choice((0, 1, 127, 255, random.randrange(256)))
    beside.write_bytes(sidecars.with_checksum(bytes(data)))
    try:
        _planned(path)
    finally:
        beside.unlink()


def _planned(path: Path) -> None:
    with contextlib.suppress(ParquetextError), sidecar.open(path) as opened:
        repr(opened)
    parquetext.read_table(path, sidecar=True, filters=FILTERS[0])
    parquetext.dataset([path], sidecar=True).to_table(filter=FILTERS[1])


def _changed(change: Callable, *arguments, **options) -> Verb:
    """A change of the file, after which it is opened and read."""

    def changed(path: Path) -> None:
        repr(change(path, *arguments, **options))
        with parquetext.open(path) as file:
            file.to_arrow()
        parquetext.verify(path, pages=True)
        parquetext.read_table(path)

    return changed


def _joined(path: Path) -> None:
    target = path.with_name("joined.parquet")
    target.unlink(missing_ok=True)
    parquetext.merge([path, path], target)
    parquetext.read_table(target)


def _split(path: Path) -> None:
    folder = path.with_name("parts")
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    parquetext.split(path, folder)


def _command(*words: str) -> Verb:
    """A command, whose exit codes tell of all errors; the word PATH is the file."""

    def command(path: Path) -> None:
        arguments = [str(path) if word == "PATH" else word.replace("FOLDER", str(path.parent)) for word in words]
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            try:
                COMMANDS.main(arguments)
            except SystemExit as ended:
                assert ended.code in (None, 0, 1, 2), ended.code

    return command


READS: dict[str, Verb] = {
    "open columns": _columns,
    "open model": _model,
    "scan": footer.scan,
    "read_table": parquetext.read_table,
    "read_table, ours": lambda path: parquetext.read_table(path, engine="parquetext"),
    "read_table, filters": _filtered(None),
    "read_table, filters, ours": _filtered("parquetext"),
    "File.read": _read(),
    "iter_batches": _batches(None),
    "iter_batches, ours": _batches("parquetext"),
    "read_schema": parquetext.read_schema,
    "read_metadata": lambda path: parquetext.read_metadata(path).to_pyarrow(),
    "ParquetFile": _parquet_file,
    "dataset": _dataset,
    "dataset, filters": _filtered_dataset,
    "scan_polars": _polars,
    "register_duckdb": _duckdb,
    "pages": _pages,
    "layout": _layout,
    "inspect": inspect,
    "verify": parquetext.verify,
    "verify pages": lambda path: parquetext.verify(path, pages=True),
    "verify deep": lambda path: parquetext.verify(path, pages=True, deep=True),
    "catalog": _catalog,
    "advise": _advise,
    "$ inspect": _command("inspect", "PATH"),
    "$ verify": _command("verify", "--deep", "PATH"),
    "$ layout": _command("layout", "PATH"),
    "$ pages": _command("pages", "PATH", "--column", "number"),
    "$ columns": _command("columns", "PATH"),
    "$ schema": _command("schema", "PATH"),
    "$ schema sql": _command("schema", "PATH", "--sql", "duckdb"),
    "$ meta": _command("meta", "PATH"),
    "$ row-groups": _command("row-groups", "PATH"),
    "$ count": _command("count", "PATH"),
    "$ head": _command("head", "PATH"),
    "$ cat": _command("cat", "PATH", "--json"),
    "$ explain": _command("explain", "PATH", "--where", "number > 3"),
    "$ bloom": _command("bloom", "PATH", "number", "3"),
    "$ diff": _command("diff", "PATH", "PATH"),
}
CHANGES: dict[str, Verb] = {
    "upgrade flat": _changed(parquetext.upgrade, form="flat"),
    "upgrade index": _changed(parquetext.upgrade, form="index"),
    "upgrade auto": _changed(parquetext.upgrade),
    "upgrade dialect": _changed(parquetext.upgrade, form="arrow"),
    "strip": _changed(parquetext.strip),
    "finalize": _changed(parquetext.finalize, confirm=True),
    "restore": _changed(parquetext.restore),
    "add_page_index": _changed(parquetext.add_page_index, bloom=["number"]),
    "encode": _changed(parquetext.encode, {"number": "pfor"}),
    "recover": parquetext.recover,
    "merge": _joined,
    "split": _split,
    "sidecar": _sidecar,
    "damaged sidecar": _damaged_sidecar,
    "$ rewrite": _command("rewrite", "PATH", "--out", "FOLDER/rewritten.parquet"),
}
