"""Compare all footer forms: their bytes, cold reads, and the time of one column, of 1 % and of all columns."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq

from parquetext import edits
from parquetext import open as open_file
from parquetext.arrow.tables import read_table
from parquetext.arrow.writing.writer import write_table
from parquetext.errors import ParquetextError
from parquetext.footer import forms
from parquetext.storage import Target

from .cases import STRIDE, Row
from .footer_shapes import SHAPES, FooterShape
from .timing import Contender, Timing, compare
from .workspace import Workspace

__all__ = ["BYTES", "COLD", "TIMES", "measure"]

THRIFT = forms.THRIFT.name
PYARROW = "pyarrow, whole Thrift footer"
BYTES = "bytes that the form needs, × Thrift footer"
COLD = "cold read of one column's facts"
TIMES = {
    "open + one column's facts": (lambda count: 1, 50),
    "open + 1 % of the columns": (lambda count: max(count // 100, 1), 10),
    "open + all columns": (lambda count: count, 1),
}
COLD_READS = 20
SECONDS = 0.5  # of one contender in one round, and of the cold reads of a form, unless one call takes longer
SLOW = 4
CORPUS = "PARQUETEXT_CORPUS"


@dataclass(frozen=True)
class FormFile:
    """A file with a footer of one form; `added` are its bytes in addition to the same file without any footer."""

    form: str
    path: Path
    added: int

    def open(self, elsewhere: Callable[[str], object] = str):
        """Open the file by this form."""
        spec = forms.BY_NAME.get(self.form)
        asked = self.form if spec is not None and not spec.is_preferred else None
        return open_file(elsewhere(str(self.path)), form=asked)


def measure(workspace: Workspace, rounds: int) -> Iterator[list[Row]]:
    """Compare the forms on the shapes, then on the files of the corpus, if there is one."""
    for shape in SHAPES:
        files, names = _files_of(workspace, shape)
        yield _sizes(shape.name, files)
        yield _cold_reads(shape.name, files, names)
        for case, (share, calls) in TIMES.items():
            workspace.progress(f"{case}, {shape.name}")
            yield _times(case, shape.name, files, names, share(len(names)), calls, rounds)
    if folder := os.environ.get(CORPUS):
        workspace.progress("the corpus")
        yield from _of_corpus(workspace, Path(folder), rounds)


# ---- files


def _files_of(workspace: Workspace, shape: FooterShape) -> tuple[list[FormFile], list[tuple[str, ...]]]:
    """Write a shape with a footer of every form; return the files, that of Thrift first, and the leaves' paths."""
    stem = "".join(symbol for symbol in shape.name if symbol.isalnum())
    options = {"row_group_size": shape.rows_per_group, "store_schema": False}
    plain = workspace.written(f"footer-{stem}", lambda path: pq.write_table(shape.make(), path, **options), shape.name)
    with open_file(plain) as file:
        names = [column.path for column in file.columns()]
    files = [FormFile(THRIFT, plain, _thrift_bytes(plain))]
    for form, make in _makers(plain, shape.rows_per_group).items():
        path = plain.with_suffix(f".{form.replace(', ', '-')}.parquet")
        if made := _made(make, plain, path):
            files.append(FormFile(form, path, made))
    return files, names


def _thrift_bytes(path: Path) -> int:
    return int.from_bytes(path.read_bytes()[-8:-4], "little")


def _makers(plain: Path, row_group_size: int) -> dict[str, Callable[[Path], object]]:
    """Return functions that give a copy of the file a footer of each form, by the forms' names."""

    def rewritten(form: str, path: Path) -> None:
        options = {"row_group_size": row_group_size, "store_schema": False, "write_page_index": False}
        write_table(read_table(plain), path, form=form, **options)

    aside = {name: partial(_upgraded, name) for name in forms.WRITABLE if name != THRIFT}
    alone = {f"{name}, alone" if name in aside else name: partial(rewritten, name) for name in forms.ALONE}
    return {**aside, **{spec.name: _finalized for spec in forms.SPECS if spec.is_restorable}, **alone}


def _upgraded(form: str, path: Path) -> None:
    edits.upgrade(path, form)


def _finalized(path: Path) -> None:
    edits.finalize(path, confirm=True)


def _made(make: Callable[[Path], object], plain: Path, path: Path) -> int | None:
    """Make a file; return the bytes of its footer that are not the file's, or None if the form is refused."""
    shutil.copyfile(plain, path)
    try:
        make(path)
    except ParquetextError:
        path.unlink()
        return None
    with open_file(path) as file:
        is_final = file.is_final
    return path.stat().st_size - plain.stat().st_size + (_thrift_bytes(plain) if is_final else 0)


# ---- measurements


