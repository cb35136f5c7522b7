"""A commit, in the order in which a crash at any moment loses nothing.

        data.parquet: row groups and footer, appended               flushed
        _pm: blocks, footer and trailer, appended                   flushed
    _pm: the committed size, at offset 0                        flushed
    _token: the slot whose turn it is                           flushed

Bytes that an older snapshot needs are never overwritten, and files never get shorter: a reader may have mapped them.
"""

from __future__ import annotations

import itertools
import mmap
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress

from .. import extension, kernels, systems
from ..errors import Damaged, Refused
from ..rewrite.structs import end_of_file
from ..storage import LocalSource, Version
from ..storage.operations import Operations
from .append_blocks import add_row_groups, advanced, append, header_of, outdated
from .blooms import bloom_columns
from .building import footer_bytes, sidecar_bytes
from .header import describe, types_of
from .origin import CODE, Origin
from .store_layout import Layout
from .store_rows import RowGroups, dead_bytes
from .token import FILE_BYTES, Token


class Generation:
    """The files of the committed generation, open for appending. Only the holder of the lock may use it.

    Attributes
    ----------
    data, sidecar : LocalSource
    reader : kernels.sidecar.Reader
        The committed snapshot; its data includes unused bytes up to the sidecar's end.
    token : Token
    """

    def __init__(self, layout: Layout, token: Token, operations: Operations):
        self.token, self._operations = token, operations
        self.data = LocalSource(layout.data(token.generation), os.O_RDWR | systems.O_NOFOLLOW)
        try:
            self.sidecar = LocalSource(layout.sidecar(token.generation), os.O_RDWR | systems.O_NOFOLLOW)
        except BaseException:
            self.data.close()
            raise
        try:
            if self.data.size < token.parquet_size:
                raise Damaged(
                    "the Parquet file is shorter than the committed one",
                    file=self.data.name,
                    expected=token.parquet_size,
                    found=self.data.size,
                )
            whole = mmap.mmap(self.sidecar.fd, self.sidecar.size, access=mmap.ACCESS_READ)
            self.reader = kernels.sidecar.Reader(whole, parquet_size=token.parquet_size, verify=False)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Generation:
        return self

    def __exit__(self, *exception) -> None:
        self.close()

    def close(self) -> None:
        with suppress(AttributeError):  # closed before
            del self.reader
        self.data.close()
        self.sidecar.close()

    def parquet_footer(self) -> bytes:
        """Return the committed Thrift footer."""
        footer = self.reader.footer
        return self.data.read(footer.parquet_footer_offset, footer.parquet_footer_length)

    def bare_footer(self) -> bytes:
        """Return the footer without its extension, which would describe row groups that the file no longer has."""
        footer = self.parquet_footer()
        return footer if extension.find(footer) is None else extension.strip(footer)

    @property
    def dead_bytes(self) -> int:
        """Unused bytes of the Parquet file after the next footer: those so far, this footer, and those after it."""
        footer = self.reader.footer
        uncommitted = self.data.size - self.token.parquet_size
        return footer.unused_bytes + len(end_of_file(b"")) + footer.parquet_footer_length + uncommitted

    def commit(self, rows: RowGroups | None, at: Sequence[int], footer: bytes, unused_bytes: int) -> Token:
        """Append row groups and a footer to the Parquet file, then to the sidecar, and give the token of both.

        Writing the token is the caller's: that alone makes the commit.

        Parameters
        ----------
        rows : RowGroups or None
        at : sequence of int
            The position of each row group: that of the row group that it replaces, or one after the last.
        footer : bytes
            The whole Thrift footer.
        unused_bytes : int
            Dead ones in the Parquet file.
        """
        operations, start = self._operations, self.data.size
        data = b"" if rows is None else rows.data
        operations.write(self.data.fd, b"".join((data, end_of_file(footer))), start)
        operations.fsync(self.data.fd)
        self.data.refresh()
        token = Token(self.token.sequence + 1, self.token.generation, self.data.size)
        scan = None if rows is None else rows.scan
        tail = next_commit(
            self.reader,
            self.sidecar.size,
            scan,
            at,
            self.data,
            token,
            (start + len(data), len(footer)),
            unused_bytes,
            origin_note(footer, self.data.version, types_of(self.reader)),
        )
        append(operations, self.sidecar, tail)
        return token

    def take_over(self) -> Token:
        """Append to the sidecar the row groups that others have appended to the file, and return the token of both."""
        self._operations.fsync(self.data.fd)
        new = kernels.sidecar.Reader(sidecar_bytes(self.data, settled=False)[0], verify=False)
        groups = outdated(self.reader, new, keeps_header=True)
        if groups is None:
            raise Refused("its columns are not those of the store, or row groups are fewer", file=self.data.name)
        token = Token(self.token.sequence + 1, self.token.generation, self.data.size)
        offset, footer, thrift = footer_bytes(self.data)
        scan = kernels.scan.scan(thrift)
        append(
            self._operations,
            self.sidecar,
            advanced(
                self.reader,
                self.sidecar.size,
                self.data,
                scan,
                new,
                groups,
                unused_bytes=dead_bytes(scan, offset),
                seq_txn=token.sequence,
                scratchpad=origin_note(footer, self.data.version, types_of(self.reader)),
            ),
        )
        return token


