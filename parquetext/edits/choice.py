"""Which footer form a file is worth: by the size and shape of its Thrift footer, and with a reason."""

from __future__ import annotations

from typing import NamedTuple

from .. import wire
from ..extension import ASIDE

__all__ = ["Choice", "choose_form"]

SMALL_FOOTER = 16 << 10  # one first read of a remote file holds it whole
FEW_COLUMNS = 4  # any look-up needs a good part of such a footer
FLAT_SHARE = 0.02  # of the file: how much a second footer may add


class Choice(NamedTuple):
    """A form, ``"flat"``, ``"index"`` or ``"thrift"`` (nothing is added), and why."""

    form: str
    reason: str


def choose_form(footer_bytes: int, file_bytes: int, columns: int, row_groups: int, placement: str = ASIDE) -> Choice:
    """Choose the form for a file.

    Parameters
    ----------
    footer_bytes : int
        The Thrift footer, extensions of ours left out.
    file_bytes : int
        The whole file, extensions of ours left out.
    columns, row_groups : int
        Leaf columns, and row groups.
    placement : str
        Where the form would stand: within the Thrift footer it may not become too large for readers of today.

    Notes
    -----
    The flat form is the fastest one, and takes about as many bytes as the Thrift footer again. The index takes a
    twelfth of them with many row groups, a third with one, and its look-ups read each chunk from the Thrift footer.
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