def _sizes(subject: str, files: list[FormFile]) -> list[Row]:
    thrift = files[0].added
    return [Row(BYTES, subject, file.form, file.added, "B", file.added / thrift) for file in files]


def _facts(column) -> tuple:
    return column.data_page_offset, column.total_compressed_size, column.min, column.max


def _elsewhere(path: str) -> Target:
    return Target(path, pyarrow.fs.LocalFileSystem())


def _cold_reads(subject: str, files: list[FormFile], names: list[tuple[str, ...]]) -> list[Row]:
    """Return the most requests and bytes of some look-ups through a filesystem, without those of the size."""
    rows = []
    for file in files:
        costs: list[tuple[int, int]] = []
        begin = time.perf_counter()
        for call in range(COLD_READS):
            if costs and time.perf_counter() - begin > SECONDS:
                break
            with file.open(_elsewhere) as opened:
                _facts(opened.column(names[call * STRIDE % len(names)]))
                costs.append(opened.io_stats)
        for unit, most in zip(("requests", "B"), map(max, zip(*costs, strict=True)), strict=True):
            rows.append(Row(f"{COLD}, {unit}", subject, file.form, most, unit))
    return rows


def _times(
    case: str, subject: str, files: list[FormFile], names: list[tuple[str, ...]], count: int, calls: int, rounds: int
) -> list[Row]:
    def look_up(file: FormFile, call: int) -> None:
        first = call * STRIDE % len(names)
        chosen = names if count == len(names) else [names[(first + n * STRIDE) % len(names)] for n in range(count)]
        with file.open() as opened:
            for column in opened.columns(chosen):
                _facts(column)

    runs = {file.form: partial(look_up, file) for file in files}
    runs[PYARROW] = lambda _: pq.read_metadata(files[0].path)
    return _rows_of(case, subject, _compared(runs, calls, rounds))


def _compared(runs: dict[str, Callable[[int], object]], calls: int, rounds: int) -> dict[str, Timing]:
    """Measure in rounds, with as many calls, up to `calls`, as fit into `SECONDS`; measure slow runs once."""
    contenders, slow = [], {}
    for name, run in runs.items():
        begin = time.perf_counter()
        run(0)
        taken = time.perf_counter() - begin
        if taken > SLOW * SECONDS:
            slow[name] = Timing(taken, taken, 1)
        else:
            contenders.append(Contender(name, run, calls=max(1, min(calls, int(SECONDS / taken)))))
    return compare(contenders, rounds) | slow


def _rows_of(case: str, subject: str, timings: dict[str, Timing]) -> list[Row]:
    """Return the times; the ratio is the speed compared with pyarrow."""
    rows = []
    for name, timing in timings.items():
        ratio, best = timings[PYARROW].over(timing)
        rows.append(Row(case, subject, name, timing.median, "s", ratio, minimum=timing.minimum, minimum_ratio=best))
    return rows


def _of_corpus(workspace: Workspace, folder: Path, rounds: int) -> Iterator[list[Row]]:
    """Compare the forms on those files of the corpus that every form accepts."""
    copies = [
        _copies_of(plain, workspace.folder / f"corpus-{number}.parquet")
        for number, plain in enumerate(sorted(folder.rglob("*.parquet")))
    ]
    made = [files for files in copies if files is not None]
    subject = f"{len(made)} files of the corpus"
    totals = [
        FormFile(files[0].form, files[0].path, sum(file.added for file in files)) for files in zip(*made, strict=True)
    ]
    yield _sizes(subject, totals)

    def read_all(at: int, _: int) -> None:
        for files in made:
            with files[at].open() as opened:
                opened.columns()

    def by_pyarrow(_: int) -> None:
        for files in made:
            pq.read_metadata(files[0].path)

    runs: dict[str, Callable[[int], object]] = {file.form: partial(read_all, at) for at, file in enumerate(made[0])}
    runs[PYARROW] = by_pyarrow
    yield _rows_of("open + all columns", subject, _compared(runs, 1, rounds))


def _copies_of(plain: Path, copy: Path) -> list[FormFile] | None:
    """Return a file of the corpus with a footer of each form beside Thrift, or None if one of them is refused."""
    try:
        shutil.copyfile(plain, copy)
        edits.strip(copy)
        pq.read_metadata(copy)
        files = [FormFile(THRIFT, copy, _thrift_bytes(copy))]
        for form in forms.WRITABLE:
            path = copy.with_suffix(f".{form}.parquet")
            if form == THRIFT:
                continue
            if (added := _made(partial(_upgraded, form), copy, path)) is None:
                return None
            files.append(FormFile(form, path, added))
        for file in files:
            with file.open() as opened:
                opened.columns()
    except (OSError, ParquetextError, pa.ArrowException):
        return None
    return files
