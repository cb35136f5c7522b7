"""Convert a file's footer to the dialect, and list the losses before anything is written."""

from __future__ import annotations

from ... import kernels, thrift, wire
from ...errors import Refused, Unsupported
from .field_differences import Kind, Loss, differences, losses_of
from .from_thrift import encode
from .to_thrift import Decoded

__all__ = ["prepare"]


def prepare(footer) -> tuple[bytes, tuple[Loss, ...]]:
    """Return the buffer for a Thrift footer, and the parts that it omits.

    The buffer is read again and compared with the footer, so the losses are what readers of the dialect really miss.

    Parameters
    ----------
    footer : bytes-like
        A FileMetaData.

    Raises
    ------
    Malformed
        The footer is broken.
    Refused
        It is encrypted or signed.
    Unsupported
        It has what the dialect cannot say and readers cannot do without; see `encode`.

    Notes
    -----
    Plain Python, some 0.3 ms per column chunk.
    """
    if kernels.scan.scan(footer).encrypted:
        raise Refused("the file is encrypted, or parts of it", code=wire.ENCRYPTED)
    fields = thrift.read("FileMetaData", footer)
    buffer = encode(fields)
    found = list(differences(fields, Decoded(buffer)))
    for one in found:
        if one.kind is Kind.DIFFERS:
            raise Unsupported(
                f"{one.field} ({one.label}) would come out of the arrow dialect as {one.dialect!r:.80}, "
                f"not {one.thrift!r:.80}",
                code=wire.UNSUPPORTED_VALUE,
            )
    return buffer, losses_of(found)
