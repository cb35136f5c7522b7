"""The Thrift footer: a FileMetaData struct, read as a whole."""

from __future__ import annotations

from typing import Any

from ... import extension
from ..form_spec import FormSpec
from ..regularity import check_regular
from ..thrift_form import ThriftForm


class ThriftSpec(FormSpec):
    """The Thrift form; it has no block, and every upgraded file keeps it."""

    name, title, rank = "thrift", "Thrift footer", 40
    is_lossless = begins_with_thrift = True
    is_writable = False
    is_preferred = False
    has_names = False
    damaged = "thrift-damaged"

    @property
    def reader_type(self) -> type:
        return ThriftForm

    def open_payload(self, payload) -> ThriftForm:
        return ThriftForm(payload)

    def rebuild(self, payload) -> bytes:
        """Return the footer as it is."""
        return payload

    def verify_payload(self, payload) -> None:
        ThriftForm(extension.strip(payload))

    def chunk_structs(self, reader: Any, leaf: int, first: int, count: int) -> list[bytes]:
        scan = reader.scan
        check_regular(scan)
        offsets, lengths = scan.chunks("chunk_offset"), scan.chunks("chunk_length")
        data = memoryview(scan.data)
        indexes = (row_group * scan.leaf_count + leaf for row_group in range(first, first + count))
        return [bytes(data[offsets[index] : offsets[index] + lengths[index]]) for index in indexes]


SPEC = ThriftSpec()
