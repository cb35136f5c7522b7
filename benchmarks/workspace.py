"""The files that a run measures: made once, in a folder that is removed afterwards unless it was given."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from parquetext import edits

from .shapes import Shape, write

__all__ = ["Subject", "Workspace"]


@dataclass(frozen=True)
class Subject:
    """One file as pyarrow wrote it, and its copies with a flat footer and with an index."""

    name: str
    plain: str
    flat: str
    index: str

    @cached_property
    def leaf_names(self) -> list[str]:
        """Return the dotted paths of the leaves."""
        schema = pq.read_schema(self.plain)
        if all(not field.type.num_fields for field in schema):
            return schema.names
        parquet_schema = pq.read_metadata(self.plain).schema
        return [parquet_schema.column(leaf).path for leaf in range(len(parquet_schema))]

    @cached_property
    def top_level_names(self) -> list[str]:
        return pq.read_schema(self.plain).names


class Workspace:
    """Makes subjects on demand; a context manager that removes its files."""

    def __init__(self, folder: str | None = None, progress: Callable[[str], None] | None = None):
        self.kept = folder is not None
        self.folder = Path(folder or tempfile.mkdtemp(prefix="parquetext-bench-"))
        self.folder.mkdir(parents=True, exist_ok=True)
        self.progress = progress or (lambda what: None)

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        if not self.kept:
            shutil.rmtree(self.folder)

    def of_shape(self, shape: Shape) -> Subject:
        subject = f"{shape.columns:,} columns × {shape.row_groups:,} row groups"
        return self._upgraded(shape.name, self.written(shape.name, lambda path: write(shape, path), subject))

    def of_table(
        self, name: str, make: Callable[[], pa.Table], row_group_size: int, compression: str = "snappy"
    ) -> Subject:
        options = {"row_group_size": row_group_size, "compression": compression}
        return self._upgraded(name, self.written(name, lambda path: pq.write_table(make(), path, **options)))

    def written(self, name: str, write: Callable[[Path], object], subject: str | None = None) -> Path:
        """Return the path of a file, which is written unless it exists; `subject` is its name in messages."""
        path = self.folder / f"{name}.parquet"
        if not path.exists():
            self.progress(f"writing {subject or name}")
            unfinished = path.with_suffix(".unfinished")
            write(unfinished)
            unfinished.rename(path)
        return path

    def of_file(self, path: str) -> Subject:
        plain = self.folder / Path(path).name
        if not plain.exists():
            self.progress(f"copying {path}")
            shutil.copyfile(path, plain)
        edits.strip(str(plain))
        return self._upgraded(plain.stem, plain)

    def _upgraded(self, name: str, plain: Path) -> Subject:
        self.progress(f"upgrading {name}")
        copies = {form: str(plain.with_suffix(f".{form}.parquet")) for form in ("flat", "index")}
        for form, copy in copies.items():
            Path(copy).unlink(missing_ok=True)
            shutil.copyfile(plain, copy)
            edits.upgrade(copy, form)
        return Subject(name, str(plain), **copies)
