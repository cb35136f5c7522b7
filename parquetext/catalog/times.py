"""Compare modification times, to find out if a file has changed since it was entered into a catalog."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["SECOND", "same_time", "settled"]

SECOND = 10**9
# longer than one tick of a clock of whole seconds, and one tick of a clock of milliseconds
COARSE, FINE = 2 * SECOND, SECOND // 10


def settled(modified: int | None, now: int) -> int | None:
    """Return a file's time in ns, or None if a change after `now` may leave the time unchanged."""
    if not modified:
        return None
    return modified if now - modified > (FINE if modified % SECOND else COARSE) else None


def same_time(kept: pa.Array, recorded: pa.Array) -> pa.Array:
    """Return True for each settled time that equals the filesystem's time.

    The filesystem's time may be finer than a stored time of whole seconds.
    """
    second = pa.scalar(SECOND, pa.int64())
    in_second = pc.equal(pc.multiply(pc.divide(recorded, second), second), kept)
    return pc.and_(pc.greater(kept, 0), pc.or_(pc.equal(kept, recorded), in_second))
