"""Divide a file's bytes into segments that move together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from ..encoding.pages import OVERRUN
from ..errors import Malformed
from ..records import frozen

CHUNK, COPY, OFFSET_INDEX, KEPT = range(4)

Span = tuple[int, int]  # begin, end


@frozen
class Claim:
    """A byte range that a footer refers to.

    Attributes
    ----------
    kind : int
        ``CHUNK``; ``COPY``, a chunk's copy in another encoding; ``OFFSET_INDEX``, which is rewritten; ``KEPT``.
    """

    begin: int
    end: int
    kind: int
    row_group: int
    leaf: int


@dataclass(slots=True)
class RowGroupBytes:
    """The bytes that move with a row group.

    Attributes
    ----------
    copies : list of (begin, end)
    chunks : dict
        By leaf, the spans to copy in file order; the chunk itself is the first one.
    rest : list of (begin, end)
        The bytes after its last chunk.
    """

    copies: list[Span] = field(default_factory=list)
    chunks: dict[int, list[Span]] = field(default_factory=dict)
    rest: list[Span] = field(default_factory=list)


@dataclass(slots=True)
class Segments:
    """The bytes before a file's footer, except offset indexes: those before all chunks, and by row group."""

    front: list[Span]
    row_groups: list[RowGroupBytes]


def divided(claims: Iterable[Claim], row_group_count: int, end: int) -> Segments:
    """Divide the bytes [0, `end`) by their claims.

    Bytes between two chunks of a row group move with the first one, claimed or not. Up to 100 unclaimed bytes after the
    last chunk move with it, too: old writers excluded the dictionary page's header from the chunk's size.

    Raises
    ------
    Malformed
        If claims overlap, or if they exceed these bytes.
    """
    ordered = sorted(_distinct(claims), key=lambda claim: claim.begin)
    _check(ordered, end)
    segments = Segments([], [RowGroupBytes() for _ in range(row_group_count)])
    last: Claim | None = None
    at, waiting = 0, []  # spans since the last chunk, and True if they are claimed
    for claim in ordered:
        if at < claim.begin:
            waiting.append((at, claim.begin, False))
        at = claim.end
        if claim.kind == KEPT:
            waiting.append((claim.begin, claim.end, True))
        elif claim.kind == COPY:
            segments.row_groups[claim.row_group].copies.append((claim.begin, claim.end))
        elif claim.kind == CHUNK:
            _settle(segments, last, waiting, claim)
            segments.row_groups[claim.row_group].chunks[claim.leaf] = [(claim.begin, claim.end)]
            last, waiting = claim, []
    if at < end:
        waiting.append((at, end, False))
    _settle(segments, last, waiting, None)
    return segments


def _distinct(claims: Iterable[Claim]) -> Iterable[Claim]:
    """Remove empty and duplicate claims; there are duplicates if chunks share a Bloom filter or a column index."""
    kept: dict[Any, Any] = {}
    for claim in claims:
        if claim.begin < claim.end:
            key = (claim.begin, claim.end) if claim.kind == KEPT else claim
            kept.setdefault(key, claim)
    return kept.values()


def _check(claims: Sequence[Claim], end: int) -> None:
    for claim, next in pairwise(claims):
        if claim.end > next.begin:
            raise Malformed(
                f"bytes {next.begin} to {min(claim.end, next.end)} belong to two things: chunks, page indexes or Bloom "
                "filters overlap",
                offset=next.begin,
            )
    for claim in claims:
        if claim.begin < 0 or claim.end > end:
            raise Malformed(
                f"row group {claim.row_group}, leaf {claim.leaf}: bytes {claim.begin} to {claim.end} leave the data, "
                f"which ends at {end}",
                offset=claim.begin,
            )


def _settle(segments: Segments, last: Claim | None, waiting: list[tuple[int, int, bool]], next: Claim | None) -> None:
    """Assign the ranges between two chunks to their owners."""
    spans = [(begin, end) for begin, end, _ in waiting]
    if last is None:
        segments.front += spans
        return
    own, rest = segments.row_groups[last.row_group].chunks[last.leaf], segments.row_groups[last.row_group].rest
    if next is not None and next.row_group == last.row_group:
        own += spans
        return
    if waiting and waiting[0][0] == last.end and not waiting[0][2]:
        begin, end = spans.pop(0)
        cut = min(begin + OVERRUN, end)
        own.append((begin, cut))
        rest += [(cut, end)] if cut < end else []
    rest += spans
