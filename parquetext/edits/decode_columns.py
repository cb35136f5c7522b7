"""Restore the file from before `encode` from the current locations of its bytes."""

from __future__ import annotations

import hashlib

from .. import kernels, wire
from ..errors import Damaged, ParquetextError, Refused
from ..footer import forms
from ..footer.locate import read_tail
from ..rewrite import recorded
from ..rewrite.original import Original, OriginalSource, read_steps
from ..rewrite.recorded import RecordedOriginal
from .final_footer import FinalFooter, restored
from .footer import Footer, parse_end
from .pieces import Piece
from .run import Planned


def original_of(footer: Footer) -> Original | None:
    """Return the footer's record of the file from before it was last encoded.

    Raises
    ------
    Damaged, Unsupported
        If the record cannot be read.
    """
    piece = footer.last_piece(wire.UUID_ORIGINAL)
    return None if piece is None else Original.from_payload(payload_of(piece, "the original"))


def payload_of(piece: Piece, recorded: str) -> bytes:
    """Return the payload of a block with a record of this after checking its checksum."""
    block = piece.content_of_text if piece.is_text else piece.content
    if block is None or kernels.extension.block_before(block, len(block)) is None:
        raise Damaged(f"the record of {recorded} is damaged: its checksum does not hold", code=wire.CHECKSUM)
    return block[: -wire.BLOCK_TRAILER_BYTES]


def unchanged_original(footer: Footer) -> Original | None:
    """Return the record of the original, if no other program has written the footer since.

    Raises
    ------
    Refused
        If another program has written the footer: the original may then lack data.
    """
    original, bare = original_of(footer), footer.bare
    if original and (len(bare), kernels.checksum.crc32(bare)) != (original.struct_length, original.struct_crc):
        raise Refused("another program has changed its footer since it was encoded: the original is not all there is")
    return original


class Rebuilt:
    """The original, which replaces the file; see `run.Rewrite`."""

    def __init__(self, original: Original, source):
        self.size, self.message = original.length, "the file from before it was encoded"
        self.source = OriginalSource(original, source)
        self._sha256 = original.sha256

    def write(self, sink) -> None:
        """Write the original, and compare its SHA-256."""
        digest = hashlib.sha256()
        for data in read_steps(self.source, 0, self.size):
            digest.update(data)
            sink.write(data)
        if digest.digest() != self._sha256:
            raise Refused(
                "what comes back is not the file that was encoded: its SHA-256 is "
                f"{digest.hexdigest()}, expected {self._sha256.hex()}; the file is left as it is",
                file=self.source.name,
            )


def decoded(footer: Footer, source) -> Planned:
    """Return the change that restores the input file of `encode`.

    Raises
    ------
    Refused, Damaged, Unsupported
        If another program has written the footer since, or if the record of the original cannot be read.
    """
    original = unchanged_original(footer)
    assert original is not None  # `strip` calls this only for a footer with the record
    rebuilt = Rebuilt(original, source)
    try:
        tail = read_tail(rebuilt.source)
    except ParquetextError as error:
        raise Refused(f"the restored bytes are not a Parquet file: {error.message}") from None
    return Planned(rebuilt, forms.best_name(forms.names_in(tail)))


def recorded_original(source, tail) -> RecordedOriginal | None:
    """Return the record of the file from before `encode`; for PAR3, from the Thrift footer that `restore` restores.

    Raises
    ------
    Damaged, Malformed, Unsupported
        If the record's block or the flat footer is invalid, or has another version.
    """
    if not tail.is_final:
        return recorded.recorded_original(source, tail)
    if not tail.form.is_restorable:
        return None
    [block] = tail.blocks  # other checks report its checksum
    final = FinalFooter(tail.form, source.read(block.payload, block.length), block.payload)
    back = restored(final)
    original = original_of(parse_end(bytes(back.tail), back.keep))
    return None if original is None else RecordedOriginal(original, final.offset)
