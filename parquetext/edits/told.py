"""What a change says besides its outcome: of systems that have recorded the file as it was."""

from __future__ import annotations

from collections.abc import Iterator

from .. import kernels, sidecar
from ..errors import ParquetextError
from ..sidecar.questdb_key_value import KEY
from .final_footer import FinalFooter
from .footer import Footer
from .table_logs import summary_above

__all__ = ["told_of", "told_of_rewrite"]


def told_of(path: object, footer: Footer | FinalFooter, forced: frozenset[str]) -> Iterator[str]:
    """In words, for a footer that is changed."""
    if _has_key(footer, KEY):
        yield (
            "its footer has QuestDB's key-value: where a QuestDB table has the file as a partition, it records the "
            "file's size, and must be told"
        )
    if "table-format" in forced and (theirs := sidecar.foreign_beside(path)):
        yield f"{theirs}, which parquetext has not made, goes with the file as it was: it is stale after this change"


def told_of_rewrite(path: object, forced: frozenset[str]) -> Iterator[str]:
    """Yield what a file's users must know after it was written anew, in words."""
    if "summary" in forced and (summary := summary_above(path)):
        yield f"{summary} has the places of its column chunks before this change: write it anew"


def _has_key(footer: Footer | FinalFooter, key: bytes) -> bool:
    thrift = footer.data if isinstance(footer, Footer) else footer.payload
    is_scanned = isinstance(footer, Footer) and footer.known_scan is not None
    if not is_scanned and key not in thrift:  # the one look that footers without it pay for
        return False
    try:
        scan = (
            footer.scan(strict=False)
            if isinstance(footer, Footer)
            else kernels.scan.scan(footer.spec.rebuild(footer.payload))
        )
    except ParquetextError:
        return False
    places = zip(scan.key_values("key_offset"), scan.key_values("key_length"), strict=True)
    return any(scan.data[offset : offset + length] == key for offset, length in places)
