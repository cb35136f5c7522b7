"""The note in a sidecar that identifies the content of the Parquet file from which the sidecar was made."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from enum import Enum

from .. import kernels, wire
from ..errors import Malformed
from ..records import frozen
from ..storage import Version
from .questdb_types import has_scales

CODE = wire.PM_ORIGIN_CODE  # PQTX
BACKFILLED = 1
FIXED = struct.Struct("<IIIIqqQQI")  # layout, flags, footer's CRC and length, mtime, ctime, device, inode, tag's length
UNKNOWN = -1


class Belongs(Enum):
    """The evidence that a sidecar belongs to a file."""

    NO = "stale"
    BY_FOOTER = "footer"  # equal footer; data used by the sidecar may differ
    YES = "file"  # the file itself is untouched


@frozen
class Origin:
    """The state of the Parquet file when the sidecar was made.

    Attributes
    ----------
    footer_crc, footer_length : int
        CRC-32 and number of the bytes from the footer's start up to the last 8 of the file.
    modified, changed : int
        Times of the last change of content and of attributes in ns; -1 if they are unknown or prove nothing.
    device, inode : int
    tag : str
        The ETag of an object; empty if there is none.
    backfilled : bool
        True if bounds of the designated timestamp were computed from the data.
    layout : int
        2 if the types of decimals store their scale in the bits that QuestDB reads; 1 if there are no decimals, and in
        sidecars of versions that stored the scale elsewhere.
    """

    footer_crc: int
    footer_length: int
    modified: int = UNKNOWN
    changed: int = UNKNOWN
    device: int = 0
    inode: int = 0
    tag: str = ""
    backfilled: bool = False
    layout: int = wire.PM_ORIGIN_FIRST_LAYOUT

    @classmethod
    def of(
        cls, footer, version: Version, types: Iterable[int], *, backfilled: bool = False, settled: bool = True
    ) -> Origin:
        """Return the note for a file's footer bytes and its version.

        Parameters
        ----------
        types : iterable of int
            The codes of the sidecar's columns.
        settled : bool
            True if another change would change the times.
        """
        crc, times = kernels.checksum.crc32(footer), {}
        if version.changed is not None and settled:
            device, inode = version.identity
            times = {"modified": version.modified, "changed": version.changed, "device": device, "inode": inode}
        elif version.changed is None:
            times = {
                "tag": version.identity[0] or "",
                "modified": UNKNOWN if version.modified is None else version.modified,
            }
        # Versions that only know layout 1 would read the scale as 0, and prune matching rows.
        layout = wire.PM_ORIGIN_KNOWN_LAYOUT if has_scales(types) else wire.PM_ORIGIN_FIRST_LAYOUT
        return cls(crc, len(footer), backfilled=backfilled, layout=layout, **times)

    def to_bytes(self) -> bytes:
        tag = self.tag.encode("utf-8", "surrogateescape")
        flags = BACKFILLED if self.backfilled else 0
        return (
            FIXED.pack(
                self.layout,
                flags,
                self.footer_crc,
                self.footer_length,
                self.modified,
                self.changed,
                self.device,
                self.inode,
                len(tag),
            )
            + tag
        )

    @classmethod
    def from_bytes(cls, data: bytes) -> Origin | None:
        """Decode a note; return None if its layout is unknown."""
        if len(data) < FIXED.size:
            raise Malformed(
                f"the note of the file has {len(data)} bytes, its fixed part {FIXED.size}",
                expected=FIXED.size,
                found=len(data),
            )
        layout, flags, crc, length, modified, changed, device, inode, size = FIXED.unpack_from(data)
        if not wire.PM_ORIGIN_FIRST_LAYOUT <= layout <= wire.PM_ORIGIN_KNOWN_LAYOUT:
            return None
        tag = data[FIXED.size : FIXED.size + size].decode("utf-8", "surrogateescape")
        return cls(crc, length, modified, changed, device, inode, tag, bool(flags & BACKFILLED), layout)

    def is_untouched(self, version: Version) -> bool:
        """Return True if the file is unchanged, apart from its size, which the sidecar's footer stores."""
        if version.changed is not None:
            there = (version.modified, version.changed, *version.identity)
            return self.modified != UNKNOWN and there == (self.modified, self.changed, self.device, self.inode)
        return bool(self.tag) and self.tag == version.identity[0]

    def has_footer(self, footer) -> bool:
        """Return True if these are the footer's bytes."""
        return len(footer) == self.footer_length and kernels.checksum.crc32(footer) == self.footer_crc
