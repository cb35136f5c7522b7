"""The part that is common to the forms with cells and slots for extensions, which a kernel reads."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import UUID

from .. import kernels
from ..errors import Damaged, Unsupported
from ..storage import can_gather
from .form_spec import FormSpec, Location, Memory, Slots


class CellSpec(FormSpec):
    """A form with cells and slots; see `FormSpec`.

    Attributes
    ----------
    kernel : str
        The module of `kernels` that reads the form.
    fetched_bytes : int
        The bytes of a remote payload's end that are fetched at once; other cells are fetched one by one.
    """

    is_lossless = is_verified = has_slots = is_cellular = True
    kernel: ClassVar[str]
    fetched_bytes: ClassVar[int] = 0

    @property
    def reader_type(self) -> type:
        return getattr(kernels, self.kernel).Reader

    def open(self, handle, location: Location) -> Any:
        if can_gather(handle) and (fetched := min(location.length, self.fetched_bytes)):
            handle.read(location.payload + location.length - fetched, fetched)  # the source keeps the bytes
        return self.reader_type(handle, location.payload, location.length, location.known, location.known_end)

    def open_payload(self, payload) -> Any:
        return self.reader_type(Memory(payload), 0, len(payload), payload)

    def slots(self, payload) -> Slots:
        try:
            reader = self.open_payload(payload)
        except (Damaged, Unsupported):
            return {}
        return {UUID(bytes=uuid): reader.extension(index) for index, (uuid, _) in enumerate(reader.extensions())}
