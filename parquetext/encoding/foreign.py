"""Pages in encodings that the kernels do not know: their values made PLAIN by whoever registered the encoding."""

from __future__ import annotations

from .. import kernels, wire
from ..errors import Unsupported, wire_error
from .codecs import BELIEVED
from .pages import OutOfProportion, Page
from .registry import find

__all__ = ["is_foreign", "made_plain"]

LEAST_WIDTH = 4  # of a value in memory: of texts the offset
TEXT_OF_A_BYTE = 8  # that an encoding of texts gives at most


def is_foreign(encoding: int) -> bool:
    """Whether a program has registered the encoding, and the kernels cannot decode it."""
    known = find(encoding)
    return known is not None and not known.is_built_in


def made_plain(
    page: Page,
    type: int,
    type_length: int,
    max_definition: int,
    max_repetition: int,
    *,
    in_extension: bool = False,
    most_page: int | None = None,
) -> Page:
    """The same page with its values in PLAIN.

    Parameters
    ----------
    in_extension : bool
        Whether the page is one of a copy that the column-encoding extension leads to.
    most_page : int, optional
        Raise OutOfProportion for values of more bytes and 64 times their stored ones.

    Raises
    ------
    Unsupported
        The encoding does not serve values of this type, or stands in extensions alone and this page does not.
    """
    header, encoding = page.header, find(page.header.encoding)
    if encoding.only_in_extension and not in_extension:
        message = f"encoding {encoding.name} in a page of an ordinary column; it is read in extensions alone"
        raise Unsupported(message, offset=header.offset, found=encoding.id)
    if type not in encoding.types:
        raise wire_error(wire.ENCODING, header.offset, type, encoding.id)
    body = memoryview(b"".join((page.levels, page.values)))
    _, _, values = kernels.page.level_parts(header, body, max_definition, max_repetition)
    _, count = kernels.page.count_levels(header, body, max_definition, max_repetition)
    if most_page is not None:
        _refuse_vast(page, count, type_length, most_page)
    decoded = encoding.decode(bytes(body[values:]), count, type, type_length)
    plain = kernels.encode.encode(wire.ENCODING_PLAIN, type, type_length, decoded, count)
    header = header._replace(encoding=wire.ENCODING_PLAIN)
    if header.type == wire.PAGE_DATA_PAGE_V2:
        return Page(header, body[:values], plain)
    return Page(header, body[:0], b"".join((body[:values], plain)))


def _refuse_vast(page: Page, count: int, width: int, most: int) -> None:
    """Raise OutOfProportion if a few bytes stand for very many values, or texts: all of them are decoded at once."""
    header, stored = page.header, page.header.compressed_size
    size = count * max(width, LEAST_WIDTH)
    if not width:
        size += TEXT_OF_A_BYTE * len(page.values)
    if size > max(most, BELIEVED * stored):
        raise OutOfProportion(f"a page of {stored} bytes that decodes to up to {size}", offset=header.offset)
