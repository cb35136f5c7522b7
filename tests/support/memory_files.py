"""Parquet files in memory, and their sidecars as plans."""

from __future__ import annotations

import pyarrow as pa

from parquetext import kernels
from parquetext.sidecar.building import sidecar_bytes
from parquetext.sidecar.origin import Belongs
from parquetext.sidecar.plan import Plan
from parquetext.storage.source import Source, Version


class Memory(Source):
    """A file's bytes."""

    __slots__ = ("data", "target")

    def __init__(self, data: bytes):
        super().__init__("memory", Version(("tag", None), len(data), None))
        self.data, self.target = data, self

    @property
    def filesystem(self):
        return self

    path = None

    def open_input_file(self, path) -> pa.BufferReader:
        return pa.BufferReader(self.data)

    def _read(self, offset: int, length: int) -> bytes:
        return self.data[offset : offset + length]


def plan_of(sidecar: bytes) -> Plan:
    """A plan of a sidecar's bytes."""
    return Plan("file", "sidecar", kernels.sidecar.Reader(sidecar), Belongs.YES)


def planned(data: bytes) -> Plan:
    """A plan of a Parquet file's bytes."""
    return plan_of(sidecar_bytes(Memory(data))[0])
