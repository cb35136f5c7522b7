"""Read and change the extension slots of a flat footer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from uuid import UUID

from .. import kernels, wire
from ..errors import Damaged, ParquetextError, Unsupported
from ..footer.copied_chunks import table_of

__all__ = ["Changes", "Memory", "Slots", "changed", "is_compact", "pairs_of", "slot_of_copies", "slots_of"]

Slots = dict[UUID, bytes]
Changes = Mapping[UUID | str, bytes | None]


class Memory:
    """A payload in memory as a source."""

    def __init__(self, data):
        self.data, self.size = memoryview(data), len(data)

    def read(self, offset: int, length: int) -> memoryview:
        return self.data[offset : offset + length]


def slots_of(payload) -> Slots:
    """Return the slots of a payload, or an empty dict if it cannot be opened.

    Raises
    ------
    Damaged
        If it has slots that cannot be read.
    """
    try:
        reader = kernels.flat.Reader(Memory(payload), 0, len(payload), payload)
    except (Damaged, Unsupported):
        return {}
    return {UUID(bytes=uuid): reader.extension(index) for index, (uuid, _) in enumerate(reader.extensions())}


def is_compact(payload) -> bool:
    """Return True if a payload has shortened bounds; False if it cannot be opened."""
    try:
        return not kernels.flat.Reader(Memory(payload), 0, len(payload), payload).is_lossless
    except (Damaged, Unsupported):
        return False


def changed(slots: Slots, changes: Changes | None) -> Slots:
    """Return the slots with those of `changes` added or replaced, and removed if None."""
    try:
        named = {
            key if isinstance(key, UUID) else UUID(key): data if data is None else bytes(memoryview(data))
            for key, data in (changes or {}).items()
        }
    except (ValueError, AttributeError, TypeError):
        raise ParquetextError(f"extensions are bytes by UUID: {changes!r:.200}", code=wire.BAD_ARGUMENT) from None
    if wire.UUID_THRIFT_EXTENSION in named:
        raise ParquetextError(f"the slot {wire.UUID_THRIFT_EXTENSION} is for finalize", code=wire.BAD_ARGUMENT)
    return {key: data for key, data in {**slots, **named}.items() if data is not None}


def slot_of_copies(scan) -> Slots:
    """Return the slot with the table of columns' copies, from a scanned Thrift footer; empty if there are none."""
    table = table_of(scan)
    return {} if table is None else {wire.UUID_COPY_TABLE: table}


def pairs_of(slots: Slots) -> Iterable[tuple[bytes, bytes]]:
    """Return slots as pairs for the kernels."""
    return sorted((uuid.bytes, data) for uuid, data in slots.items())
