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
import pyarrow.compute as pc

import parquetext
from parquetext import catalog, edits, footer, sidecar
from parquetext.inspection import integrity
from parquetext.inspection.integrity import inspection

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


def _first_leaf(path: str) -> str:
    """Return the dotted path of the file's first column."""
    with parquetext.open(path) as file:
        return ".".join(file.columns()[0].path)


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


def _indexed(path: Path) -> None:
    parquetext.add_page_index(path)
    parquetext.read_table(path)
    parquetext.strip(path)


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


def _parquet_file_batches(path: str, folder: Path) -> None:
    with parquetext.ParquetFile(path) as file:
        _drained(file.iter_batches())


def _column(file: parquetext.File) -> None:
    file.read([file.columns()[0].path])


def _bounds(file: parquetext.File) -> None:
    for column in file.columns():
        for fact in ("min", "max", "null_count", "num_values", "data_page_offset", "total_compressed_size"):
            list(getattr(column, fact))


def _not_null(path: str) -> pc.Expression:
    return ~pc.field(*_first_leaf(path).split(".")).is_null()


def _filtered(path: str, folder: Path) -> None:
    parquetext.read_table(path, filters=_not_null(path))


def _filtered_dataset(path: str, folder: Path) -> None:
    parquetext.dataset(path).to_table(filter=_not_null(path))


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
    "verify": lambda path, folder: integrity.verify(path),
    "verify pages": lambda path, folder: integrity.verify(path, pages=True),
    "verify deep": lambda path, folder: integrity.verify(path, pages=True, deep=True),
    **{
        f"upgrade {form}": _changed(lambda path, form=form: edits.upgrade(path, form=form))
        for form in ("flat", "index")
    },
    "upgrade and read": _changed(lambda path: (edits.upgrade(path, form="flat"), parquetext.read_table(path))),
    "upgrade and verify": _changed(lambda path: (edits.upgrade(path, form="flat"), integrity.verify(path, deep=True))),
    "upgrade and strip": _changed(lambda path: (edits.upgrade(path, form="index"), edits.strip(path))),
    "finalize and restore": _changed(_restored),
    "add_page_index": _changed(_indexed),
    "encode": _changed(_encoded),
    "advise": lambda path, folder: repr(parquetext.advise(path)),
    "sidecar": _changed(_sidecar),
    "catalog": lambda path, folder: list(catalog.batches_of([path])),
    "merge": _merged,
    "split": _split,
    "footer.scan": lambda path, folder: footer.scan(path),
    "read_pandas": lambda path, folder: parquetext.read_pandas(path),
    "ParquetDataset": lambda path, folder: parquetext.ParquetDataset(path).read(),
    "ParquetFile batches": _parquet_file_batches,
    "column": _opened(_column),
    "bounds": _opened(_bounds),
    "read_table filters": _filtered,
    "dataset filters": _filtered_dataset,
    "dataset take": lambda path, folder: parquetext.dataset(path).take([0, 1]),
    "dataset fragments": lambda path, folder: [repr(one) for one in parquetext.dataset(path).get_fragments()],
    "drop_original_encoding": _changed(lambda path: parquetext.drop_original_encoding(path, confirm=True)),
    "recover": _changed(parquetext.recover),
    "plan": lambda path, folder: parquetext.plan(list(catalog.batches_of([path])), _not_null(path)),
    "scan_polars": _polars,
    "register_duckdb": _duckdb,
}

