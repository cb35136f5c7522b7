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
    if most_page is not None:
        _refuse_vast(page, type_length, most_page)
    body = memoryview(b"".join((page.levels, page.values)))
    _, (start, end), values = kernels.page.level_parts(header, body, max_definition, max_repetition)
    count = header.num_values
    if header.type == wire.PAGE_DATA_PAGE_V2:
        if not 0 <= header.num_nulls <= count:
            raise wire_error(wire.PAGE_NULLS, header.offset, count, header.num_nulls)
        count -= header.num_nulls  # which the column compares with the levels: a few bytes may stand for very many
    elif max_definition:
        found, _ = kernels.encoding.decode_levels(header.definition_encoding, max_definition, body[:end], count, start)
        count = _count_of(found, max_definition)
    decoded = encoding.decode(bytes(body[values:]), count, type, type_length)
    plain = kernels.encode.encode(wire.ENCODING_PLAIN, type, type_length, decoded, count)
    header = header._replace(encoding=wire.ENCODING_PLAIN)
    if header.type == wire.PAGE_DATA_PAGE_V2:
        return Page(header, body[:values], plain)
    return Page(header, body[:0], b"".join((body[:values], plain)))


def _refuse_vast(page: Page, width: int, most: int) -> None:
    """Raise OutOfProportion where a few bytes say to be very many values, or texts: all of them are decoded at once."""
    header, stored = page.header, page.header.compressed_size
    is_v2 = header.type == wire.PAGE_DATA_PAGE_V2
    size = (header.num_values - is_v2 * header.num_nulls) * max(width, LEAST_WIDTH)
    if not width:
        size += TEXT_OF_A_BYTE * len(page.values)
    if size > max(most, BELIEVED * stored):
        raise OutOfProportion(f"a page of {stored} bytes that decodes to up to {size}", offset=header.offset)


def _count_of(levels, level: int) -> int:
    """How many of levels, two bytes each, are this one."""
    if level < 256:
        return bytes(levels)[::2].count(level)
    return memoryview(levels).cast("B").cast("H").tolist().count(level)
