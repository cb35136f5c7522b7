"""The registry of encodings: those of the kernels, and those that a program registers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from uuid import UUID

from .. import kernels, wire
from ..errors import ParquetextError
from ..records import frozen

GONE = {1: "GROUP_VAR_INT"}  # in parquet.thrift once, never written

ALL_TYPES = frozenset(wire.NAMES_OF_TYPE)
FIRST_OWN = 64  # parquet-format counts up from 0


@frozen
class Encoding:
    """An encoding of values.

    Attributes
    ----------
    id : int
        The number in page headers: of parquet-format, or one of 64 and more of one's own.
    name : str
    uuid : UUID or None
        Identifies it in a file together with the number, if it is not an encoding of parquet-format.
    types : frozenset of int
        The physical types that it serves, ``wire.PHYSICAL_…``.
    encode : callable or None
        ``encode(values, count, type, type_length)`` → bytes; None if it is only read.
    decode : callable
        ``decode(data, count, type, type_length)`` → values. Values are in the form of `kernels.encoding.decode`: count
        × width bytes, a bitmap of booleans, or ``(offsets, bytes)`` of byte arrays, offsets as int32, the first 0.
    is_built_in : bool
        True if the kernels decode it, so that a column needs no call for each page.
    only_in_extension : bool
        True if it is allowed only in copies in the column-encoding extension, for example because its
        bytes may still change. In the pages of an ordinary column it is refused.
    """

    id: int
    name: str
    uuid: UUID | None
    types: frozenset[int]
    encode: Callable[..., bytes] | None
    decode: Callable[..., object]
    is_built_in: bool = False
    only_in_extension: bool = False


def register(encoding: Encoding) -> None:
    """Register an encoding for all later reads.

    Parameters
    ----------
    encoding : Encoding
        Its number, its names, and the functions that decode and encode; see docs/encodings.md.

    Raises
    ------
    ParquetextError
        The number, or the UUID, is that of another encoding; the number is below 64 and none of parquet-format's,
        unless the encoding is for extensions only, which identify it by its UUID; or it has no UUID.

    Examples
    --------
    >>> from parquetext import encoding
    >>> encoding.register(encoding.find(0))
    """
    known = _known.get(encoding.id)
    if known == encoding:
        return
    if known is not None:
        raise ParquetextError(f"encoding {encoding.id} is {known.name} already", found=encoding.id)
    if encoding.only_in_extension and encoding.uuid is None:
        raise ParquetextError(f"an extension names encoding {encoding.name} by a UUID; give it one")
    first = 0 if encoding.only_in_extension else FIRST_OWN
    if not first <= encoding.id < 1 << 31 and encoding.id not in wire.NAMES_OF_ENCODING:
        raise ParquetextError(f"encoding {encoding.id} is parquet-format's to name; take one of {FIRST_OWN} and more")
    if encoding.uuid is not None and any(encoding.uuid == other.uuid for other in _known.values()):
        raise ParquetextError(f"another encoding has the UUID {encoding.uuid}")
    _known[encoding.id] = encoding


def find(id: int) -> Encoding | None:
    """Return the encoding of this number, or None.

    Parameters
    ----------
    id : int
        As parquet.thrift numbers encodings, or from 64 on as ours are.

    Returns
    -------
    Encoding or None

    Examples
    --------
    >>> from parquetext import encoding
    >>> encoding.find(0).name
    'PLAIN'
    """
    return _known.get(id)


def find_named(id: int, uuid: UUID | None) -> Encoding | None:
    """Return the encoding of this number, and of this UUID if one is given; None if there is none."""
    known = find(id)
    return known if known is not None and known.uuid == uuid else None


def registered() -> list[Encoding]:
    """Return all encodings that are known, by number.

    Returns
    -------
    list of Encoding

    Examples
    --------
    >>> from parquetext import encoding
    >>> [each.name for each in encoding.registered()][:2]
    ['PLAIN', 'PLAIN_DICTIONARY']
    """
    return [_known[id] for id in sorted(_known)]


def names() -> dict[int, str]:
    """Return the names of all encodings, by number: parquet-format's, and those that are registered."""
    return GONE | wire.NAMES_OF_ENCODING | {encoding.id: encoding.name for encoding in registered()}


def _decode(encoding: int, data: object, count: int, type: int, type_length: int) -> object:
    return kernels.encoding.decode(encoding, type, type_length, data, count)[0]


def _encode(encoding: int, values: object, count: int, type: int, type_length: int) -> bytes:
    return kernels.encode.encode(encoding, type, type_length, values, count)


def _built_in(id: int, *types: int) -> Encoding:
    name = wire.NAMES_OF_ENCODING[id]
    return Encoding(
        id, name, None, frozenset(types) or ALL_TYPES, partial(_encode, id), partial(_decode, id), is_built_in=True
    )


_INTEGERS = wire.PHYSICAL_INT32, wire.PHYSICAL_INT64
_known: dict[int, Encoding] = {
    encoding.id: encoding
    for encoding in (
        _built_in(wire.ENCODING_PLAIN),
        _built_in(wire.ENCODING_PLAIN_DICTIONARY),
        _built_in(wire.ENCODING_RLE, wire.PHYSICAL_BOOLEAN),
        _built_in(wire.ENCODING_DELTA_BINARY_PACKED, *_INTEGERS),
        _built_in(wire.ENCODING_DELTA_LENGTH_BYTE_ARRAY, wire.PHYSICAL_BYTE_ARRAY),
        _built_in(wire.ENCODING_DELTA_BYTE_ARRAY, wire.PHYSICAL_BYTE_ARRAY, wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY),
        _built_in(wire.ENCODING_RLE_DICTIONARY),
        _built_in(
            wire.ENCODING_BYTE_STREAM_SPLIT,
            *_INTEGERS,
            wire.PHYSICAL_FLOAT,
            wire.PHYSICAL_DOUBLE,
            wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY,
        ),
        _built_in(wire.ENCODING_ALP, wire.PHYSICAL_FLOAT, wire.PHYSICAL_DOUBLE),
    )
}
