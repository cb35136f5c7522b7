"""PFOR and FSST: encodings whose bytes may still change, registered as any program registers its own."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from .. import kernels, wire
from .registry import Encoding, register

__all__ = ["FSST", "PFOR"]


def _kernel(module: str, function: str) -> Callable:
    """Return a function that calls a kernel of the implementation in use."""
    return lambda *arguments: getattr(getattr(kernels, module), function)(*arguments)


PFOR = Encoding(
    id=wire.ENCODING_PFOR,
    name="PFOR",
    uuid=UUID("38a90611-95c9-42c4-9bd6-66d21a49a72b"),
    types=frozenset({wire.PHYSICAL_INT32, wire.PHYSICAL_INT64}),
    encode=_kernel("pfor", "encode"),
    decode=_kernel("pfor", "decode"),
    only_in_extension=True,
)
FSST = Encoding(
    id=wire.ENCODING_FSST,
    name="FSST",
    uuid=UUID("c3331ac8-d088-4a8a-aa15-0f69e1030816"),
    types=frozenset({wire.PHYSICAL_BYTE_ARRAY, wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY}),
    encode=_kernel("fsst", "encode"),
    decode=_kernel("fsst", "decode"),
    only_in_extension=True,
)

register(PFOR)
register(FSST)
