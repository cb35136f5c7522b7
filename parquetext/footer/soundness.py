"""Whether a file ends in a footer at all: asked before an old journal may put another end in its place."""

from __future__ import annotations

from .. import kernels
from ..errors import ParquetextError, Refused
from .locate import Source, read_tail

__all__ = ["has_sound_footer"]


def has_sound_footer(source: Source) -> bool:
    """Whether a file ends in a sound footer of any form: Thrift, PAR3, or an encrypted one, which nobody can look at.

    Parameters
    ----------
    source : storage.Source

    Notes
    -----
    Reads the whole footer. A block beside a sound Thrift footer may be damaged: the file has a sound one all the same.
    """
    try:
        tail = read_tail(source)
        footer = source.read(tail.footer_offset, tail.footer_length)
        if not tail.form.is_final:
            kernels.scan.scan(footer, strict=False)
            return True
        tail.form.verify_payload(footer)
        return kernels.checksum.crc32(footer) == tail.blocks[0].crc
    except Refused:
        return True
    except ParquetextError:
        return False
