"""Files with one flipped bit in the footer, or in a block, through every verb that reads, in a process of their own.

    python footer_flips.py FILE FOLDER PROGRESS STEP OFFSET IMPLEMENTATION

writes the number of each flip into PROGRESS before it is tried, so that whoever started this knows which one ended it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

import parquetext
from parquetext import kernels
from parquetext.catalog import batches_of
from parquetext.errors import ParquetextError
from parquetext.inspection.integrity.inspection import inspect

ERRORS = (ParquetextError, pa.ArrowException, OSError, UnicodeError)
FACTS = ("null_count", "num_values", "present")


def open_and_ask(path: Path) -> None:
    with parquetext.open(path) as file:
        file.to_arrow()
        for column in file.columns():
            for fact in FACTS:
                getattr(column, fact)
            list(column.min)
            list(column.max)
        assert file.schema is not None
        assert file.parquet_schema is not None


def read_parts(path: Path) -> None:
    with parquetext.open(path) as file:
        for column in file.columns():
            file.read([column.path], range(min(1, len(file.row_groups))))


def read_batches(path: Path) -> None:
    with parquetext.open(path) as file:
        for batch in file.iter_batches(batch_size=2):
            batch.validate(full=True)


def scan_dataset(path: Path) -> None:
    parquetext.dataset([path]).to_table(filter=pc.field("number") > 1)


def verify_deeply(path: Path) -> None:
    parquetext.verify(path, deep=True)


def catalog(path: Path) -> None:
    list(batches_of([path]))


VERBS: list[Callable] = [
    parquetext.read_table,
    open_and_ask,
    read_parts,
    read_batches,
    scan_dataset,
    parquetext.read_schema,
    inspect,
    parquetext.verify,
    verify_deeply,
    catalog,
]


def main(file: str, folder: str, progress: str, step: str, offset: str, implementation: str) -> None:
    kernels.use(implementation)
    whole = Path(file).read_bytes()
    fields = inspect(Path(file))
    start = min([fields.footer_offset, *(block.offset for block in fields.blocks)])
    path = Path(folder, "flipped.parquet")
    with open(progress, "w") as message:
        for flip in range(int(offset), 8 * (len(whole) - start), int(step)):
            message.seek(0)
            message.write(f"{flip:9}")
            message.flush()
            data = bytearray(whole)
            data[start + (flip >> 3)] ^= 1 << (flip & 7)
            path.write_bytes(data)
            for verb in VERBS:
                try:
                    verb(path)
                except ERRORS:
                    continue
                except Exception as error:
                    raise RuntimeError(f"flip {flip} of {file}: {verb.__name__}") from error


if __name__ == "__main__":
    main(*sys.argv[1:])
