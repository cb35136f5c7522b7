"""Change the contents of a footer form's extension slots."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from .. import wire
from ..errors import ParquetextError
from ..footer.copied_chunks import table_of
from ..footer.form_spec import Slots

Changes = Mapping[UUID | str, bytes | None]


def changed(slots: Slots, changes: Changes | None) -> Slots:
    """Return the slots with those of `changes` added or replaced, without those that are None there."""
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
    """Return the slot that refers to columns' copies, built from a scanned Thrift footer, if a column has one."""
    table = table_of(scan)
    return {} if table is None else {wire.UUID_COPY_TABLE: table}
