"""Batches that a worker of a `DataLoader` sends in one piece, because each shared tensor takes a connection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from .tensors import Values

ALIGNMENT = 16
SHARED = 1 << 20  # bytes from which on shared memory is faster than a pipe


class _Place(NamedTuple):
    """The bytes of a tensor in the buffer of a batch."""

    begin: int
    end: int
    kind: torch.dtype
    shape: torch.Size


class SentTogether(dict):
    """A batch whose tensors are pickled as one buffer. Unpickling it returns a dictionary of views of the buffer."""

    def __reduce__(self) -> tuple[Any, ...]:
        return unpacked, packed(self)

    def __copy__(self) -> SentTogether:  # called by `torch.utils.data.default_convert`
        return SentTogether(self)


def packed(batch: dict[str, Values]) -> tuple[bytearray | torch.Tensor, dict[str, Any]]:
    """Return a buffer with the values of all tensors, and the batch with their places in the buffer."""
    placed: list[tuple[torch.Tensor, _Place]] = []

    def place_of(tensor: torch.Tensor) -> _Place:
        begin = -(-placed[-1][1].end // ALIGNMENT) * ALIGNMENT if placed else 0
        end = begin + tensor.numel() * tensor.element_size()
        placed.append((tensor, _Place(begin, end, tensor.dtype, tensor.shape)))
        return placed[-1][1]

    layout = _replaced(batch, torch.Tensor, place_of)
    size = placed[-1][1].end if placed else 0
    small = bytearray(max(size, 1)) if size < SHARED else None
    buffer = torch.empty(size, dtype=torch.uint8) if small is None else torch.frombuffer(small, dtype=torch.uint8)
    for tensor, place in placed:
        buffer[place.begin : place.end] = tensor.reshape(-1).view(torch.uint8)
    return (buffer if small is None else small), layout


def unpacked(buffer: bytearray | torch.Tensor, layout: dict[str, Any]) -> dict[str, Values]:
    """Return a batch whose tensors are views of a buffer."""
    whole = buffer if isinstance(buffer, torch.Tensor) else torch.frombuffer(buffer, dtype=torch.uint8)
    return _replaced(layout, _Place, lambda place: whole[place.begin : place.end].view(place.kind).view(place.shape))


def _replaced(values: Any, kind: type, function: Callable[[Any], Any]) -> Any:
    """Return a batch in which the result of a function replaces each value of a type."""
    if isinstance(values, kind):
        return function(values)
    if isinstance(values, dict):
        return {name: _replaced(part, kind, function) for name, part in values.items()}
    if isinstance(values, list) and values and isinstance(values[0], kind):
        return [function(value) for value in values]
    return values
