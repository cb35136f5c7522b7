"""The version of the format that a footer declares by two fields (parquet-format 581 and 582, which are proposals).

Field 1, `version`, remains the number that all writers set. A binary field 10 is the pointer of a jump table, another
proposal.
"""

from __future__ import annotations

from typing import NamedTuple

from .. import kernels
from ..thrift import i32_of
from .best_form import thrift_footer

MAJOR, MINOR = 10, 11  # fields of FileMetaData, i32


class FormatVersion(NamedTuple):
    """The declared version; `minor` is None if the footer declares only the major version."""

    major: int
    minor: int | None = None

    def __str__(self) -> str:
        return str(self.major) if self.minor is None else f"{self.major}.{self.minor}"


def declared_version(footer) -> FormatVersion | None:
    """Return the version that a Thrift footer declares, or None.

    Raises
    ------
    Malformed
        If the bytes are no Thrift struct.
    """
    major, minor = (i32_of(footer, kernels.thrift.find(footer, id)) for id in (MAJOR, MINOR))
    return None if major is None else FormatVersion(major, minor)


def version_of(file) -> FormatVersion | None:
    """Return the version that the Thrift footer of an open file declares; it is read whole if it has not been."""
    scan = file._on_form(lambda form: getattr(form, "scan", None))
    return declared_version(thrift_footer(file._source)[0] if scan is None else memoryview(scan.data)[: scan.end])
