"""Check that a file ends in a footer, before an old journal may replace its end."""

from __future__ import annotations

from .. import kernels
from ..errors import ParquetextError, Refused
from .locate import Source, read_tail

__all__ = ["has_sound_footer"]


def has_sound_footer(source: Source) -> bool:
    """Return True if a file ends in a sound footer of any form, or in an encrypted one, which cannot be checked.

    Parameters
    ----------
    source : storage.Source

    Notes
    -----
    Reads the whole footer. Blocks beside a sound Thrift footer are not checked.
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
