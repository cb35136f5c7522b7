"""Times of files: whether one that a catalog has kept tells that a file is still the same."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["SECOND", "same_time", "settled"]

SECOND = 10**9
COARSE, FINE = 2 * SECOND, SECOND // 10  # longer than a clock of whole seconds, and one of milliseconds, stands still


def settled(modified: int | None, now: int) -> int | None:
    """A file's time in ns, None where a change after `now` may leave it the same."""
    if not modified:
        return None
    return modified if now - modified > (FINE if modified % SECOND else COARSE) else None


def same_time(kept: pa.Array, told: pa.Array) -> pa.Array:
    """Whether settled times are those that a filesystem tells now, which may tell a kept one of whole seconds finer."""
    second = pa.scalar(SECOND, pa.int64())
    in_second = pc.equal(pc.multiply(pc.divide(told, second), second), kept)
    return pc.and_(pc.greater(kept, 0), pc.or_(pc.equal(kept, told), in_second))
