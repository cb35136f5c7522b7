"""What a file says of the one from before it was encoded, also where its flat footer stands alone."""

from __future__ import annotations

from ..rewrite import recorded
from ..rewrite.recorded import RecordedOriginal
from .decode_columns import original_of
from .final_footer import FinalFooter, restored
from .footer import parse_end

__all__ = ["recorded_original"]


def recorded_original(source, tail) -> RecordedOriginal | None:
    """As `rewrite.recorded.recorded_original`; of a PAR3 file what the Thrift footer says that `restore` brings back.

    Raises
    ------
    Damaged, Malformed, Unsupported
        The block, or the flat footer, is not as it must be, or of another version.
    """
    if not tail.form.is_final:
        return recorded.recorded_original(source, tail)
    [block] = tail.blocks  # whose checksum is for others to tell
    final = FinalFooter(tail.form, source.read(block.payload, block.length), block.payload)
    back = restored(final)
    original = original_of(parse_end(back.tail, back.keep))
    return None if original is None else RecordedOriginal(original, final.offset)
