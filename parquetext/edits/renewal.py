"""The end of a rewritten file: keep blocks of other programs, and write the forms that the footer had again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from .. import wire
from ..errors import ParquetextError
from ..footer import forms
from ..footer.form_spec import FormSpec
from .footer import Footer, parse_end
from .foreign_bytes import others_of
from .options import Options
from .pieces import Piece, check_size
from .slots import Changes
from .upgrade import block_with_slots, slots_in, with_block

RECORDS = frozenset({wire.UUID_ORIGINAL, wire.UUID_ORIGINAL_FOOTER})  # of earlier states, by offsets in the file


class Nowhere:
    """A sink that discards its data."""

    def write(self, data) -> None:
        """Discard data."""


class Renewed(ABC):
    """A file whose data and end are rewritten; see `run.Rewrite`."""

    def __init__(self, source, footer: Footer, kept: Sequence[Piece], ignored: frozenset[str]):
        self._footer, self._kept, self._ignored = footer, kept, ignored
        self._name, self.message = source.name, ""
        self._size: Any = None

    @abstractmethod
    def _write_data(self, sink) -> tuple[bytes, int, bytes | None]:
        """Write the data before the footer.

        Return the new Thrift footer without an extension, its offset, and the payload of the block with the record of
        the original, or None.
        """

    @property
    def size(self) -> int:
        """Return the size of the new file; if it has not been written yet, encode it without storing it."""
        if self._size is None:
            self.write(Nowhere())
        return self._size

    def write(self, sink) -> None:
        """Write the data, then the footer with the blocks before it."""
        try:
            struct, start, payload = self._write_data(sink)
            records = {} if payload is None else {wire.UUID_ORIGINAL: payload}
            tail = renewed_end(self._footer, struct, start, self._kept, records, self._ignored)
        except ParquetextError as error:
            raise error.at(error.file or self._name) from None
        sink.write(tail)
        self._size = start + len(tail)


def kept_pieces(footer: Footer, ignored: frozenset[str], wrap: bool) -> list[Piece]:
    """Return the blocks that the new file keeps unchanged: those of others that contain no offsets."""
    own = {*forms.BY_UUID, wire.UUID_FOOTER_REFERENCE, *RECORDS}
    return others_of(footer, own, ignored, wrap)


def renewed_end(
    old: Footer,
    struct: bytes,
    start: int,
    kept: Sequence[Piece],
    records: Mapping[UUID, bytes],
    ignored: frozenset[str],
) -> bytes:
    """Return the new file's bytes from `start` on.

    Parameters
    ----------
    old : Footer
        Footer of the old file.
    struct : bytes
        The new Thrift footer without an extension.
    kept : sequence of Piece
        See `kept_pieces`.
    records : mapping of UUID to bytes
        Payloads of blocks with records of earlier states of the file.

    Raises
    ------
    Refused
        If the extension would be too large, or if slots of the flat footer are damaged.
    """
    beside = [spec for spec in forms.FRAMED if any(piece.uuid == spec.uuid and piece.is_framed for piece in old.pieces)]
    marker = old.marker or "spec"
    is_behind = bool(kept or beside) and old.location.placement == 1
    pieces = list(kept)
    is_text = not is_behind and all(piece.is_text for piece in kept)
    pieces += [(Piece.text if is_text else Piece.made)(payload, uuid) for uuid, payload in records.items()]
    check_size(pieces, ignored)
    edit = Footer(struct, start, None, ()).composed(pieces, [], marker, is_behind=is_behind)
    data = edit.applied(struct, start)
    blocks = [(spec, Options(marker, spec.placement)) for spec in (*_added_to_others(old), *beside)]
    best, placement = forms.WRITABLE.get(old.form), old.placement
    if best is not None and best.stands_alone and placement is not None:
        blocks.insert(0, (best, _options(old, marker, placement)))
    for spec, options in blocks:
        planned = with_block(parse_end(data, start), spec, options, ignored, verbatim=spec.stands_alone)
        data = data if planned.edit is None else planned.edit.applied(data, start)
    return data


def _added_to_others(old: Footer) -> Iterator[FormSpec]:
    """Yield the forms whose blocks are part of other blocks of ours, without a trailer with their UUID."""
    kinds = {piece.uuid for piece in old.pieces}
    return (
        spec
        for uuid, spec in forms.BY_UUID.items()
        if uuid in kinds and not spec.stands_alone and spec not in forms.FRAMED
    )


def _options(old: Footer, marker: str, placement: str) -> Options:
    """Return the options with which the file's form of ours was written."""
    found = block_with_slots(old)
    if found is None:
        return Options(marker, placement)
    spec, payload = found
    extensions: Changes = dict(slots_in(old).items())
    return Options(marker, placement, stats=spec.options_of(payload).stats, extensions=extensions)
