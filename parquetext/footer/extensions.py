"""The contents of a footer's extension slots: bytes by UUID, each read on access."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING
from uuid import UUID

from .. import wire
from ..errors import Damaged
from . import forms

if TYPE_CHECKING:
    from .facade import File

OUR_OWN = wire.UUID_THRIFT_EXTENSION, wire.UUID_COPY_TABLE


class Extensions(Mapping[UUID, bytes]):
    """The extension slots of a file's footer, ascending by UUID; empty if the form in use has none.

    UUIDs and sizes need one read of a small list. The bytes of each slot need one more read. No other form stores the
    slots. Reading a damaged slot raises `Damaged`. After reading has changed to another form, reading any slot raises
    `Damaged`.
    """

    __slots__ = ("_file", "_listed")

    def __init__(self, file: File):
        self._file = file
        self._listed: dict[UUID, tuple[int, int]] | None = None

    @property
    def sizes(self) -> dict[UUID, int]:
        """Return the size of each slot in bytes."""
        return {uuid: size for uuid, (_, size) in self._entries().items()}

    def __getitem__(self, uuid: UUID | str) -> bytes:
        try:
            index, _ = self._entries()[UUID(str(uuid))]
        except (KeyError, ValueError):
            raise KeyError(uuid) from None
        return self._read(lambda form: form.extension(index))

    def __iter__(self) -> Iterator[UUID]:
        return iter(self._entries())

    def __len__(self) -> int:
        return len(self._entries())

    def __repr__(self) -> str:
        return f"<parquetext.Extensions {self.sizes}>"

    def _entries(self) -> dict[UUID, tuple[int, int]]:
        """Return a mapping from UUID to (index, size). Slots that parquetext writes itself are omitted."""
        file = self._file
        if self._listed is None:
            damaged = {spec.damaged: spec.title for spec in forms.SPECS if spec.has_slots}
            damaged_kind = next((finding.kind for finding in file.findings if finding.kind in damaged), None)
            if damaged_kind is not None and not file.spec.has_slots:
                raise Damaged(
                    f"the {damaged[damaged_kind]}, which may have extensions, is damaged", file=str(file.path)
                )
            listed = self._read(lambda form: form.extensions()) if file.spec.has_slots else []
            self._listed = {UUID(bytes=uuid): (index, size) for index, (uuid, size) in enumerate(listed)}
            for uuid in OUR_OWN:
                self._listed.pop(uuid, None)
        return self._listed

    def _read(self, operation):
        try:
            return operation(self._file._form)
        except Damaged as error:
            raise self._file._named(error) from None
