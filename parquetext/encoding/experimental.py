"""PFOR and FSST: encodings whose bytes may still change, registered as any program registers its own."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from .. import kernels, wire
from .registry import Encoding, register


def _registered(id: int, name: str, uuid: str, types: frozenset[int]) -> Encoding:
    """Register an encoding with the kernels of its name."""

    def kernel(function: str) -> Callable:
        """Return a function that calls a kernel of the implementation in use."""
        return lambda *arguments: getattr(getattr(kernels, name.lower()), function)(*arguments)

    encoding = Encoding(id, name, UUID(uuid), types, kernel("encode"), kernel("decode"), only_in_extension=True)
    register(encoding)
    return encoding


_INTEGERS = frozenset({wire.PHYSICAL_INT32, wire.PHYSICAL_INT64})
_TEXTS = frozenset({wire.PHYSICAL_BYTE_ARRAY, wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY})
PFOR = _registered(wire.ENCODING_PFOR, "PFOR", "38a90611-95c9-42c4-9bd6-66d21a49a72b", _INTEGERS)
FSST = _registered(wire.ENCODING_FSST, "FSST", "c3331ac8-d088-4a8a-aa15-0f69e1030816", _TEXTS)
