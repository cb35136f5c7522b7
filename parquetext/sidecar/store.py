"""A store: a Parquet file that grows by commits, a sidecar with the chain of them, and readers that hold one each."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator

import pyarrow as pa

from .. import kernels, systems
from ..errors import ColumnError, ParquetextError, kind_of
from ..footer.pyarrow_footer import schema_of
from ..masking import without_secrets
from ..rewrite.structs import MAGIC, end_of_file
from ..storage import LocalSource
from ..storage.folder import Folder
from ..storage.lock import open_locked
from ..storage.operations import OPERATIONS, Operations
from ..tabular import Listing, Shown, Tabular, chosen
from .naming import ALONE, OF_ALONE
from .store_commit import Generation, create_generation, write_token
from .store_compaction import Compacted, is_due
from .store_layout import Layout
from .store_rows import bytes_of, spliced, without_row_groups, written
from .store_snapshot import Snapshot, open_snapshot, share
from .token import Token, read_token

__all__ = ["Store"]

ATTEMPTS = 8


class Store(Tabular):
    """A directory with one Parquet file, its sidecar, and a token that says what of them is committed.

    One process at a time writes; any number read, each the commit that it has opened, without locks between them and
    the writer. Nothing is open between calls.

    Parameters
    ----------
    directory : str or os.PathLike
        On a local filesystem. The first `append` makes it a store.
    timeout : float
        Seconds to wait for another writer.

    Notes
    -----
    ``directory/data.parquet`` leads readers that know nothing of stores to the newest commit. What a commit guarantees
    is in docs/safety.md.
    """

    def __init__(self, directory: str | os.PathLike, *, timeout: float = 0, operations: Operations = OPERATIONS):
        self._layout, self._timeout, self._operations = Layout(os.fspath(directory)), timeout, operations

    @property
    def directory(self) -> str:
        return self._layout.directory

    @property
    def path(self) -> str:
        """Where readers that know nothing of stores find the Parquet file."""
        return self._layout.linked(ALONE)

    @property
    def sidecar(self) -> str:
        """Where they find its sidecar."""
        return self._layout.linked(OF_ALONE)

    def token(self) -> Token:
        """What is committed.

        Raises
        ------
        FileNotFoundError
            There is no store yet.
        Damaged
            The token file is.
        """
        return read_token(self._layout.token)

    def snapshot(self, token: Token | None = None, *, verify: bool = True) -> Snapshot:
        """Open a commit for reading.

        Parameters
        ----------
        token : Token, optional
            An earlier one of the same generation; by default the newest.
        verify : bool
            Whether to compute the sidecar's checksum; bounds are checked in any case.

        Raises
        ------
        FileNotFoundError
            There is no store yet, or the token's generation is gone.
        Damaged, Unsupported
            The sidecar is, or does not know the token.
        """
        if token is not None:
            return open_snapshot(self._layout, token, verify)
        for attempt in range(ATTEMPTS):
            newest = self.token()
            try:
                return open_snapshot(self._layout, newest, verify)
            except (FileNotFoundError, ParquetextError):
                # A compaction may have let this generation go between the two steps.
                if attempt and self.token() == newest:
                    raise
        raise AssertionError("unreachable")

    def append(self, table: pa.Table, *, row_group_size: int | None = None, **options: object) -> Token:
        """Add rows behind the others, as row groups of their own, and commit.

        Parameters
        ----------
        table : pyarrow.Table
            The first one gives the columns; others must have them, in any order, with types that can be cast safely.
        row_group_size : int, optional
            Rows of a row group; by default pyarrow's.
        **options
            Of `pyarrow.parquet.ParquetWriter`.

        Returns
        -------
        Token
            Of the commit.

        Raises
        ------
        Conflict
            Another process is writing.
        ColumnError
            The columns are others.
        Refused
            They are stored otherwise.
        OSError
            It cannot be written; the commit before holds.
        """
        os.makedirs(self.directory, exist_ok=True)
        with self._writing() as token:
            if token is None:
                return self._create(table, row_group_size, options)
            return self._commit(token, [], [(table, row_group_size)], options)

    def replace(self, row_group: int, table: pa.Table, **options: object) -> Token:
        """Put rows in the place of a row group, as one row group, and commit.

        Parameters
        ----------
        row_group : int
            In the newest commit.
        table : pyarrow.Table
            At least one row.
        **options
            Of `pyarrow.parquet.ParquetWriter`.

        Raises
        ------
        IndexError
            There is no such row group.
        ColumnError, Conflict, Refused, OSError
            As for `append`.
        """
        if not table.num_rows:
            raise ValueError("a row group cannot be replaced by nothing")
        with self._changing() as token:
            return self._commit(token, [row_group], [(table, table.num_rows)], options)

    def commit(self) -> Token:
        """Take over what another program has appended to the Parquet file, with a footer of its own, as a commit.

        Returns
        -------
        Token
            The committed one where there is nothing to take over.

        Raises
        ------
        FileNotFoundError
            There is no store yet.
        Malformed, Unsupported
            The file does not end in a footer that can be read.
        Refused
            Its columns are others, or row groups are fewer.
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
        """Put right what a crash has left: the Parquet file ends in the committed footer again.

        Readers of stores need no recovery, and every commit recovers by itself.

        Returns
        -------
        str or None
            What was done to the Parquet file, None for nothing.
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
            return "wrote the committed footer behind what was not committed"

    def compact(self, *, always: bool = False) -> Token | None:
        """Move what is live into files of their own, and commit them as a new generation.

        The rows, their row groups and their bytes stay as they are. The generation before stays until `release`, and as
        long as a snapshot of it is open.

        Parameters
        ----------
        always : bool
            Also where less than half of the Parquet file, and less than 1 GiB, is dead.

        Returns
        -------
        Token or None
            None where nothing was done.

        Raises
        ------
        FileNotFoundError
            There is no store yet.
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
        """Remove the generations before the committed one that no snapshot holds.

        Returns
        -------
        list of int
            Those that are left.
        """
        with self._writing() as token:
            if token is None:
                return []
            old = [number for number in self._layout.generations() if number < token.generation]
            return [number for number in old if not self._remove_unread(number)]

    def _shown(self) -> Shown:
        """What is committed, and the first and last columns; without the sidecar's checksum."""
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
        """Hold the lock; gives what is committed, None in a directory that is no store yet."""
        os.close(os.open(self._layout.lock, os.O_RDWR | os.O_CREAT | systems.O_CLOEXEC | systems.O_NOFOLLOW, 0o666))
        with (
            Folder(os.path.realpath(self.directory)) as folder,
            open_locked(self._layout.lock, writable=True, timeout=self._timeout, forced=frozenset(), folder=folder),
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
        """The same where there has to be a store."""
        if not os.path.exists(self._layout.token):
            raise FileNotFoundError(errno.ENOENT, "no store", self.directory)
        with self._writing() as token:
            yield token

    def _sweep(self, token: Token | None) -> None:
        """Finish what a killed writer has left undone, but for the Parquet file's end."""
        if token is not None:
            self._layout.link(self._operations, token.generation)
        uncommitted = 0 if token is None else token.generation + 1
        if uncommitted in self._layout.generations():
            self._remove(uncommitted)

    def _remove_unread(self, generation: int) -> bool:
        """Remove a generation unless somebody reads it."""
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

    def _create(self, table: pa.Table, row_group_size: int | None, options: dict) -> Token:
        operations = self._operations
        rows = written(len(MAGIC), table.schema, [(table, row_group_size)], **options)
        token = Token(1, 0, len(MAGIC) + len(rows.data) + len(end_of_file(rows.footer)))
        create_generation(operations, self._layout, token, [MAGIC, rows.data], rows.footer)
        write_token(operations, self._layout, token)
        self._layout.link(operations, token.generation)
        return token

    def _commit(
        self, token: Token, replaced: list[int], tables: list[tuple[pa.Table, int | None]], options: dict
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
    """A table with the columns of a store, in its order."""
    if sorted(table.column_names) != sorted(schema.names):
        raise ColumnError(f"the columns are {table.column_names}, those of the store {schema.names}")
    return table.select(schema.names).cast(schema)
