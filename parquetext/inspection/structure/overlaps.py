"""Parts of a file that share bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...findings import Finding

__all__ = ["Range", "overlaps"]

Range = tuple[int, int, str]  # begin, end and name


def overlaps(ranges: Iterable[Range]) -> Iterator[Finding]:
    """Yield a finding for each range that begins in front of the end of an earlier one."""
    furthest, owner = 0, ""
    for start, end, name in sorted(ranges):
        if start < furthest and start < end:
            yield Finding("chunk-overlap", f"begins {furthest - start} bytes before {owner} ends", start, name)
        if end > furthest:
            furthest, owner = end, name
