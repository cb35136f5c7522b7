"""The files of a read, and their share for each partition: by the sizes that the listing tells, with no file opened."""

from __future__ import annotations

import itertools
import math
import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pyspark.sql.datasource import InputPartition

from ...arrow.discovery import Found, directory_keys, discover
from ...edits.many import is_skipped
from ..globbing import matches
from .options import Options

__all__ = ["Piece", "Share", "list_files", "shares"]

COPYING = "._COPYING_"  # what Hadoop's shell has not yet copied whole


@dataclass(frozen=True, slots=True)
class Piece:
    """The row groups of a file that begin in a part of it: bytes from `start` on and before `end`."""

    file: Found
    start: float = -math.inf
    end: float = math.inf

    @property
    def is_whole(self) -> bool:
        return self.start == -math.inf and self.end == math.inf


class Share(InputPartition):
    """What one task reads."""

    def __init__(self, pieces: list[Piece]):
        super().__init__(None)
        self.pieces = pieces


def list_files(options: Options) -> list[Found]:
    """The files of all paths and patterns, those of a directory in the order of their paths; keys of directories below.

    As Spark's own reader has it, hidden names are passed over, partitions such as ``_day=1`` are not, and a file of a
    directory that holds nothing is no file.
    """
    found = []
    for path in (match for named in options.paths for match in matches(options.filesystems, named)):
        base = options.target(path if options.base_path is None else options.base_path).path.rstrip("/")
        target = options.target(path)
        below = len(target.path.rstrip("/"))
        found += [_below(each, base) for each in discover(target, partitioned=False, ignore_prefixes=(".",),
                                                          sizes=True)
                  if each.path == target.path or (each.size and not _is_hidden(each.path[below:]))]
    return found


def _is_hidden(path: str) -> bool:
    return any(is_skipped(name) for name in path.split("/") if name) or path.endswith(COPYING)


def _below(found: Found, base: str) -> Found:
    """A file with the keys of the directories below `base`."""
    folder = posixpath.dirname(found.path)
    keys = directory_keys(folder[len(base):]) if f"{folder}/".startswith(f"{base}/") else {}
    return Found(found.target, keys, found.size)


def shares(files: Sequence[Found], options: Options) -> list[Share]:
    """Files put together, or cut, into shares of like size; a file counts its bytes and what it costs to open one."""
    total = sum(each.size + options.open_cost for each in files)
    most = min(options.partition_bytes, max(options.open_cost, total // options.min_partitions))
    pieces = sorted((piece for each in files for piece in _cut(each, most)), key=lambda piece: -piece[1])
    made: list[Share] = []
    filled = math.inf
    for piece, size in pieces:
        if filled + size > most:
            made.append(Share([]))
            filled = 0
        made[-1].pieces.append(piece)
        filled += size + options.open_cost
    return made


def _cut(file: Found, most: int) -> Iterator[tuple[Piece, int]]:
    """A file's pieces and their bytes: one begins where another ends, so that each row group is in just one."""
    count = max(-(-file.size // most), 1)
    ends = [-math.inf, *(file.size * number // count for number in range(1, count)), math.inf]
    for start, end in itertools.pairwise(ends):
        yield Piece(file, start, end), file.size // count
