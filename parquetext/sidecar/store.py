"""A store: a Parquet file that grows by commits, a sidecar with their chain, and readers of one commit each."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from .. import kernels, systems
from ..errors import ColumnError, ParquetextError, kind_of
from ..footer.pyarrow_footer import schema_of
from ..masking import without_secrets
from ..rewrite.structs import MAGIC, end_of_file
from ..storage import LocalSource
from ..storage.folder import Folder
from ..storage.locking import open_locked
from ..storage.operations import OPERATIONS, Operations
from ..tabular import Listing, Shown, Tabular, chosen
from .naming import ALONE, OF_ALONE
from .store_commit import Generation, create_generation, write_token
from .store_compaction import Compacted, is_due
from .store_layout import Layout
from .store_rows import bytes_of, spliced, without_row_groups, written
from .store_snapshot import Snapshot, open_snapshot, share
from .token import Token, read_token

ATTEMPTS = 8


class Store(Tabular):
    """A directory with one Parquet file, its sidecar, and a token that defines their committed state.

    One process at a time writes. Any number of processes read, each from the commit that it has opened, without locks
    between them and the writer. No file is open between calls.

    Parameters
    ----------
    directory : str or os.PathLike
        On a local filesystem. The first `append` makes it a store.
    timeout : float
        Seconds to wait for another writer.

    Notes
    -----
    ``directory/data.parquet`` leads readers without support for stores to the newest commit. The guarantees of
    a commit are in docs/safety.md.
    """

    def __init__(self, directory: str | os.PathLike[str], *, timeout: float = 0, operations: Operations = OPERATIONS):
        self._layout, self._timeout, self._operations = Layout(os.fspath(directory)), timeout, operations

    @property
    def directory(self) -> str:
        return self._layout.directory

    @property
    def path(self) -> str:
        """Path of the Parquet file for readers without support for stores."""
        return self._layout.linked(ALONE)

    @property
    def sidecar(self) -> str:
        """Path of its sidecar for the same readers."""
        return self._layout.linked(OF_ALONE)

    def token(self) -> Token:
        """Return the token of the newest commit.

        Raises
        ------
        FileNotFoundError
            If there is no store yet.
        Damaged
            If the token file is damaged.
        """
        return read_token(self._layout.token)

    def snapshot(self, token: Token | None = None, *, verify: bool = True) -> Snapshot:
        """Open a commit for reading.

        Parameters
        ----------
        token : Token, optional
            An earlier token of the same generation; by default the newest.
        verify : bool
            Verify the sidecar's checksum; bounds are checked in any case.

        Raises
        ------
        FileNotFoundError
            If there is no store yet, or if the token's generation has been removed.
        Damaged, Unsupported
            If the sidecar is damaged or unsupported, or does not contain the token's commit.
        """
        if token is not None:
            return open_snapshot(self._layout, token, verify)
        for attempt in range(ATTEMPTS):
            newest = self.token()
            try:
                return open_snapshot(self._layout, newest, verify)
            except (FileNotFoundError, ParquetextError):
                # A compaction may have removed this generation between the two steps.
                if attempt and self.token() == newest:
                    raise
        raise AssertionError("unreachable")

    def append(self, table: pa.Table, *, row_group_size: int | None = None, **options: Any) -> Token:
        """Append rows as new row groups, and commit.

        Parameters
        ----------
        table : pyarrow.Table
            The first table defines the columns. Later tables must have the same columns, in any order, with types that
            can be cast safely.
        row_group_size : int, optional
            Rows of a row group; by default pyarrow's.
        **options
            Arguments of `pyarrow.parquet.ParquetWriter`.

        Returns
        -------
        Token
            The token of the commit.

        Raises
        ------
        Conflict
            If another process is writing.
        ColumnError
            If the columns differ.
        Refused
            If the columns are stored differently.
        OSError
            If it cannot be written; the previous commit remains valid.
        """
        os.makedirs(self.directory, exist_ok=True)
        with self._writing() as token:
            if token is None:
                return self._create(table, row_group_size, options)
            return self._commit(token, [], [(table, row_group_size)], options)

    def replace(self, row_group: int, table: pa.Table, **options: Any) -> Token:
        """Replace a row group by rows, as one row group, and commit.

        Parameters
        ----------
        row_group : int
            Index in the newest commit.
        table : pyarrow.Table
            At least one row.
        **options
            Arguments of `pyarrow.parquet.ParquetWriter`.

        Raises
        ------
        IndexError
            If there is no such row group.
        ColumnError, Conflict, Refused, OSError
            As for `append`.
        """
        if not table.num_rows:
            raise ValueError("a row group cannot be replaced by nothing")
        with self._changing() as token:
            return self._commit(token, [row_group], [(table, table.num_rows)], options)

    def commit(self) -> Token:
        """Commit the row groups and the footer that another program has appended to the Parquet file.

        Returns
        -------
        Token
            The committed token if nothing was appended.

        Raises
        ------
        FileNotFoundError
            If there is no store yet.
        Malformed, Unsupported
            If the file does not end in a readable footer.
        Refused
            If its columns differ, or it has fewer row groups.
        Conflict, OSError
            As for `append`.
        """
        with self._changing() as token:
            with Generation(self._layout, token, self._operations) as generation:
                if generation.data.size == token.parquet_size:
                    return token
                done = generation.take_over()
            write_token(self._operations, self._layout, done)
            return done

    def recover(self) -> str | None:
        """Repair the Parquet file after a crash: it ends in the committed footer again.

        Readers of stores need no recovery, and every commit recovers by itself.

        Returns
        -------
        str or None
            A description of the repair, or None if none was necessary.
        """
        with self._writing() as token:
            if token is None:
                return None
            with Generation(self._layout, token, self._operations) as generation:
                if generation.data.size == token.parquet_size:
                    return None
                footer = generation.parquet_footer()
                done = generation.commit(None, [], footer, generation.dead_bytes)
                write_token(self._operations, self._layout, done)
            return "wrote the committed footer after uncommitted bytes"

    def compact(self, *, always: bool = False) -> Token | None:
        """Move the live bytes into new files, and commit them as a new generation.

        The rows, their row groups and their bytes do not change. The previous generation remains until `release`, and
        as long as a snapshot of it is open.

        Parameters
        ----------
        always : bool
            Compact even if less than half of the Parquet file, and less than 1 GiB, is dead.

        Returns
        -------
        Token or None
            None if nothing was done.

        Raises
        ------
        FileNotFoundError
            If there is no store yet.
        Conflict, OSError
            As for `append`.
        """
        with self._changing() as token:
            with Generation(self._layout, token, self._operations) as generation:
                unused = generation.reader.footer.unused_bytes + generation.data.size - token.parquet_size
                if not always and not is_due(unused, generation.data.size):
                    return None
                made = Compacted(generation.data, generation.bare_footer())
                done = Token(token.sequence + 1, token.generation + 1, made.size + len(end_of_file(made.footer)))
                create_generation(self._operations, self._layout, done, made.data(), made.footer)
            write_token(self._operations, self._layout, done)
            self._layout.link(self._operations, done.generation)
            return done

    def release(self) -> list[int]:
        """Remove the generations before the committed one that no snapshot uses.

        Returns
        -------
        list of int
            The remaining generations.
        """
        with self._writing() as token:
            if token is None:
                return []
            old = [number for number in self._layout.generations() if number < token.generation]
            return [number for number in old if not self._remove_unread(number)]

    def _shown(self) -> Shown:
        """Describe the committed state and the first and last columns; do not verify the sidecar's checksum."""
        shown = Shown(f"parquetext.sidecar.Store {without_secrets(str(self.directory))}")
        try:
            with self.snapshot(verify=False) as snapshot:
                token, columns = snapshot.token, snapshot.num_columns
                shown.facts.extend(
                    [
                        ("commits", token.sequence),
                        ("generation", token.generation),
                        ("rows", snapshot.num_rows),
                        ("row groups", snapshot.num_row_groups),
                        ("columns", columns),
                        ("bytes", token.parquet_size),
                    ]
                )
                found = [snapshot.column(number) for number in chosen(columns)]
                rows = [(column.name, column.physical_type, column.repetition) for column in found]
                shown.listings.append(Listing(("column", "type", "repetition"), rows, columns, "columns"))
        except FileNotFoundError:
            shown.facts.append(("state", "nothing is committed"))
        except (OSError, ParquetextError) as error:
            shown.facts.append(("cannot be read", f"{kind_of(error)}: {error}"))
        return shown

    @contextlib.contextmanager
    def _writing(self) -> Iterator[Token | None]:
        """Hold the lock; yield the committed token, or None if the directory is not a store yet."""
        os.close(
            systems.open_file(self._layout.lock, os.O_RDWR | os.O_CREAT | systems.O_CLOEXEC | systems.O_NOFOLLOW, 0o666)
        )
        with (
            Folder(os.path.realpath(self.directory)) as folder,
            open_locked(self._layout.lock, writable=True, timeout=self._timeout, ignored=frozenset(), folder=folder),
        ):
            self._layout.check_trusted()
            try:
                token = self.token()
            except FileNotFoundError:
                self._layout.check_free()
                token = None
            self._sweep(token)
            yield token

    @contextlib.contextmanager
    def _changing(self) -> Iterator[Token]:
        """Hold the lock, and raise if there is no store."""
        if os.path.exists(self._layout.token):
            with self._writing() as token:
                if token is not None:
                    yield token
                    return
        raise FileNotFoundError(errno.ENOENT, "no store", self.directory)

    def _sweep(self, token: Token | None) -> None:
        """Finish the steps that a killed writer has left undone, except the end of the Parquet file."""
        if token is not None:
            self._layout.link(self._operations, token.generation)
        uncommitted = 0 if token is None else token.generation + 1
        if uncommitted in self._layout.generations():
            self._remove(uncommitted)

    def _remove_unread(self, generation: int) -> bool:
        """Remove a generation unless a process reads it."""
        try:
            sidecar = LocalSource(self._layout.sidecar(generation))
        except FileNotFoundError:
            self._remove(generation)
            return True
        with sidecar:
            if not share(sidecar.fd, alone=True):
                return False
            self._remove(generation)
        return True

    def _remove(self, generation: int) -> None:
        operations, folder = self._operations, self._layout.folder(generation)
        for name in sorted(os.listdir(folder), reverse=True):
            operations.unlink(os.path.join(folder, name))
        operations.remove_folder(folder)
        operations.fsync_folder(self.directory)

    def _create(self, table: pa.Table, row_group_size: int | None, options: dict[str, Any]) -> Token:
        operations = self._operations
        rows = written(len(MAGIC), table.schema, [(table, row_group_size)], **options)
        token = Token(1, 0, len(MAGIC) + len(rows.data) + len(end_of_file(rows.footer)))
        create_generation(operations, self._layout, token, [MAGIC, rows.data], rows.footer)
        write_token(operations, self._layout, token)
        self._layout.link(operations, token.generation)
        return token

    def _commit(
        self, token: Token, replaced: list[int], tables: list[tuple[pa.Table, int | None]], options: dict[str, Any]
    ) -> Token:
        with Generation(self._layout, token, self._operations) as generation:
            counts = list(generation.reader.row_counts)
            for row_group in replaced:
                if not 0 <= row_group < len(counts):
                    raise IndexError(f"row group {row_group} of {len(counts)}")
            old = generation.bare_footer()
            schema = schema_of(without_row_groups(old))
            fitted = [(_fitted(table, schema), size) for table, size in tables]
            rows = written(generation.data.size, schema, fitted, **options)
            at = [*replaced, *range(len(counts), len(counts) + rows.scan.row_group_count - len(replaced))]
            total = sum(counts) - sum(counts[row_group] for row_group in replaced) + rows.scan.num_rows
            gone = bytes_of(kernels.scan.scan(old), replaced) if replaced else 0
            footer = spliced(old, rows.footer, at, total)
            done = generation.commit(rows, at, footer, generation.dead_bytes + gone)
            write_token(self._operations, self._layout, done)
            return done


def _fitted(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return a table with the columns of a store, in the store's order."""
    if sorted(table.column_names) != sorted(schema.names):
        raise ColumnError(f"the columns are {table.column_names}, those of the store {schema.names}")
    return table.select(schema.names).cast(schema)
