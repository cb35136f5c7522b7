"""Check a file's footer against the caller's limits before it is used."""

from __future__ import annotations

from collections.abc import Mapping

from .. import kernels, wire
from ..errors import LimitExceeded, ParquetextError, Unsupported
from .best_form import thrift_footer

STRING, CONTAINER, DEPTH = LIMITS = "thrift_string_size_limit", "thrift_container_size_limit", "schema_depth_limit"


def check_limits(source, limits: Mapping[str, int | None]) -> None:
    """Check the Thrift footer of a file, or the one that a PAR3 footer represents, against pyarrow's limits.

    Parameters
    ----------
    source : Source
    limits : mapping
        The most bytes of a string, items of a list, and elements from the root to a leaf, including both, by the names
        in `LIMITS`. None and absent names mean no limit.

    Raises
    ------
    LimitExceeded
        With the offset of the value that is too large; without it in a PAR3 file.
    ValueError
        If a limit is not above 0.
    Malformed, Damaged, Refused, Unsupported
        If no footer can be read.
    """
    given = {name: limit for name in LIMITS if (limit := limits.get(name)) is not None}
    for name, limit in given.items():
        if limit <= 0:
            raise ValueError(f"{name} must be larger than zero, not {limit}")
    if not given:
        return
    footer, offset = thrift_footer(source)
    try:
        _check_sizes(footer, given)
        _check_depth(footer, given)
    except ParquetextError as error:
        if offset is None:
            error.offset, offset = None, 0
        raise error.at(None, offset) from None


def _check_sizes(footer, limits: Mapping[str, int]) -> None:
    try:
        kernels.thrift.check_sizes(footer, limits.get(STRING), limits.get(CONTAINER))
    except Unsupported as error:
        what, name = ("string", STRING) if error.code == wire.TOO_LARGE else ("list", CONTAINER)
        raise _exceeded(f"a {what} of {error.message}", name, error.offset, error.expected, error.found) from None


def _check_depth(footer, limits: Mapping[str, int]) -> None:
    if DEPTH not in limits:
        return
    depths: list[int] = []
    scan = kernels.scan.scan(footer)
    for element, parent in enumerate(scan.elements("parent")):
        depths.append(depths[parent] + 1 if parent >= 0 else 1)
        if depths[-1] > limits[DEPTH]:
            message = f"the schema is deeper than {limits[DEPTH]} elements"
            raise _exceeded(message, DEPTH, scan.elements("bytes_offset")[element], limits[DEPTH], depths[-1])


def _exceeded(what: str, name: str, offset: int | None, limit: int | None, found: int | None) -> LimitExceeded:
    return LimitExceeded(f"{what} ({name})", offset=offset, expected=limit, found=found)
