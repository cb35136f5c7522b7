"""Counts in the headers of V2 pages, compared with the levels, which alone say how many rows and nulls a page has."""

from __future__ import annotations

from collections.abc import Iterator

from .. import kernels, wire
from ..errors import ParquetextError
from ..findings import Finding
from .pages import Headers

__all__ = ["check_page_counts"]


def check_page_counts(
    source, headers: Headers, max_definition: int, max_repetition: int, place: str
) -> Iterator[Finding]:
    """Compare the rows and nulls that the headers of V2 pages claim with their levels.

    Readers use the levels, so that such a page is read. Only the levels are read, which V2 does not compress.

    Parameters
    ----------
    source : object
        With `size` and `read(offset, length)`.
    headers : Headers
        The pages of one column chunk.
    max_definition, max_repetition : int
        The leaf's highest levels.
    place : str
        The chunk, for the findings.

    Yields
    ------
    Finding
        At most one `page-counts` for the chunk, at the first page that is wrong, and a `page` for levels that cannot be
        decoded.
    """
    wrong: list[tuple[int, int, str]] = []
    for number, kind in enumerate(headers.array("type")):
        if kind != wire.PAGE_DATA_PAGE_V2:
            continue
        header = headers.header(number)
        try:
            message = _contradiction(source, header, max_definition, max_repetition)
        except ParquetextError as error:
            yield Finding("page", f"page {number}: {error.message} (in the levels)", header.offset, place)
            break
        if message:
            wrong.append((number, header.offset, message))
    if wrong:
        number, offset, message = wrong[0]
        others = f"; {len(wrong) - 1} more of {len(headers)} pages are wrong" if len(wrong) > 1 else ""
        yield Finding("page-counts", f"page {number}: {message}{others}", offset, place)


def _contradiction(source, header, max_definition: int, max_repetition: int) -> str:
    """Describe how the header of a V2 page contradicts its levels; return an empty text if it does not."""
    rows = values = header.num_values
    has_levels = max_definition > 0 and header.num_values > 0
    if has_levels:
        levels = source.read(header.offset + header.header_size, header.repetition_size + header.definition_size)
        rows, values = kernels.page.count_levels(header, levels, max_definition, max_repetition)
    told, found = (header.num_rows, header.num_nulls), (rows, header.num_values - values)
    if told != found:
        claim = f"its header says {told[0]} rows and {told[1]} nulls"
        return f"{claim}, its levels have {found[0]} rows and {found[1]} nulls"
    if has_levels and max_repetition:
        first, _ = kernels.encoding.decode_levels(
            wire.ENCODING_RLE, max_repetition, levels, 1, 0, header.repetition_size
        )
        if any(bytes(first)):
            return "it begins within a row, which pages of version 2 do not"
    return ""
