"""PFOR and FSST: encodings whose bytes may still change, registered as any program registers its own."""

from __future__ import annotations

from uuid import UUID

from .. import kernels, wire
from .registry import Encoding, register

__all__ = ["FSST", "PFOR"]


def _encode_pfor(values, count: int, type: int, type_length: int) -> bytes:
    return kernels.pfor.encode(values, count, type, type_length)


def _decode_pfor(data, count: int, type: int, type_length: int):
    return kernels.pfor.decode(data, count, type, type_length)


def _encode_fsst(values, count: int, type: int, type_length: int) -> bytes:
    return kernels.fsst.encode(values, count, type, type_length)


def _decode_fsst(data, count: int, type: int, type_length: int):
    return kernels.fsst.decode(data, count, type, type_length)


PFOR = Encoding(
    id=wire.ENCODING_PFOR,
    name="PFOR",
    uuid=UUID("38a90611-95c9-42c4-9bd6-66d21a49a72b"),
    types=frozenset({wire.PHYSICAL_INT32, wire.PHYSICAL_INT64}),
    encode=_encode_pfor,
    decode=_decode_pfor,
    only_in_extension=True,
)
FSST = Encoding(
    id=wire.ENCODING_FSST,
    name="FSST",
    uuid=UUID("c3331ac8-d088-4a8a-aa15-0f69e1030816"),
    types=frozenset({wire.PHYSICAL_BYTE_ARRAY, wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY}),
    encode=_encode_fsst,
    decode=_decode_fsst,
    only_in_extension=True,
)

register(PFOR)
register(FSST)
