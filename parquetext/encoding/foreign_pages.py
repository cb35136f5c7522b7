"""Decode pages in registered encodings, which the kernels do not support, by the registered function."""

from __future__ import annotations

from .. import kernels, wire
from ..errors import OutOfProportion, Unsupported, wire_error
from .codecs import BELIEVED
from .pages import Page
from .registry import find

LEAST_WIDTH = 4  # of a value in memory: of texts the offset
TEXT_OF_A_BYTE = 8  # that an encoding of texts gives at most


def is_foreign(encoding: int) -> bool:
    """Return True if a program has registered the encoding, and the kernels cannot decode it."""
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
    """Return the same page with its values in PLAIN.

    Parameters
    ----------
    in_extension : bool
        True if the page belongs to a copy in the column-encoding extension.
    most_page : int, optional
        Raise OutOfProportion for values of more bytes and 64 times their stored ones.

    Raises
    ------
    Unsupported
        The encoding does not support values of this type, or is for extensions only and this page is not in one.
    """
    header, encoding = page.header, find(page.header.encoding)
    if encoding is not None and encoding.only_in_extension and not in_extension:
        message = f"encoding {encoding.name} in a page of an ordinary column; it is read in extensions alone"
        raise Unsupported(message, offset=header.offset, found=encoding.id)
    if encoding is None or type not in encoding.types:
        raise wire_error(wire.ENCODING, header.offset, type, header.encoding)
    # Levels of V1 pages are a part of the values: only those of V2 pages are copied together with them.
    body = memoryview(b"".join((page.levels, page.values)) if len(page.levels) else page.values)
    _, _, values = kernels.page.level_parts(header, body, max_definition, max_repetition)
    _, count = kernels.page.count_levels(header, body, max_definition, max_repetition)
    if most_page is not None:
        refuse_vast(header, count, len(page.values), type_length, most_page)
    decoded = encoding.decode(bytes(body[values:]), count, type, type_length)
    plain = _plain(type, type_length, decoded, count)
    header = header._replace(encoding=wire.ENCODING_PLAIN)
    if header.type == wire.PAGE_DATA_PAGE_V2:
        return Page(header, body[:values], plain)
    return Page(header, body[:0], b"".join((body[:values], plain)))


def _plain(type: int, type_length: int, values, count: int):
    """Return values in PLAIN, which those of a fixed width are in already."""
    width = wire.WIDTH_IN_PAGES.get(type, 0) if type != wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY else type_length
    if width > 0 and isinstance(values, (bytes, bytearray, memoryview)) and len(values) == count * width:
        return values
    return kernels.encode.encode(wire.ENCODING_PLAIN, type, type_length, values, count)


def refuse_vast(header, count: int, size: int, width: int, most: int) -> None:
    """Refuse a page if few stored bytes expand to very many values, because all of them are decoded at once.

    Parameters
    ----------
    header : kernels.page.PageHeader
    count : int
        Of values that are not null.
    size : int
        Bytes of the values once they are decompressed.
    width : int
        Of a value, 0 for BYTE_ARRAY.
    most : int
        Values of more bytes and of more than 64 times the stored ones are refused.

    Raises
    ------
    OutOfProportion
    """
    stored, decoded = header.compressed_size, count * max(width, LEAST_WIDTH)
    if not width:
        decoded += TEXT_OF_A_BYTE * size
    if decoded > max(most, BELIEVED * stored):
        raise OutOfProportion(f"a page of {stored} bytes that decodes to up to {decoded}", offset=header.offset)
