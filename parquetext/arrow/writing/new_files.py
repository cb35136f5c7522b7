"""A filesystem for pyarrow's dataset writers that names each new file once it is complete and has its final footer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.fs as pafs

from ... import sidecar, storage
from ...edits.final_footer import alone
from ...edits.footer import SMALLEST_READ, read_footer
from ...edits.options import STORAGE_REFUSALS, Options
from ...edits.table_logs import refuse_new_files, refuse_replacing
from ...edits.upgrade import with_best, with_form
from ...errors import ParquetextError
from ...footer.form_spec import FormSpec
from ...footer.forms import AUTO, THRIFT, WRITABLE

DEFAULTS = {"write_page_index": True}  # as in parquet-java, and unlike pyarrow


def edit_of_written(
    written, form: str, options: Options, ignored: frozenset[str], final: FormSpec | None = None
) -> storage.TailEdit | None:
    """Return the edit that converts the end of a file to the form, or None if it stays unchanged.

    Parameters
    ----------
    written : storage.NewFile, NewObject, NewS3Object, NewStream or Scratch
        The file, completely written.
    form : str
        A form, or ``"auto"``: the form that pays off for the footer, if it can represent the footer.
    options, ignored
        As in `edits.upgrade`.
    final : FormSpec, optional
        The form that replaces the Thrift footer; by default the file keeps it.
    """
    if form == THRIFT.name:
        return None
    with written.written() as source:
        footer = read_footer(source, SMALLEST_READ)
        if final is not None:
            return alone(footer, final)
        try:
            if form == AUTO:
                return with_best(footer, options, ignored).edit
            return with_form(footer, WRITABLE[form], options, ignored).edit
        except ParquetextError as error:
            if form == AUTO:
                return None
            raise error.at(source.name, footer.offset) from None


_BLOCK = 1 << 20


class NewFiles(pafs.FileSystemHandler):
    """A handler that passes all calls to another filesystem, but writes new files as `ParquetWriter` does.

    If the other filesystem is not local, a file is first written to an unnamed local file in the folder of `tempfile`,
    because pyarrow does not announce when it begins to write the footer.

    Parameters
    ----------
    base : pyarrow.fs.FileSystem
    form, options, ignored
        As in `edit_of_written`.
    """

    def __init__(self, base: pafs.FileSystem, form: str, options: Options, ignored: frozenset[str]):
        self.base, self._form, self._options, self._ignored = base, form, options, ignored
        self._open: set[_NewFile] = set()

    def abort(self) -> None:
        """Remove files that have not been closed."""
        while self._open:
            self._open.pop().abort()

    def open_output_stream(self, path: str, metadata: object) -> pa.NativeFile:
        file = _NewFile(self, path)
        self._open.add(file)
        return pa.PythonFile(file, "w")

    def create(self, path: str):
        """Create a file; raise Refused if it replaces a file whose size is recorded by a table format."""
        refuse_replacing((self.base, path), self._ignored)
        return storage.create((self.base, path), ignore=self._ignored & STORAGE_REFUSALS.keys())

    def edit_of(self, written) -> storage.TailEdit | None:
        return edit_of_written(written, self._form, self._options, self._ignored)

    def closed(self, file: _NewFile, path: str) -> None:
        """Record that a file has its name."""
        self._open.discard(file)
        sidecar.follow((self.base, path))

    @property
    def changes_ends(self) -> bool:
        """True if the end of a file may be changed after it is written."""
        return self._form != THRIFT.name

    def __eq__(self, other: object) -> bool:
        return self.base == other.base if isinstance(other, NewFiles) else NotImplemented

    __hash__: Any = None

    def get_type_name(self) -> str:
        return self.base.type_name

    def normalize_path(self, path: str) -> str:
        return self.base.normalize_path(path)

    def get_file_info(self, paths: list[str]) -> list[pafs.FileInfo]:
        return self.base.get_file_info(paths)

    def get_file_info_selector(self, selector: pafs.FileSelector) -> list[pafs.FileInfo]:
        return self.base.get_file_info(selector)

    def create_dir(self, path: str, recursive: bool) -> None:
        self.base.create_dir(path, recursive=recursive)

    def delete_dir(self, path: str) -> None:
        self.base.delete_dir(path)

    def delete_dir_contents(self, path: str, missing_dir_ok: bool) -> None:
        refuse_new_files((self.base, path), self._ignored)
        self.base.delete_dir_contents(path, missing_dir_ok=missing_dir_ok)

    def delete_root_dir_contents(self) -> None:
        self.base.delete_dir_contents("/", accept_root_dir=True)

    def delete_file(self, path: str) -> None:
        self.base.delete_file(path)

    def move(self, src: str, dest: str) -> None:
        self.base.move(src, dest)

    def copy_file(self, src: str, dest: str) -> None:
        self.base.copy_file(src, dest)

    def open_input_stream(self, path: str) -> pa.NativeFile:
        return self.base.open_input_stream(path, compression=None)

    def open_input_file(self, path: str) -> pa.NativeFile:
        return self.base.open_input_file(path)

    def open_append_stream(self, path: str, metadata: object) -> pa.NativeFile:
        return self.base.open_append_stream(path, compression=None, metadata=metadata)


class _NewFile:
    """The file object that `pyarrow.PythonFile` writes to."""

    def __init__(self, files: NewFiles, path: str):
        self._files, self._path, self.closed = files, path, False
        self._new, self._scratch = files.create(path), None
        if files.changes_ends and not self._new.edits_end_in_place:
            self._scratch = storage.Scratch(path)
        self._written = self._scratch or self._new

    def write(self, data) -> int:
        return self._written.sink.write(data)

    def flush(self) -> None:
        """Do nothing: there is no buffer."""

    def close(self) -> None:
        """Write the file's footer, and give the file its name."""
        if self.closed:
            return
        self.closed = True
        try:
            self._written.commit(self._files.edit_of(self._written))
            if self._scratch is not None:
                for block in _blocks_of(self._scratch):
                    self._new.sink.write(block)
                self._new.commit()
                self._scratch.abort()
        except BaseException:
            self.abort()
            raise
        self._files.closed(self, self._path)

    def abort(self) -> None:
        """Remove the written data."""
        self.closed = True
        try:
            self._new.abort()
        finally:
            if self._scratch is not None:
                self._scratch.abort()


def _blocks_of(scratch: storage.Scratch) -> Iterator[bytes]:
    with scratch.written() as source:
        for offset in range(0, source.size, _BLOCK):
            yield source.read(offset, min(_BLOCK, source.size - offset))
