"""A change of a file's end, as bytes."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["TailEdit"]


@dataclass(frozen=True, slots=True)
class TailEdit:
    """Keep the first `keep` bytes of a file and put `tail` behind them.

    Attributes
    ----------
    keep : int
    tail : bytes-like
    """

    keep: int
    tail: bytes | memoryview

    @property
    def size(self) -> int:
        """The file's length afterwards."""
        return self.keep + len(self.tail)