def next_commit(
    reader,
    base: int,
    scan,
    at: Sequence[int],
    data: LocalSource,
    token: Token,
    location: tuple[int, int],
    unused_bytes: int,
    scratchpad: list[tuple[int, bytes]],
) -> bytes:
    """Return the bytes that a commit appends to a sidecar at `base`: O(columns + added chunks + 4 bytes per row group).

    Parameters
    ----------
    scan : Scan or None
        Of a footer that has the added row groups alone.
    at : sequence of int
        The position of each row group.
    location : (int, int)
        Offset and length of the Parquet file's footer.
    """
    writer = kernels.sidecar.Writer.on(reader, base)
    if scan is not None:
        add_row_groups(writer, scan, at, data, header_of(reader))
    return writer.finish(*location, unused_bytes=unused_bytes, seq_txn=token.sequence, scratchpad=scratchpad)


def origin_note(footer: bytes, version: Version, types: Iterable[int]) -> list[tuple[int, bytes]]:
    """Return the note that identifies the file of the sidecar to readers without the token: the footer's bytes."""
    return [(CODE, Origin.of(footer, version, types, settled=False).to_bytes())]


def create_generation(
    operations: Operations, layout: Layout, token: Token, data: Iterable[bytes | memoryview], footer: bytes
) -> None:
    """Write and flush the two files of a new generation, including their names.

    Parameters
    ----------
    data : iterable of bytes
        The bytes before the Parquet file's footer.
    footer : bytes
        The Thrift footer.
    """
    operations.make_folder(layout.folder(token.generation))
    _create(operations, layout.data(token.generation), itertools.chain(data, [end_of_file(footer)]))
    with LocalSource(layout.data(token.generation)) as source:
        scan = kernels.scan.scan(footer)
        header = describe(scan)
        writer = kernels.sidecar.Writer(
            header.columns,
            designated_timestamp=header.designated_timestamp,
            sorting_columns=header.sorting_columns,
            bloom_columns=bloom_columns(scan),
        )
        add_row_groups(writer, scan, None, source, header)
        made = writer.finish(
            source.size - len(end_of_file(footer)),
            len(footer),
            seq_txn=token.sequence,
            scratchpad=origin_note(footer, source.version, header.types),
        )
    _create(operations, layout.sidecar(token.generation), [made])
    operations.fsync_folder(layout.folder(token.generation))
    operations.fsync_folder(layout.directory)


def _create(operations: Operations, path: str, content: Iterable[bytes | memoryview]) -> None:
    file, at = operations.create(path, 0o666), 0
    try:
        for piece in content:
            operations.write(file, piece, at)
            at += len(piece)
        operations.fsync(file)
    finally:
        os.close(file)


def write_token(operations: Operations, layout: Layout, token: Token) -> None:
    """Commit: after this one write, readers see the new snapshot."""
    try:
        file = systems.open_file(layout.token, os.O_RDWR | systems.O_CLOEXEC | systems.O_NOFOLLOW)
    except FileNotFoundError:
        _first_token(operations, layout, token)
        return
    try:
        operations.write(file, token.slot(), token.offset)
        operations.fsync(file)
    finally:
        os.close(file)


def _first_token(operations: Operations, layout: Layout, token: Token) -> None:
    new = layout.token + ".new"
    if os.path.lexists(new):
        operations.unlink(new)
    _create(operations, new, [bytes(token.offset), token.slot().ljust(FILE_BYTES - token.offset, b"\0")])
    operations.rename(new, layout.token)
    operations.fsync_folder(layout.directory)
