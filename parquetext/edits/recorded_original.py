"""What a file says of the one from before it was encoded, also where its flat footer stands alone."""

from __future__ import annotations

from ..rewrite import recorded
from ..rewrite.recorded import RecordedOriginal
from .decode_columns import original_of
from .footer import parse_end
from .par3 import Par3Footer, restored

__all__ = ["recorded_original"]


def recorded_original(source, tail) -> RecordedOriginal | None:
    """As `rewrite.recorded.recorded_original`; of a PAR3 file what the Thrift footer says that `restore` brings back.

    Raises
    ------
    Damaged, Malformed, Unsupported
        The block, or the flat footer, is not as it must be, or of another version.
    """
    if not tail.is_par3:
        return recorded.recorded_original(source, tail)
    [block] = tail.blocks  # whose checksum is for others to tell
    par3 = Par3Footer(source.read(block.payload, block.length), block.payload)
    back = restored(par3)
    original = original_of(parse_end(back.tail, back.keep))
    return None if original is None else RecordedOriginal(original, par3.offset)
