"""Pack bounds as the public code does: 4, 8 or 16 bytes, or a common prefix and 4 more bytes."""

from __future__ import annotations

from typing import NamedTuple

from ... import wire
from ...errors import wire_error
from ...escaping import is_utf8
from ...logical_types import Entry, LogicalType, SortOrder, entry_of

REPLACEMENT = "\ufffd".encode()
LAST = 0xFFFF_FFFF


class Column(NamedTuple):
    """The properties that determine packing: type, length of a FIXED_LEN_BYTE_ARRAY, name of the annotation."""

    type: int
    length: int | None = None
    annotation: str | None = None

    @property
    def _entry(self) -> Entry:
        return entry_of(LogicalType(self.annotation) if self.annotation else None, self.type)

    @property
    def is_text(self) -> bool:
        """True for UTF-8."""
        return self._entry.is_text

    @property
    def can_be_shortened(self) -> bool:
        """True for byte arrays that are compared byte by byte: a prefix can be a bound."""
        return self.type == wire.PHYSICAL_BYTE_ARRAY and self._entry.order == SortOrder.UNSIGNED


class Packed(NamedTuple):
    """A bound's slots."""

    lo4: int = 0
    lo8: int = 0
    hi8: int = 0
    len: int | None = None


def pack(column: Column, least: bytes, most: bytes, exact: tuple[bool, bool]) -> tuple[Packed, Packed, bytes] | None:
    """Return both bounds and their common prefix; None if readers would unpack invalid bounds.

    Parameters
    ----------
    least, most : bytes
        Valid bounds in PLAIN encoding.
    exact : (bool, bool)
        True if the minimum and the maximum are marked as exact.
    """
    if column.type == wire.PHYSICAL_BOOLEAN or column.type == wire.PHYSICAL_INT96:
        return None
    if column.type in wire.WIDTH_OF_TYPE:
        if {len(least), len(most)} != {wire.WIDTH_OF_TYPE[column.type]}:
            return None
        return _number(least, exact[0]), _number(most, exact[1]), b""
    if column.type == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY and {len(least), len(most)} != {column.length}:
        return None
    if column.type == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY and column.length == 16 and exact == (True, True):
        low, high = (Packed(0, int.from_bytes(value[8:]), int.from_bytes(value[:8]), 16) for value in (least, most))
        return low, high, b""
    return _with_prefix(column, least, most, exact)


def _number(value: bytes, exact: bool) -> Packed:
    number, length = int.from_bytes(value, "little"), len(value) if exact else -len(value)
    return Packed(lo4=number, len=length) if len(value) == 4 else Packed(lo8=number, len=length)


def _with_prefix(column: Column, least: bytes, most: bytes, exact: tuple[bool, bool]):
    prefix = _common_text(least, most)
    packed = []
    for value, sure, step in zip((least, most), exact, (-1, 1), strict=True):
        rest = value[len(prefix) :]
        lo4 = int.from_bytes(rest[:4].ljust(4, b"\0"))
        if len(rest) > 4:
            lo4 += step
            if not column.can_be_shortened or not 0 <= lo4 <= LAST:
                return None
            if column.is_text and not is_utf8(prefix + lo4.to_bytes(4)):
                return None
            packed.append(Packed(lo4, len=-4))
        elif rest or sure:
            packed.append(Packed(lo4, len=len(rest) if sure else -len(rest)))
        else:
            return None  # without a length there is no sign: an empty bound always counts as exact
    return *packed, prefix


def _common_text(least: bytes, most: bytes) -> bytes:
    """Return the longest common prefix that is UTF-8, which some readers check, and leaves each value a byte."""
    most_bytes = max(min(len(least), len(most)) - 1, 0)
    end = next((at for at in range(most_bytes) if least[at] != most[at]), most_bytes)
    prefix = least[:end]
    try:
        prefix.decode()
    except UnicodeDecodeError as error:
        prefix = prefix[: error.start]
    return prefix.partition(REPLACEMENT)[0]


def unpack(column: Column, packed: Packed, prefix: bytes, *, upper: bool, coded: bool, at: int) -> bytes | None:
    """Return a bound's value; None if there is none, or an unreliable one.

    Parameters
    ----------
    coded : bool
        True if the public code defines the layout. The comments of later schemas define another packing (up to 16 bytes
        after the prefix, in an undecided order): such a bound counts if it can be read in only one way.
    at : int
        The position of the Statistics table, for errors.

    Raises
    ------
    Damaged
        If no value of the type has the length.
    """
    if packed.len is None:
        return None
    count = abs(packed.len)
    if column.type in wire.WIDTH_OF_TYPE:
        return _unpack_number(column.type, packed, count, at)
    if (
        column.type not in (wire.PHYSICAL_BYTE_ARRAY, wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY) or REPLACEMENT in prefix
    ):  # one public writer damages what is no UTF-8
        return None
    suffix = _suffix(packed, count, coded, at)
    if suffix is None or (upper and packed.len == -4 and packed.lo4 == LAST):  # it should have been one more
        return None
    value = prefix + suffix
    if column.type == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY and len(value) != column.length:
        return None
    if not column.can_be_shortened and column.type == wire.PHYSICAL_BYTE_ARRAY and packed.len == -4:
        return None  # perhaps cut off, and then no bound of a number
    return value


def _unpack_number(type: int, packed: Packed, count: int, at: int) -> bytes | None:
    width = wire.WIDTH_OF_TYPE[type]
    if count == 0:
        return None
    if count != width:
        raise wire_error(wire.BAD_VALUE, at, width, count)
    lo4, lo8 = packed.lo4.to_bytes(4, "little"), packed.lo8.to_bytes(8, "little")
    return {1: lo4[:1], 4: lo4, 8: lo8, 12: lo4 + lo8}[width]


def _suffix(packed: Packed, count: int, coded: bool, at: int) -> bytes | None:
    """Return the bytes after the prefix."""
    words = packed.hi8.to_bytes(8), packed.lo8.to_bytes(8)
    if count == 16:
        return b"".join(words)
    in_four = packed.lo4.to_bytes(4)[:count] if count <= 4 else None
    if coded:
        if in_four is None:
            raise wire_error(wire.BAD_VALUE, at, 4, count)
        return in_four
    if packed.lo4:
        return in_four if not packed.hi8 and not packed.lo8 else None
    if count > 16:
        return None
    readings = {whole[:count] for whole in (words[0] + words[1], words[1] + words[0]) if not any(whole[count:])}
    if packed.lo8 and not packed.hi8 and count <= 8 and not any(words[1][: 8 - count]):
        readings.add(words[1][8 - count :])
    return readings.pop() if len(readings) == 1 else None
