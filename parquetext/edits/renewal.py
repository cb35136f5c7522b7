"""The end of a file that is written anew: what others have in its footer, and the forms that it had, made again."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from .. import wire
from ..errors import ParquetextError
from ..footer import forms
from ..storage import TailEdit
from .footer import Footer, parse_end
from .foreign_bytes import others_of
from .form_options import Options
from .pieces import Piece
from .size import check_size
from .upgrade import block_with_slots, slots_in, with_form

__all__ = ["Renewed", "kept_pieces"]


class Nowhere:
    """A sink that keeps nothing."""

    def write(self, data) -> None:
        """Let it go."""


class Renewed(ABC):
    """A file whose data is written anew, and then its end; see `run.Rewrite`."""

    def __init__(self, source, footer: Footer, kept: Sequence[Piece], forced: frozenset[str]):
        self._footer, self._kept, self._forced = footer, kept, forced
        self._name, self._size, self.told = source.name, None, ""

    @abstractmethod
    def _write_data(self, sink) -> tuple[bytes, int, bytes | None]:
        """Write what stands in front of the footer; the new Thrift footer, without an extension, where it begins, and
        the payload of the block that tells of the original, if there is to be one."""

    @property
    def size(self) -> int:
        """Of the new file; before it is written, all of it is made to know that."""
        if self._size is None:
            self.write(Nowhere())
        return self._size

    def write(self, sink) -> None:
        """Write the data, then the footer with all that stands aside of it."""
        try:
            struct, start, payload = self._write_data(sink)
            tail = _renewed_end(self._footer, struct, start, self._kept, payload, self._forced)
        except ParquetextError as error:
            raise error.at(error.file or self._name) from None
        sink.write(tail)
        self._size = start + len(tail)


def kept_pieces(footer: Footer, forced: frozenset[str], wrap: bool) -> list[Piece]:
    """What of an extension goes over to the new file as it is: what is not ours, and does not speak of offsets."""
    return others_of(footer, {*forms.BY_UUID, wire.UUID_FOOTER_REFERENCE, wire.UUID_ORIGINAL}, forced, wrap)


def _renewed_end(
    old: Footer, struct: bytes, start: int, kept: Sequence[Piece], payload: bytes | None, forced: frozenset[str]
) -> bytes:
    """The new file's bytes from `start` on.

    Parameters
    ----------
    old : Footer
        Of the old file.
    struct : bytes
        The new Thrift footer without an extension.
    kept : sequence of Piece
        See `kept_pieces`.
    payload : bytes, optional
        Of the block that tells of the original.

    Raises
    ------
    Refused
        The extension would be too large, or slots of the flat footer are damaged.
    """
    beside = [spec for spec in forms.FRAMED if any(piece.uuid == spec.uuid and piece.is_framed for piece in old.pieces)]
    marker = old.marker or "spec"
    is_behind = bool(kept or beside) and old.place.placement == 1
    pieces = list(kept)
    if payload is not None:
        is_text = not is_behind and all(piece.is_text for piece in kept)
        pieces.append((Piece.text if is_text else Piece.made)(payload, wire.UUID_ORIGINAL))
    check_size(pieces, forced)
    edit = Footer(struct, start, None, ()).composed(pieces, [], marker, is_behind=is_behind)
    data = _applied(struct, start, edit)
    spec = forms.WRITABLE.get(old.form)
    if spec is not None and spec.stands_alone:
        planned = with_form(parse_end(data, start), spec, _options(old, marker), forced, verbatim=True)
        data = _applied(data, start, planned.edit)
    for spec in beside:
        planned = with_form(parse_end(data, start), spec, Options(marker, spec.placement), forced)
        data = _applied(data, start, planned.edit)
    return data


def _applied(data: bytes, start: int, edit: TailEdit) -> bytes:
    return data[: edit.keep - start] + edit.tail


def _options(old: Footer, marker: str) -> Options:
    """Return the options with which the file's form of ours was written."""
    piece = block_with_slots(old)
    if piece is None:
        return Options(marker, old.placement)
    stats = forms.BY_UUID[piece.uuid].options_of(piece.payload).stats
    return Options(marker, old.placement, stats=stats, extensions=slots_in(old))
