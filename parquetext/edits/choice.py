"""Choose the footer form that pays off for a file by the size and shape of its Thrift footer, and give the reason."""

from __future__ import annotations

from typing import NamedTuple

from .. import wire
from ..extension import ASIDE

__all__ = ["Choice", "choose_form"]

SMALL_FOOTER = 16 << 10  # the first read of a remote file contains it completely
FEW_COLUMNS = 4  # any look-up needs much of such a footer
FLAT_SHARE = 0.02  # of the file: upper bound for a second footer


class Choice(NamedTuple):
    """A form, ``"flat"``, ``"index"`` or ``"thrift"`` (nothing is added), and the reason."""

    form: str
    reason: str


def choose_form(footer_bytes: int, file_bytes: int, columns: int, row_groups: int, placement: str = ASIDE) -> Choice:
    """Choose the form for a file.

    Parameters
    ----------
    footer_bytes : int
        Size of the Thrift footer without our extensions.
    file_bytes : int
        Size of the file without our extensions.
    columns, row_groups : int
        Number of leaf columns and row groups.
    placement : str
        The placement of the form: within the Thrift footer its size is limited by current readers.

    Notes
    -----
    The flat form is the fastest one, and takes about as many bytes as the Thrift footer. The index takes a twelfth of
    them if there are many row groups, a third if there is one, and its look-ups read each chunk from the Thrift footer.
    """
    share = footer_bytes / max(file_bytes, 1)
    if footer_bytes <= SMALL_FOOTER:
        return Choice("thrift", f"a footer of {footer_bytes:,} bytes is read whole in one request")
    if columns <= FEW_COLUMNS:
        return Choice("thrift", f"with {columns} columns a look-up needs most of the footer anyway")
    if placement != ASIDE and footer_bytes > wire.MAX_EXTENSION_BYTES // 2:
        return Choice("index", f"a second footer of about {footer_bytes:,} bytes is more than readers of today take")
    if share > FLAT_SHARE:
        return Choice("index", f"the footer is {share:.1%} of the file: too much to have it twice")
    return Choice("flat", f"{columns * row_groups:,} column chunks, and the footer is only {share:.2%} of the file")
