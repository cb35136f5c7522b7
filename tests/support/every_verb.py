"""Every way to ask something of a file, by a name: functions of Python, and commands in this process.

Each takes a file's path and a folder for new files. Verbs that change a file change a copy of it.
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa

import parquetext
from parquetext import catalog, checks, edits, sidecar
from parquetext.checks import inspection

__all__ = ["COMMANDS", "VERBS", "ENGINES", "CommandFailed"]

ENGINES = "pyarrow", "parquetext", "auto"
MOST_ROWS = 2_000_000  # of batches, which go on as long as a file says
Verb = Callable[[str, Path], object]


class CommandFailed(Exception):
    """A command ended with an exit code other than 0, after a message and without a traceback."""


def _opened(ask: Callable[[parquetext.File], object]) -> Verb:
    def verb(path: str, folder: Path) -> None:
        with parquetext.open(path) as file:
            ask(file)

    return verb


def _drained(batches: Iterator[pa.RecordBatch]) -> None:
    rows = 0
    for batch in batches:
        rows += batch.num_rows
        if rows > MOST_ROWS:
            break


def _names(file: parquetext.File) -> list:
    return [list(file), [column.path for column in file.columns()], list(file.parquet_schema.paths)]


def _pages(file: parquetext.File) -> None:
    file.pages(file.parquet_schema.paths[0])


def _metadata(file: parquetext.File) -> str:
    metadata = file.metadata
    found = [repr(metadata), repr(metadata.schema)]
    for row_group in range(metadata.num_row_groups):
        found.append(metadata.row_group(row_group).column(0).to_dict())
    return str(found)


def _changed(change: Callable[[Path], object]) -> Verb:
    def verb(path: str, folder: Path) -> None:
        copy = folder / "copy.parquet"
        shutil.copyfile(path, copy)
        change(copy)

    return verb


def _restored(path: Path) -> None:
    parquetext.finalize(path, confirm=True)
    parquetext.restore(path)


def _encoded(path: Path) -> None:
    with parquetext.open(path) as file:
        name = next(iter(file))
    parquetext.encode(path, {name: "plain"})


def _merged(path: str, folder: Path) -> None:
    parquetext.merge([path, path], folder / "merged.parquet")


def _split(path: str, folder: Path) -> None:
    list(parquetext.split(path, folder / "parts", row_groups=1))


def _sidecar(path: Path) -> None:
    sidecar.build(path)
    parquetext.read_table(path, sidecar=True)
    sidecar.compare(path)


def _polars(path: str, folder: Path) -> None:
    parquetext.scan_polars(path).collect()


def _duckdb(path: str, folder: Path) -> None:
    import duckdb

    with duckdb.connect() as con:
        parquetext.register_duckdb(con, path, "hostile")
        con.execute("SELECT * FROM hostile").fetchmany(10)


def _parquet_file(path: str, folder: Path) -> None:
    with parquetext.ParquetFile(path) as file:
        file.read()


def _reads(engine: str) -> dict[str, Verb]:
    return {
        f"read_table {engine}": lambda path, folder: parquetext.read_table(path, engine=engine),
        f"iter_batches {engine}": _opened(lambda file: _drained(file.iter_batches(engine=engine))),
        f"dataset {engine}": lambda path, folder: parquetext.dataset(path, engine=engine).to_table(),
        f"dataset batches {engine}": lambda path, folder: _drained(
            parquetext.dataset(path, engine=engine).to_batches()
        ),
        f"dataset head {engine}": lambda path, folder: parquetext.dataset(path, engine=engine).head(5),
    }


PYTHON: dict[str, Verb] = {
    "open": _opened(lambda file: None),
    "names": _opened(_names),
    "repr": _opened(repr),
    "html": _opened(lambda file: file._repr_html_()),
    "columns repr": _opened(lambda file: [repr(column) for column in file.columns()]),
    "schema repr": _opened(lambda file: repr(file.parquet_schema)),
    "schema": _opened(lambda file: file.schema),
    "to_arrow": _opened(lambda file: file.to_arrow()),
    "read": _opened(lambda file: file.read()),
    "read_schema": lambda path, folder: parquetext.read_schema(path),
    **{name: verb for engine in ENGINES for name, verb in _reads(engine).items()},
    "dataset schema": lambda path, folder: parquetext.dataset(path).schema,
    "dataset count": lambda path, folder: parquetext.dataset(path).count_rows(),
    "ParquetFile": _parquet_file,
    "metadata": _opened(_metadata),
    "metadata to_pyarrow": _opened(lambda file: file.metadata.to_pyarrow()),
    "read_metadata": lambda path, folder: repr(parquetext.read_metadata(path)),
    "pages": _opened(_pages),
    "layout": lambda path, folder: repr(parquetext.layout(path)),
    "layout decompress": lambda path, folder: parquetext.layout(path, decompress=True),
    "inspect": lambda path, folder: inspection.inspect(path),
    "verify": lambda path, folder: checks.verify(path),
    "verify pages": lambda path, folder: checks.verify(path, pages=True),
    "verify deep": lambda path, folder: checks.verify(path, pages=True, deep=True),
    **{
        f"upgrade {form}": _changed(lambda path, form=form: edits.upgrade(path, form=form))
        for form in ("flat", "index")
    },
    "upgrade and read": _changed(lambda path: (edits.upgrade(path, form="flat"), parquetext.read_table(path))),
    "upgrade and verify": _changed(lambda path: (edits.upgrade(path, form="flat"), checks.verify(path, deep=True))),
    "upgrade and strip": _changed(lambda path: (edits.upgrade(path, form="index"), edits.strip(path))),
    "finalize and restore": _changed(_restored),
    "encode": _changed(_encoded),
    "advise": lambda path, folder: repr(parquetext.advise(path)),
    "sidecar": _changed(_sidecar),
    "catalog": lambda path, folder: list(catalog.batches_of([path])),
    "merge": _merged,
    "split": _split,
    "scan_polars": _polars,
    "register_duckdb": _duckdb,
}

COMMANDS: dict[str, list[str]] = {
    "inspect": ["inspect", "PATH"],
    "verify": ["verify", "PATH"],
    "verify --deep": ["verify", "--pages", "--deep", "PATH"],
    "layout": ["layout", "PATH"],
    "pages": ["pages", "PATH"],
    "columns": ["columns", "PATH"],
    "columns --json": ["columns", "--json", "PATH"],
    "schema": ["schema", "PATH"],
    "schema --format duckdb": ["schema", "--format", "duckdb", "PATH"],
    "schema --format arrow": ["schema", "--format", "arrow", "PATH"],
    "meta": ["meta", "PATH"],
    "row-groups": ["row-groups", "PATH"],
    "count": ["count", "PATH"],
    "head": ["head", "PATH"],
    "cat --limit": ["cat", "--limit", "10", "PATH"],
    "bloom": ["bloom", "PATH", "n", "1"],
    "merge": ["merge", "PATH", "PATH", "--out", "OUT"],
    "split": ["split", "PATH", "--out", "OUT"],
    "rewrite": ["rewrite", "PATH", "--out", "OUT"],
    "diff": ["diff", "PATH", "PATH"],
    "encode --advise": ["encode", "--advise", "PATH"],
    "upgrade": ["upgrade", "COPY"],
    "sidecar build": ["sidecar", "build", "COPY"],
    "sidecar show": ["sidecar", "show", "PATH"],
}


def _command(arguments: list[str]) -> Verb:
    def verb(path: str, folder: Path) -> None:
        from parquetext.cli.app import app

        places = {"PATH": path, "OUT": str(folder / "out.parquet"), "COPY": str(folder / "copy.parquet")}
        if "COPY" in arguments:
            shutil.copyfile(path, places["COPY"])
        with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
            errors = io.StringIO()
            with contextlib.redirect_stderr(errors):
                try:
                    app([places.get(argument, argument) for argument in arguments], standalone_mode=True)
                except SystemExit as ended:
                    if ended.code:
                        raise CommandFailed(f"exit code {ended.code}: {errors.getvalue()}") from None

    return verb


VERBS: dict[str, Verb] = PYTHON | {f"parquetext {name}": _command(words) for name, words in COMMANDS.items()}