COMMANDS: dict[str, str] = {
    "bloom": "bloom PATH NAME 1",
    "explain --where": "explain --where FILTER PATH",
    "explain --json": "explain --json --engine parquetext PATH",
    "bloom --json": "bloom --json PATH NAME 1",
    "cat --format csv": "cat --limit 10 --format csv PATH",
    "cat --filter": "cat --limit 10 --filter FILTER PATH",
    "cat --json": "cat --limit 10 --json PATH",
    "columns": "columns PATH",
    "columns --json": "columns --json PATH",
    "columns --per-row-group": "columns --per-row-group PATH",
    "columns NAME": "columns PATH NAME",
    "count": "count PATH",
    "diff": "diff PATH PATH",
    "diff --json": "diff --json PATH PATH",
    "add-page-index": "add-page-index COPY",
    "add-page-index --bloom": "add-page-index --bloom NAME COPY",
    "encode": "encode --column NAME --encoding plain COPY",
    "encode --advise": "encode --advise PATH",
    "encode --encoding best": "encode --encoding best COPY",
    "finalize": "finalize --yes COPY",
    "head": "head PATH",
    "head --column": "head --column NAME PATH",
    "head --format csv": "head --format csv PATH",
    "head --json": "head --json PATH",
    "inspect": "inspect PATH",
    "inspect --json": "inspect --json PATH",
    "inspect --map": "inspect --map PATH",
    "layout": "layout PATH",
    "layout --decompress": "layout --decompress PATH",
    "layout --html": "layout --html OUT PATH",
    "layout --json": "layout --json PATH",
    "merge": "merge PATH PATH --out OUT",
    "meta": "meta PATH",
    "meta --json": "meta --json PATH",
    "pages": "pages PATH",
    "pages --column": "pages --column NAME PATH",
    "pages --copies": "pages --copies PATH",
    "pages --json": "pages --json PATH",
    "recover": "recover COPY",
    "restore": "restore FINALIZED",
    "rewrite": "rewrite PATH --out OUT",
    "rewrite --sort": "rewrite PATH --sort NAME --out OUT",
    "row-groups": "row-groups PATH",
    "row-groups --json": "row-groups --json PATH",
    "schema": "schema PATH",
    "schema --format arrow": "schema --format arrow PATH",
    "schema --format duckdb": "schema --format duckdb PATH",
    "schema --format spark": "schema --format spark PATH",
    "schema --json": "schema --json PATH",
    "sidecar build": "sidecar build COPY",
    "sidecar compact": "sidecar compact WITH_SIDECAR",
    "sidecar prune": "sidecar prune FOLDER",
    "sidecar show": "sidecar show WITH_SIDECAR",
    "sidecar update": "sidecar update WITH_SIDECAR",
    "sidecar verify": "sidecar verify WITH_SIDECAR",
    "split": "split PATH --out OUT",
    "strip": "strip UPGRADED",
    "upgrade": "upgrade COPY",
    "upgrade --form arrow": "upgrade --form arrow COPY",
    "upgrade --form index": "upgrade --form index --json COPY",
    "upgrade --stats": "upgrade --form flat --stats compact COPY",
    "verify": "verify PATH",
    "verify --deep": "verify --pages --deep PATH",
    "verify --json": "verify --json PATH",
    "verify --pages": "verify --pages PATH",
}


# Copies of the file that a change was made of before a command gets them.
PREPARED: dict[str, Callable[[Path], object]] = {
    "COPY": lambda path: None,
    "FINALIZED": lambda path: parquetext.finalize(path, confirm=True),
    "UPGRADED": lambda path: edits.upgrade(path, form="flat"),
    "WITH_SIDECAR": sidecar.build,
}


def _arguments(words: list[str], path: str, folder: Path) -> list[str]:
    """Return a command's words with the names of files and columns in place of the words in capitals."""
    positions = {"PATH": path, "OUT": str(folder / "out.parquet"), "FOLDER": str(folder)}
    for word in PREPARED.keys() & set(words):
        copy = folder / "copy.parquet"
        shutil.copyfile(path, copy)
        PREPARED[word](copy)
        positions[word] = str(copy)
    if {"NAME", "FILTER"} & set(words):
        positions["NAME"] = name = _first_leaf(path)
        positions["FILTER"] = f"{name} is not null"
    return [positions.get(word, word) for word in words]


def _command(line: str) -> Verb:
    def verb(path: str, folder: Path) -> None:
        from parquetext.cli.app import app

        arguments = _arguments(line.split(), path, folder)
        with open(os.devnull, "w", encoding="utf-8") as nowhere, contextlib.redirect_stdout(nowhere):
            errors = io.StringIO()
            with contextlib.redirect_stderr(errors):
                try:
                    app(arguments, standalone_mode=True)
                except SystemExit as ended:
                    if ended.code:
                        raise CommandFailed(f"exit code {ended.code}: {errors.getvalue()}") from None

    return verb


VERBS: dict[str, Verb] = PYTHON | {f"parquetext {name}": _command(line) for name, line in COMMANDS.items()}
